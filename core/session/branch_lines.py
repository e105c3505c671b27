"""Keeps the line of turns of every branch of a snapshot."""

from __future__ import annotations

from core.common.shared_list import SharedList
from core.session.outcome import BranchState
from core.session.snapshot import Snapshot
from core.session.turns import Branches, Turn, line_of


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
