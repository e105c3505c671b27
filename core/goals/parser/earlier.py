"""What earlier clauses of a task said, so that later ones can refer to it: "put them on the sofa", "then close it"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.goals.kinds import FLOOR
from core.goals.literals import ROBOT, Literal
from core.goals.parser.context import refuse
from core.goals.vocabulary import Lexicon
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
        if last and word in ALONE and not any(map(is_carried, last)):
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
        if word not in ALONE:
            while first > 0 and all(is_carried(x) and x.predicate in ("is", "holds") for x in (*self.groups[first],
                                                                                              *self.groups[first - 1])):
                first -= 1
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
        """Removes literals that a later clause undoes. Returns True if there were any.

        In "open the fridge, put the apple in it, close the fridge" only the last state counts.
        """
        if not self.undone:
            return False
        before = sum(map(len, self.groups))
        for state in literal.states & TURNED:
            undone = replace(literal, states=frozenset({OPPOSITE[state]}))
            self.groups[:] = [[x for x in group if replace(x, stage=literal.stage) != undone] for group in self.groups]
        return sum(map(len, self.groups)) < before

    def again(self, word: str, state: str, stage: int, lexicon: Lexicon) -> bool:
        """Adds a state of "it": a door or switch belongs to the last named place, if there is one; else to the objects.

        Returns True if it undoes what an earlier clause asked for.
        """
        if state not in TURNED and state != "plugged in":
            self.change(word, lambda x: replace(x, states=x.states | {state}))
            return False
        fresh = []
        for x in self.groups[-1] if self.groups else ():
            if x.subject == ROBOT or x.predicate == "robot_in" or x.never:
                continue
            named = [name for name in (x.target, x.subject, x.source) if name and name != FLOOR]
            able = [name for name in named if any(TURNED_BY.get(state) in lexicon.entities[one].properties
                                                  for one in lexicon.ids_of(name))]
            name = able[0] if able else x.target if x.target and x.predicate != "away" else x.subject
            one = Literal("is", name, None, 1, frozenset({state}), stage=stage)
            fresh.append(one if name != x.subject else replace(one, count=x.count, every=x.every, room=x.room))
        if not fresh:
            raise refuse(word, "say which things are meant")
        undone = False
        for literal in fresh:
            undone = self.supersede(literal) or undone
            self.groups[:] = [[x for x in group if x != literal] for group in self.groups]
        self.groups.append(list(dict.fromkeys(fresh)))
        return undone


def is_carried(literal: Literal) -> bool:
    """Returns True if "it" may be the subject of a literal: an object, not a door or lamp, and not the robot."""
    if literal.never or literal.predicate in ("robot_in", "robot_near", "robot_facing", "sitting", "lying", "standing"):
        return False
    return not (literal.predicate == "is" and literal.states & (TURNED | {"plugged in"}))
