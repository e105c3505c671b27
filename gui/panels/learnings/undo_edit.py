"""An edit of the learnings that can be undone."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from core.planners.neoplanner.recorded_types import Learnings
from gui.panels.learnings.edits import undone


class EditLearnings(QUndoCommand):
    """An undoable edit of the learnings. What the model wrote since then stays when it is undone or redone.

    Args:
        words: what was done, for the undo list and the log.
        before: the learnings before the edit.
        after: the learnings after the edit.
        now: returns the newest learnings, or None if there are none.
        say: shows learnings and posts them to the session, with the reason.
    """

    def __init__(self, words: str, before: Learnings, after: Learnings, now: Callable[[], Learnings | None],
                 say: Callable[[Learnings, str], None]):
        super().__init__(words)
        self._before, self._after, self._now, self._say = before, after, now, say

    def redo(self) -> None:
        """Applies the edit."""
        self._put(self._after, self._before, self.text())

    def undo(self) -> None:
        """Undoes the edit."""
        self._put(self._before, self._after, f"undo: {self.text()}")

    def _put(self, wanted: Learnings, other: Learnings, why: str) -> None:
        now = self._now()
        if now is None:
            self.setObsolete(True)
        else:
            self._say(wanted if now is other else undone(now, wanted, other), why)
