"""An undoable edit of the blocking tree. Undo and redo change one part of the newest tree and post the whole facet."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from core.planners.bcr.recorded_types import BlockingTree
from gui.panels.blocking.tree_edits import Change


class EditTree(QUndoCommand):
    """An undoable edit that changes, adds or removes one node.

    Args:
        words: describes the edit, for the undo list and the log.
        there: makes the edit.
        back: takes the edit back.
        now: returns the newest tree, or None if there is none.
        say: posts a tree to the session, with the reason.
    """

    def __init__(self, words: str, there: Change, back: Change, now: Callable[[], BlockingTree | None],
                 say: Callable[[BlockingTree, str], None]):
        super().__init__(words)
        self._there, self._back, self._now, self._say = there, back, now, say

    def redo(self) -> None:
        """Makes the edit in the newest tree."""
        self._put(self._there, self.text())

    def undo(self) -> None:
        """Takes the edit back in the newest tree."""
        self._put(self._back, f"undo: {self.text()}")

    def _put(self, change: Change, why: str) -> None:
        tree = self._now()
        made = change(tree) if tree is not None else None
        if made is None:
            self.setObsolete(True)
        else:
            self._say(made, why)
