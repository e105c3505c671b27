"""A goal from an operator's words, such as "Put two plums in the fridge and a book on the sofa, then close the fridge".

Plain rules over a small grammar; what they do not understand they say, naming the words.

    goal    := clause ((and | then | ,) clause)*
    clause  := put items where | remove items from item | empty item | verb items [(with | using | in) item]
    verb    := open, close, switch on/off, use, slice, cook, make, wash, fill, pick up, find
    items   := item ((and | ,) item)* | them       them: what the clause before spoke of
    item    := [count | all] [state]* noun [in room]
    state   := sliced, cooked, clean, filled …
    where   := (in | inside | into | on | onto | to | at) item
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal as Choice

from core.errors import UsageError
from core.goals import LIGHT, THING, Goal, Literal
from core.lexicon import Lexicon, singulars

NUMBERS = {
    "a": 1, "an": 1, "the": 1, "one": 1, "some": 1, "two": 2, "both": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}
STATE_WORDS = {
    "sliced": "sliced", "cut": "sliced", "cooked": "cooked", "boiled": "cooked", "fried": "cooked", "heated": "cooked",
    "toasted": "cooked", "baked": "cooked", "clean": "clean", "washed": "clean", "filled": "filled", "full": "filled",
}
PUT = r"put|place|move|bring|store|set|leave|carry|lay|return|take|transfer|deliver"
AWAY = r"(?:take|carry|clear|move) away|remove|take off|take"
EMPTY = r"empty|clear off|clear out|clear up|clear"
EVERY = frozenset({"all", "every", "each"})
KINDS = {"thing": THING, "object": THING, "item": THING, "everything": THING, "light": LIGHT, "lamp": LIGHT}
"""Nouns that are no class; used where the world has no such class itself."""
DISHES = {"toast": (("bread slice", "bread", "food bread"), "cooked"), "coffee": (("mug", "cup"), "filled")}
"""What is made -> of which thing, brought into which state."""
THEM = frozenset({"them", "it", "these", "those", "they", "everything", "this", "all of them", "them all", "both",
                  "the objects",
                  "the things", "the items", "what is on it", "its contents"})
TOOL = r"\s+(?:using|with|by means of|in|inside)\s+(?:the |a |an )?"
HOUSE = r"\s+(?:in|of|throughout|around) (?:the |this |my )?(?:whole |entire )?(?:house|home|apartment|flat)\b"
PHRASES: tuple[tuple[str, str], ...] = (
    (r"(?:switch|turn) on|use|start|work on|watch|play", "on"), (r"(?:switch|turn) off", "off"),
    (r"open", "open"), (r"close|shut", "closed"),
    (r"slice|cut|chop", "sliced"), (r"(?:cook|heat|warm)(?: up)?|fry|boil|toast|bake|roast|microwave", "cooked"),
    (r"make|prepare|brew", "made"),
    (r"wash|clean|rinse", "clean"), (r"fill", "filled"), (r"pick up|grab|hold|fetch|get|find|look for", "holds"),
)
WHERE = r"inside of|inside|into|in|within|on top of|onto|on|upon|to|at|under|beneath"
INSIDE = frozenset({"inside of", "inside", "into", "in", "within"})
SPLIT_VERB = r"\b(switch|turn) (?!on\b|off\b)([^,;.]+?) (on|off)(?=$|\s*[,;.]| and | then | in )"
"""Turn the lamp on: rewritten to turn on the lamp."""
POLITE = r"^(?:please|could you|can you|i want you to|i would like you to|robot|now)\b[ ,]*"


@dataclass(frozen=True, slots=True)
class Item:
    """One noun phrase: what, how many, in what state, in which room."""

    what: str
    count: int
    states: frozenset[str]
    every: bool = False
    room: str | None = None


def parse_goal(text: str, lexicon: Lexicon) -> Goal:
    """The goal a sentence asks for.

    Raises:
        UsageError: a word is not understood or not in this world; the message names it and what would help.
    """
    words = re.sub(POLITE, "", " ".join(text.lower().split()).strip(" .!?"))
    words = re.sub(SPLIT_VERB, r"\1 \3 \2", re.sub(HOUSE, "", words))
    words = words.strip(" ,;.")
    if not words:
        raise UsageError('the task is empty: say for example "Put one apple inside the fridge"')
    literals: list[Literal] = []
    for clause in _clauses(words):
        literals = _with_clause(literals, clause, lexicon)
    return Goal(_merged(literals), text.strip())


def _clauses(words: str) -> list[str]:
    """Cut before each verb; what has none belongs to the clause before it ("… and a book on the sofa")."""
    verbs = "|".join([PUT, AWAY, EMPTY, *(pattern for pattern, _ in PHRASES)])
    joint = r"(?:\s*[,;.]\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)"
    found = [p.strip(" ,;.") for p in re.split(rf"{joint}(?=(?:{verbs})\b)", words) if p.strip(" ,;.")]
    for part in found[:1]:
        if not re.match(rf"(?:{verbs})\b", part):
            raise UsageError(f"“{part}” names no act I know: try put, open, close, switch on, slice, cook, wash or pick up")
    return found


def _with_clause(before: list[Literal], clause: str, lexicon: Lexicon) -> list[Literal]:
    """What the clauses so far and this one ask together: "… and put them on the desk" changes what was asked before."""
    put = re.match(rf"(?:{PUT})\s+(?P<what>.+?)\s+(?P<how>{WHERE})\s+(?P<where>.+)", clause)
    if put and before and put["what"] in THEM:
        target = _item(put["where"], lexicon)
        relation = _relation(put["how"], target.what, lexicon)
        return [_moved(literal, relation, target.what) for literal in before]
    return before + _clause(clause, lexicon)


def _moved(literal: Literal, relation: Choice["inside", "on"], target: str) -> Literal:
    """The same things, ending up there; what is switched or opened stays where it is."""
    if literal.predicate == "is" and literal.states & {"on", "off", "open", "closed"}:
        return literal
    return replace(literal, predicate=relation, target=target)


def _clause(clause: str, lexicon: Lexicon) -> list[Literal]:
    taken = re.match(rf"(?:{AWAY})\s+(.+?)\s+(?:from|off)\s+(.+)", clause)
    if taken and not re.search(rf"\s(?:{WHERE})\s", taken.group(2)):
        return _away(taken.group(1), taken.group(2), lexicon)
    emptied = re.match(rf"(?:{EMPTY})\s+(?:the\s+)?(?:surface of\s+|top of\s+)?(.+)", clause)
    if emptied and not clause.startswith("clear away"):
        place = _item(emptied.group(1), lexicon).what
        return [Literal("away", THING, place, every=True, source=place)]
    put = re.match(rf"(?:{PUT})\s+(.*)", clause)
    if put:
        return _put(put.group(1), clause, lexicon)
    for pattern, state in PHRASES:
        match = re.match(rf"(?:{pattern})\s+(.*)", clause)
        if match:
            return _acts(state, match.group(1), lexicon)
    raise UsageError(f"“{clause}” is not understood: say what to do with which thing")


def _away(what: str, source: str, lexicon: Lexicon) -> list[Literal]:
    """Things to be taken from where they lie, wherever they go."""
    place = _item(source, lexicon).what
    return [Literal("away", i.what, place, i.count, i.states, every=i.every, source=place)
            for i in _items(what, lexicon, every=True)]


def _acts(state: str, words: str, lexicon: Lexicon) -> list[Literal]:
    """`verb items`, with the appliance where one is named: "heat the milk with the microwave"."""
    by = None
    tool = re.search(rf"(.+?){TOOL}(.+)$", words)
    if tool and state in ("cooked", "made", "clean", "filled", "sliced") and tool.group(2) not in lexicon.rooms:
        words = tool.group(1)
        by = lexicon.find(tool.group(2)) if state != "sliced" else None
    items = _items(words, lexicon, every=state in ("on", "off", "open", "closed"))
    return [replace(_act(state, item), by=by) for item in items]


def _act(state: str, item: Item) -> Literal:
    if state == "made":
        if not item.states:
            raise UsageError(f"I do not know how “{item.what.replace('_', ' ')}” is made: say cook, slice, heat or wash")
        return Literal("is", item.what, None, item.count, item.states)
    if state == "holds":
        return Literal("holds", item.what, None, item.count, item.states)
    return Literal("is", item.what, None, item.count, item.states | {state}, every=item.every, room=item.room)


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


def _items(words: str, lexicon: Lexicon, *, every: bool = False) -> list[Item]:
    """`every`: "all" may stand for a count."""
    parts = [p for p in re.split(r",\s*and\s+|\s+and\s+|,\s*", words.strip(" ,")) if p.strip()]
    if not parts:
        raise UsageError("a thing is missing in the task: say what to move, and to which place")
    return [_item(p, lexicon, every=every) for p in parts]


def _item(words: str, lexicon: Lexicon, *, every: bool = False) -> Item:
    text, room = _room_of(words.strip(" ,."), lexicon)
    tokens = text.split()
    definite, whole, count, states = False, False, 1, set()
    while tokens:
        if tokens[0] in NUMBERS:
            definite = definite or tokens[0] == "the"
            count = NUMBERS[tokens.pop(0)]
        elif tokens[0].isdigit():
            count = int(tokens.pop(0)[:4])
        elif tokens[0] in EVERY:
            whole = tokens.pop(0) in EVERY
        elif tokens[0] in STATE_WORDS and len(tokens) > 1:
            states.add(STATE_WORDS[tokens.pop(0)])
        elif tokens[0] in ("slice", "slices") and tokens[1:2] == ["of"]:
            del tokens[:2]
        elif tokens[0] in ("of", "piece", "pieces", "its", "my", "your"):
            tokens.pop(0)
        else:
            break
    if not tokens or not 1 <= count <= 50:
        raise UsageError(f"“{words}” names no thing, or an odd number of things")
    if whole and not every:
        raise UsageError(f"“{words}”: say how many, the robot cannot know how many there are")
    what, made = _noun(" ".join(tokens), lexicon)
    everything = every and (whole or tokens == ["everything"] or (what == LIGHT and definite))
    return Item(what, count, frozenset(states | made), everything, room)


def _room_of(words: str, lexicon: Lexicon) -> tuple[str, str | None]:
    """The words without "in the bedroom", and the room's class."""
    found = re.match(r"(.+?)\s+(?:in|of|from)\s+(?:the )?(.+)$", words)
    if found and found.group(2) in lexicon.rooms:
        return found.group(1), lexicon.rooms[found.group(2)]
    return words, None


def _noun(noun: str, lexicon: Lexicon) -> tuple[str, frozenset[str]]:
    """The class, id or kind that is meant, and the states that belong to the word: toast is cooked bread."""
    forms = (noun, *singulars(noun))
    if not any(form in lexicon.words or form in lexicon.ids for form in forms):
        for form in forms:
            if form in KINDS:
                return KINDS[form], frozenset()
            if form in DISHES:
                names, state = DISHES[form]
                known = next((n for n in names if n in lexicon.words), names[0])
                return lexicon.find(known), frozenset({state})
    return lexicon.find(noun), frozenset()


def _merged(literals: list[Literal]) -> tuple[Literal, ...]:
    """Literals that say the same add up: one apple and one apple in the fridge are two."""
    merged: dict[Literal, int] = {}
    for literal in literals:
        key = replace(literal, count=1)
        merged[key] = merged.get(key, 0) + literal.count
    return tuple(replace(key, count=count) for key, count in merged.items())
