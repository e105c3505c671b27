"""Says a task in the plain form that the other rules read: wishes, goal lists, numbered steps and prohibitions in other words.

"Is there any chance of a plate on the table" and "a plate on the table would be lovely" are "i want a plate on the table".
"Target state: book on shelf, all drawers closed" lists wishes. "Under no circumstances open it" is "do not open it".
"""

from __future__ import annotations

import re
from collections.abc import Callable

from core.goals.parser.background import PEOPLE

SHORT = {"wanna": "want to", "gonna": "going to", "gotta": "have to", "lemme": "let me", "gimme": "give me", "plz": "please",
         "ya": "you", "u": "you", "pls": "please", "plse": "please", "dont": "don't", "im": "i'm", "id": "i'd", "ive": "i've",
         "cuz": "because", "cos": "because", "coz": "because", "bc": "because", "ur": "your", "yr": "your", "r": "are",
         "whats": "what's", "teh": "the", "hte": "the", "adn": "and", "nad": "and", "wiht": "with", "plaese": "please",
         "pleas": "please", "plese": "please", "pelase": "please", "pleease": "please", "thx": "thanks", "tyvm": "thanks",
         "thnx": "thanks", "tnx": "thanks", "ty": "thanks", "tv's": "tv", "cant": "can't", "wont": "won't", "didnt": "didn't",
         "doesnt": "doesn't", "isnt": "isn't", "arent": "aren't", "shouldnt": "shouldn't", "mustnt": "mustn't",
         "couldnt": "couldn't", "wouldnt": "wouldn't", "havent": "haven't", "hasnt": "hasn't", "theyre": "they're",
         "youre": "you're", "theres": "there's", "shes": "she's", "hes": "he's", "lets": "let's", "thats": "that's",
         "weve": "we've", "youve": "you've", "b4": "before", "n": "and", "w": "with", "da": "the", "nd": "and", "coud": "could",
         "shud": "should", "cud": "could", "wud": "would", "ta": "thanks", "cheers": "thanks", "wld": "would", "cld": "could",
         "tho": "", "rly": "really", "abt": "about", "neednt": "needn't",
         "putt": "put", "swich": "switch", "swtich": "switch", "cn": "can", "yu": "you", "yuo": "you", "hav": "have",
         "giv": "give", "ther": "there"}
"""Short and swallowed spellings -> the usual ones."""
ITS = re.compile(r"\bits (?=(?:(?!ceiling|filling|setting|wiring)[a-z]+ing|so|too|very|really|getting|gone|been|a bit|pretty"
                 r"|not|bedtime|raining|dark|cold|hot|warm|late"
                 r"|bright|time|way|super|far|about|quite|rather|still|already|nearly|almost|just|all|freezing|boiling|stuffy"
                 r"|dirty|empty|full|messy|raining|quiet|loud|my|her|his)\b)")
DASH = re.compile(r"\s+[-–—]+\s+|\s*[–—]\s*")
STEP = re.compile(r"(?:^|(?<=[\s;,.]))(?:(?:step|instruction|trial|task|test|goal|command|job"
                  r"|number) )?(?P<n>[1-9])[.):]\s+(?=[a-z])|(?:^|(?<=[\s;,.]))step (?P<s>[1-9])[:,]? ")
ORDINAL = re.compile(r"(?P<before>^|[,;.]\s*(?:and )?)(?P<which>second(?:ly)?|third(?:ly)?|fourth(?:ly)?|fifth(?:ly)?"
                     r"|last of all|last thing|as a (?:second|third|next) step)(?: of all)?[,:]? (?!shelf\b|drawer\b"
                     r"|floor\b)(?=[a-z])")
AT_FIRST = re.compile(r"^(?:(?:but )?before (?:you )?(?:do )?anything else|before (?:you )?doing anything else|first of all"
                      r"|first thing|first up|first things first|to (?:begin|start) with|your first (?:job|task) is to"
                      r"|for (?:a )?starters?|as a first step)[,:]? +")
LATER = re.compile(r"(?:[,;.]\s*)?(?:and |but )?(?<![a-z])(?:only then|and only after that|once that is so"
                   r"|when you've done that|when that's done|subsequently|thereafter|following that|from there"
                   r"|after which)[,:]? +")
CHANCE = re.compile(r"^(?:(?:is|would) there (?:be )?)?(?:any|a) (?:chance|possibility|way|hope) (?:of|for)(?: having| getting"
                    r"| seeing)? (?!you\b|your\b|[a-z]+ing\b)")
