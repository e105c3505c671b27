"""An edit of the blocking tree that can be undone: it says the newest tree with one thing in it as it was, or became."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from core.planning.facets import BlockingTree
from gui.panels.blocking.tree_edits import Change


class EditTree(QUndoCommand):
    """One node changed, added or taken out.

    Args:
        words: what was done, for the undo list and the log.
        there: makes the change; back: takes it back.
        now: gives the newest tree, or None when there is none.
        say: tells the session, with the reason.
    """

    def __init__(self, words: str, there: Change, back: Change, now: Callable[[], BlockingTree | None],
                 say: Callable[[BlockingTree, str], None]):
        super().__init__(words)
        self._there, self._back, self._now, self._say = there, back, now, say

    def redo(self) -> None:
        """Do it."""
        self._put(self._there, self.text())

    def undo(self) -> None:
        """Take it back."""
        self._put(self._back, f"undo: {self.text()}")

    def _put(self, change: Change, why: str) -> None:
        tree = self._now()
        made = change(tree) if tree is not None else None
        if made is None:
            self.setObsolete(True)
        else:
            self._say(made, why)
