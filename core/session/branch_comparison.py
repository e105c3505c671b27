"""The line of turns of each branch, and the comparison of two branches turn by turn, from the turn at which they part.

Branches may have tens of thousands of turns. Each update computes only what the new turns change.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.shared_list import LazyList, SharedList
from core.session.outcome import BranchState
from core.session.snapshot import Snapshot
from core.session.turns import Branches, Mark, Turn, first_from, line_of


class Lines:
    """The lines of all branches. A line is computed again only if it may have grown."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Branches, BranchState | None, SharedList[Turn]]] = {}

    def of(self, snapshot: Snapshot, branch: int) -> SharedList[Turn]:
        """Returns the completed turns of a branch, and of its parents up to where they were left, oldest first.

        Raises:
            KeyError: there is no such branch.
        """
        if branch == snapshot.branch:
            return snapshot.line
        branches, state = snapshot.branches, snapshot.branch_states.get(branch)  # new with each turn of the branch
        kept = self._kept.get(branch)
        if kept is None or kept[0] is not branches or kept[1] is not state:
            kept = self._kept[branch] = branches, state, SharedList(line_of(snapshot.turns, branches, branch))
        return kept[2]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same turn on both branches; None where a branch has no such turn."""

    number: int
    left: Turn | None
    right: Turn | None

    @property
    def differs(self) -> bool:
        """True if both turns are completed and their actions differ, or one was executed and the other refused."""
        if self.left is None or self.right is None or self.left.outcome is None or self.right.outcome is None:
            return False
        left, right = self.left.outcome, self.right.outcome
        return (left.action, left.ok) != (right.action, right.ok)


class Turns(LazyList[Turn]):
    """A line of completed turns, followed by the turn under way. A turn that is being played again appears once, as under way.

    Attributes:
        line: the completed turns; the first `acted` of them count.
    """

    __slots__ = ("_now", "acted", "line")

    def __init__(self, line: SharedList[Turn], now: Turn | None):
        self.line, self._now = line, now
        self.acted = len(line) if now is None else first_from(line, now.number)

    def __len__(self) -> int:
        return self.acted + (self._now is not None)

    def at(self, place: int) -> Turn:
        """Returns the turn at an index."""
        return self._now if place == self.acted and self._now is not None else self.line[place]

    def of(self, number: int) -> Turn | None:
        """Returns the turn with a number; None if there is none."""
        k = first_from(self, number)
        return self[k] if k < len(self) and self[k].number == number else None


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts the actions of some turns.

    Attributes:
        done: actions that were executed.
        refused: actions that the simulator refused.
        by_operator: actions that an operator chose, executed or refused.
    """

    done: int = 0
    refused: int = 0
    by_operator: int = 0

    def plus(self, turns: Sequence[Turn]) -> Tally:
        """Returns the tally with more turns."""
        ok = [turn.outcome.ok for turn in turns if turn.outcome is not None]
        by_operator = sum(turn.outcome is not None and turn.by == "operator" for turn in turns)
        return Tally(self.done + sum(ok), self.refused + len(ok) - sum(ok), self.by_operator + by_operator)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two branches.

    Attributes:
        turns: all turns from the first of the run, including those of its parents; the last may be under way.
        state: the state it has reached; None before its first turn began.
        present: whether the run continues on this branch, or ended on it.
        tally: the counts of its actions.
        changes: the operator's changes of the world on its line of branches, in order.
    """

    branch: int
    turns: Turns
    state: BranchState | None
    present: bool
    tally: Tally
    changes: tuple[Mark, ...] = ()

    @property
    def last(self) -> int:
        """The number of its last turn; 0 if it has none."""
        return self.turns[-1].number if self.turns else 0


class Pairs(LazyList[Pair]):
    """The turns of both sides after the common ones, by their numbers. Each pair is made when it is read."""

    __slots__ = ("_left", "_right", "numbers")

    def __init__(self, left: Turns, right: Turns, shared: int):
        self._left, self._right = left, right
        self.numbers = _numbers(left, right, shared)
        """The turn number of each pair, ascending."""

    def __len__(self) -> int:
        return len(self.numbers)

    def at(self, place: int) -> Pair:
        """Returns the pair at an index."""
        number = self.numbers[place]
        return Pair(number, self._left.of(number), self._right.of(number))

    def place(self, number: int) -> int:
        """Returns the index of the pair with a turn number, or of the next one after it."""
        return bisect_left(self.numbers, number)

    @property
    def alone(self) -> Sequence[int]:
        """The indices of pairs that lack one side: the end of the longer side, and turns that a damaged recording has lost."""
        if isinstance(self.numbers, range):
            return range(self.place(min(t[-1].number if t else 0 for t in (self._left, self._right)) + 1), len(self))
        return [k for k, pair in enumerate(self) if pair.left is None or pair.right is None]


def _numbers(left: Turns, right: Turns, shared: int) -> Sequence[int]:
    """Returns the turn numbers: a range if no turn is missing, so that no turn has to be read."""
    ends = [(turns[shared].number, turns[-1].number + 1, len(turns) - shared) for turns in (left, right) if len(turns) > shared]
    is_complete = all(stop - start == count for start, stop, count in ends) and len({start for start, _, _ in ends}) < 2
    if is_complete:
        return range(ends[0][0], max(stop for _, stop, _ in ends)) if ends else range(0)
    return sorted({turn.number for turns in (left, right) for turn in turns[shared:]})


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two branches have in common, and where they differ.

    Attributes:
        shared: number of turns at the beginning that both have in common; the branches part after these.
        pairs: all further turns of either branch, in order.
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
    def changes(self) -> tuple[Mark, ...]:
        """The changes of the world that only one of the branches has."""
        ours, theirs = self.left.changes, self.right.changes
        return tuple(mark for mark in (*ours, *theirs) if (mark in ours) != (mark in theirs))

    @property
    def first(self) -> int | None:
        """Index in `pairs` of the first pair that differs, or None."""
        return self.pairs.place(self.differ[0]) if len(self.differ) else None


def usual_pair(snapshot: Snapshot) -> tuple[int, int] | None:
    """Returns the default pair of branches to compare; None before there are two.

    It is the parent and the present branch. The first branch has no parent; it is paired with the newest one.
    """
    parents = {number: parent for number, parent, _ in snapshot.branches}
    if len(parents) < 2:
        return None
    parent = parents.get(snapshot.branch)
    return (parent, snapshot.branch) if parent is not None else (snapshot.branch, max(parents.keys() - {snapshot.branch}))


class BranchComparer:
    """Compares branches of a run that goes on. For turns compared before, only the result is kept."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._tallies = _TallyUpdater(), _TallyUpdater()
        self._differences = _DifferenceUpdater()

    def of(self, snapshot: Snapshot, left: int, right: int) -> Comparison:
        """Returns the comparison of two branches. A branch compared with itself shares everything.

        Raises:
            KeyError: there is no such branch.
        """
        one, other = (self._side(snapshot, branch, tally) for branch, tally in zip((left, right), self._tallies, strict=True))
        ours, theirs = one.turns, other.turns
        shared = bisect_left(range(min(len(ours), len(theirs))), True, key=lambda k: ours[k] is not theirs[k])
        both, differ = self._differences.of(ours, theirs, shared)
        return Comparison(one, other, shared, Pairs(ours, theirs, shared), both, differ)

    def _side(self, snapshot: Snapshot, branch: int, tally: _TallyUpdater) -> Side:
        now = snapshot.current
        turns = Turns(self._lines.of(snapshot, branch), now if now is not None and now.branch == branch else None)
        return Side(branch, turns, snapshot.branch_states.get(branch), branch == snapshot.branch, tally.of(turns),
                    snapshot.world_changes_of(branch))


