"""Habits of speech: what people say around a task. Takes away what says nothing about it, and nothing else."""

from __future__ import annotations

import re
import unicodedata

from core.common.errors import GoalError
from core.goals.parser.background import PEOPLE, without_background
from core.goals.parser.context import Context, refuse
from core.goals.parser.phrasing import WELCOME, rephrased, respelled
from core.goals.vocabulary import Lexicon

MOST_CHARACTERS = 600
"""The maximum length of a task in words."""
GREETING = r"(?:hi|hello|hey|hiya|oh no|oh dear|oops|whoops|ugh|argh|ah|hmm|gosh|good (?:morning|afternoon|evening)|ok|okay" \
           r"|right|well(?! done)|so(?! that\b)|oh|um|now then|listen|excuse me|sorry(?! (?:to|for|about|if)\b)" \
           r"|now|yo|hi ya|howdy|greetings|alright|all right)(?:,? (?:there|robot|robo|bot|you|belvedere|buddy|mate|dude|bro" \
           r"|man|pal|dear|darling" \
           r"|love|sweetie|honey|friend|my friend|helper|my days|my god|my goodness|everyone|siri|alexa))?"
ASKING = "|".join((
    r"(?:(?:is|would) it (?:be )?(?:ok|okay|alright|possible)|would you mind|do you mind) if i (?:ask|asked|get|got) you to",
    r"(?:would|do|will|could) you (?:mind|be willing to)(?: if you)?",
    r"(?:could|can|would|will|might) you(?: please| kindly| possibly| just| also| maybe| perhaps)*(?: be (?:so |very )?(?:kind"
    r"|good|nice|able)(?: as)?(?: to| and))?",
    r"(?:do you think |i wonder if |i was wondering if |i was wondering whether |i wonder whether |i was hoping |i hope )(?:you"
    r"|that you) (?:could|can|might)",
    r"(?:is|would) it (?:be )?(?:ok|okay|possible|alright|all right)(?: for you)?(?: if you(?: could)?| to)?",
    r"any chance (?:of you|you could|that you could)",
    r"i(?: would|'d)? (?:want|need|like|love) you to|i ask you to|what i want is for you to",
    r"i(?: would|'d) (?:be (?:very |so |really )?(?:grateful|glad|happy|thankful)|appreciate it|love it"
    r"|like it) if you(?: could| would| can)?",
    rf"it would be {WELCOME} if you(?: could| would)?",
    r"mind(?= [a-z]+ing\b)|i don't suppose you(?: could|'d| would| can)|you couldn't(?= .*\bcould you$)",
    r"(?:can|could|shall) we(?! (?:have|get|see)\b)|(?:could|can|would|will) you help(?: me| us| out)? by",
    r"(?:can|could|would|will) (?:someone|somebody|anyone|anybody)(?: please)?|i (?:dare|beg|order|command|trust|urge) you to",
    r"(?:would it be|is it|it would be|if it(?:'s| is| would be| wouldn't be)) (?:not )?(?:too much|asking too much)(?: trouble"
    r"| bother)?(?: to ask)?(?: for you)?(?: to| if you(?: could)?)",
    r"(?:can|could|may|might) i (?:trouble|bother|ask|get|persuade) you to|do me (?:a|the|one) (?:favou?r|kindness) and"
    r"|make yourself useful and|i(?:'m| am) (?:going to|gonna) need you to|(?:it is|it's) your (?:job|turn|task) to",
    rf"(?:i|we)(?:'d| would) (?:really |so |much )*(?:appreciate it|be {WELCOME}) if you"
    r"(?: could| would| can|'d)?",
    r"you (?:should|must(?! be (?!in |on |near |at |by |next |sitting|standing|lying|holding))|can|could|need to|have to"
    r"|ought to)|(?:your|the) (?:task|job) is to",
    r"(?:try|remember|go ahead|feel free|time|be sure|make sure|don't forget|do not forget|be a dear and|be so kind as) to",
    r"go ahead and|be an? (?:dear|love|darling|angel|star|pal|sport|good (?:robot|boy|girl|lad)|gem|sweetheart|treasure"
    r"|mate) and|let's|let us|help me(?: to)?",
))
TROUBLE = r"(?:if|unless) (?:it|that|this)(?: is|'s|'d be| would be| isn't| is not|'s not| wouldn't be| doesn't" \
    r"|'ll)(?: not)?(?: (?:too|much|any|a|such|no|ok|okay|alright|all right|fine|possible|convenient|inconvenient|trouble" \
    r"|bother|problem|hassle|burden|with|you|for|cause|be|an|imposition|at))+|if you(?:'d| would| could| can|'re| are|'ll" \
    r"| wouldn't| would not| won't| want| wanna| like| wish| please| don't| have| get|'ve got)?(?: (?:be|so|kind|good|to" \
    r"|helpful|mind|like|able|not|busy|too|a|the|time|minute|moment|sec|second|chance|free|would|spare|get|got|me|asking" \
    r"|enough|willing|any))*(?= ?[,.!?]|$| please\b)"