CHANCE_DO = re.compile(r"^(?:what|how) about (?=[a-z]+ing\b)|^(?:(?:is|would) there (?:be )?)?(?:any|a) (?:chance|possibility"
                       r"|way|hope)(?: (?:that )?(?:you|someone|somebody|anyone) (?:could|can|might|would)(?: please)?"
                       r"| of you(?:r)?| of|(?: for you)? to) ")
HAVE = re.compile(r"(?:^|(?<=[,;.] )|(?<=and ))(?:(?:can|could|may|might|shall) (?:i|we) (?:please |possibly |just )?(?:have"
                  r"|get|see)|(?:what|how) about(?![^?]*\? .*\b(?:it|them)\b)|i(?:'d| would)? (?:really |rather )?(?:fancy"
                  r"|(?<=d )love|(?<=would )love|(?<=d )prefer)(?! to\b| it\b| you\b)|i could (?:do with|use|murder)|(?:i'm"
                  r"|i am) (?:dying|gasping) for|it(?:'d| would) be (?:[a-z]+ )?(?:to have|to see)|i expect(?! you\b)|(?:can"
                  r"|could|may|might) i (?:(?:trouble|bother) you|ask(?: you)?) for|i'll (?:take|have)(?![^,;.]* (?:to|into"
                  r"|onto|in|on) )|(?:i|we)(?:'d| would)? (?:rather have|prefer(?: to have)?)|i(?:'d"
                  r"| would) appreciate(?! it\b)) (?!to\b|you\b|[a-z]+ing\b)")
WELCOME = r"(?:(?:so |very |really |just |absolutely |much |most |ever so )*(?:lovely|nice|great|good|perfect|wonderful|ideal" \
    r"|fantastic|brilliant|super|fab|fabulous|appreciated|welcome|useful|helpful|handy|fine|cool|awesome|amazing|heavenly" \
    r"|delightful|marvellous|splendid|superb|excellent|best|better|kind|sweet|happy|glad|grateful|thankful|delighted|pleased" \
    r"|thrilled|chuffed|obliged|relieved|delicious|divine|bliss|over the moon|a (?:great |big |huge |real )?help))"
LOVELY = re.compile(r"(?:^|(?<=[;.] ))(?P<what>(?!i\b|we\b|you\b|it\b|that\b|to\b)[^,;.]+?) (?:(?:would|'d) be "
                    + WELCOME + r"|will be (?:lovely|nice|great|good|perfect|appreciated|welcome))(?: (?:now|right now|thanks"
                                r"|please))*(?=$|\s*[,;.!])")
GOAL = re.compile(r"(?:^|(?<=[;.,] ))(?:and )?(?:(?:the|your|my|our) )?(?:(?:target|goal|desired|final|end|required|wanted"
                  r"|intended)(?: end| final| goal)?(?: (?:state|configuration|situation|condition|goal|arrangement|layout))?"
                  r"|objective|aim|mission)s?(?: for (?:the )?(?:robot|agent))?(?:\s*[:=]\s*|,? (?:is|should be|must be"
                  r"|has to be|shall be|will be)(?: that| one in which| one where|:)? |,? is to (?:have|get) )(?!to\b)")
AIM_TO = re.compile(r"(?:^|(?<=[;.,] ))(?:(?:the|your|my|our) )?(?:goal|objective|aim|mission|task|job)s? (?:is|are|:) to ")
AGENT = re.compile(r"\b(?:(?:the|this|our) )?(?:agent|robot|machine|bot|assistant) (?=(?:must|should|shall|may|can|cannot|can't"
                   r"|has to|is to|needs to|is not|isn't|will|is|are|ought)\b)")
PLAIN_MUST = re.compile(r"\byou (?:is to|has to|needs to|will|is supposed to|is required to|are to)\b")
BOTH = re.compile(r"\b(?P<what>(?:the|my|our|your|a|an|all|every|each) (?:(?!\b(?:is|are|be)\b)[^,;.])+?|it|they"
                  r"|them) (?P<be>is|are|be) (?P<both>both )?(?P<one>[^,;.]+?) and (?:also )?(?P<other>[^,;.]+)")
PLACED = r"(?:(?:located|placed|stored|put|served|arranged|kept|lying|standing|sitting) )?(?P<where>(?:in|inside|on|on top of" \
         r"|at) .+)"
HALF = re.compile(r".+ (?:(?:in|inside|on|into|onto) .+|on|off|open|closed|shut|clean|sliced|cooked|filled)")
STATE = r"(?:switched |turned )?(?:on|off)|open|opened|closed|shut|sliced|cut|chopped|cooked|heated|toasted|baked|boiled" \
        r"|fried|clean|washed|rinsed|filled|warm|hot|plugged in"
