"""The key that bans: while it is held down, the planner's choices without the action are seen; let go, the ban is said."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent

from core.world.vocabulary import Action
from gui.control.previews import Previews
from gui.panels.ranking.listing import Row
from gui.widgets import Names

REPEAT_MS = 80
"""After a key is said to be up before it is believed: one that is held goes up and down thirty times a second, and on a busy
machine X11 does not always say that it only repeats."""


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
        self._up = QTimer(self)
        self._up.setSingleShot(True)
        self._up.setInterval(REPEAT_MS)
        self._up.timeout.connect(self._let_go)
        watched.installEventFilter(self)
        preview.cancelled.connect(self._forget)

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
            self._up.stop()
            self._down = False
            self._preview.cancel()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            repeats = event.isAutoRepeat() or self._up.isActive()
            self._up.stop()
            return repeats
        elif event.type() == QEvent.Type.KeyRelease:
            self._up.start()
        return False

    def _let_go(self) -> None:
        row, self._row, self._down = self._row, None, False
        if row is not None:
            self._preview.release()
            self._act(row)

    def _forget(self) -> None:
        self._row = None