"""A condition about trouble, leave or time: politeness."""
POLITE = re.compile(rf"^(?:(?:pretty )?please|{TROUBLE}|maybe|perhaps|possibly|(?:(?:just )?an? )?(?:quick |gentle "
                    rf"|friendly )?reminder that|the thing is|fact is|if so|one (?:by|after) (?:one|another)"
                    rf"|as [a-z]+ as (?:you can|possible)|(?:(?:very|really|quite|ever so) )?(?!only|family|jelly|reply|final"
                    rf"|last|first|second|third)[a-z]{{3,}}ly(?= [a-z])|if i (?:may|might|could)(?: ask)?|wake up|don't mind me"
                    rf"|carry on|never mind|at (?:long )?last|honestly|basically|whatever happens|no matter what|in any case"
                    rf"|like(?=,)|er+m?|oi|hm+|pls|(?:at some point|sometime)(?: today| tonight| soon)?|later(?: on)?(?=,)"
                    rf"|(?:when|once|as soon as) you're (?:done|free|ready)|thanks (?:for|to) [^,;.!?]+(?=[,!.])|by the way|btw"
                    rf"|while you(?:'re| are) (?:at it|there|up|here)|kindly|just|also|robot|dear|mate|buddy|dude|bro|(?:i"
                    rf"|we) (?:think|guess|reckon|believe|suppose)(?: that)?|{GREETING}|{ASKING}"
                    rf"|when(?:ever)? you (?:can|are (?:ready|free)|(?:have|get)(?: the| some| a| a free)? (?:time|moment"
                    rf"|minute|second|chance)),?|if (?:you don't mind|possible|you can|you could|you would)"
                    rf"|as soon as possible)(?![\w'])[ ,:!.?]*")
AFTERTHOUGHT = re.compile(
    rf"(?:[ ,.!?;]+|^)(?:(?:pretty )?please|pls|{TROUBLE}|(?:that|it|this|i)(?:'d| would) (?:be [a-z]+"
    rf"|(?:really )?help(?: me)?(?: a lot)?|make my day|appreciate (?:it|that))|thanks(?: so much| a lot| in advance| again)?"
    rf"|thank you(?: so much| very much| in "
    r"advance)?|cheers"
    rf"|k+|yeah|sir|madam|ta|(?:ha){{2,}}h?|lol|xx?|quick|hurry(?: up)?|(?<!it's )for (?:me|us|him|her|them|{PEOPLE})|as well"
    rf"|too|now"
    rf"|right now|again|at the end|in the end|asap|as soon as possible"
    r"|if (?:you don't mind|possible|you can|you could|you would|that's ok(?:ay)?|that is ok(?:ay)?|(?:there's|there is"
    r"|there are|you have|we have|you've got|we've got|you can find) (?:one|any|some)(?: (?:going|left|around|about|here|free"
    r"|there|handy))?)|(?:for )?(?:a|one|just a|half a) (?:sec|second|moment|minute|mo|while|bit|tick|min)|for now"
    r"|when(?:ever)? you (?:can|have time|have a (?:moment|minute|second)|get a (?:moment|minute|chance))|would you|will you"
    r"|could you|can you|(?:don't|won't|wouldn't|couldn't|can't|shouldn't|doesn't|isn't) (?:you|it|they|we)(?: think)?|right"
    r"|ok|okay|(?:(?:very|really) )?(?:quickly|carefully)|gently|at all times|neatly|nicely|properly"
    r"|straight away|right away|any time|immediately|at once|dear|love|darling|sweetie|honey|mate|buddy|robot|and wait(?: there"
    r"| here)?|and (?:stay|remain) there|there you go|over there|all right|alright)[ ,.!?;]*$")
