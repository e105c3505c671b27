"""An undoable edit of the state dictionary: of one entry or of the summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtGui import QUndoCommand

from core.planners.llm_state.recorded_types import StateDictionary
from gui.panels.dictionary.edits import with_entry


class EditEntry(QUndoCommand):
    """An undoable edit of one entry or of the summary.

    Undo and redo change only that part of the newest dictionary. What the model has written about other objects since then is
    kept.

    Args:
        words: describes the edit, for the undo list and the log.
        before: the dictionary before the edit.
        after: the dictionary after the edit.
        name: the entry that differs. Empty if it is the summary.
        now: returns the newest dictionary, or None if there is none.
        say: shows a dictionary and posts it to the session, with the reason.
    """

    def __init__(self, words: str, before: StateDictionary, after: StateDictionary, name: str,
                 now: Callable[[], StateDictionary | None], say: Callable[[StateDictionary, str], None]):
        super().__init__(words)
        self._before, self._after, self._name, self._now, self._say = before, after, name, now, say

    def redo(self) -> None:
        """Applies the edit to the newest dictionary."""
        self._put(self._after, self.text())

    def undo(self) -> None:
        """Restores the old entry or summary in the newest dictionary."""
        self._put(self._before, f"undo: {self.text()}")

    def _put(self, source: StateDictionary, why: str) -> None:
        now = self._now()
        if now is None:
            self.setObsolete(True)
        elif self._name:
            made = with_entry(now, self._name, source.entry(self._name))
            others = tuple(name for name in now.deleted if name != self._name)
            self._say(replace(made, deleted=(*others, *(name for name in source.deleted if name == self._name))), why)
        else:
            self._say(replace(now, summary=source.summary, summary_given=source.summary_given), why)