DONE = re.compile(r"\b(?P<when>after|once|when|as soon as|before) (?P<what>(?!you\b|i\b|we\b|they\b|he\b|she\b"
                  r"|it\b)[^,;.]+?)(?:'s been|'s|'re| has been| have been| had been| was| were| gets| get| has got| is"
                  r"| are) (?:all )?(?P<how>[a-z]+)\b(?P<runs> (?=(?:put|take|bring|move|serve|place|wash|slice|cook|close|open"
                  r"|turn|switch)\b))?")
NEVER = (
    (r"^(?:you (?:must|should|may|can|shall) )?neither (?=[a-z]+ .+ nor )", "don't "),
    (r"\bdon't (?:move|disturb|mess with|fiddle with) (?P<kept>(?:(?! (?:to|into|onto|from|in|on|off) )[^,;.])+)(?=$|[,;.])",
     r"don't touch \g<kept>"),
    (r"\b(?:under|in) no (?:circumstances?|case)(?: whatsoever)?,? (?:should you |must you |may you |are you to |you (?:should"
     r"|may|must|can) )?(?:ever )?", "don't "),
    (r"\b(?:at no (?:point|time|stage|moment)|under no conditions?|in no event|by no means|not (?:ever"
     r"|under any circumstances?)),? (?:should you |must you |are you to |(?:may|can|should|must) (?:you|the robot|it) "
     r"|you (?:should|may|must|can) )?(?:ever )?",
     "don't "),
    (r"\b(?:nobody|no one|no robot) (?:should|must|may|can|shall|is (?:allowed )?to)\b", "never"),
    (r"(?:^|(?<=[,;.] )|(?<=and )|(?<=but ))(?P<what>(?:the|my|our|his|her) [a-z_]+) (?:(?:must|should|may|shall|can) (?:not"
     r"|never)|mustn't|shouldn't|can't|cannot|(?:is|are) (?:not|never) to|isn't to|aren't to) be (?P<how>[a-z]+(?: on"
     r"| off)?)(?=$|[,;. ])",
     r"don't \g<how> \g<what>"),
    (r"\bhands off (?=the |my |our )", "don't touch "),
    (r"\bon no account,? (?:should you |must you |may you |are you to )?(?:ever )?", "don't "),
    (r"\bwhatever you do,? (?=(?:don't|do not|never|avoid|leave|keep|stay|no)\b)", ""),
    (r"\bwhatever happens,? (?=(?:don't|do not|never|avoid|leave|keep)\b)", ""),
    (r"\b(?:make sure|be sure|see to it|ensure|take care|mind|remember|please) (?:that )?(?:you )?(?:not to|never to|don't"
     r"|do not|never) (?!mind\b)", "don't "),
    (r"\byou (?:must|should|may|can|shall|will)(?: never| under no circumstances)\b", "never"),
    (r"\b(?:do not|don't|never)(?:,? under any circumstances?,?| ever,?|,? at any (?:time|point),?) ", "don't "),
    (r"\bnever,? ever ", "never "), (r"\bdon't you (?:dare|ever)(?: to)? ", "don't "),
    (r"\b(?:making sure|taking care|being careful|ensuring|be careful|be sure)(?: that)?(?: you)? (?:not to|never to|don't"
     r"|do not|never)\b",
     "don't"),
    (r"(?<=[a-z]) and don't (?=[a-z]+)", ", don't "),
    (r"\byou(?:'re| is| are) (?:not allowed|forbidden|not permitted|not supposed|never|never allowed|not|prohibited)(?: to"
     r"| from)?\b",
     "never"),
    (r"\byou (?:isn't|aren't) (?:allowed|permitted|supposed) to\b", "never"),
    (r"\b(?:i|we) (?:don't|do not|wouldn't|would not) (?:want|like|wish|need)(?: (?:for )?you)? to\b", "don't"),
    (r"\b(?:i|we)(?:'d| would) rather you (?:didn't|did not)\b", "don't"),
    (r"\bit(?:'s| is) (?:forbidden|not allowed|not permitted|prohibited) to\b", "don't"),
    (r"\b(?:please )?(?:there (?:must|should|is to|shall) be )?(?:absolutely |strictly )?no (?=(?:opening|closing|entering"
     r"|going|touching|cutting|slicing|cooking|moving|switching|turning|sitting|using|washing|eating|drinking|taking|putting"
     r"|lying|reading)\b)",
     "don't "),
    (r"\b(?:steer clear of|keep well away from|keep your (?:hands|grippers?) off)\b", "don't touch"),
    (r"\b(?P<act>[a-z]+ing [^,;.]+?) is (?:forbidden|not allowed|prohibited|off limits|not permitted|out of bounds)",
     r"don't \g<act>"),
    (r"\bleave (?P<what>[^,;.]+?) (?:alone|be|in peace|untouched|well alone|where (?:it|they) (?:is|are)|as (?:it|they) (?:is"
     r"|are))(?=$|\s*[,;.!]|\s+and\b|\s+but\b)", r"don't touch \g<what>"),
    (r"\b(?:and |but )?without ever (?=[a-z]+ing\b)", "without "),
)
"""Prohibitions in other words, and their plain forms."""
NOTHING_ON = re.compile(
    r"(?:(?:make sure|ensure|see to it|check|i want|we want|i need|i'd like|there (?:should|must|is to|has to) be|have"
    r"|that) )*(?:that )?(?:there(?:'s| is| are| should be| must be) |don't (?:let there be|leave|have) )?(?:no|not a single"
    r"|not any|(?<=don't leave )(?:any|a single|a)|(?<=don't have )any)(?: more)? (?P<what>(?!longer\b|one\b|thing\b"
    r"|[a-z]+ing\b)[a-z_ ]+?)(?: (?:is|are|should be|must be|remains?|stays?|should remain|may remain|must remain"
    r"|may be))?(?: left| remaining| lying| standing)*(?: (?:about|around))? (?P<where>on|in"
    r"|inside) (?P<place>[^,;.]+?)(?P<end>$|\s*[,;.]|\s+and\s)")