QUESTION = re.compile(r"(?:what|where|who|when (?=(?:do|does|did|is|are|was|will|can|should)\b)|why|how|which|whose|is|are|was"
                      r"|were|do (?!not\b|the\b|all\b|some\b)|does|did|am|has|have you|what's|where's|who's|how's|tell me"
                      r"|show me)\b")
MASS_WISH = re.compile(r"^(?!(?:i|we) (?:like|love) (?:it|our|my|the|them|this|that|these|those|when|having)\b)(?:i|we)(?:'d"
                       r"| would)? (?:want|need|like|love|fancy|could do with)(?: to have| to get)? (?!to\b|you\b)(?!that\b)"
                       r"|^(?:can|could|may|might) (?:i|we) (?:please )?(?:have|get|borrow)(?: me)? |^let me have |^i'll have "
                       r"|^i'm after ")
HOUSE = r"\s+(?:in|of|throughout|around) (?:the |this |my )?(?:whole |entire )?(?:house|home|apartment|flat)(?=$|\s*[,;.!?]" \
    r"|\s+(?:and|then|with|using|on|off|in|into|inside|onto|to|from|is|are|be|should|must|has|have|needs?)\b)"
"""A phrase without information about the task; but "in the home office" names a room."""
SPLIT_VERB = r"\b(switch|turn|plug) (?!on\b|off\b|in\b|to\b|towards?\b|round\b|around\b)([^,;.]+?) (on|off|in)(?=$|\s*[,;.!]" \
             r"| and | then | in | before | after | without | when )"
"""Turn the lamp on: rewritten to turn on the lamp."""
BLANK = re.compile(r"\b(?:(?:pretty )?please(?: with [a-z ]+ on top)?|kindly|as [a-z]+ as (?:you (?:possibly )?can|possible)"
                   r"|once and for all)\b|(?<![a-z'])(?:u+m+|u+h+|er+|er+m+|m+m+|hm+|you know|sort of|kind of|kinda"
                   r"|sorta)(?:,| |$)|(?<=\bcan you"
                   r" )like |(?<=\bcould you )like |(?<=\band )like |(?<=\bto )like (?=[a-z]+ )")
TURNING = re.compile(r"\b(?:turn|spin|look)(?: a?round| about)?,? (?:and|to) (?=(?:face|look)\b)")
GO_AND = re.compile(r"\b(?:go|come|run|try|pop over|come over|go over|head over|go ahead)(?: and|,) (?!then\b|there\b|wait\b)")
SOMETHING = re.compile(r"\b(?:something|anything)(?: [a-z]+)? to (drink|eat|read)\b")
NEEDED = {"drink": "a drink", "eat": "a piece of food", "read": "a piece of reading"}
WHATEVER = re.compile(r"(?<=\w )(?:whatever|what|anything that|all that)(?:'s| is| are) (?:still |lying )*(?=(?:on|in"
                      r"|inside)\b)")
