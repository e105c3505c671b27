"""Two branches of a run beside each other, turn by turn from where they part.

Both may have tens of thousands of turns: what one more turn changes is worked out, never all of it again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.lazy_list import LazyList
from core.common.shared_list import SharedList
from core.session.lineage import Lines, first_from
from core.session.outcome import BranchState
from core.session.snapshot import Snapshot, Turn


@dataclass(frozen=True, slots=True)
class Pair:
    """The same turn of both branches; None where a branch has no such turn."""

    number: int
    left: Turn | None
    right: Turn | None

    @property
    def differs(self) -> bool:
        """Whether both were acted out, and another action was done or it came out otherwise."""
        if self.left is None or self.right is None or self.left.outcome is None or self.right.outcome is None:
            return False
        left, right = self.left.outcome, self.right.outcome
        return (left.action, left.ok) != (right.action, right.ok)


class Turns(LazyList[Turn]):
    """A line of acted turns, and behind them the one under way; one that is played again stands there once, as under way.

    Attributes:
        line: the acted turns, `acted` of which count.
    """

    __slots__ = ("_now", "acted", "line")

    def __init__(self, line: SharedList[Turn], now: Turn | None):
        self.line, self._now = line, now
        self.acted = len(line) if now is None else first_from(line, now.number)

    def __len__(self) -> int:
        return self.acted + (self._now is not None)

    def at(self, place: int) -> Turn:
        """The turn of a place."""
        return self._now if place == self.acted and self._now is not None else self.line[place]

    def of(self, number: int) -> Turn | None:
        """The turn of a number."""
        k = first_from(self, number)
        return self[k] if k < len(self) and self[k].number == number else None


@dataclass(frozen=True, slots=True)
class Tally:
    """What came of the actions of some turns.

    Attributes:
        done: actions that were done.
        refused: actions that the world refused.
        by_operator: actions that an operator chose, done or refused.
    """

    done: int = 0
    refused: int = 0
    by_operator: int = 0

    def plus(self, turns: Sequence[Turn]) -> Tally:
        """With more turns."""
        ok = [turn.outcome.ok for turn in turns if turn.outcome is not None]
        mine = sum(turn.outcome is not None and turn.by == "operator" for turn in turns)
        return Tally(self.done + sum(ok), self.refused + len(ok) - sum(ok), self.by_operator + mine)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two branches.

    Attributes:
        turns: from the first of the run, its parents' beginning included; one under way on this branch is the last.
        state: how far it has come; None before its first turn began.
        present: whether the run goes on with this branch, or ended on it.
        tally: what came of its actions.
    """

    branch: int
    turns: Turns
    state: BranchState | None
    present: bool
    tally: Tally

    @property
    def last(self) -> int:
        """The number of its last turn; 0 where it has none."""
        return self.turns[-1].number if self.turns else 0


class Pairs(LazyList[Pair]):
    """The turns of both sides from where they part, by their numbers; each pair is made when it is looked at."""

    __slots__ = ("_left", "_right", "numbers")

    def __init__(self, left: Turns, right: Turns, shared: int):
        self._left, self._right = left, right
        self.numbers = _numbers(left, right, shared)
        """The turn's number of each pair, ascending."""

    def __len__(self) -> int:
        return len(self.numbers)

    def at(self, place: int) -> Pair:
        """The pair of a place."""
        number = self.numbers[place]
        return Pair(number, self._left.of(number), self._right.of(number))

    def place(self, number: int) -> int:
        """Where the pair of a turn stands, or the next after it."""
        return bisect_left(self.numbers, number)

    @property
    def alone(self) -> Sequence[int]:
        """Where those stand that one side lacks: the end of the longer side, and what a cut recording has lost."""
        if isinstance(self.numbers, range):
            return range(self.place(min(t[-1].number if t else 0 for t in (self._left, self._right)) + 1), len(self))
        return [k for k, pair in enumerate(self) if pair.left is None or pair.right is None]


