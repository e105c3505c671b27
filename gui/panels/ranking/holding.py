"""The key that bans: while it is held down, the planner's choices without the action are seen; let go, the ban is said."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent

from core.world import Action
from gui.panels.ranking.listing import Row
from gui.previews import Previews
from gui.widgets import Names


class HeldBan(QObject):
    """Holds one row of a list from the press of the key to its release.

    Args:
        watched: the list that has the keyboard.
        preview: asked what the ban, or its end, would change.
        act: bans the row's action, or allows it again.
    """

    def __init__(self, watched: QObject, preview: Previews, act: Callable[[Row], None]):
        super().__init__(watched)
        self._preview, self._act = preview, act
        self._row: Row | None = None
        self._down = False
        watched.installEventFilter(self)
        preview.let_go.connect(self._forget)

    def press(self, row: Row, banned: frozenset[Action], names: Names) -> None:
        """The key went down on a row."""
        self._row, self._down = row, True
        words = f"{names.phrase(row.action)} is {'allowed' if row.banned else 'banned'}"
        self._preview.ask(words, banned=banned ^ {row.action})

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Any key let go ends it: the operator may have given the ban another one. Without the keyboard nothing is done."""
        del watched
        if not self._down:
            return False
        if event.type() == QEvent.Type.FocusOut:
            self._down = False
            self._preview.cancel()
        elif isinstance(event, QKeyEvent) and event.isAutoRepeat():
            return True  # a key that is held is pressed once
        elif event.type() == QEvent.Type.KeyRelease:
            row, self._row, self._down = self._row, None, False
            if row is not None:
                self._preview.release()
                self._act(row)
        return False

    def _forget(self) -> None:
        self._row = None
