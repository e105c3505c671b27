"""Which turns lead to the present: a run that was rewound or forked has several lines of them."""

from __future__ import annotations

from core.snapshot import Snapshot, Turn


def lineage(snapshot: Snapshot) -> tuple[Turn, ...]:
    """The acted turns that lead to the present, of parent branches up to where they were left; oldest first."""
    parents = {number: (parent, leaves) for number, parent, leaves in snapshot.branches}
    found: dict[int, Turn] = {}
    branch: int | None = snapshot.branch
    limit = float("inf")
    while branch is not None:
        for turn in snapshot.turns:
            if turn.branch == branch and turn.number < limit and turn.number not in found:
                found[turn.number] = turn
        branch, leaves = parents.get(branch, (None, 1))
        limit = min(limit, leaves)
    return tuple(found[number] for number in sorted(found))
