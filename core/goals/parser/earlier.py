"""What earlier clauses of a task said, so that later ones can refer to it: "put them on the sofa", "then close it"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from core.goals.kinds import FLOOR
from core.goals.literals import ROBOT, Literal
from core.goals.parser.context import refuse
from core.goals.vocabulary import Lexicon, plural_of
from core.world.vocabulary import TURNED as TURNED_BY

THEM = frozenset({"them", "it", "these", "those", "they", "everything", "this", "that", "all of them", "them all", "both",
                  "both of them", "they all", "the objects", "the things", "the items", "what is on it", "its contents",
                  "the slices", "the pieces", "the toasts", "the toast", "each of them", "the lot", "all of it"})
ALONE = frozenset({"it", "this", "that", "this one", "that one"})
TURNED = frozenset({"on", "off", "open", "closed"})
OPPOSITE = {"on": "off", "off": "on", "open": "closed", "closed": "open"}


class Earlier:
    """The literals of each clause so far.

    Attributes:
        groups: the literals of each clause.
        mentioned: the literals of the last prohibition.
        room: the room that was named last; empty if none was.
        undone: True while a clause may undo what an earlier one asked for; wishes for opposite states contradict each other.
    """

    def __init__(self) -> None:
        self.groups: list[list[Literal]] = []
        self.mentioned: list[Literal] = []
        self.room = ""
        self.undone = True

    def __bool__(self) -> bool:
        return bool(self.groups)

    def change(self, word: str, change: Callable[[Literal], Literal]) -> None:
        """Changes the literals that "it" or "them" refers to: those of the last clause, or all since the last place was named.

        Raises:
            GoalError: no earlier clause named an object.
        """
        first = self._first(word)
        changed = [[change(x) if is_carried(x) else x for x in group] for group in self.groups[first:]]
        self.groups[first:] = changed

    def named(self, word: str) -> list[Literal]:
        """Returns the literals that "it" or "them" refers to.

        Raises:
            GoalError: no earlier clause named an object.
        """
        last = self.groups[-1] if self.groups else []
        walked = all(x.predicate == "robot_in" for x in last)
        if last and word in ALONE and not walked and not any(map(is_carried, last)):
            return [x for x in last if x.subject != ROBOT]
        return [x for group in self.groups[self._first(word):] for x in group if is_carried(x)]

    def taken(self, word: str) -> list[Literal]:
        """Returns the literals that "it" or "them" refers to, without those that take it from a place: what is held is away.

        Raises:
            GoalError: no earlier clause named an object.
        """
        named = self.named(word)
        self.groups[:] = [[x for x in group if x not in named or x.predicate != "away"] for group in self.groups]
        return named

    def _first(self, word: str) -> int:
        first = len(self.groups) - 1
        while first > 0 and not any(map(is_carried, self.groups[first])):
            first -= 1  # pick up the mug, go to the kitchen and put it down
        if word not in ALONE:
            while first > 0 and all(is_carried(x) and x.predicate in ("is", "holds") for x in (*self.groups[first],
                                                                                              *self.groups[first - 1])):
                first -= 1
            while first > 0 and not _are_several(x for group in self.groups[first:] for x in group if is_carried(x)):
                first -= 1  # the mug on the table and the plate on the desk, wash them: one is too few
        if first < 0 or not any(is_carried(x) for group in self.groups[first:] for x in group):
            raise refuse(word, "say which things are meant")
        return first

    def place(self) -> str:
        """Returns the place that was named last, or the entity; empty if there is none."""
        for group in reversed(self.groups):
            for last in reversed(group):
                if last.never or last.predicate in ("robot_in", "standing"):
                    continue
                return last.target if last.target and last.predicate != "away" else (last.source or last.subject) \
                    if last.predicate == "away" else last.subject
        return ""

    def entities(self) -> list[str]:
        """Returns the objects and furniture that were named, the last first, without rooms."""
        return [name for group in reversed(self.groups) for x in reversed(group)
                if not x.never and x.predicate not in ("robot_in", "standing") for name in (x.subject, x.target) if name]

    def supersede(self, literal: Literal) -> bool:
        """Removes literals that a later clause undoes. Returns True if that is worth telling.

        In "open the fridge, put the apple in it, close the fridge" only the last state counts, as everybody expects; in "switch
        the lamp on and off" somebody may want both.
        """
        if not self.undone:
            return False
        undone = [x for group in self.groups for x in group if any(
            replace(x, stage=literal.stage) == replace(literal, states=frozenset({OPPOSITE[state]}))
            for state in literal.states & TURNED)]
        self.groups[:] = [[x for x in group if x not in undone] for group in self.groups]
        used = {x.target for group in self.groups for x in group}
        return any(x.subject not in used or x.states & {"on", "off"} for x in undone)

    def same_place(self, fresh: list[Literal], words: str, lexicon: Lexicon) -> list[Literal]:
        """Returns the literals of a clause with a door or switch belonging to the place that the clauses share.

        "Put the pen in a drawer, close the drawer" and "open a drawer, put the pen in it" are about one drawer. A drawer that
        something was put in was open, so that order needs no stage of its own.

        Args:
            fresh: the literals of the clause.
            words: the clause.
            lexicon: the words of the world.
        """
        if NEW_ONE.search(words.partition(" ")[2] if fresh and fresh[0].predicate == "is" else _last_place(words)):
            return fresh
        for one in (x for x in fresh if x.predicate in ("inside", "on")):
            self.groups[:] = [[x if not _is_turned(x) or (of := _of_holder(x, one, lexicon)) == x
                               else replace(of, stage=one.stage) for x in group] for group in self.groups]
        return [each for one in fresh for each in (self._of_places(one, lexicon) if _is_turned(one) else [one])]

    def _of_places(self, state: Literal, lexicon: Lexicon) -> list[Literal]:
        """Returns the literal for each object that the last clause with this place put there; as it is if none did."""
        for group in reversed(self.groups):
            if found := [of for x in group if (of := _of_holder(state, x, lexicon)) != state]:
                return found
        return [state]

    def again(self, word: str, state: str, stage: int, lexicon: Lexicon) -> bool:
        """Adds a state of "it": a door or switch belongs to the last named place, if there is one; else to the objects.

        Returns True if it undoes what an earlier clause asked for.
        """
        if state not in TURNED and state != "plugged in":
            self.change(word, lambda x: replace(x, states=x.states | {state}))
            return False
        last = [turned(x, state, stage, lexicon) for x in (self.groups[-1] if self.groups else ()) if _has_door(x)]
        if word not in ALONE and not _are_several(last):  # close them: one is too few
            last = [one for group in self.groups for x in group if _has_door(x)
                    for one in [turned(x, state, stage, lexicon)] if _can_turn(one.subject, state, lexicon)] or last
        fresh = last
        if not fresh:
            raise refuse(word, "say which things are meant")
        undone = False
        for literal in fresh:
            undone = self.supersede(literal) or undone
            self.groups[:] = [[x for x in group if x != literal] for group in self.groups]
        self.groups.append(list(dict.fromkeys(fresh)))
        return undone


def _are_several(literals: Iterable[Literal]) -> bool:
    """Returns True if "them" may be said of the objects of literals: of more than one, or of one whose name is a plural."""
    found = list(literals)
    many = any(x.every or x.count > 1 or plural_of(x.subject) == x.subject for x in found)
    return many or len({x.subject for x in found}) > 1


def _has_door(literal: Literal) -> bool:
    """Returns True if a literal may name what "close it" and "switch it on" mean."""
    return literal.subject != ROBOT and literal.predicate != "robot_in" and not literal.never


def _can_turn(name: str, state: str, lexicon: Lexicon) -> bool:
    return any(TURNED_BY.get(state) in lexicon.entities[one].properties for one in lexicon.ids_of(name))


def turned(literal: Literal, state: str, stage: int, lexicon: Lexicon) -> Literal:
    """Returns the literal that the door or switch of what a literal names gets a state: the place, or else the object."""
    named = [name for name in (literal.target, literal.subject, literal.source) if name and name != FLOOR]
    able = [name for name in named if _can_turn(name, state, lexicon)]
    name = able[0] if able else literal.target if literal.target and literal.predicate != "away" else literal.subject
    one = Literal("is", name, None, 1, frozenset({state}), stage=stage)
    return replace(one, count=literal.count, every=literal.every, room=literal.room) if name == literal.subject \
        else _of_holder(one, literal, lexicon)


def _is_turned(literal: Literal) -> bool:
    """Returns True for the state of a door or switch of one thing that is told by its class only."""
    plain = not (literal.every or literal.room or literal.source or literal.was or literal.holding or literal.never)
    return literal.predicate == "is" and bool(literal.states & TURNED) and plain and literal.count == 1


def _last_place(words: str) -> str:
    return re.split(r" (?:in|on|inside|into|onto) ", words)[-1]


def _of_holder(state: Literal, placed: Literal, lexicon: Lexicon) -> Literal:
    """Returns the literal about the one place, of several of its name, in or on which a placement puts its objects."""
    if placed.predicate not in ("inside", "on") or placed.target != state.subject or len(lexicon.ids_of(state.subject)) < 2:
        return state
    return replace(state, holding=placed.subject, every=placed.every or placed.count > 1)


NEW_ONE = re.compile(r"\b(?:an?|any|another|one|some) ")
"""Before a place that need not be the one named before."""


def is_carried(literal: Literal) -> bool:
    """Returns True if "it" may be the subject of a literal: an object, not a door or lamp, and not the robot."""
    if literal.never or literal.predicate in ("robot_in", "robot_near", "robot_facing", "sitting", "lying", "standing"):
        return False
    return not (literal.predicate == "is" and literal.states & (TURNED | {"plugged in"}))
