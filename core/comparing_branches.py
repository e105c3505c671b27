"""Two branches of a run beside each other, turn by turn from where they part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from core.lineage import line_of
from core.snapshot import BranchState, Snapshot, Turn


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


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two branches.

    Attributes:
        turns: from the first of the run, its parents' beginning included; one under way on this branch is the last.
        state: how far it has come; None before its first turn began.
        present: whether the run goes on with this branch, or ended on it.
    """

    branch: int
    turns: tuple[Turn, ...]
    state: BranchState | None
    present: bool

    @property
    def done(self) -> int:
        """Actions that were done."""
        return sum(turn.outcome is not None and turn.outcome.ok for turn in self.turns)

    @property
    def refused(self) -> int:
        """Actions that the world refused."""
        return sum(turn.outcome is not None and not turn.outcome.ok for turn in self.turns)

    @property
    def by_operator(self) -> int:
        """Actions that an operator chose, done or refused."""
        return sum(turn.outcome is not None and turn.by == "operator" for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two branches have in common, and where they go apart.

    Attributes:
        shared: turns at the beginning that both have in common; the branches part after these.
        pairs: all further turns of either, in order.
        first: index in `pairs` of the first that differs, or None.
        differing: how many of `pairs` differ.
    """

    left: Side
    right: Side
    shared: int
    pairs: tuple[Pair, ...]
    first: int | None
    differing: int


def usual_pair(snapshot: Snapshot) -> tuple[int, int] | None:
    """The parent and the present branch; the first branch, which has none, beside the newest. None before there are two."""
    parents = {number: parent for number, parent, _ in snapshot.branches}
    if len(parents) < 2:
        return None
    parent = parents.get(snapshot.branch)
    return (parent, snapshot.branch) if parent is not None else (snapshot.branch, max(parents.keys() - {snapshot.branch}))


def compared(snapshot: Snapshot, left: int, right: int) -> Comparison:
    """Two branches of a run, turn by turn; a branch beside itself shares everything.

    Raises:
        KeyError: there is no such branch.
    """
    one, other = _side(snapshot, left), _side(snapshot, right)
    both = zip(one.turns, other.turns, strict=False)
    shared = sum(1 for _ in takewhile(lambda turns: turns[0] is turns[1], both))
    pairs = tuple(_pairs(one.turns[shared:], other.turns[shared:]))
    differing = [k for k, pair in enumerate(pairs) if pair.differs]
    return Comparison(one, other, shared, pairs, differing[0] if differing else None, len(differing))


def _side(snapshot: Snapshot, branch: int) -> Side:
    turns, now = line_of(snapshot.turns, snapshot.branches, branch), snapshot.current
    if now is not None and now.branch == branch:
        turns = (*(turn for turn in turns if turn.number < now.number), now)
    return Side(branch, turns, snapshot.branch_states.get(branch), branch == snapshot.branch)


def _pairs(left: tuple[Turn, ...], right: tuple[Turn, ...]) -> Iterator[Pair]:
    """By their numbers; a recording that was cut off may lack some."""
    ours, theirs = ({turn.number: turn for turn in turns} for turns in (left, right))
    for number in sorted(ours.keys() | theirs.keys()):
        yield Pair(number, ours.get(number), theirs.get(number))
