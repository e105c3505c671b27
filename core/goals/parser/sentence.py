"""Parses a goal from an operator's sentence, such as "Put two plums in the fridge and a book on the sofa, then close it".

The rules implement a small grammar. Whatever they cannot parse raises an error that names the words; nothing is ignored.

    goal    := clause ((and | then | ,) clause)*      wishes become commands first (`commands`)
    clause  := put items [from place] where | remove items from place | empty place | verb items [(with | using | in) item]
    verb    := open, close, switch on/off, use, slice, cook, make, wash, fill, pick up, find
    items   := item ((and | ,) item)* | them | it      as in the clause before
    where   := (in | inside | into | on | onto | to | at) place

Noun phrases are parsed in core.goals.parser.noun_phrases.

Wishes are rewritten: "make sure the fridge is closed and all mugs end up in the sink" becomes "close the fridge and put all
mugs in the sink". Sentences that no command can express (conditions, alternatives, exceptions, bans) are rejected, naming the
word in question. Parsing only the rest would be another task.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Literal as Choice

from core.common.errors import GoalError
from core.goals.kinds import THING
from core.goals.literals import Goal, Literal
from core.goals.parser.noun_phrases import Item, Part, items, place, without_room
from core.goals.vocabulary import Lexicon
from core.world.vocabulary import spaced

POLITE = re.compile(
    r"^(?:please|(?:could|can|would|will) you(?: please)?|i (?:want|need|would like) you to|i'd like you to"
    r"|you (?:should|must)|robot|now|first|your task is to|the task is to|try to|go and|go ahead and)\b[ ,:]*")
WISH = re.compile(
    r"^(?:make sure|ensure|see to it|take care|be sure|i (?:want|need|wish|would like)|i'd like|have|there (?:should|must) be"
    r"|there (?:is|are))\b(?: (?:that|to have)\b)? *")
AFTERTHOUGHT = re.compile(r"[ ,]+(?:please|for me|as well|too|now|again|at the end|in the end|afterwards)$")
REFUSED = (
    (re.compile(r"\b(don't|do not|never|without|no|not|avoid|neither|nor)\b"),
     "bans are no part of a goal: ban an action instead"),
    (re.compile(r"\b(unless|except|apart from|but|if|when|whenever|until|while|before|after|instead)\b"),
     "a goal has no conditions and exceptions: name what is to be done, thing by thing"),
    (re.compile(r"\b(or|either)\b"), "a goal has no alternatives: choose one"),
    (re.compile(r"\b(respectively)\b"), "say for each thing where it goes"),
    (re.compile(r"\b(exactly|only|at most|no more than|less than|fewer than|more than)\b"),
     "a goal is so many things at least: say how many"),
    (re.compile(r"\b(several|a few|few|many|most|half|enough|plenty|a lot|lots)\b"), "say how many"),
    (re.compile(r"\b(another|(?:one|two|three|\d+) more|the other|other|remaining|rest of)\b"),
     "say how many there are to be in the end"),
)
"""Words that change the meaning of a sentence in a way goals cannot express, and the message for each."""
COPULA = (r"(?:is|are|be|should be|must be|shall be|has to be|have to be|needs to be|need to be|ends? up|should end up|stays?"
          r"|remains?|belongs?|goes|go|should go|must go|should stay)")
IS = re.compile(rf" {COPULA}(?= |$)")
PLACED = r"(?:put |placed |stored |kept |moved |brought |lying |left |put away )?"
WHERE = (r"inside of|inside|into|in|within|on top of|onto|on|upon|to|at|under|beneath")
COMMANDS = {"on": "switch on", "off": "switch off", "open": "open", "opened": "open", "closed": "close", "shut": "close"}
BECOMES = {"sliced": "slice", "cut": "slice", "chopped": "slice", "cooked": "cook", "heated": "cook", "toasted": "toast",
           "baked": "cook", "boiled": "cook", "fried": "cook", "clean": "wash", "washed": "wash", "rinsed": "wash",
           "filled": "fill"}
STATE = re.compile(rf"(?P<what>.+?) (?:(?:{COPULA}) )?(?:all |both |switched |turned |left |kept )?"
                   rf"(?P<state>{'|'.join(COMMANDS)}|{'|'.join(BECOMES)})")
PLACE = re.compile(rf"(?P<what>.+?) (?:(?:{COPULA}) )?(?:all |both )?{PLACED}(?P<where>(?:{WHERE}) .+)")
KEPT = re.compile(rf"(?:keep|leave) (?P<what>.+?) (?:switched |turned )?(?P<state>{'|'.join(COMMANDS)})")
HOUSE = r"\s+(?:in|of|throughout|around) (?:the |this |my )?(?:whole |entire )?(?:house|home|apartment|flat)" \
    r"(?=$|\s*[,;.!?]|\s+(?:and|then|with|using|on|off|in|into|inside|onto|to|from|is|are|be|should|must|has|have|needs?)\b)"
"""A phrase without information about the task; but "in the home office" names a room."""
SPLIT_VERB = r"\b(switch|turn) (?!on\b|off\b)([^,;.]+?) (on|off)(?=$|\s*[,;.]| and | then | in )"
"""Turn the lamp on: rewritten to turn on the lamp."""
JOINT = re.compile(r"(\s*[,;.]\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)")


def commands(text: str, verbs: str, keep: Callable[[str], str] = str) -> str:
    """Returns a task in lower case as commands.

    "At least" is removed, because every number is a minimum.

    Args:
        text: as the operator wrote it.
        verbs: a pattern of the words that start a command.
        keep: joins the words of each name, so that no part of it is parsed as something else: "after shave", "home office".

    Raises:
        GoalError: the task says something no goal can express.
    """
    plain = text.lower().replace("&", " and ").replace("’", "'").replace("at least ", "")
    bare = _bare(keep(" ".join(plain.split()).strip(" .!?,;")))
    words = re.sub(SPLIT_VERB, r"\1 \3 \2", re.sub(HOUSE, "", bare))
    for pattern, why in REFUSED:
        found = pattern.search(words)
        if found:
            raise GoalError(f"“{found.group(1)}”: {why}", found.group(1))
    reader = _Reader(verbs)
    parts = JOINT.split(words)
    for joint, part in zip(("", *parts[1::2]), parts[::2], strict=True):
        reader.take(joint, part)
    return reader.ended()


class _Reader:
    """Processes the parts of a sentence: commands are kept, the words of a wish are collected until it is complete."""

    def __init__(self, verbs: str):
        self._verbs = re.compile(rf"(?:to |you )?(?=(?:{verbs})\b)")
        self._done: list[str] = []
        self._wish, self._said_so = "", False

    def take(self, joint: str, part: str) -> None:
        """Processes one part and the joint before it."""
        begins = _bare(part)
        wished = WISH.sub("", begins)
        command, kept = self._verbs.match(wished), KEPT.fullmatch(wished)
        if command is not None or kept is not None:
            self._settled()
            rest = wished[command.end():] if command is not None else wished
            self._done += [joint, f"{COMMANDS[kept['state']]} {kept['what']}" if kept is not None else rest]
        elif self._wish or wished != begins or not self._done or IS.search(begins):
            self._wish += joint + wished if self._wish else wished
            self._said_so = self._said_so or wished != begins
            said = _command(self._wish) if self._said_so or IS.search(self._wish) else ""
            if said:
                self._done += [" and " if self._done else "", said]
                self._wish, self._said_so = "", False
        else:
            self._done += [joint, begins]

    def ended(self) -> str:
        """Returns all commands."""
        self._settled()
        return "".join(self._done).strip(" ,;.")

    def _settled(self) -> None:
        if self._wish:
            raise GoalError(f"“{self._wish.strip()}” does not begin with a known verb, such as put, open, close, switch on, "
                            "slice, cook, wash or pick up", self._wish.strip())


def _bare(words: str) -> str:
    """Returns the words without polite phrases at both ends."""
    while (shorter := AFTERTHOUGHT.sub("", POLITE.sub("", words))) != words:
        words = shorter
    return words


def _command(wish: str) -> str:
    """Returns the command that fulfils a wish; empty while the wish is incomplete."""
    if (state := STATE.fullmatch(wish)) and not IS.search(state["what"]):
        word = state["state"]
        return f"{COMMANDS.get(word) or BECOMES[word]} {state['what']}"
    if (place := PLACE.fullmatch(wish)) and not IS.search(place["what"]):
        return f"put {place['what']} {place['where']}"
    return ""


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