JUST = re.compile(r"(?<=[a-z]) (?=(?:just|instead|simply) (?:put|bring|take|wash|open|close|turn|switch|get|go|slice|cook|sit"
                  r"|move|place)\b)")
"""A new command without a stop: don't open the fridge just put the book on the bed."""
END = r"(?=$|\s*[,;.!?]|\s+(?:and|then|but|please)\b)"
CLAUSE = r"(?:^|(?<=[,;.!?] )|(?<= so )|(?<= and )|(?<= but ))"
REPORTED = re.compile(
    rf"{CLAUSE}(?P<who>{PEOPLE}|he|she|they|(?:my|the) [a-z]+)(?:'s| has|'ve| have)? (?:just )?(?:(?:says?|said|thinks?"
    rf"|reckons?|insists?"
    r"|tells? (?:me|us|you)|told (?:me|us|you))(?: that)? (?:i|we|you)(?: must| should| need to| ought to| have to| had better"
    r"| are to| are supposed to|'ve got to|'d better)|(?:asks?|asked|wants?|wanted|(?:'d|would) like|needs?|expects?|tells?"
    r"|told) (?:me|us|you|the robot) to|(?:says?|said|forgot|forgets|failed) to) (?P<rest>[^,;.]+)")
WANTED_BY = re.compile(rf"^(?:{PEOPLE}|he|she|they)(?: would|'d)? (?:wants?|needs?|(?:(?<=would )|(?<='d ))(?:like|love"
                       rf"|prefer))"
                       r" (?=(?!to\b)[^,;.]+$)")
DO_IT = re.compile(r"\s*[,;.!?]\s*(?:so |and |but )?(?:please )?(?:can|could|will|would) you (?:please |maybe )?(?:do|manage"
                   r"|handle|see to|sort|take care of|help(?: me)? with) (?:it|that|this)(?: for (?:me|us)| instead| please)*$")
HAVE_TO = re.compile(r"^(?:i|we)(?:'m|'ve| am| are)? (?:supposed to|meant to|got to|have to|must|need to|should|ought to"
                     r"|forgot to|still have to) ")
"""What others want of the speaker or the robot: it is the task if it names things of the scene."""
CONTAINS = re.compile(
    r"(?:(?P<head>\b(?:ensure|make sure|see to it|check|i want|i need|wish|where|in which)(?: that)?,? (?:at the end,? )?)"
    r"|(?P<modal>^|[,;.] )(?:(?:can|could|may|should) (?=.* (?:have|hold|contain) ))?)(?P<what>(?:the|my|our|his|her|an?|each"
    r"|every) [a-z_]+(?: (?!should|must|has|needs|ought|will|is|to)[a-z_]+)?) (?P<must>(?:should|must|has to|needs to|ought to"
    r"|is to) )?(?:contains? (?P<inside>[^,;.]+?)|(?:have|has|holds?) (?P<held>[^,;.]+?) (?P<how>in|on|inside)(?: it| top"
    r"| top of it)?)(?=$|[,;.])")
LIQUID = re.compile(r"(?:some |hot |cold )*(?:water|coffee|tea)")
NEEDLESS = re.compile(r"^(?:there's |there is )?(?:no need to|you (?:needn't|don't (?:need|have) to)|don't bother(?: to)?"
                      r"|it's not necessary to) (?P<verb>[a-z]+) (?P<what>[^,;.]*)[,;.] (?:but )?(?:just|only"
                      r"|simply) (?P<rest>.+)")
