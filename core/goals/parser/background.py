"""Separates a task from the reasons and remarks around it: "It's getting dark, turn on the lamp".

A remark is a clause that asks for nothing. Two kinds are recognised: a clause that is not a command (it begins with a subject
or with a word such as "because") and names no object, place or state of a household; and a statement about objects of the
scene ("the milk is in the fridge"). Purposes, beneficiaries and manners after a command are left out if they name nothing of
the scene ("to chill", "for later"). Remarks are left out of the goal and kept in `Context.background`, so that the operator
sees what was not taken as part of the task. A pronoun of the task may refer to a
thing that it names: "there is a candle in the bin, take it out". A remark that limits the task is refused: with a negation, a
condition or an exception that may be about its things.
"""

from __future__ import annotations

import re

from core.common.errors import GoalError
from core.goals.parser.context import Context, refuse
from core.goals.parser.noun_phrases import Part, items

PEOPLE = r"(?:(?:my|our|his|her|their|the) )?(?:mum|mom|mummy|mother|dad|daddy|father|gran(?:ny|ma|dma|dpa|dad)?|sister" \
         r"|brother|wife|husband|partner|flatmate|son|daughter|kids?|children|child|baby|toddler|guests?|visitors?|friends?" \
         r"|family|neighbou?rs?|nurse|doctor|carer|patient|uncle|aunt(?:ie|y)?|(?:mr|mrs|ms|miss|dr|uncle|aunt(?:ie" \
         r"|y)?) [a-z]+|client|resident|boss|plumber|cat|dog|everyone|everybody|someone|somebody|people|nobody)"
EVENTS = r"(?:(?:my|our|his|her|their|the|your) )?(?:dinner|lunch|supper|breakfast|teatime|sun|weather|film|movie|match|show" \
         r"|party|school|work|bus|taxi|train|doorbell|back|head|hands|feet|legs?|arms?|eyes|bill|bills|post|air|room|house" \
         r"|place|day|night|time|bedtime)"
BE = r"(?:'s|'re|'m| is| are| am| was| were|'ve been| has been| have been|'s been| looks?| seems?| feels?| gets?| got" \
     r"| smells?| sounds?)"
RESTS = r"(?:sleep|rest|work|go|leave|cook|relax|get up|get going|get to|nap|study|see|play|read|have|catch|be|call|do" \
        r"|make sure|hurry|shower|meet|concentrate|finish|find|eat|drink|write|type|walk|reach|watch|lie|sit|try|start" \
        r"|stay)\b"
STATEMENT = re.compile("|".join((
    rf"(?:i|we)(?:'ve got to|'ve to| have to| need to| want to| must| should|'d better| had better| would like to|'d like to"
    rf"|'m going to|'re going to) {RESTS}.*",
    r"(?:i|we)(?: (?:just|really|also|always|never|usually|often|simply|only))* (?!want|need|wish|would|expect|insist|ask"
    r"|demand|prefer|request|must|should|require|fancy|shall|told|said|mean)[a-z']+\b.*",
    r"(?:i|we)(?:'m|'re|'ve|'ll)(?! (?:have|take|after|wanting|asking|need|want|like|looking forward)\b) .*",
    rf"where (?:i|we|she|he|they|you|{PEOPLE}) (?:can|could|will|always) .*",
    r"(?:the|my|our|your|that|those|it|they|this) ?[^,;.]*\bcan wait(?: .*)?",
    rf"(?:she|he|they|{PEOPLE})(?:'s|'re|'ve|'ll|'d)? (?!(?:should|must|needs? to be|has to|have to|ought|shall|goes|go"
    rf"|belongs?"
    r"|stays?|may|and|or|in|on|off|at|of|to|from|into|with)\b)[a-z']+\b.*",
    rf"(?:she|he|they|{PEOPLE})(?:'s|'re)? (?:must|has to|have to|should) {RESTS}.*",
    rf"(?:she|he|{PEOPLE})(?:'s| is| are) (?:in|on|at|off|to) .*|where (?:it|they) (?:belongs?|goes|go|lives?)",
    r"you(?:'re| are) (?:so|the|a|an|very|such|too|wonderful|great|amazing|brilliant) .*|sorry (?:to|for|about|if) .*"
    r"|forgive me.*",
    r"(?:great|good (?:robot|job|work|boy|girl)|well done|nice (?:work|one|job)|perfect|excellent|brilliant|you know what"
    r"|guess what|no problem|pardon me|pardon|got it|alright then|all right then|here we go|here goes|ready)",
    r"you (?:must be|look|seem|looked|'ve been|have been|'re|are|know|said|did|always|never|see)(?! (?:in|on|near|at|to|not|by"
    r"|sitting|standing|lying|holding|facing|free|ready)\b)\b.*",
    r"you(?:'ve)? (?:left|forgot|forgotten|missed|broke|dropped|spilt|spilled) .*",
    rf"(?:it|this|that){BE} (?!(?:forbidden|not allowed|ok|okay|possible|your|to)\b).*",
    r"(?:it|this|that|they) (?:(?:always|never|just|often|already|still|usually) )*(?:goes? (?:off|bad|cold|stale|mouldy)\b"
    r"|(?!goes|go|belongs?|stays?|ends?|should|must|may|can|could|needs?|has|have|shall|ought|is|are|and|or|in|on|off|to|of"
    r"|from|into|with|at|only|wants?|be|remains?|one|all)[a-z']{3,}(?= )).*",
    r"(?:it|this|that)(?:'ll| will| helps?| makes?| hurts?| matters?| doesn't| won't| can't| bothers?| drives?| would help"
    r"| takes?| worries| keeps?| needn't)\b.*",
    rf"they{BE} (?!to\b).*",
    rf"{EVENTS}(?:{BE}| hurts?| starts?| begins?| comes?| rings?| rang| is coming| aches?| arrives?)\b.*",
    r"there(?:'s| is| are) (?!(?:to|no|nothing|not)\b)(?!.* (?:in|on|inside|at) (?:the|my|our|your|every|each|all|an?)\b).+",
    r"there(?:'s| is| are| was) (?:no (?:rush|hurry|need|time)|(?:plenty|lots) of time).*",
    r"no (?:rush|hurry|worries|need to (?:rush|hurry))|(?:take|in) your (?:own )?time|thank (?:god|goodness).*|as (?:usual"
    r"|always)",
    r"no [a-z_ ]+ (?:lying|left|standing|scattered) (?:about|around)",
    r"(?:either|any)(?: one| of them| of those)?(?: (?:is fine|will do|would do|is ok|is okay|works|goes))?"
    r"|whichever(?: one)?(?: .+)?|(?:it )?(?:doesn't|does not) matter(?: to me)? which(?: one)?|no matter which(?: one)?|(?:you"
    r"|it's) (?:choose|your choice|up to you|you decide)",
)))
"""A whole clause that asks for nothing."""
STATES = r"(?:open|closed|shut|on|off|clean|washed|sliced|cooked|filled|plugged in)"
SOMEBODYS_WISH = re.compile(rf"(?:she|he|they|{PEOPLE})(?:'d| would)? (?:wants?|needs?|likes?) (?!to\b).*"
                            r" (?:in|on|inside|open|closed|off|clean|sliced|cooked)\b")
