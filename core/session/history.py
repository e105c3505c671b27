"""The history of a session: the beginning of every turn on every branch, so that the run can return to it.

The facets shown up to a turn are part of its beginning.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from weakref import WeakValueDictionary

from core.common.errors import UsageError
from core.common.shared_list import SharedList
from core.goals.literals import Goal, GoalRecord
from core.planning.model_requests import ModelReply
from core.planning.planner import Planner
from core.session.events import Ended
from core.session.snapshot import NO_FACETS, Facets
from core.simulator.base import WorldChange, WorldState
from core.world.vocabulary import Action

MOST_TURNS = 500
"""Number of turns one can go back. Older ones are dropped, so that a run of several days does not fill the memory."""
Given = Mapping[str, ModelReply]
"""Replies that the operator gives in place of the model, by request key without a source."""
NOTHING_GIVEN: Given = MappingProxyType({})


@dataclass(slots=True, weakref_slot=True, eq=False)
class KnownReply:
    """A reply that was received. The turns that received it hold it; it is freed with the last of them."""

    reply: ModelReply


@dataclass(slots=True)
class Mind:
    """The companion planner, and what belongs to its state (see `core.session.companion`).

    Attributes:
        goal: the goal it was given last.
        has_diverged: on this line of turns it has disagreed with the driving planner.
    """

    planner: Planner
    goal: Goal
    has_diverged: bool = False


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A point where a run can continue: the beginning of a turn, or a turn as it was left.

    Attributes:
        planner: a deep copy that is never run itself.
        world: the state of the world.
        actions: the actions executed up to here, for simulators that must replay them.
        changes: the operator's changes of the world up to here, each with the number of actions executed before it, for
            simulators that must replay them.
        record: which parts of the goal about the past were achieved.
        banned: actions that the operator forbids.
        known: the facets the planner has shown up to here.
        given: replies that the operator gives to model requests, by the key of the request without a source.
        replies: replies received in this turn, by request key.
        mind: a deep copy of the companion; None if there is none.
    """

    turn: int
    planner: Planner
    goal: Goal
    world: WorldState
    actions: SharedList[Action]
    record: GoalRecord
    banned: frozenset[Action] = frozenset()
    known: Facets = field(default_factory=lambda: NO_FACETS)
    given: Given = field(default_factory=lambda: NOTHING_GIVEN)
    replies: dict[str, KnownReply] = field(default_factory=dict)
    mind: Mind | None = None
    changes: tuple[tuple[int, WorldChange], ...] = ()


@dataclass(slots=True)
class Branch:
    """A line of turns: `turns[k]` is the beginning of turn `first` + k. Turns before `shared` are its parent's.

    Attributes:
        fresh: the round of resampling: requests of one round get the same replies.
        left: the point where it goes on when the run returns to it; None if the run never left it.
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
        self._known_replies: WeakValueDictionary[str, KnownReply] = WeakValueDictionary()
        """Replies of all turns one can go back to. A rewound run gets the same replies, up to the turn it had reached."""

    @property
    def branch(self) -> Branch:
        """The branch that is being played."""
        return self.branches[self.current]

    def add_start(self, start: TurnStart) -> None:
        """Keeps the beginning of a turn with a copy of its planner. A turn that begins again replaces its earlier entry."""
        turns, place = self.branch.turns, start.turn - self.branch.first
        replies = dict(turns[place].replies) if place < len(turns) else {}
        del turns[place:]
        copies = copy.deepcopy(start.planner), copy.deepcopy(start.mind)
        turns.append(replace(start, planner=copies[0], mind=copies[1], replies=replies))
        if len(turns) > MOST_TURNS:
            self.branch.first += 1
            del turns[0]

    def add_reply(self, key: str, reply: ModelReply) -> None:
        """Records a reply for the turn under way."""
        known = self._known_replies.get(key)
        if known is None:
            known = self._known_replies[key] = KnownReply(reply)
        known.reply = reply
        self.branch.turns[-1].replies[key] = known

    def reply_to(self, key: str) -> ModelReply | None:
        """Returns the last reply to a request, if a turn that one can go back to received it; else None."""
        known = self._known_replies.get(key)
        return None if known is None else known.reply

    def played(self) -> Iterator[tuple[int, TurnStart]]:
        """Yields the beginnings of all kept turns, each with the branch it was played on."""
        for branch in self.branches:
            for start in branch.turns:
                if branch.parent is None or start.turn >= branch.shared:
                    yield branch.number, start

    def numbered(self, number: int | None) -> Branch:
        """Returns a branch by its number; None: the current one.

        Raises:
            UsageError: there is no such branch.
        """
        if number is not None and not 0 <= number < len(self.branches):
            raise UsageError(f"there is no branch {number}: there are 0 to {len(self.branches) - 1}")
        return self.branch if number is None else self.branches[number]

    def start_of(self, turn: int, branch: int | None = None) -> TurnStart:
        """Returns the beginning of a turn of a branch, by default of the current one.

        Raises:
            UsageError: there is no such branch, or no such turn yet.
        """
        of = self.numbered(branch)
        first, last = of.first, of.first + len(of.turns) - 1
        if not first <= turn <= last:
            raise UsageError(f"there is no turn {turn} to go back to: there are turns {first} to {last} on this branch")
        return of.turns[turn - first]

    def divide(self, turn: int, *, resample: bool, branch: int | None = None) -> Branch:
        """Makes a new branch current that shares everything up to the beginning of `turn` with another branch. Returns it."""
        self.start_of(turn, branch)
        of = self.numbered(branch)
        fresh = 1 + max(b.fresh for b in self.branches) if resample else of.fresh
        new = Branch(len(self.branches), of.number, turn, fresh, of.first, of.turns[: turn - of.first + 1])
        self.branches.append(new)
        self.current = new.number
        return new

    def leave(self, left: TurnStart, ended: Ended | None) -> None:
        """Records where the current branch is left, and its end if it has one."""
        self.branch.left, self.branch.ended = left, ended

    def switch(self, number: int) -> TurnStart:
        """Makes another branch current. Returns the point where it was left.

        Raises:
            UsageError: there is no such branch.
        """
        branch = self.numbered(number)
        self.current = number
        return branch.left or branch.turns[-1]