TREATS = r"(?:wash|clean|rinse|scrub|slice|cut|chop|dice|cook|heat|fry|boil|toast|bake|warm|microwave|open|close|empty|fill" \
    r"|find|get|fetch|read|collect|gather|locate|grab|pick up)"
SHARED = re.compile(
    rf"(?:^|(?<=[,;.] )|(?<=and )|(?<=then )|(?<=please ))(?P<verbs>(?:{TREATS}(?: up)?(?:,? and (?:then )?|,? then |, ))+)"
    r"(?P<last>(?!me\b|us\b|up\b|all\b|both\b)[a-z]+)(?P<up> (?:up|out|away|down|off))?,? (?P<what>(?:the|an?|my|our|his|her"
    r"|all|every|both|some|one|two|three|four|\d+)\b(?:(?! (?:in|on|into|onto|to|from|and|then|with|for|off|out)\b)[^,;.])+)")
"""Verbs that share one object: wash and slice the tomato."""
PLAINER = tuple((re.compile(pattern), plain) for pattern, plain in (
    (r"\b(?:ought to|(?:is|are) (?:supposed|meant) to|(?:has|have) got to|will (?:need|have) to) be\b", "should be"),
    (r"\b(filled|full) (?:with|of) (?:some |hot |cold |fresh )*(?:water|coffee|tea)\b", "filled"),
    (r"(?<=[a-z_] )(cut|chopped|sliced|washed|warmed|heated|cleaned|filled|cooked|toasted) (?:up|through|off|out)(?=$|\s*[,;.]"
     r"| and\b)", r"\1"),
    (r"^((?:ensure|make sure|see to it|check|i want)\b[^,;.]+?) (?:lies?|sits?|stands?|rests?) (?=in |on )", r"\1 is "),
    (r"(?<!empty )(?<!clear )\b(?:the )?(?:entire |whole |full )?contents? of (?=the |my |an? )", "everything in "),
    (r"\bcome (?:on )?(?:over )?here(?: and|,) ", ""),
    (rf"{CLAUSE}(?:while|whilst) (?P<what>(?:holding|sitting|standing|lying|carrying) [^,;.]+), ", r"\g<what> and "),
    (rf"{CLAUSE}having (?=[a-z]+(?:ed|en|t)\b [^,;.]+, )", "after having "),
    (r"\bbe (?P<where>standing|sitting|lying|holding) ", r"\g<where> "),
    (r"\b(?:at|as) (?:a )?minimum (?=\w)", ""),
    (r"(?<![a-z])(lid[a-z_ ]*) (is|be|are|should be) (?:down|shut)\b", r"\1 \2 closed"),
    (r"(?<![a-z])(lid[a-z_ ]*) (is|be|are) up\b", r"\1 \2 open"),
    (rf"{CLAUSE}(?P<how>on|off) with (?P<what>(?:the|all|my|every|those) )", r"switch \g<how> \g<what>"),
    (rf"{CLAUSE}(?P<where>(?:in|into|on|onto) (?:the|an?|my) [a-z_]+) with (?P<what>it|them|[^,;.]+)",
     r"put \g<what> \g<where>"),
    (r"\bend up (?=[a-z]+ing\b)", "be "), (r"\b(?:get|have) ((?:the|all the) (?:dishes"
                                           r"|washing[ _]up)) done\b", "do the dishes"),
    (r"\bbe (?:quiet|careful|gentle|quick|nice|good) and ", ""),
    (r" with (?P<what>(?:the|an?|my) [a-z_ ]+) in (?:its|your|the|one|his) (?:hands?|grippers?|arms)\b", r" and hold \g<what>"),
    (r"\b(?:whatever|whichever|any) ([a-z_]+) (?:is|are|happens? to be) (open|closed|dirty|shut)\b", r"all \1 that are \2"),
    (r"\bneither (.+?) nor (.+?) (?:is|are|be) (?:switched |turned )?on\b", r"\1 and \2 are off"),
    (r"\bneither (.+?) nor (.+?) (?:is|are|be) open\b", r"\1 and \2 are closed"),
    # wishes
    (r"\bi(?:'ll| will)? be (?:sad|cross|angry|upset|disappointed|unhappy|mad) (?:if|unless) you (?:don't|do not) ", ""),
    (r"^if you (?:could |would |can |just |please )*(?P<what>[a-z]+ (?:the|an?|my|all|me|up|on|off|down)\b [^,;]+?),? (?:i|we"
     r"|she|he|that|it)(?:'d"
     rf"|'ll| would| will)(?: really)? (?:be {WELCOME}|help|love|appreciate|make my day)\b.*$", r"\g<what>"),
    (rf"\bit (?:would|'d) (?:help|be {WELCOME})(?: me| us| her| him)?(?: a lot| loads| so much)? if (?P<what>(?:the|my"
     rf"|all)\b [^,;.]+?) (?:were|was) ",
     r"i want \g<what> "),
    (r"^(?:can|could|may|might|should|would) (?P<what>(?:the|my|our|all|these"
     r"|those) [^,;.]+?) (?:please )?be (?=[a-z]+)", r"i want \g<what> "),
    (r"^(?:(?:(?:is|would) it (?:be )?|be )?possible )?for (?P<what>[^,;.]+?) to be ", r"i want \g<what> "),
    (r"^(?:i (?:want|need|'d like|would like)) (?P<what>[^,;.]+?) to be ", r"i want \g<what> "),
    (r"^(?:what|all) (?:i|we)(?: want| need|'d like| would like|'d love"
     r"| would love)(?: now)? is (?:for )?(?P<what>[^,;.]+?)(?P<be> to be)?(?=$|[,;.]| [a-z]+$)",
     r"i want \g<what>"),
    (r"^(?P<wish>i (?:want|need)|i'd like) (?P<what>(?:the|an?|my) [a-z_]+) (?P<state>[a-z]+ed|cut|clean) and (?=(?:in|on"
     r"|inside) )",
     r"\g<wish> \g<what> \g<state> and put it "),
    (r"\bi (?:want|need) you (?:to be )?(?:over )?(?=(?:by|near|next to|beside) )", "stand "),
    (r"\bi (?:want|need) you (?=[a-z]+ing\b)", ""),
    (r"^(?:achieve|reach|produce|bring about|create|establish) (?:a|the) (?:state|situation"
     r"|configuration)(?: of affairs)? (?:where|in which|such that) ", "i want "),
    (r" (?:such|so) that (?:it|they|both|all)(?: both| all)? (?:is|are|ends? up) (?=(?:in|on|inside) )", " "),
    (r"\b(?:objects?|items?|things?|instances?) of (?:the )?(?:type|class|kind|category) ", ""),
    (r"^do (?=(?:make|have|take|put|come|sit|close|open|bring)\b)", ""),
    (r" (?:to|in|into) (?:its|their) (?:usual |proper |right |rightful )?(?:place|spot|home)s?,? (?=(?:in|on) )", " "),
    (r" (?:back )?where (?:it|they) (?:belongs?|goes?|lives?),? (?=(?:in|on) )", " "),
    (r"\b(?P<no>(?:don't|never|do not) .+[,;.] .+?) instead$", r"\g<no>"), (r"(?<=[,;.?!] )if so,? ", ""),
    (r"(?<=and )(?:(?:very|really|quite) )?(?!final|last|first|second|third|subsequent|only)[a-z]{3,}ly (?=[a-z]+ (?:the|an?|my"
     r"|it|them|your|all|to|up)\b)", ""),
    (rf"{CLAUSE}(?:somebody|someone|anyone) (?=(?:{TREATS}|put|turn|switch|shut|bring|take)\b)", ""),
    (r"\bif you (?:see|find|spot|come across) (?:it|them|one|any),? ", ""),
    (r"(?<=[,;.?!] )if (?:yes|you do|there is|not),? ", ""),
    (r"^(?!.*,)(?P<after>(?:after|once|when|before) you(?:'ve| have)? [^,]+?)(?<!have)(?<!'ve) (?=(?:turn|switch|close|shut"
     r"|open|wash|put|bring|take) (?:it|them|the|on|off)\b)", r"\g<after>, "),
    (r"\b(should|must|can) (?:always|ideally|preferably|also|now|really|probably) ", r"\1 "),
    (r"\b(?:ha(?:s|ve)|needs?|ought|must|should|is|are)(?: to)? (?:end|wind|finish) up (?=(?:in|on|inside) )", "should be "),
    (r" where (?:he|she|i|we|they) can (?:find|reach|see|get) (?:it|them)[,:]? (?=(?:in|on) )", " "),
    (r"\bit(?:'s| is) (?:very |really )?(?:important|essential|vital|crucial|necessary|imperative|urgent) that ", "make sure "),
    (r" that (?:is|are) not (?:already |yet )?(?:in|on|inside) (the [a-z_]+)(?= (?:in|on|into|onto|inside|to) \1)", ""),
    (r"^(?:by|at|in) the end(?: of (?:the|this) (?:episode|task|run|trial))?,? ", ""),
    (r"\bdouble[- ]check(?: that)? ", "check that "),
    (r"\breach the (?:state|goal|configuration):? ", "i want "),
    (r",? (?:while|whilst) (?:keeping|leaving) (?=(?:the|my|all) )", " and keep "),
    (r"^(?P<what>.+?) (?:must|should|has to|needs to) be in (?:the robot's|your|its) (?:hands?|grippers?)$", r"hold \g<what>"),
    (r"\b(?P<do>(?:close|shut) [^,;.]+?),? if (?:it|they)(?:'s|'re| is| are) (?:still )?open\b", r"\g<do>"),
    (r"\b(?P<do>(?:turn|switch) (?:off [^,;.]+?|[^,;.]+? off)),? if (?:it|they)(?:'s|'re| is| are) (?:still )?on\b", r"\g<do>"),
    (r"\b(read|eat|drink)( me| us)? (?:something|anything)(?= ?$|[,;.])", r"\1\2 something to \1"),
    (r"\bboth (?=(?:the|my|an?) [a-z_ ]+? and (?:the|my|an?) )", ""),
    # what stands before the verb: in the kitchen, open the microwave; use the microwave to heat the salmon
    (rf"\buse (?P<tool>(?:the|an?|my) [a-z_]+) to (?P<do>[a-z]+ [^,;.]+?){END}", r"\g<do> using \g<tool>"),
    (rf"{CLAUSE}(?:using|with) (?P<tool>(?:the|an?|my) [a-z_]+),? (?P<do>(?:{TREATS}|reheat) [^,;.]+?){END}",
     r"\g<do> using \g<tool>"),
    (rf"{CLAUSE}(?P<where>(?:in|on|onto|into|inside|from) (?:the|an?|my) [a-z_]+),? (?P<do>(?:there(?:'s| is| are)|{TREATS}|put"
     rf"|place|take|bring|turn|switch|close|set|lay|leave) [^,;.]+?){END}", r"\g<do> \g<where>"),
    (r"(?<=but |and )do (?=[a-z]+ (?:the|my|an?|it)\b)", ""), (r", which (is|are) ([a-z]+),", r" that \1 \2"),
    (r"\bthe (?:doors?|lid|cover) of (?=the |my )", ""), (r" with (?:me|us)(?= (?:on|in|at|by)\b)", ""),
    (r"^with (?P<what>(?:the|all) [a-z_ ]+?) (?P<how>on|off|open|closed|shut), ", r"i want \g<what> \g<how>; "),
    (r"(?: and|,) (?:be (?:quick|careful|gentle|quiet|snappy|nice)(?: about it| with it)?|that(?:'s| is) (?:all|it))(?=$"
     r"|[,;.])", ""),
    (r"(?: and|,)(?: (?:change|touch|move|do))? nothing (?:else|more)(?=$|[,;.])", ""),
))
HERE = re.compile(r" (?:in here|around here|in this room|in the room)\b(?! (?:to|from)\b)")


