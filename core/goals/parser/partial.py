"""Other forms of a task that the rules do not understand as it was typed: with stops, and without words that cannot matter.

People dictate without commas, and say more than the task: "oh boy what a day grab the apple it's for grandma". The words are
divided where commands begin. A part that is no command is left out if it names nothing of a household and holds no word that
may change the task: a negation, a condition, an order, a number, a place or a state. Everything else must be understood.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.goals.parser.background import is_remark
from core.goals.parser.speech import bare

MATTERS = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|without|neither|nor|hardly|cannot|if|unless|except|apart|only|until|till|instead"
    r"|rather|than|provided|when|whenever|while|once|after|before|then|first|last|next|finally|later|tomorrow|yesterday"
    r"|in|on|off|into|onto|inside|out|under|behind|near|beside|between|from|with|by|both|each|every|all|another|other"
    r"|same|one|two|three|four|five|six|seven|eight|nine|ten|half|twice|again|or|either|open|opened|closed|shut|clean|dirty"
    r"|washed|sliced|chopped|cooked|hot|cold|filled|full|empty|it|them|those|these|there|here|soon|forbidden|allowed|pretend"
    r"|remind|minutes?|hours?|seconds?|o'clock|noon|midnight|times)\b|n't\b|\d")
"""Words that may change a task."""
CLINGS = re.compile(r"\b(?:to|and|or|nor|not|never|no|you|we|they|he|she|who|must|should|shall|can|could|will|would|may|might|i"
                    r"|let|him|her|me|us|them|how|when|people|then|of|for|the|a|an|my|your|that|from|at|is|are|be|am|was|were"
                    r"|it's|gonna|going to|without|before|after|while|by|than|mind)$|'(?:ll|d|ve|re|m)$|n't$")
"""The end of words to which the verb after them belongs, such as "mum refuses to"."""
SUBJECT = re.compile(r"(?:(?:and|but|so|because|cause|cos|as|since|for|well|oh) )*(?:i|im|i'm|i've|i'll|i'd|we|we're|we've"
                     r"|we'll|you"
                     r"|you're|you've|he|he's|she|she's|they|they're|that|that's|this|what|thanks|thank|please|cheers|mum|mom"
                     r"|dad|nan|gran|grandma|grandpa|god|love|dear|sweetie|darling|mate|bro|dude|robot|buddy|pal|ok|okay|yeah"
                     r"|yes|ha|haha|lol|xx?|everyone|everybody|someone|people|its|it's)\b")
"""How a remark after a command begins: an imperative of something unknown does not."""
REQUEST = re.compile(r"(?!(?:what|such|oh|at|in|for|like|ah|ugh|quite|same|this|that|all|god|wow|man|boy|here"
                     r"|there)\b)[a-z]+ (?:the|an?|my"
                     r"|your|some|his|her|our|it|them|him|me|us)\b")
"""How a command begins whose verb is not known: feed the cat."""
COORDINATES = re.compile(r"\b(?:and|then|but|or)\b")
"""Between two commands: what stands before it is another command, of something that is not known."""
AFTER_THING = re.compile(r"(?:(?:because|cause|cos|'cause|since|as|so|for) )?(?:(?:im|i'm|we're|you're|she's|he's|they're"
                         r"|that's)"
                         r" (?!(?:[a-z]+ing|in|on|at)\b)|it(?:'s| is)\b|(?:thanks|thank|please|cheers|love|dear|sweetie"
                         r"|darling|mate|bro|dude|buddy|pal|ok|okay|yeah|yes|lol|ha|haha|xx?)\b)|(?:because|cause|cos"
                         r"|'cause) |(?:yeah |yes )?that"
                         r" one$")
"""How a remark begins that no stop divides from a thing: "the book I am reading" says which book."""
STATES_LIKE_VERBS = re.compile(r"(?:open|shut|clean|warm|cut|set|light|empty|dry|cool|close)(?! (?:the|my|your|a|an|all|both"
                               r"|every|his|her|our"
                               r"|their|it|them|that|this|those|these|one|two|some|any)\b)")
"""The fridge open again: no command."""
WISHED = re.compile(r"(?:the|my|your|our|all|every|both|his|her) (?:[a-z_]+ ){1,3}?(?:needs? to|should|must|has to|have to"
                    r"|belongs?|ought to"
                    r"|wants? to) ")
"""How a wish begins that is no command."""
DETERMINER = r"(?:the|an?|my|some|our|two|three|one)"
CORRECTED = re.compile(rf"(?:(?P<place>in|on|to|into|onto) )?(?:{DETERMINER} )?[a-z_]+,? (?:(?:no|er+m?|um+|uh+|oh|wait|sorry"
                       r"|hang on|actually|or)[, ]+)*(?:no|no wait|wait|i mean|i meant|make that|scratch that|sorry|rather"
                       rf"|not that)[, ]+(?=(?(place)(?:in|on|to|into|onto) |){DETERMINER} [a-z])")
"""The apple, no wait, the banana; on the desk, no, on the bed."""
LEARNT = tuple((re.compile(pattern), plain) for pattern, plain in (
    (r"\b(must|should|can|please) to (?=[a-z])", r"\1 "), (r"^(?:the )?(?:robot )?must (?=[a-z])", ""), (r"\bfor to\b", "to"),
    (r"\bi am (need|want)ing\b", r"i \1"), (r"\b(?:the )?doors? of (?:the )?", "the "),
    (r"\bmake (?=(?:open|clean|wash|cook|close) )", ""), (r"\bmake (on|off) ", r"turn \1 "),
    (r"\bmake ((?:the|my) [a-z_ ]+?) (?:go |turn |be )?(on|off)(?=$|[,;. ])", r"turn \2 \1"),
    (r"\bmake (?:her|him) ", "make it "), (r"\bmake (it|them|(?:the|my) [a-z_]+) (clean|warm|open)\b", r"\2 \1"),
    (r"((?:the|my) [a-z_]+) (?:she|he|it) (is|are)\b", r"\1 \2"),
    (r"((?:the|my) [a-z_]+) you (put|take|bring|open|close|wash|clean) it\b", r"\2 \1"),
    (r"\bsearch (?=the |an? |my )", "find "),
    (r"\band (bring|fetch|take|wash|clean)$", r"and \1 it"), (r"\bbe, (?=in|on)", "be "),
    (rf"({DETERMINER}(?: [a-z_]+)?(?! (?:in|on|to|into|onto|from|off|of|at|with|and|or|by|than|over|give|me|is|are)\b) [a-z_]+)"
     rf" (?={DETERMINER} [a-z_]+(?: and| in| on|,|$))", r"\1, "),
))
"""What learners say and what is dictated without commas, and how the other rules read it."""
EXTRA = re.compile(r",? in(?:to)? (?:[a-z]+ )?(?:pieces|slices|cubes|chunks|bits)\b|,? where (?:it|they) belongs?\b"
                   r"|,? within (?:easy )?reach,?|(?:^|(?<=but ))when(?:ever|) you(?:'re| are) (?:done|ready|finished)"
                   r"(?: with (?:it|that|this))?,?")
"""Manners and times around a command that no stop divides from it."""
TELLS = re.compile(r"(?:(?:wow|oh|hey|well|so|and|but|look|look,|right|now|ok|because|since),? )*"
                   r"(?:(?:is|are|was|were|do|does|did|has"
                   r"|have|what|where|who|why|how|which)\b|(?:can|could|may) (?!you|i|we|some|any)|let's |let us |get started"
                   r"|(?:i|he|she|it|they|there|this|that)(?:'[a-z]+)? (?!(?:should|must|has|want|need|would|like|have to)\b)"
                   r"|(?:the|my|your|his|her|our|their) [a-z_]+(?: [a-z_]+)? (?:is|are|was|were|looks?|smells?|has|have)\b)")
"""How a clause begins that tells or asks something: it is no wish if it cannot be read as one."""
BARS = re.compile(r"\b(?:not|never|no|nothing|nobody|without|if|unless|except|only|until|instead|than|before|after|then|when"
                  r"|while|once|soon|must|should|wants?|needs?)\b|n't\b")
"""Words of a clause that is not left out: it forbids, limits, orders or wishes something."""
SAME = re.compile(r"\b(?:it|them|some|one|that|those|these)(?=$| (?:for|to|on|off|in|into|up|out|away|down|back|over|there)\b)")
JOINT = re.compile(r"\s*[,;.!?:]+\s*(?:(?:and|but|so)\s+)?(?:then\s+)?|\s+(?:and\s+)?then\s+|\s+(?:and|but|so)\s+|\s+")
Test = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Form:
    """Another form of a task.

    Attributes:
        words: the words that are left.
        left_out: the words left out, each run of them.
    """

    words: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """What stands between two stops or beginnings of commands.

    Attributes:
        joint: what stands before it: a stop, "and", or a space.
        text: its words.
        command: True if a verb begins it, apart from politeness.
    """

    joint: str
    text: str
    command: bool


def other_forms(words: str, begins: Test, mentions: Test) -> Iterator[Form]:
    """Yields other forms of a task, those with the fewest changes first.

    Args:
        words: a task in typed words, those of one name joined by underscores.
        begins: returns True if words begin with a command.
        mentions: returns True if words name something of a household.
    """
    if not words:
        return
    out: list[str] = []
    for pattern in (CORRECTED, EXTRA):
        if found := pattern.search(words):
            words = (words[:found.start()] + words[found.end():]).strip(" ,")
            out.append(found[0].strip(" ,"))
            yield Form(words, tuple(out))
    seen = {words}
    for said in (words, _learnt(words)):
        if said not in seen:
            seen.add(said)
            yield Form(said, tuple(out))
        parts = _parts(said, begins)
        after = [*(part.joint for part in parts[1:]), ""]
        free = [_is_free(part, mentions, first=not k and not COORDINATES.search(joint))
                for k, (part, joint) in enumerate(zip(parts, after, strict=True))]
        for leaves_out, trims, stops in itertools.product((False, True), repeat=3):
            kept = [part for part, is_free in zip(parts, free, strict=True) if not (is_free and leaves_out)]
            form = _form(kept, mentions, trims=trims, stops=stops)
            if form.words and form.words not in seen:
                seen.add(form.words)
                yield replace(form, left_out=(*out, *(part.text for part in parts if part not in kept), *form.left_out))


def _learnt(words: str) -> str:
    """Returns the words in the form of fluent, punctuated English."""
    for learnt, plain in LEARNT:
        words = learnt.sub(plain, words)
    return words


def wishes(words: str, begins: Test, mentions: Test, reads: Test, names: Callable[[str], list[str]]) -> Form | None:
    """Returns the task with only those clauses that can be read alone, if the others only tell or ask something.

    Args:
        words: a task in typed words.
        begins: returns True if words begin with a command.
        mentions: returns True if words name something of a household.
        reads: returns True if words are understood.
        names: returns the noun phrases of words that name things. A pronoun without anything before it means the last one.
    """
    words = _learnt(words)
    kept: list[str] = []
    left_out: list[str] = []
    thing = ""
    for part in _parts(words, begins):
        text = bare(part.text)
        same = SAME.search(text) if thing and not kept else None
        meant = f"{text[:same.start()]}{thing}{text[same.end():]}" if same and not names(text[:same.start()]) else text
        if not text or (BARS.search(text) is None and not reads(meant) and (
                TELLS.match(text) or _is_free(part, mentions, first=not kept))):
            left_out.append(part.text)
            named = names(re.sub(r"\bany\b", "some", text))
            thing = re.sub(r"^(?:an?|any|some|that) ", "the ", named[0]) if len(named) == 1 else "" if named else thing
        elif reads(meant):
            kept.append(meant)
        else:
            return None
    return Form(". ".join(kept), tuple(left_out)) if kept and left_out else None


def _form(parts: list[_Part], mentions: Test, *, trims: bool, stops: bool) -> Form:
    """Returns the form of these parts: without remarks after commands, and with stops before commands that have none."""
    said, left_out = "", []
    for part in parts:
        text = part.text
        if trims:
            text, tail = _trimmed(text, mentions)
            left_out += [tail] if tail else []
        joint = part.joint.strip() or ("," if stops and part.command else "")
        said += (f" {joint} " if joint[:1].isalpha() else f"{joint} ") + text if said else text
    return Form(re.sub(r"\s+", " ", said).strip(" ,;."), tuple(left_out))


def _parts(words: str, begins: Test) -> list[_Part]:
    """Returns the parts: each begins at a stop, or with a command."""
    cuts = [(0, 0)]
    for found in JOINT.finditer(words):
        stop = re.search(r"[,;.!?:]", found[0]) is not None
        if stop or (_begins(bare(words[found.end():]), begins) and not CLINGS.search(words[cuts[-1][1]:found.start()])):
            cuts.append(found.span())
    ends = [*(start for start, _ in cuts[1:]), len(words)]
    parts = [(words[start:begin] if begin else "", words[begin:end]) for (start, begin), end in zip(cuts, ends, strict=True)]
    return [_Part(joint, text, begins(bare(text))) for joint, text in parts if text]


def _begins(words: str, begins: Test) -> bool:
    return WISHED.match(words) is not None or (begins(words) and not STATES_LIKE_VERBS.match(words))


def _is_free(part: _Part, mentions: Test, *, first: bool) -> bool:
    """Returns True for a part that asks for nothing and cannot matter."""
    if part.command or "then" in part.joint or CLINGS.search(part.text):
        return False
    if mentions(part.text) or MATTERS.search(part.text):
        return is_remark(part.text)
    return (first and not REQUEST.match(part.text)) or SUBJECT.match(part.text) is not None


def _trimmed(text: str, mentions: Test) -> tuple[str, str]:
    """Returns a command without the remark at its end, and the remark."""
    for found in re.finditer(r"\s+", text):
        tail = text[found.end():]
        if AFTER_THING.match(tail) and (is_remark(tail) or not (MATTERS.search(tail) or mentions(tail))):
            return text[:found.start()], tail
    return text, ""