class _TallyUpdater:
    """Updates the tally of a side as it grows."""

    def __init__(self) -> None:
        self._line, self._counted, self._tally = SharedList[Turn](), 0, Tally()

    def of(self, turns: Turns) -> Tally:
        if not turns.line.akin(self._line) or turns.acted < self._counted:
            self._counted, self._tally = 0, Tally()
        self._tally = self._tally.plus(turns.line[self._counted:turns.acted])
        self._line, self._counted = turns.line, turns.acted
        return self._tally


class _DifferenceUpdater:
    """Counts how many turns both sides have, and which of them differ, as the sides grow."""

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
        self._update(left, right)
        return self._both + sum(_has_counterpart(*sides, shared) for sides in ((left, right), (right, left))), self._differ

    def _update(self, left: Turns, right: Turns) -> None:
        while self._left_at < left.acted and self._right_at < right.acted:
            ours, theirs = left.line[self._left_at], right.line[self._right_at]
            if ours.number == theirs.number:
                self._both += 1
                if Pair(ours.number, ours, theirs).differs:
                    self._differ = self._differ.plus(ours.number)
            self._left_at += ours.number <= theirs.number
            self._right_at += theirs.number <= ours.number


def _has_counterpart(turns: Turns, other: Turns, shared: int) -> bool:
    """Returns True if the turn under way on one side has a counterpart on the other side."""
    return len(turns) > max(turns.acted, shared) and other.of(turns[-1].number) is not None