WISHED = re.compile(r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bshe )(?<!\bhe )\b(?:should|must|shall|ought to|(?:has|have"
                    r"|needs?) to be)\b(?! be(?:$|,)| get)")
SUBJECT = rf"(?:i|we|he|she|it|they|there|this|that|everyone|everything|someone|{PEOPLE}|{EVENTS})"
FREE = re.compile("|".join((
    r"(?:as(?! soon| long)|for|with|since|because|while|whilst|given|now that|in case|in order to|due to|thanks|according to"
    r"|before|by|to|so as|seeing|considering|despite|like)\b .+",
    r"(?:i|we|he|she)(?!(?:'d| would)? (?:want|need|like|love|wish|expect|insist|demand|request|require|fancy|prefer|ask|could"
    r"|must|should|would))(?:'(?!d\b)[a-z]+)? .+",
    rf"(?!(?:i|we|he|she)\b){SUBJECT}(?:'[a-z]+)? (?!(?:should|must|shall|ought|needs?|wants?|has to|have to|goes|belongs?"
    rf"|stays?|and|or|in|on)\b)"
    r"(?!.*\b(?:to be|allowed|permitted|forbidden|supposed|can't be|cannot be|mustn't|shouldn't|won't be)\b).+",
    r"(?:i|we|he|she|they) (?:should|must|ought to|needs? to|wants? to|ha(?:s|ve) to) .+",
    r"you(?:'ve| have| look| seem| know| see| deserve| always)(?! to\b) .+",
    r"(?!when|once|after|until|till|where)(?:the|my|your|his|her|our|their|this|that|these|those|some|every|all|[a-z]+'s"
    r"|[a-z]+) (?:[a-z'-]+ ){0,3}?(?:[a-z]+'s|is|are|was|were|has|had|will|would|says?|keeps?|[a-z]{3,}ed) (?!(?:to|be)\b).+",
    r"(?:it's )?(?:[a-z']+ ){0,2}(?:day|night|time|evening|morning|weekend|party|cleaning)(?: today| tonight| again| soon)?",
    r"(?:going|off|leaving|heading|popping|running|back|home)\b(?: [a-z']+){0,4}|[a-z]+ (?:matters?|helps|counts)(?: [a-z]+)?",
    r"after (?:(?:his|her|my|our|the|their) )?(?:meal|dinner|lunch|breakfast|supper|tea|work|school|nap|bath|shower|walk)",
    r"(?:do|execute|perform|carry out|complete) (?:the following|these)(?: [a-z]+)?|(?:instruction|trial|test|task|step|scene"
    r"|reminder|note|request|order|job|mission|precondition|preconditions|objective|command)s?(?: to [a-z]+)?(?: none)?",
    r"(?:br+|bye(?: bye)?|yay|hoo?ray|yum|yuck|e+w+|ouch|wow|phew|gosh|blimey|crikey|heavens|oh my(?: god| goodness)?|damn|sh+"
    r"|hush|hm+|(?:my )?goodness(?: me)?|(?:dear|good) (?:me|lord|grief)|oh dear)",
    r"(?:[a-z']+ ){1,2}(?:orders|rules|things|jobs?|tasks?|instructions|request|turn|fault|plan|idea)",
    r"(?:goodness|god|heaven|lord|who) knows.*|bless .+|poor .+|what a .+|not to worry|(?:trust|believe) me|no offence"
    r"|be (?:quiet|careful|gentle|quick|nice|good)(?: .+)?|mind (?:your|the) .+|careful.*|watch out.*|chop chop|come on",
)))
"""A clause that is no command: it begins with its subject, or with a word that tells a reason or purpose."""
THING_IS = re.compile(r"(?:(?:the|my|our|his|her|your|that|those|these|this) [a-z_ ]+?|this one|that one)(?:'s| is| are"
                      r"|'re) (?!(?:to|not|in|on|off|inside|at|under|into|near|open|opened|closed|shut|clean|washed|dirty"
                      r"|sliced|chopped|cut|cooked|heated|hot|warm|toasted|baked|boiled|fried|filled|full|switched|turned|put"
                      r"|placed|kept|tidy|empty|clear|neat|bare|free|made|set|running|plugged|rinsed|both|all|held|unplugged"
                      r"|located|stored|moved|brought|taken|gone|removed|emptied|unloaded)\b)[a-z]+[^,;.]*")
"""A remark about how a thing is: the milk's going off. The states that goals know are no remarks."""
TAG = re.compile(r"(?:is|are|was|does|do|did|has|have|wo|ca|could|would)n't (?:it|they|he|she|you|that|i|we)\b.*|don't (?:worry"
                 r"|mind me|fret|panic|be long|be late|take long|hang about|dawdle)\b.*")
SCENE_STATE = re.compile(r"\b(?:open|opened|closed|shut|clean|washed|dirty|sliced|chopped|cooked|filled)\b")
REFERS = re.compile(r"(?<=[a-z]) (?:[a-z]+ )?(?:ones?|it|them|that|those|these|any|either|both|others?)\b")
"""A negation with one of these may be about the things of the task."""
CLOCK = re.compile(r"\b(?:\d+|o'clock|minutes?|mins?|hours?|seconds?|noon|midnight|tomorrow|degrees|(?:at|for|in|past"
                   r"|to) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter))\b")
"""Times and amounts: what says when or how long changes the task."""
STILL_WISHED = re.compile(rf"(?:it|they|this|that|these|those)(?:'s|'re| is| are) (?:all |both )?{STATES}")
"""How a thing is to be: no remark, unless a reason was announced. Where it is, after a command, tells where to find it."""
NEGATED = re.compile(r"\b(?:not|never|no|none|nothing|nobody|without|hardly|neither|nor)\b|n't\b")
PLACED_IT = re.compile(r"(?:it|they)(?:'s|'re| is| are) (?:all |both )?(?:in|on|inside) ")
HARMLESS = re.compile(
    r"\b(?:can't|cannot|couldn't|can not|won't be able to|wasn't able to|unable to) (?:really |even |quite )?(?:see|find|reach"
    r"|sleep|hear|remember|walk|get|stand|bend|wait|concentrate|read|move|do|lift|manage|think|cope|work|carry"
    r"|feel)\b(?: [a-z']+){0,4}? without (?:it|them|[a-z]+ [a-z_]+)$|\b(?:can't|cannot|couldn't|can not) (?:really |even "
    r"|quite )?(?:see|find|reach|sleep|hear|remember|walk|get|stand|bend|wait|concentrate|read|move|do|lift|manage|think|cope"
    r"|work|carry|feel)\b(?: (?:it|them|that)(?: myself)?)?|\b(?:don't|doesn't|do not|does not|didn't"
    r"|did not) (?:really )?(?:mind|care|know|remember|feel|matter|have (?:the |much |any )?(?:time|energy|strength|hands))\b"
    r"|\b(?:haven't|hasn't|have not|has not) (?:got )?(?:the |much |any )?(?:time|slept|seen)\b|\b(?:isn't|is not|'m not|am not"
    r"|are not|aren't|'re not|not) (?:feeling|home|at home|well|very well|far|urgent|long|hungry|ready|sure|here|back)\b"
    r"|\bno (?:rush|hurry|need|worries|time|matter|idea)\b|\bshouldn't be(?: there)?$|\b(?:it|that) (?:won't"
    r"|doesn't) (?:take long|hurt|bite)|^no [a-z_ ]+ (?:about|around)$|^never mind|\b(?:nobody|no one)(?:'s| is"
    r"| was) [a-z]+ing(?: it| them| that| there| anyway)?$")
"""Negations that say what somebody cannot do or does not mind: they limit no task."""
PURPOSE = re.compile(rf"(?:so|so that|in case) (?:i|we|she|he|they|you|no one|{PEOPLE}) ")
"""So that she does not trip: what somebody else shall not do."""
LIMITS = re.compile(r"\b(?:unless|except|apart from|only|until|instead|rather|other than|as long as|provided|if)\b")
LEAD = re.compile(r"^(?:otherwise|or else|or|while|whilst|so that|so|because|'cause|cause|since|as|for|and|but|in case"
                  r"|given that|now that|seeing as|seeing that|you see|sorry|apparently|honestly|actually|unfortunately|today"
                  r"|tonight|soon|you know)[ ,]+")
WHO = rf"(?:i|we|you|she|he|they|it|that|there|this|{PEOPLE}|{EVENTS})"
PARTS = re.compile(
    rf"(\s*[,;.!?:]+\s+|\s+and\s+(?=(?:please|could you|can you|would you|will you)\b)|\s+or\s+(?={WHO}(?:'ll| will| might"
    rf"| could| would)\b)|\s+but\s+(?!not\b|don't\b|never\b|only\b|no\b)|(?<!seeing)(?<!given)\s+(?=(?:because|'cause|cause"
    rf"|since|as|in case|so that|so|given that|now that|seeing as|otherwise|or else) {WHO}(?:'|\b))"
    r"|(?<!\bas)(?<!\bso)(?<!cause)(?<!since)(?<!case)(?<!that)(?<!until)(?<!till)\s+(?=(?:it's|i'm|we're|she's|he's"
    r"|it is) (?:(?:so|too|very|really|getting|gone|all|a bit|awfully|pretty) |going (?:to (?:bed|sleep|work)|out|home|away)\b"
    r"|off to |(?:freezing|tired|hungry|thirsty|starving|bored|late|cold|hot|dark|boiling)\b))"
    r"|(?<!it's)(?<! is)(?<!'m)(?<!'re)(?<!'s)(?<! are)(?<! am)(?<! was)(?<! not)(?<!getting)(?<!being)(?<!been)(?<!"
    r" feel)(?<! so)\s+so\s+(?!that\b|kind\b|much\b)(?=[a-z]))")
"""What stands between clauses; the words of reasons stay with what follows."""
PRONOUN = re.compile(r"\b(?:all of (?:it|them)|both of them|it|them|these|those|that one|this one)\b(?! (?:is|are)\b)")
WANTED = re.compile(r"\b(?:i|we)(?:'d| would)? (?:want|need|like|love)(?= (?:it|them|those|that one)(?:$|[ ,]*(?:now"
                    r"|please)$))")
"""I want it: bring it."""
NAMED = re.compile(r"(?:^|(?<=[ ,]))(?:(?:the|my|your|his|her|our|their|some|a|an|two|three|all|both|that|this|these"
                   r"|those)(?: [a-z_]+){1,4}|(?:stuff|things|something|lots of stuff|lots of things)(?: [a-z_]+){0,4})")
STOPS = re.compile(r" (?:open|closed|running|is|are|was|were|has|have|had|needs?|wants?|looks?|smells?|in|on|inside|at|that"
                   r"|which|for|from|to|with|when|so|where)(?= |$)|'s ")
PRESENTS = re.compile(r"(?:(?:there|where)(?:'s| is| are|'re)|do you have|have you got|(?:is|are) there|(?:what|how) about"
                      r"|(?:have|did|do) you (?:seen?|notice|noticed|know|remember)|(?:you )?(?:see|know"
                      r"|remember)) (?P<what>.+)")
WANTS = re.compile(r"(?P<what>.+?) (?:wants?|needs?|could do with|requires?) (?:a |some |a good )?(?:[a-z]+ing|wash|clean"
                   r"|to be [a-z]+)(?: up| badly)?")
IS_SO = re.compile(r"(?P<what>(?:the|my|your|his|her|our|their|these|those|that|this) .+?)(?: is| are|'s| has been| have been"
                   r"| was| were| has| looks?| smells?|(?: [a-z]{3,}s(?= (?:me|us|him|her|them|everyone|at"
                   r"|like)\b))) (?!to\b).+")
RUN_ON = re.compile(r" (?=(?:please |pls |can you |could you )?(?:turn|switch|put|open|close|shut|bring|get|fetch|make me|take"
                    r"|give|grab|find|pour|heat|warm|wash|clean|go|come|move|fill|cook|slice|leave|i'd like|i want"
                    r"|i need)\b(?! (?:to|by|for)\b))")
"""Where a command may begin without a stop: it's too dark turn the light on."""
BEFORE_COMMAND = re.compile(r"(?:it|i|we|she|he|they|that|there)(?:'s|'m|'re| is| am| are)\b|(?:to|for|as|with|because|since"
                            r"|given|due|now)\b")
CLINGS = re.compile(r"\b(?:to|and|or|not|never|[a-z]+n't|you|i|we|they|he|she|must|should|can|could|will|would|may|let|me|us"
                    r"|who|that|when|how|people|going|able)$|\b(?:when|who|how|anyone|people)\b")
"""The end of a remark to which the verb after it belongs: "I hate when people open the fridge"."""
EVERY_ONE = re.compile(r"(?:all|every one|each|every single one|both|the lot)(?: of (?:them|it|those|these|the lot))?")
END = r"(?=$|\s*[,;.!?]|\s+(?:and|then|but|please)\b|\s+(?:in|on|into|onto|to|at) (?:the|an?|my|our|his|her) )"
AIMS = r"(?:cool|chill|dry|set|rest|thaw|defrost|soak|drain|keep|save|make|free|give|let|help|stop|prevent|avoid|cheer" \
    r"|surprise|finish|get|have|see|show|be (?:safe|sure|nice|ready|quick|polite|on the safe side)|look|air|rise|marinate" \
    r"|ripen|stay|relax|charge|celebrate|protect|calm|go with|share|use|play)"
ADJUNCTS = tuple(re.compile(rf"(?<=[a-z_])[ ,]+(?:{pattern}){END}") for pattern in (
    rf"(?:in order |so as )?to {AIMS}\b[^,;.]*?",
    r"(?<!thing )to (?:eat|read|write|drink|watch|look at|cook with|wash up|nibble|enjoy)(?: (?:later|now|soon|in bed))?",
    r"(?:ready |in time |just )?for (?!the (?:first|last)\b)(?:when|after|before) [^,;.]+?",
    r"(?:ready |in time |just )?for (?!\S+ (?:it|i|that|this)(?:'s|'m| )|\S+ its )(?:[a-z']+ ){0,2}[a-z']+",
    r"(?:now that|given that|seeing as|considering) [^,;.]+?|(?:during|through|throughout) the (?:night|day|morning|evening"
    r"|afternoon)",
    r"(?:just |exactly )?(?:like|the way) (?:i|we|you|he|she|yesterday|last time|before|always)\b[^,;.]*?",
    r"(?:next to|beside|by|near) (?:me|us)|within (?:easy )?reach(?: of (?:me|us|her|him|them))?|close at hand|upside[ _]down"
    r"|face[ _](?:up|down)|side by side|in a (?:row|line|pile|stack)|overnight|all (?:night|day|evening|morning)(?: long)?"
    r"|throughout|the (?:whole|entire) time|in (?:that|this|the given) order|one (?:by|after) (?:one|another|the other)"
    r"|as [a-z]+ as (?:you can|possible)",
    r"with (?:me|us|him|her|them|care|love|your help|no fuss|a smile)|together",
    rf"before (?:{SUBJECT}|[a-z]+|(?:the|my|our|your) [a-z]+)(?:'[a-z]+)? (?!(?:the|a|an|my|your|all|it|them|to|on|in"
    rf"|you)\b)[^,;.]+?",
    rf"(?:while|whilst|because|as|since|so|so that|in case) {SUBJECT}(?:'[a-z]+)? [^,;.]+?",
    r"by the time [^,;.]+?|(?:later|later on|at some point|sometime|some time|somehow|at (?:your|the) (?:convenience|moment"
    r"|latest)|once and for all|this time|as (?:usual|always|planned|promised|discussed|agreed|we said|i said))",
    r"(?:when|once|as soon as) (?:you(?:'re| are|'ve| have)? )?(?:all )?(?:done|finished|ready|able|free|through|there|get (?:a"
    r"|the) chance|got time)(?: with (?:it|that|them))?",
    r"(?:(?:very|really|nice and|super|so|extra) )?(?!only|early|family|jelly|belly|daily|final|last|first|second"
    r"|third)[a-z]{3,}ly|nice and [a-z]+|(?:really |very |extra )?(?:thin|fine|small|tight|thick)(?: and [a-z]+)?|(?:on|in"
    r"|into) (?:your|the) way(?: [a-z]+)?",
))
"""Purposes, beneficiaries and manners after a command. They are left out if they name nothing of the scene."""
THREAT = re.compile(r"[ ,]+(?:or|or else|otherwise) (?:[a-z_]+ ){0,4}?[a-z_]+(?: will| might|'ll) (?!(?:do|be (?:fine|ok|okay"
                    r"|good))\b)(?:(?! and | then )[^,;.])*")
LASTING = re.compile(r"(?<=[a-z_])[ ,]+(?:until|till) (?!(?:i|we|you|he|she|the)\b)(?:(?:it|they)(?:'s|'re| is"
                     r"| are)? )?[a-z ]+" + END)
TREATED = re.compile(r"(?:cook|heat|warm|fry|boil|toast|bake|roast|grill|microwave|wash|clean|rinse|scrub|wipe)\b")
SEEKS = re.compile(r"(?:please )?(?:look|search|hunt|swap|exchange|trade|switch|wait|check|ask|call|set|lay|say|make sure)\b")
PLACES = re.compile(r"(?:please )?(?:put|place|leave|take|bring|move|stick|pop|set|load|carry|lay"
                    r"|throw)\b(?!.* for [a-z]+ to )")
ALSO = re.compile(r"(?<=[a-z_]) to (?P<verb>cook|heat|warm|toast|bake|boil|fry|wash|clean|rinse|slice|chop)(?: (?:it|them))?"
                  rf"(?: up| through| off)?{END}")
"""A purpose that the world knows: put the bread in the toaster to toast."""
TIMES = re.compile(r"(?<=[a-z]{3}) (?:today|tonight|this evening|this morning|this afternoon)(?=$|\s*[,;.!?])|[ ,]+(?:before"
                   r"|in time for|ready for|in good time for|for) (?:bedtime|bed|dinner|lunch|supper|breakfast|tonight|tea time"
                   r"|teatime|the night|(?:i|we|she|he|they|the guests|the kids|mum|mom|dad) (?:gets?|comes?|arrives?|leaves?"
                   r"|goes?|go|get|are back|is back)\b[^,;.!?]*)(?=$|\s*[,;.!?]| please)")
"""When it is to be ready, without a clock: the robot begins at once anyway."""


def without_background(words: str, context: Context) -> str:
    """Returns the words of a task without remarks, and with the things that they named in place of pronouns.

    Args:
        words: lower case, names joined.
        context: its `background` gets the words that are left out.

    Raises:
        GoalError: a remark limits the task.
    """
    words = _with_stop(_without_threat(words, context), context)
    cut = PARTS.split(words)
    joints, parts = ["", *cut[1::2]], cut[::2]
    topic = _topic(joints, parts, context)
    if topic:
        joints, parts = ["", *joints[topic:]], ["".join(joints[k] + parts[k] for k in range(topic)), *parts[topic:]]
    wish = re.match(r"(?:make sure|ensure|see to it|i want|we want|i'd like|check)\b", words)
    outside = [_is_outside(part, context, needed=re.match(r"[\s,;]*so ", after) is not None)
               or (after.startswith(":") and len(part.split()) < 5 and not _is_of_scene(part, context)) for part, after in
               zip(parts, (x + y for x, y in zip([*joints[1:], ""], [*parts[1:], ""], strict=True)), strict=True)]
    remarks = [(free or _is_remark(part, joint)) and not (wish and PLACED_IT.match(part.strip()))
               for joint, part, free in zip(joints, parts, outside, strict=True)]
    kept: list[str] = []
    named: list[tuple[str, bool]] = []
    for k, (joint, part) in enumerate(zip(joints, parts, strict=True)):
        rest = "".join(x + y for x, y in zip(joints[k + 1:], parts[k + 1:], strict=True))
        presented = part.strip() if topic and not k else _presented(part, joints[k + 1] if k + 1 < len(joints) else "", rest)
        if EVERY_ONE.fullmatch(part.strip()) and kept:
            kept[-1] = _of_all(kept[-1])
        elif not part.strip():
            continue
        elif presented or (remarks[k] and (rest or kept) and not all(remarks)):
            refers = bool(presented) or (PRONOUN.search(rest) is not None and not kept)
            if not outside[k]:
                _limits(part, one_thing=refers and len(named_things(part, context)) == 1)
            if refers:
                named.append((presented or part, bool(presented)))
            else:
                context.background.append(_plain(part))
        else:
            context.background += [_plain(found[0]) for found in TIMES.finditer(part)]
            part = _without_adjuncts(TIMES.sub("", part), context)
            part = WANTED.sub("bring", part)
            if PRONOUN.search(part):
                part = _resolved(part, named, context)
                context.background += [_plain(one) for one, _ in named]
                named = []
            part = part if kept else re.sub(r"^(?:but|and|so) ", "", part.strip())
            said_so = "so" in joint.split()
            kept.append((("; " if said_so else joint) if kept else "") + part)
    context.background += [_plain(one) for one, _ in named]
    return "".join(kept).strip(" ,;") if kept else words


def _without_threat(words: str, context: Context) -> str:
    """Returns the words without "or mummy will be cross"."""
    threat = THREAT.search(words)
    if threat is None:
        return words
    context.background.append(_plain(threat[0]))
    return words[:threat.start()] + words[threat.end():]


def _with_stop(words: str, context: Context) -> str:
    """Returns the words with a comma after a remark at their beginning that has none."""
    start = next((found for found in RUN_ON.finditer(words) if not PARTS.search(words[:found.start()])), None)
    if start is None or not BEFORE_COMMAND.match(words) or CLINGS.search(words[:start.start()]) \
            or not _is_outside(words[:start.start()], context):
        return words
    return f"{words[:start.start()]}, {words[start.end():]}"


def _topic(joints: list[str], parts: list[str], context: Context) -> int:
    """Returns how many parts at the start only name things that the rest is about: "the mug, the cup, put them away"."""
    for k in range(1, min(len(parts), 5)):
        topic = "".join(joints[n] + parts[n] for n in range(k)).strip()
        if re.match(r"(?:the|my|our|your|his|her|all|both|those|these) ", topic) and _is_thing(topic, context):
            rest = [re.sub(r"^(?:and|so|please|just|then) ", "", one.strip()) for one in parts[k:] if not _is_remark(one, "")]
            return k if rest and PRONOUN.search(rest[0]) else 0
    return 0


def _plain(part: str) -> str:
    return part.strip(" ,;.").replace("_", " ")


def is_remark(words: str) -> bool:
    """Returns True for a clause that asks for nothing and limits nothing."""
    timed = re.search(r"\b(?:soon|when|once|after|before|while)\b", words)
    return _is_remark(words, "") and not timed and not LIMITS.search(words) and not NEGATED.search(HARMLESS.sub(" ", words))


def _is_remark(part: str, joint: str) -> bool:
    """Returns True for a clause that asks for nothing."""
    plain, announced = part.strip(), "so" in joint.split()
    if SOMEBODYS_WISH.match(plain):
        return False
    if WISHED.search(plain):
        return False
    if THING_IS.fullmatch(plain) and not LIMITS.search(plain) and not NEGATED.search(plain):
        return True
    if STATEMENT.fullmatch(plain):
        return not STILL_WISHED.fullmatch(plain) or announced
    while lead := LEAD.match(plain):
        announced = announced or lead[0].strip(" ,") not in ("and", "but")
        plain = plain[lead.end():]
    plain = re.sub(r"^(?:well|oh|hi|hello|hey|ok|please|sorry),? ", "", plain)
    return STATEMENT.fullmatch(plain) is not None and (announced or STILL_WISHED.fullmatch(plain) is None)


def _is_outside(part: str, context: Context, *, needed: bool = False) -> bool:
    """Returns True for a clause that is no command and names nothing of the scene.

    Args:
        part: the clause.
        context: the reading.
        needed: True if "so" follows: "I need the space, so ..." asks for nothing.
    """
    plain = part.strip()
    if TAG.fullmatch(plain):
        return True
    if _is_of_scene(plain, context) or (NEGATED.search(HARMLESS.sub(" ", plain)) and REFERS.search(LEAD.sub("", plain))):
        return False
    while FREE.fullmatch(plain) is None and (lead := LEAD.match(plain)):
        plain = plain[lead.end():]
    return FREE.fullmatch(plain) is not None or (needed and re.match(r"(?:i|we) (?:need|want) (?!you\b)", plain) is not None)


def _is_of_scene(words: str, context: Context) -> bool:
    """Returns True if words name an object, room or state, a condition or a time."""
    return context.lexicon.mentions(words) or any(pattern.search(words) for pattern in (SCENE_STATE, LIMITS, CLOCK))


def _without_adjuncts(part: str, context: Context) -> str:
    """Returns a command without its purpose, beneficiary and manner; these are kept in the background."""
    if PLACES.match(part.strip()):
        part = ALSO.sub(r" and \g<verb> it", part)
    if (lasting := LASTING.search(part)) and TREATED.match(part.strip()):
        context.background.append(_plain(lasting[0]))
        part = part[:lasting.start()] + part[lasting.end():]
    for pattern in ADJUNCTS if not SEEKS.match(part.strip()) else ():
        while found := pattern.search(part):
            if _is_of_scene(found[0], context) or NEGATED.search(found[0]):
                break
            context.background.append(_plain(found[0]))
            part = part[:found.start()] + part[found.end():]
    return part


def _presented(part: str, joint: str, rest: str) -> str:
    """Returns the words of "there is a candle in the bin" if what follows is about it; empty if it is a wish or a command."""
    if not PRONOUN.search(rest):
        return ""
    plain = LEAD.sub("", part.strip(), count=1)
    if found := PRESENTS.fullmatch(plain):
        start = "" if re.match(NAMED, found["what"]) else "the "
        return f"{start}{found['what']}"
    found = WANTS.fullmatch(plain) if "so" in joint.split() or re.match(r"[ ,;.]*so ", rest) else None
    found = found or (None if re.match(r"[ ,;.]*(?:then|and|before|after|but) ", rest) else IS_SO.fullmatch(plain))
    if found and not re.match(r"(?:put|take|make|i|we|you|have|get)\b", plain):
        return plain
    return ""


def _limits(part: str, *, one_thing: bool) -> None:
    """Raises a GoalError if a remark may limit the task. A negation about the one thing that the command is about does not."""
    if found := LIMITS.search(part):
        raise refuse(found[0], "a goal has no conditions and exceptions: name what is to be done, thing by thing")
    if not one_thing and not PURPOSE.match(part.strip()) and NEGATED.search(HARMLESS.sub(" ", part)):
        raise refuse(_plain(part), "it is not clear what this forbids: say “do not” and one action in a sentence of its own")


def _of_all(command: str) -> str:
    """Returns "turn on the lamps" as "turn on all the lamps"."""
    if re.search(r"\b(?:all|every|both)\b", command):
        return command
    changed = re.sub(r"\b(?:the|my|our) (?=[a-z_]+s\b)", r"all \g<0>", command, count=1)
    if changed != command:
        return changed
    lead = re.match(r"[\s,;.]*", command)
    return command[:lead.end()] + "all " + command[lead.end():] if lead else command


def _resolved(part: str, named: list[tuple[str, bool]], context: Context) -> str:
    """Returns a command with its first pronoun replaced by the thing that a remark before it named.

    Raises:
        GoalError: the remark names several things that may be meant.
    """
    found = PRONOUN.search(part)
    if not named or not found or named_things(part[:found.start()], context):
        return part
    several = found[0] in ("them", "these", "those", "all of them", "both of them")
    for words, presented in reversed(named):
        things = named_things(words, context)
        if len(things) > 1:
            fitting = [one for one in things if several == re.split(r" (?:in|on|that|which) ", one)[0].endswith("s")]
            things = fitting if len(fitting) == 1 else things
        if len(things) > 1 and (not presented or re.search(r" (?:has|have|contains?|holds?) (?:the|an?|some|two)\b", words)):
            raise refuse(found[0], f"say which thing is meant: {' or '.join(things)}")
        if things:
            left = words.split(things[0])
            context.background += [plain for one in left if len((plain := _plain(one)).split()) > 1]
            named.remove((words, presented))
            thing = re.sub(r"^(?:lots of )?(?:stuff|things|something)\b", "everything", things[0])
            thing = re.sub(r"^(?:an?|some) ", "the ", thing)
            before = part[:found.start()]
            if re.search(r"\b(?:one|two|three|four|any|some) of $", before):
                thing = re.sub(r"^(?:the |my |our |two |three |four |all |both |some |lots of )*", "the ", thing)
            elif before.endswith("of "):
                return part
            leaves = re.fullmatch(r"(.+) (in|inside|on) (.+)", thing)
            how = re.match(r" (out|off|away)(?=$| and\b|\s*[,;.])", part[found.end():])
            how = None if re.search(r"\b(?:switch|turn|shut|power|put) $", part[:found.start()]) else how
            if leaves and how:
                thing = f"{leaves[1]} {'off' if leaves[2] == 'on' else 'out of'} {leaves[3]}"
                return part[:found.start()] + thing + part[found.end() + how.end():]
            if leaves and re.search(r"\b(?:fetch|get|bring|take|grab|pick up|find) $", before):
                thing = f"{leaves[1]} that is {leaves[2]} {leaves[3]}"  # where it is now
            return before + thing + part[found.end():]
    return part


def named_things(words: str, context: Context, *, places: bool = False) -> list[str]:
    """Returns the noun phrases of objects that can be carried or operated, each as long as the words of this world allow.

    Args:
        words: a clause.
        context: the reading.
        places: True if what follows "in" or "on" counts as well.
    """
    found: list[str] = []
    begin = 0
    while (match := NAMED.search(words, begin)) is not None:
        said = STOPS.split(match[0], maxsplit=1)[0].split() or match[0].split()[:1]
        if not places and re.search(r"\b(?:in|on|inside|at|from|under|near) $", words[:match.start()]):
            said = []  # a place
        for length in range(len(said), 0, -1):
            phrase = " ".join(said[:length])
            end = match.start() + len(phrase)
            place = re.match(r" (?:(?:is |are |lying |left )+)?(?:in|on|inside) (?:one of )?(?:the|my|a|our) [a-z_]+",
                             words[end:])
            full = phrase + (re.sub(r" (?:(?:is|are|lying|left) )+", " ", place[0]) if place else "")
            if _is_thing(full, context) or _is_thing(phrase, context):
                found.append(full if _is_thing(full, context) else phrase)
                begin = end + (len(place[0]) if place else 0)
                break
        else:
            begin = match.start() + len(match[0].split()[0])
    return found


def _is_thing(phrase: str, context: Context) -> bool:
    phrase = re.sub(r"^(?:lots of )?(?:stuff|things|something)\b", "everything", phrase)
    named = context.lexicon.mentions(phrase) or re.search(r"\b(?:everything|lights?|objects?|items?)\b", phrase)
    if not named or re.search(r"\b(?:everything|in|on)$", phrase):
        return False
    try:
        items(phrase, Context(context.lexicon, sentence=context.sentence), Part(moves=True))
    except GoalError:
        return False
    return True
