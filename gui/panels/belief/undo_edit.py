"""An undoable edit of the belief. Undo and redo post the whole facet with the old or the new state of one row."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QUndoCommand

from core.planning.belief import Row, put_back, row_of
from core.planning.facets import Belief

MERGES = 1
"""The merge id of nudges. Successive nudges of one cell are one step on the undo stack."""


class EditRow(QUndoCommand):
    """An undoable edit of one row. Undo keeps what the planner has observed since the edit.

    Args:
        words: describes the edit, for the undo list and the log.
        before: the belief before the edit.
        after: the belief after the edit.
        row: the row that differs.
        now: returns the newest belief, or None if there is none.
        say: shows a belief and posts it to the session, with the reason.
        nudge: the cell, if further nudges of it merge with this edit. None otherwise.
    """

    def __init__(self, words: str, before: Belief, after: Belief, row: int, now: Callable[[], Belief | None],
                 say: Callable[[Belief, str], None], nudge: tuple[int, int] | None = None):
        super().__init__(words)
        self._label, self._places = before.objects[row], before.places
        self._old, self._new = row_of(before, row), row_of(after, row)
        self._now, self._say, self._nudge = now, say, nudge

    def redo(self) -> None:
        """Applies the new row to the newest belief."""
        self._put(self._new, self.text())

    def undo(self) -> None:
        """Restores the old row in the newest belief."""
        self._put(self._old, f"undo: {self.text()}")

    def _put(self, row: Row, why: str) -> None:
        now = self._now()
        made = put_back(now, self._label, self._places, row) if now is not None else None
        if made is None:
            self.setObsolete(True)
        else:
            self._say(made, why)

    def id(self) -> int:
        """Returns the merge id: `MERGES` for a nudge, -1 if the edit is not merged."""
        return MERGES if self._nudge is not None else -1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802 - Qt's name
        """Merges a later nudge of the same cell into this edit. Returns whether it did."""
        if not isinstance(other, EditRow) or other._nudge != self._nudge or other._label != self._label:
            return False
        self._new = other._new
        self.setText(other.text())
        return True
