"""Every turn can be returned to: what a turn began with, on which branch."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from core.common.errors import UsageError
from core.common.shared_list import SharedList
from core.goals.achieved import GoalRecord
from core.goals.literals import Goal, LiteralProgress
from core.planning.model_requests import Reply
from core.planning.planner import Planner
from core.session.events import Ended
from core.session.shown_facets import NOTHING_KNOWN, Known
from core.simulator.base import Saved
from core.world.vocabulary import Action, Observation

MOST_TURNS = 500
"""How many turns back one can go: older ones are forgotten, so that a run of days does not fill the memory."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class Met:
    """A reply that was met. The turns that met it hold it, and it is gone with the last of them."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class TurnStart:
    """Where a run can go on: the beginning of one turn, or a turn as it was left.

    Attributes:
        planner: a deep copy, never run itself.
        world: the simulator's exact state.
        actions: what was done up to here, for worlds that must replay it.
        record: what the goal may ask of the past.
        seen: what the robot sees.
        progress: how far the goal really is.
        banned: actions that the operator does not allow.
        known: what the planner has shown up to here.
        met: replies met in this turn, by request key.
    """

    turn: int
    planner: Planner
    goal: Goal
    world: Saved
    actions: SharedList[Action]
    record: GoalRecord
    seen: Observation
    progress: tuple[LiteralProgress, ...] = ()
    banned: frozenset[Action] = frozenset()
    known: Known = field(default_factory=lambda: NOTHING_KNOWN)
    met: dict[str, Met] = field(default_factory=dict)


@dataclass(slots=True)
class Branch:
    """A line of turns: `turns[k]` is the beginning of turn `first` + k; those before `shared` are its parent's.

    Attributes:
        fresh: the round of resampling: questions of one round meet the same answers.
        left: where it goes on when the run returns to it; None while it was never left.
        ended: its end, if the run left it after that.
    """

    number: int
    parent: int | None
    shared: int
    fresh: int = 0
    first: int = 1
    turns: list[TurnStart] = field(default_factory=list)
    left: TurnStart | None = None
    ended: Ended | None = None


class History:
    """All branches of a session."""

    def __init__(self) -> None:
        self.branches: list[Branch] = [Branch(0, None, 0)]
        self.current = 0
        self._met: WeakValueDictionary[str, Met] = WeakValueDictionary()
        """Replies of all turns that one can go back to: a rewound run meets the same ones, up to where it had come."""

    @property
    def branch(self) -> Branch:
        """The branch that is being played."""
        return self.branches[self.current]

    def remember(self, start: TurnStart) -> None:
        """Keep the beginning of a turn, with a copy of its planner; a turn begun again (after a failure) replaces itself."""
        turns, place = self.branch.turns, start.turn - self.branch.first
        met = dict(turns[place].met) if place < len(turns) else {}
        del turns[place:]
        turns.append(replace(start, planner=copy.deepcopy(start.planner), met=met))
        if len(turns) > MOST_TURNS:
            self.branch.first += 1
            del turns[0]

    def learn(self, key: str, reply: Reply) -> None:
        """A reply was met in the turn that is played."""
        met = self._met.get(key)
        if met is None:
            met = self._met[key] = Met(reply)
        met.reply = reply
        self.branch.turns[-1].met[key] = met

    def reply_to(self, key: str) -> Reply | None:
        """What was answered the last time, if a turn that one can go back to met it."""
        met = self._met.get(key)
        return None if met is None else met.reply

    def played(self) -> Iterator[tuple[int, TurnStart]]:
        """The beginnings of all turns that are kept, each with the branch it was played on."""
        for branch in self.branches:
            for start in branch.turns:
                if branch.parent is None or start.turn >= branch.shared:
                    yield branch.number, start

    def numbered(self, number: int | None) -> Branch:
        """A branch by its number; None: the current one.

        Raises:
            UsageError: no such branch.
        """
        if number is not None and not 0 <= number < len(self.branches):
            raise UsageError(f"there is no branch {number}: there are 0 to {len(self.branches) - 1}")
        return self.branch if number is None else self.branches[number]

    def start_of(self, turn: int, branch: int | None = None) -> TurnStart:
        """The beginning of a turn of a branch, by default the current one.

        Raises:
            UsageError: no such branch, or no such turn yet.
        """
        of = self.numbered(branch)
        first, last = of.first, of.first + len(of.turns) - 1
        if not first <= turn <= last:
            raise UsageError(f"there is no turn {turn} to go back to: there are turns {first} to {last} on this branch")
        return of.turns[turn - first]

    def divide(self, turn: int, *, resample: bool, branch: int | None = None) -> Branch:
        """A new branch that shares everything up to the beginning of `turn` with another one, and is now the current one."""
        self.start_of(turn, branch)
        of = self.numbered(branch)
        fresh = 1 + max(b.fresh for b in self.branches) if resample else of.fresh
        new = Branch(len(self.branches), of.number, turn, fresh, of.first, of.turns[: turn - of.first + 1])
        self.branches.append(new)
        self.current = new.number
        return new

    def leave(self, left: TurnStart, ended: Ended | None) -> None:
        """The run is about to go on somewhere else: this is where the current branch is left."""
        self.branch.left, self.branch.ended = left, ended

    def switch(self, number: int) -> TurnStart:
        """Make another branch current, and return where it was left.

        Raises:
            UsageError: no such branch.
        """
        branch = self.numbered(number)
        self.current = number
        return branch.left or branch.turns[-1]