def respelled(words: str) -> str:
    """Returns words in their usual spelling, with numbered steps and dashes as punctuation. Args: lower case, single spaces."""
    words = STEP.sub(lambda found: "" if found.start() == 0 else " then ", words)
    words = re.sub(r" ?[-=]+> ?|→", " to ", re.sub(r"\b(you|need|want|u) 2 (?=[a-z])", r"\1 to ", words))
    words = " ".join(SHORT.get(word, word) if word == bare_word else SHORT.get(bare_word, bare_word) + word[len(bare_word):]
                     for word in words.split() for bare_word in (word.rstrip(",.!?;:"),))
    return ITS.sub("it's ", DASH.sub("; ", re.sub(r"\b(turn|switch) of\b", r"\1 off", words)))


def rephrased(words: str, mentions: Callable[[str], bool], *, one_room: bool) -> str:
    """Returns a task in the plain form.

    Args:
        words: lower case, names joined.
        mentions: returns True if words name something of a household.
        one_room: True if the world has one room, so that "in here" says nothing.
    """
    if one_room:
        words = HERE.sub("", words)
    if asked := DO_IT.search(words):
        words = HAVE_TO.sub("", words[:asked.start()])
    if re.search(r"\b(?:teddy|teddies|bear|doll)", words):
        words = re.sub(r"(?<!to )(?<!for )\b(?:him|her)(?= (?:on|in|to|back|up|down|away|off|into)\b|$)", "it", words)
    words = REPORTED.sub(lambda found: found["rest" if mentions(found["rest"]) and not mentions(found["who"]) else 0], words)
    words = WANTED_BY.sub("i want ", words)
    for form, simple in PLAINER:
        words = form.sub(simple, words)
    words = SHARED.sub(_each_verb, CONTAINS.sub(_contained, NEEDLESS.sub(_needed, words)))
    words = PLAIN_MUST.sub("you must", AGENT.sub("you ", words))
    words = AIM_TO.sub("", words)
    for pattern, plain in NEVER:
        words = re.sub(pattern, plain, words)
    words = JUST.sub("; ", words) if re.match(r"don't|never|do not", words) else words
    words = LATER.sub(" then ", ORDINAL.sub(lambda found: f"{' ' if found['before'] else ''}then ", words))
    if first := AT_FIRST.match(words):
        words = words[first.end():]
    words = CHANCE_DO.sub("", CHANCE.sub("i want ", words))
    words = LOVELY.sub(r"i want \g<what>", HAVE.sub("i want ", words))
    words = NOTHING_ON.sub(_removed, words)
    words = DONE.sub(_is_done, words)
    words = "; ".join(_both(part) for part in re.split(r";\s+", words))
    return _listed(words)


