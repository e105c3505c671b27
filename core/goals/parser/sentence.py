"""Parses a goal from an operator's sentence, such as "Put two plums in the fridge and a book on the sofa, then close it".

The rules implement a small grammar. Whatever they cannot parse raises an error that names the words; nothing is ignored.

    goal    := clause ((and | then | ,) clause)*      wishes become commands first (core.goals.parser.wishes)
    clause  := put items [from place] where | remove items from place | empty place | verb items [(with | using | in) item]
    verb    := open, close, switch on/off, use, slice, cook, make, wash, fill, pick up, find
    items   := item ((and | ,) item)* | them | it      as in the clause before
    where   := (in | inside | into | on | onto | to | at) place

Noun phrases are parsed in core.goals.parser.noun_phrases.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal as Choice

from core.common.errors import GoalError
from core.goals.literals import THING, Goal, Literal
from core.goals.parser.noun_phrases import Item, Part, items, place, without_room
from core.goals.parser.wishes import WHERE, commands
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import spaced

PUT = r"put|place|move|bring|store|set|leave|carry|lay|return|take|transfer|deliver|get|fetch"
AWAY = r"(?:take|carry|clear|move) away|remove|take off|take"
EMPTY = r"empty|clear off|clear out|clear up|clear"
THEM = frozenset({"them", "it", "these", "those", "they", "everything", "this", "all of them", "them all", "both",
                  "both of them", "they all", "the objects", "the things", "the items", "what is on it", "its contents",
                  "the slices", "the pieces", "the toasts", "the toast"})
ALONE = frozenset({"it", "this"})
FROM = r"\s+(?:from|off of|off|out of)\s+"
TOOL = r"\s+(?:using|with|by means of|in|inside)\s+(?:the |a |an )?"
PHRASES: tuple[tuple[str, str], ...] = (
    (r"(?:switch|turn) on|use|start|work on|watch|play", "on"), (r"(?:switch|turn) off", "off"),
    (r"open", "open"), (r"close|shut", "closed"),
    (r"slice|cut|chop", "sliced"), (r"(?:cook|heat|warm)(?: up)?|fry|boil|toast|bake|roast|microwave", "cooked"),
    (r"make|prepare|brew", "made"),
    (r"wash|clean|rinse", "clean"), (r"fill", "filled"), (r"pick up|grab|hold|fetch|get|find|look for", "holds"),
)
INSIDE = frozenset({"inside of", "inside", "into", "in", "within"})
BELOW = frozenset({"under", "beneath"})
TURNED = frozenset({"on", "off", "open", "closed"})
OPPOSITE = {"on": "off", "off": "on", "open": "closed", "closed": "open"}
VERBS = "|".join([PUT, AWAY, EMPTY, *(pattern for pattern, _ in PHRASES)])
KNOWN_VERBS = "put, open, close, switch on, slice, cook, wash or pick up"
Groups = list[list[Literal]]
"""The literals of each clause."""


def parse_goal(text: str, lexicon: Lexicon) -> Goal:
    """Returns the goal of a sentence.

    Raises:
        GoalError: a word is not understood or not in this world; the message names it and suggests a correction.
    """
    try:
        groups = _groups(text, lexicon)
    except GoalError as error:
        raise error.reworded(_spaced) from None
    return Goal(_merged([literal for group in groups for literal in group]), text.strip())


def _groups(text: str, lexicon: Lexicon) -> Groups:
    words = commands(text, VERBS, lexicon.join_names)
    if not words:
        raise GoalError("the task is empty: say what to do with which thing")
    groups: Groups = []
    for clause in _clauses(words):
        _take(groups, clause, lexicon)
    return groups


def _spaced(words: str) -> str:
    return words.replace("_", " ")


def _clauses(words: str) -> list[str]:
    """Splits the sentence before each verb; a part without a verb belongs to the clause before ("… and a book on the sofa")."""
    joint = r"(?:\s*[,;.]\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)"
    found = [p.strip(" ,;.") for p in re.split(rf"{joint}(?=(?:{VERBS})\b)", words) if p.strip(" ,;.")]
    for part in found[:1]:
        if not re.match(rf"(?:{VERBS})\b", part):
            raise GoalError(f"“{part}” does not begin with a known verb, such as {KNOWN_VERBS}", part)
    return found


# --- references to earlier clauses ------------------------------------------------
def _take(groups: Groups, clause: str, lexicon: Lexicon) -> None:
    """Adds a clause: "… and put them on the desk" changes earlier literals, "then close it" adds one."""
    put = re.match(rf"(?:{PUT})\s+(?P<what>.+?)\s+(?P<how>{WHERE})\s+(?P<where>.+)", clause)
    if put and groups and put["what"] in THEM:
        target = _target(put["where"], groups, lexicon)
        relation = _relation(put["how"], target, lexicon)
        _change(groups, put["what"], lambda x: replace(x, predicate=relation, target=target))
        return
    for pattern, state in PHRASES:
        match = re.match(rf"(?:{pattern})\s+(.*)", clause)
        if match and groups and match.group(1) in THEM:
            _again(groups, match.group(1), state)
            return
    fresh = _clause(clause, groups, lexicon)
    for literal in fresh:
        _supersede(groups, literal)
    groups.append(fresh)


def _change(groups: Groups, word: str, change: Callable[[Literal], Literal]) -> None:
    """Changes the literals that "it" or "them" refers to: those of the last clause, or all since the last place was named.

    Raises:
        GoalError: no earlier clause named an object.
    """
    def carried(literal: Literal) -> bool:
        return not (literal.predicate == "is" and literal.states & TURNED)

    first = len(groups) - 1
    if word not in ALONE:
        while first > 0 and all(carried(x) and x.predicate in ("is", "holds") for x in (*groups[first], *groups[first - 1])):
            first -= 1
    if not any(carried(x) for group in groups[first:] for x in group):
        raise GoalError(f"“{word}”: say which things are meant", word)
    groups[first:] = [[change(x) if carried(x) else x for x in group] for group in groups[first:]]


def _again(groups: Groups, word: str, state: str) -> None:
    """Handles `verb it`: a door or switch belongs to the last named place, if there is one; else to the objects themselves."""
    if state in ("made", "holds"):
        raise GoalError(f"“{word}”: say which things are meant", word)
    if state not in TURNED:
        _change(groups, word, lambda x: replace(x, states=x.states | {state}))
        return
    fresh = [Literal("is", x.target, None, 1, frozenset({state})) if x.target and x.predicate != "away"
             else Literal("is", x.subject, None, x.count, frozenset({state}), every=x.every, room=x.room) for x in groups[-1]]
    for literal in fresh:
        _supersede(groups, literal)
        groups[:] = [[x for x in group if x != literal] for group in groups]
    groups.append(list(dict.fromkeys(fresh)))


def _supersede(groups: Groups, literal: Literal) -> None:
    """Removes literals that a later clause undoes.

    In "open the fridge, put the apple in it, close the fridge" only the last state counts.
    """
    for state in literal.states & TURNED:
        undone = replace(literal, states=frozenset({OPPOSITE[state]}))
        groups[:] = [[x for x in group if x != undone] for group in groups]


def _target(words: str, groups: Groups, lexicon: Lexicon) -> str:
    """Returns the class or id of a place; "it" is the last named one."""
    if words in ALONE and groups and groups[-1]:
        last = groups[-1][-1]
        return last.target if last.target and last.predicate != "away" else last.subject
    return place(words, lexicon)


# --- clauses ------------------------------------------------------------------------
def _clause(clause: str, groups: Groups, lexicon: Lexicon) -> list[Literal]:
    taken = re.match(rf"(?:{AWAY})\s+(.+?){FROM}(.+)", clause)
    if taken and not re.search(rf"\s(?:{WHERE})\s", taken.group(2)):
        return _away(taken.group(1), taken.group(2), lexicon)
    emptied = re.match(rf"(?:{EMPTY})\s+(?:the\s+)?(?:surface of\s+|top of\s+)?(.+)", clause)
    if emptied and not clause.startswith("clear away"):
        source = place(emptied.group(1), lexicon)
        return [Literal("away", THING, source, every=True, source=source)]
    gets = re.match(r"(?:get|fetch)\s", clause) and not re.search(rf"\s(?:{WHERE})\s", clause)
    put = re.match(rf"(?:{PUT})\s+(.*)", clause)
    if put and not gets:
        return _put(put.group(1), clause, groups, lexicon)
    for pattern, state in PHRASES:
        match = re.match(rf"(?:{pattern})\s+(.*)", clause)
        if match:
            return _acts(state, match.group(1), lexicon)
    raise GoalError(f"“{clause}” is not understood: say what to do with which thing", clause)


def _away(what: str, source: str, lexicon: Lexicon) -> list[Literal]:
    """Returns literals for objects to be taken from their place, to anywhere."""
    origin = place(source, lexicon)
    return [Literal("away", i.what, origin, i.count, i.states, every=i.every, source=origin)
            for i in map(_movable, items(what, lexicon, _carried(lexicon)))]


def _movable(found: Item) -> Item:
    return without_room(found.counted())


def _carried(lexicon: Lexicon) -> Part:
    """Returns the role of moved objects: if several classes match, those that can be carried."""
    return Part(fits=lexicon.movable.__contains__)


def _acts(state: str, words: str, lexicon: Lexicon) -> list[Literal]:
    """Parses `verb items`, with the appliance if one is named: "heat the milk with the microwave"."""
    by = None
    tool = re.search(rf"(.+?){TOOL}(.+)$", words)
    if tool and state in ("cooked", "made", "clean", "filled", "sliced") and _spaced(tool.group(2)) not in lexicon.rooms:
        words = tool.group(1)
        by = lexicon.find(tool.group(2)) if state != "sliced" else None
    part = _carried(lexicon) if state == "holds" else Part(plural_is_every=state in TURNED, makes=state == "made")
    return [replace(_act(state, one), by=by) for one in items(words, lexicon, part)]


def _act(state: str, one: Item) -> Literal:
    if one.what == THING and state in TURNED:
        raise GoalError(f"“{one.words}”: say what is to be {state}, such as all lights, or one piece of furniture", one.words)
    if state == "made" and not one.states:
        raise GoalError(f"“make {one.words}”: nothing is known about how it is made; say cook, slice, heat or wash",
                        f"make {one.words}", tuple(f"{verb} {one.words}" for verb in ("cook", "slice", "wash")))
    if state in ("made", "holds"):
        if one.every or one.plural:
            raise GoalError(f"“{one.words}”: say how many", one.words, (f"one {spaced(one.what)}",))
        one = without_room(one)
        return Literal("is" if state == "made" else "holds", one.what, None, one.count, one.states)
    one = one.counted()
    return Literal("is", one.what, None, one.count, one.states | {state}, every=one.every, room=one.room)


def _put(rest: str, clause: str, groups: Groups, lexicon: Lexicon) -> list[Literal]:
    """Parses `items where item`, once or more: "an apple in the fridge and two plates on the table"."""
    pieces = re.split(rf"\s+({WHERE})\s+", f" {rest} ")
    if len(pieces) < 3:
        raise GoalError(f"“{clause}” names no place to put it", clause)
    literals, subjects = [], pieces[0].strip()
    for preposition, after in zip(pieces[1::2], pieces[2::2], strict=True):
        name, following = _first_of(after.strip())
        target = _target(name, groups, lexicon)
        relation = _relation(preposition, target, lexicon)
        literals += [replace(x, predicate=relation, target=target) for x in _subjects(subjects, lexicon)]
        subjects = following
    if subjects:
        raise GoalError(f"“{subjects}” at the end has no place: say where to put it", subjects)
    return literals


def _subjects(words: str, lexicon: Lexicon) -> list[Literal]:
    """Returns the objects to be put somewhere, possibly only those that are at a given place now."""
    taken = re.fullmatch(rf"(.+?){FROM}(.+)", words)
    source = place(taken.group(2), lexicon) if taken else None
    found = list(map(_movable, items(taken.group(1) if taken else words, lexicon, _carried(lexicon))))
    for one in found:
        if one.what == THING and one.every and source is None:
            raise GoalError(f"“{one.words}”: say from where it is to be taken", one.words)
    return [Literal("holds", i.what, None, i.count, i.states, every=i.every, source=source) for i in found]


def _first_of(words: str) -> tuple[str, str]:
    """Splits a list after its first element: the place is one entity, and the rest are the next objects to put."""
    joint = re.search(r",\s*and\s+|\s+and\s+|,\s*", words)
    if joint is None:
        return words, ""
    return words[: joint.start()].strip(" ,"), words[joint.end():].strip(" ,")


def _relation(preposition: str, target: str, lexicon: Lexicon) -> Choice["inside", "on"]:
    """Returns the relation of the preposition, or the only one the place supports: "in the coffee table" means on it."""
    word = lexicon.word(target)
    if preposition in BELOW and not word.runs:
        raise GoalError(f"nothing can be put {preposition} the {word.name}, only on or in it", f"{preposition} the {word.name}",
                        (f"on the {word.name}", f"in the {word.name}"))
    if not word.holds_inside and not word.holds_on:
        raise GoalError(f"nothing can be put in or on the {word.name}: choose a piece of furniture or a vessel", word.name)
    wants_inside = preposition in INSIDE or (preposition in ("to", "at", *BELOW) and word.holds_inside)
    return "inside" if (wants_inside and word.holds_inside) or not word.holds_on else "on"


def _merged(literals: list[Literal]) -> tuple[Literal, ...]:
    """Adds up equal literals: one apple and one apple in the fridge are two."""
    merged: dict[Literal, int] = {}
    for literal in literals:
        key = replace(literal, count=1)
        merged[key] = literal.count + (0 if literal.every else merged.get(key, 0))
    return tuple(replace(key, count=count) for key, count in merged.items())