FORBIDDEN = re.compile(r"((?:the |my )?[a-z_]+) (?:is|are) (?:off limits|out of bounds|forbidden)")
FOUND = re.compile(r"(?<!\bif)(?<!\bwhen)(?<!\bonce)(?<!\bafter)(?<!\bbefore) (?:that |which )?you (?:can )?(?:find|see)\b")
WANT_TO = re.compile(r"(?:i|we)(?:'d| would)? (?:want|like|love|need|have|wish) to (?!have\b|be\b|see\b)")
WHILE = re.compile(r"[ ,]+(?:while|whilst) (?:you are |you're )?((?:sitting|standing|lying|holding|facing|staying)\b)")
NUMBERED = re.compile(r"\b(exactly|precisely|only|just) (?=(?:one|two|three|four|five|six|seven|eight|nine|ten|a|an|\d+)\b)")


def typed_words(text: str, lexicon: Lexicon) -> str:
    """Returns a task in lower case, without politeness at its ends and common faults, with the words of each name joined.

    Raises:
        GoalError: it is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise GoalError(f"the task is longer than {MOST_CHARACTERS} characters: say it in fewer words")
    plain = unicodedata.normalize("NFKC", text).lower().replace("&", " and ").replace("’", "'").replace("‘", "'")
    plain = re.sub(r"(\d)\)", r"\1.", re.sub(r"([^\W\d])\1{2,}", r"\1", plain))
    plain = re.sub(r"[\"“”«»()]", " ", plain)
    plain = re.sub(r"\bat least |\ba minimum of ", "", plain)
    plain = respelled(" ".join(plain.split()))
    plain = re.sub(r"(?:\s*,)+", ",", BLANK.sub(" ", plain)).strip(" ,")
    return bare(lexicon.join_names(" ".join(plain.split()).strip(" .!?,;")))


def plain_words(words: str, context: Context) -> str:
    """Returns typed words without reasons, remarks and greetings, in the forms that the other rules read.

    "At least" is removed, because every number is a minimum; "exactly two" is told as a guess.

    Raises:
        GoalError: it is empty, or a question.
    """
    one_room = len(context.lexicon.room_classes) == 1
    words = bare(without_background(rephrased(words, context.lexicon.mentions, one_room=one_room), context))
    words = FORBIDDEN.sub(r"keep out of \1", words)
    words = FOUND.sub("", WHATEVER.sub("everything ", words))
    if wanted := WANT_TO.match(words):
        context.tell(wanted[0].strip(), "the robot is to do it")
        words = words[wanted.end():]
    words = SOMETHING.sub(lambda found: NEEDED[found[1]], words)
    words = WHILE.sub(r" and \1", GO_AND.sub("", TURNING.sub("", words)))
    words = re.sub(SPLIT_VERB, r"\1 \3 \2", re.sub(HOUSE, "", words))
    for found in NUMBERED.finditer(words):
        context.tell(f"{found[1]} {words[found.end():].split()[0]}", f"{words[found.end():].split()[0]} or more: goals count"
                                                                     f" at least")
    words = NUMBERED.sub("", words)
    if not words:
        raise GoalError("the task is empty: say what to do with which thing")
    if QUESTION.match(words):
        raise refuse(words, "this asks something: say what the robot is to do")
    return words


def without_politeness(words: str) -> str:
    """Returns the words without greetings and politeness at both ends."""
    while (shorter := AFTERTHOUGHT.sub("", POLITE.sub("", words, count=1)).strip()) != words:
        words = shorter
    return words


def bare(words: str) -> str:
    """Returns the words without greetings and politeness at both ends, and a wish for things as a command to bring them."""
    while True:
        shorter = AFTERTHOUGHT.sub("", POLITE.sub("", words, count=1))
        wished = MASS_WISH.match(shorter)
        if wished and not re.search(r"\b(?:is|are|be|in|on|inside|into|onto|at|to|closed|open|off|clean\w*|sliced|cooked|washed"
                                    r"|chopped|cut|heated|toasted|baked|boiled|fried|rinsed|filled|shut|opened|switched|turned"
                                    r"|brought|moved|emptied|tidied|thrown|running|going|so)\b",
                                    shorter[wished.end():]):
            shorter = f"bring me {shorter[wished.end():]}"
        shorter = shorter.strip()
        if shorter == words:
            return words
        words = shorter
