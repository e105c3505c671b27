"""An edit of the belief that can be undone: it says the whole facet, with one row as it was or as it became."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from core.planning.belief_edits import Row, put_back, row_of
from core.planning.facets import Belief

MERGES = 1
"""Nudges of one cell in a row are one step on the undo stack."""


class EditRow(QUndoCommand):
    """One row changed. What came to be known since an edit stays known when it is undone.

    Args:
        words: what was done, for the undo list and the log.
        before: the belief it was done to.
        after: what came of it.
        row: the row that differs.
        now: gives the newest belief, or None when there is none.
        say: shows a belief and tells the session, with the reason.
        nudge: the cell, when further nudges of it are to be one step with this.
    """

    def __init__(self, words: str, before: Belief, after: Belief, row: int, now: Callable[[], Belief | None],
                 say: Callable[[Belief, str], None], nudge: tuple[int, int] | None = None):
        super().__init__(words)
        self._label, self._places = before.objects[row], before.places
        self._old, self._new = row_of(before, row), row_of(after, row)
        self._now, self._say, self._nudge = now, say, nudge

    def redo(self) -> None:
        """Put the new row in."""
        self._put(self._new, self.text())

    def undo(self) -> None:
        """Put the old row back."""
        self._put(self._old, f"undo: {self.text()}")

    def _put(self, row: Row, why: str) -> None:
        now = self._now()
        made = put_back(now, self._label, self._places, row) if now is not None else None
        if made is None:
            self.setObsolete(True)
        else:
            self._say(made, why)

    def id(self) -> int:
        """Whether it may be joined with the next."""
        return MERGES if self._nudge is not None else -1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802 - Qt's name
        """Join a nudge of the same cell."""
        if not isinstance(other, EditRow) or other._nudge != self._nudge or other._label != self._label:
            return False
        self._new = other._new
        self.setText(other.text())
        return True
