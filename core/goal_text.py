"""A goal from an operator's words, such as "Put two plums in the fridge and a book on the sofa, then close the fridge".

Plain rules over a small grammar; what they do not understand they say, naming the words.

    goal    := clause ((and | then | ,) clause)*
    clause  := put items where | verb items        verb: open, close, switch on/off, slice, cook, wash, fill, pick up
    items   := item ((and | ,) item)*
    item    := [count] [state]* noun               state: sliced, cooked, clean, filled …
    where   := (in | inside | into | on | onto | to | at) item
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal as Choice

from core.errors import UsageError
from core.goals import Goal, Literal
from core.lexicon import Lexicon

NUMBERS = {
    "a": 1, "an": 1, "the": 1, "one": 1, "some": 1, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}
STATE_WORDS = {
    "sliced": "sliced", "cut": "sliced", "cooked": "cooked", "boiled": "cooked", "fried": "cooked", "heated": "cooked",
    "toasted": "cooked", "baked": "cooked", "clean": "clean", "washed": "clean", "filled": "filled", "full": "filled",
}
PUT = r"put|place|move|bring|store|set|leave|carry|lay|return|take"
PHRASES: tuple[tuple[str, str], ...] = (
    (r"(?:switch|turn) on", "on"), (r"(?:switch|turn) off", "off"), (r"open", "open"), (r"close|shut", "closed"),
    (r"slice|cut|chop", "sliced"), (r"cook|heat|fry|boil|toast|bake|roast|microwave", "cooked"),
    (r"wash|clean|rinse", "clean"), (r"fill", "filled"), (r"pick up|grab|hold|fetch|get", "holds"),
)
WHERE = r"inside of|inside|into|in|within|on top of|onto|on|upon|to|at|under|beneath"
INSIDE = frozenset({"inside of", "inside", "into", "in", "within"})
SPLIT_VERB = r"\b(switch|turn) (?!on\b|off\b)([^,;.]+?) (on|off)(?=$|\s*[,;.]| and | then )"
"""Turn the lamp on: rewritten to turn on the lamp."""
POLITE = r"^(?:please|could you|can you|i want you to|i would like you to|robot|now)\b[ ,]*"


@dataclass(frozen=True, slots=True)
class Item:
    """One noun phrase: what, how many, in what state."""

    what: str
    count: int
    states: frozenset[str]


def parse_goal(text: str, lexicon: Lexicon) -> Goal:
    """The goal a sentence asks for.

    Raises:
        UsageError: a word is not understood or not in this world; the message names it and what would help.
    """
    words = re.sub(POLITE, "", " ".join(text.lower().split()).strip(" .!?"))
    words = re.sub(SPLIT_VERB, r"\1 \3 \2", words)
    words = words.strip(" ,;.")
    if not words:
        raise UsageError('the task is empty: say for example "Put one apple inside the fridge"')
    literals: list[Literal] = []
    for clause in _clauses(words):
        literals += _clause(clause, lexicon)
    return Goal(_merged(literals), text.strip())


def _clauses(words: str) -> list[str]:
    """Cut before each verb; what has none belongs to the clause before it ("… and a book on the sofa")."""
    verbs = "|".join([PUT, *(pattern for pattern, _ in PHRASES)])
    joint = r"(?:\s*[,;.]\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)"
    found = [p.strip(" ,;.") for p in re.split(rf"{joint}(?=(?:{verbs})\b)", words) if p.strip(" ,;.")]
    for part in found[:1]:
        if not re.match(rf"(?:{verbs})\b", part):
            raise UsageError(f"“{part}” names no act I know: try put, open, close, switch on, slice, cook, wash or pick up")
    return found


def _clause(clause: str, lexicon: Lexicon) -> list[Literal]:
    put = re.match(rf"(?:{PUT})\s+(.*)", clause)
    if put:
        return _put(put.group(1), clause, lexicon)
    for pattern, state in PHRASES:
        match = re.match(rf"(?:{pattern})\s+(.*)", clause)
        if match:
            return [_act(state, item) for item in _items(match.group(1), lexicon)]
    raise UsageError(f"“{clause}” is not understood: say what to do with which thing")


def _act(state: str, item: Item) -> Literal:
    if state == "holds":
        return Literal("holds", item.what, None, item.count, item.states)
    return Literal("is", item.what, None, item.count, item.states | {state})


def _put(rest: str, clause: str, lexicon: Lexicon) -> list[Literal]:
    """`items where item`, once or more: "an apple in the fridge and two plates on the table"."""
    pieces = re.split(rf"\s+({WHERE})\s+", f" {rest} ")
    if len(pieces) < 3:
        raise UsageError(f"“{clause}” names no place: say for example “put {rest} on the kitchen table”")
    literals, subjects = [], pieces[0].strip()
    for preposition, after in zip(pieces[1::2], pieces[2::2], strict=True):
        place, following = _first_of(after.strip())
        target = _item(place, lexicon)
        relation = _relation(preposition, target.what, lexicon)
        literals += [Literal(relation, i.what, target.what, i.count, i.states) for i in _items(subjects, lexicon)]
        subjects = following
    if subjects:
        raise UsageError(f"“{subjects}” at the end of “{clause}” has no place: say where to put it")
    return literals


def _first_of(words: str) -> tuple[str, str]:
    """The first of a list, and the rest: a place is one thing, what follows it are the next things to put."""
    joint = re.search(r",\s*and\s+|\s+and\s+|,\s*", words)
    if joint is None:
        return words, ""
    return words[: joint.start()].strip(" ,"), words[joint.end():].strip(" ,")


def _relation(preposition: str, target: str, lexicon: Lexicon) -> Choice["inside", "on"]:
    """The words decide, unless the place allows only the other: "in the coffee table" means on it."""
    word = lexicon.word(target)
    if not word.holds_inside and not word.holds_on:
        raise UsageError(f"nothing can be put in or on the {word.name}: choose a piece of furniture or a vessel")
    wants_inside = preposition in INSIDE or (preposition in ("to", "at", "under", "beneath") and word.holds_inside)
    return "inside" if (wants_inside and word.holds_inside) or not word.holds_on else "on"


def _items(words: str, lexicon: Lexicon) -> list[Item]:
    parts = [p for p in re.split(r",\s*and\s+|\s+and\s+|,\s*", words.strip(" ,")) if p.strip()]
    if not parts:
        raise UsageError("a thing is missing in the task: say what to move, and to which place")
    return [_item(p, lexicon) for p in parts]


def _item(words: str, lexicon: Lexicon) -> Item:
    tokens = words.strip(" ,.").split()
    count, states = 1, set()
    while tokens:
        if tokens[0] in NUMBERS:
            count = NUMBERS[tokens.pop(0)]
        elif tokens[0].isdigit():
            count = int(tokens.pop(0))
        elif tokens[0] in ("all", "every", "each"):
            raise UsageError(f"“{words}”: say how many, the robot cannot know how many there are")
        elif tokens[0] in STATE_WORDS and len(tokens) > 1:
            states.add(STATE_WORDS[tokens.pop(0)])
        elif tokens[0] in ("of", "piece", "pieces", "its", "my", "your"):
            tokens.pop(0)
        else:
            break
    if not tokens or not 1 <= count <= 50:
        raise UsageError(f"“{words}” names no thing, or an odd number of things")
    return Item(lexicon.find(" ".join(tokens)), count, frozenset(states))


def _merged(literals: list[Literal]) -> tuple[Literal, ...]:
    """Literals that say the same add up: one apple and one apple in the fridge are two."""
    merged: dict[Literal, int] = {}
    for literal in literals:
        key = replace(literal, count=1)
        merged[key] = merged.get(key, 0) + literal.count
    return tuple(replace(key, count=count) for key, count in merged.items())
