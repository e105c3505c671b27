"""Which turns lead to a moment: a run that was rewound or forked has several lines of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.snapshot import Snapshot, Turn

Branches = Iterable[tuple[int, int | None, int]]
"""(number, parent, turn at which it leaves its parent) of each."""


def lineage(snapshot: Snapshot) -> tuple[Turn, ...]:
    """The acted turns that lead to the present, of parent branches up to where they were left; oldest first."""
    return line_of(snapshot.turns, snapshot.branches, snapshot.branch)


def line_of(turns: Iterable[Turn], branches: Branches, branch: int) -> tuple[Turn, ...]:
    """The acted turns of a branch, of its parents up to where they were left; oldest first.

    A turn that was played again on its branch (a run that had ended goes on from its last turn) counts as it was played last.

    Raises:
        KeyError: there is no such branch.
    """
    parents = {number: (parent, leaves) for number, parent, leaves in branches}
    played: defaultdict[int, dict[int, Turn]] = defaultdict(dict)
    for turn in turns:
        played[turn.branch][turn.number] = turn
    found: dict[int, Turn] = {}
    at: int | None = branch
    limit = float("inf")
    while at is not None:
        found = {number: turn for number, turn in played[at].items() if number < limit} | found
        at, leaves = parents[at]
        limit = min(limit, leaves)
    return tuple(found[number] for number in sorted(found))