def _contained(found: re.Match[str]) -> str:
    """Returns "the bowl should contain an apple" as "an apple should be in the bowl"."""
    inside = found["inside"] or found["held"]
    head = found["head"] or found["modal"] or ""
    if not (found["head"] or found["must"] or re.match(r"[,;. ]*(?:can|could|may|should) ", found[0])):
        return found[0]  # the fridge contains a pie: a statement
    if LIQUID.fullmatch(inside):
        return f"{head}{found['what']} should be filled"
    return f"{head}{inside} should be {found['how'] or 'in'} {found['what']}"


def _needed(found: re.Match[str]) -> str:
    """Returns "no need to cook the potato, just wash it" as "wash the potato"."""
    rest = re.sub(r"\b(?:it|them)\b", found["what"], found["rest"], count=1)
    return f"{found['verb']} {rest}" if re.match(r"(?:the|my|an?|one|two|three|both) ", rest) else rest


def _each_verb(found: re.Match[str]) -> str:
    """Returns "wash and slice the tomato" as "wash the tomato and slice it"."""
    first, *rest = re.findall(TREATS, found["verbs"])
    it = "them" if re.match(r"(?:all|both|two|three|four|\d)|.*s$", found["what"]) else "it"
    later = "".join(f" and {verb} {it}" for verb in rest)
    return f"{first} {found['what'].strip()}{later} and {found['last']} {it}{found['up'] or ''}"