def _numbers(left: Turns, right: Turns, shared: int) -> Sequence[int]:
    """A range wherever no turn is missing: then none is looked at."""
    ends = [(turns[shared].number, turns[-1].number + 1, len(turns) - shared) for turns in (left, right) if len(turns) > shared]
    whole = all(stop - start == count for start, stop, count in ends) and len({start for start, _, _ in ends}) < 2
    if whole:
        return range(ends[0][0], max(stop for _, stop, _ in ends)) if ends else range(0)
    return sorted({turn.number for turns in (left, right) for turn in turns[shared:]})


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two branches have in common, and where they go apart.

    Attributes:
        shared: turns at the beginning that both have in common; the branches part after these.
        pairs: all further turns of either, in order.
        both: how many of `pairs` have a turn on both sides.
        differ: the numbers of the turns that differ.
    """

    left: Side
    right: Side
    shared: int
    pairs: Pairs
    both: int
    differ: SharedList[int]

    @property
    def first(self) -> int | None:
        """Index in `pairs` of the first that differs, or None."""
        return self.pairs.place(self.differ[0]) if len(self.differ) else None


def usual_pair(snapshot: Snapshot) -> tuple[int, int] | None:
    """The parent and the present branch; the first branch, which has none, beside the newest. None before there are two."""
    parents = {number: parent for number, parent, _ in snapshot.branches}
    if len(parents) < 2:
        return None
    parent = parents.get(snapshot.branch)
    return (parent, snapshot.branch) if parent is not None else (snapshot.branch, max(parents.keys() - {snapshot.branch}))


class BranchComparer:
    """Compares branches of a run that goes on; of turns that were compared before, only the result is kept."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._tallies = _Counting(), _Counting()
        self._alike = _Alike()

    def of(self, snapshot: Snapshot, left: int, right: int) -> Comparison:
        """Two branches of a run, turn by turn; a branch beside itself shares everything.

        Raises:
            KeyError: there is no such branch.
        """
        one, other = (self._side(snapshot, branch, tally) for branch, tally in zip((left, right), self._tallies, strict=True))
        ours, theirs = one.turns, other.turns
        shared = bisect_left(range(min(len(ours), len(theirs))), True, key=lambda k: ours[k] is not theirs[k])
        both, differ = self._alike.of(ours, theirs, shared)
        return Comparison(one, other, shared, Pairs(ours, theirs, shared), both, differ)

    def _side(self, snapshot: Snapshot, branch: int, tally: _Counting) -> Side:
        now = snapshot.current
        turns = Turns(self._lines.of(snapshot, branch), now if now is not None and now.branch == branch else None)
        return Side(branch, turns, snapshot.branch_states.get(branch), branch == snapshot.branch, tally.of(turns))


class _Counting:
    """The tally of a side as it grows."""

    def __init__(self) -> None:
        self._line, self._counted, self._tally = SharedList[Turn](), 0, Tally()

    def of(self, turns: Turns) -> Tally:
        if not turns.line.akin(self._line) or turns.acted < self._counted:
            self._counted, self._tally = 0, Tally()
        self._tally = self._tally.plus(turns.line[self._counted:turns.acted])
        self._line, self._counted = turns.line, turns.acted
        return self._tally


class _Alike:
    """How many turns both sides have, and which of them differ, as the sides grow."""

    def __init__(self) -> None:
        self._lines, self._shared = (SharedList[Turn](), SharedList[Turn]()), 0
        self._left_at = self._right_at = 0
        self._both, self._differ = 0, SharedList[int]()

    def of(self, left: Turns, right: Turns, shared: int) -> tuple[int, SharedList[int]]:
        known = left.line.akin(self._lines[0]) and right.line.akin(self._lines[1]) and shared == self._shared
        if not known or left.acted < self._left_at or right.acted < self._right_at:
            self._left_at = self._right_at = shared
            self._both, self._differ = 0, SharedList()
        self._lines, self._shared = (left.line, right.line), shared
        self._go_on(left, right)
        return self._both + sum(_stands_beside(*sides, shared) for sides in ((left, right), (right, left))), self._differ

    def _go_on(self, left: Turns, right: Turns) -> None:
        while self._left_at < left.acted and self._right_at < right.acted:
            ours, theirs = left.line[self._left_at], right.line[self._right_at]
            if ours.number == theirs.number:
                self._both += 1
                if Pair(ours.number, ours, theirs).differs:
                    self._differ = self._differ.plus(ours.number)
            self._left_at += ours.number <= theirs.number
            self._right_at += theirs.number <= ours.number


def _stands_beside(turns: Turns, other: Turns, shared: int) -> bool:
    """Whether the turn under way on a side has one of the other beside it."""
    return len(turns) > max(turns.acted, shared) and other.of(turns[-1].number) is not None
