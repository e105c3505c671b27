"""An edit of the dictionary that can be undone: one entry, or the summary, as it was or as it became."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtGui import QUndoCommand

from core.planning.facets import StateDictionary
from gui.panels.dictionary.edits import with_entry


class EditEntry(QUndoCommand):
    """What the model wrote about other objects meanwhile stays when an edit is undone.

    Args:
        words: what was done, for the undo list and the log.
        before: the dictionary it was done to.
        after: what came of it.
        name: the entry that differs; empty: the summary.
        now: gives the newest dictionary, or None when there is none.
        say: shows a dictionary and tells the session, with the reason.
    """

    def __init__(self, words: str, before: StateDictionary, after: StateDictionary, name: str,
                 now: Callable[[], StateDictionary | None], say: Callable[[StateDictionary, str], None]):
        super().__init__(words)
        self._before, self._after, self._name, self._now, self._say = before, after, name, now, say

    def redo(self) -> None:
        """Put the new one in."""
        self._put(self._after, self.text())

    def undo(self) -> None:
        """Put the old one back."""
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