def _removed(found: re.Match[str]) -> str:
    start = "; " if found.start() and not re.search(r"(?:^|[,;.]|\band)\s*$", found.string[: found.start()]) else ""
    return f"{start}remove all {found['what'].strip()} from {found['place']}{found['end']}"


def _is_done(found: re.Match[str]) -> str:
    if found["when"] == "when" and not re.fullmatch(r"[a-z]+ed|cut|done", found["how"]):
        return found[0]  # when the fridge is open: a condition
    when = "after" if found["when"] == "when" else found["when"]
    return f"{when} {found['what']} is {found['how']}{', ' if found['runs'] else ''}"


def _both(words: str) -> str:
    """Returns "the mug is both filled and in the microwave" as "the mug is filled and it is in the microwave"."""
    found = BOTH.search(words)
    if found is None:
        return words
    one, other = (re.fullmatch(STATE, found[name]) for name in ("one", "other"))
    places = [re.fullmatch(PLACED, found[name]) for name in ("one", "other")]
    if not ((one and (other or places[1])) or (places[0] and other)):
        return words
    where = places[1] or places[0]
    state = found["one"] if one else found["other"]
    head = words[: found.start()]
    if where and found["what"] not in ("it", "they", "them"):
        return f"{head}{found['what']} {found['be']} {state} and put it {where['where']}"
    if other and one:
        return f"{head}{found['what']} {found['be']} {found['one']} and {found['what']} {found['be']} {found['other']}"
    return words


def _listed(words: str) -> str:
    """Returns a list of states as wishes: "goal: book on shelf, lamp off" is "i want book on shelf; i want lamp off"."""
    found = GOAL.search(words)
    if found is None:
        return words
    rest = [one for part in re.split(r"\s*[,;]\s+(?:and\s+)?|\.\s+", words[found.end():]) for one in _halves(part)]
    head = words[: found.start()].strip(" ,;.")
    own = re.compile(r"(?:don't|never|do not|then|i want|put|remove)\b")
    wishes = [one if own.match(one) else f"i want {one}" for one in rest if one]
    return "; ".join([*([head] if head else []), *wishes])


def _halves(words: str) -> list[str]:
    """Returns "the book on the bed and the lamp off" as its two states; the words as they are if not each part is one."""
    parts = re.split(r"\s+and\s+", words)
    return parts if all(map(HALF.fullmatch, parts)) else [words]
