"""The key that bans an action. While it is held, a preview shows the planner's choices without it; its release bans."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QKeyEvent

from core.world.vocabulary import Action
from gui.control.previews import Previews
from gui.panels.ranking.listing import Row
from gui.widgets import Names

REPEAT_MS = 80
"""Milliseconds for which a key must stay up before the release counts.

A held key goes up and down thirty times a second, and on a busy machine X11 does not always mark that as a repetition.
"""


class HeldBan(QObject):
    """Keeps one row of a list from the press of the key to its release.

    Args:
        watched: the list that has the keyboard focus.
        preview: answers what the ban, or its removal, would change.
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
        """Starts the preview for the row on which the key was pressed."""
        self._row, self._down = row, True
        words = f"{names.phrase(row.action)} is {'allowed' if row.banned else 'banned'}"
        self._preview.ask(words, banned=banned ^ {row.action})

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles the release of the key and the loss of the keyboard focus.

        The release of any key counts, because the operator may have assigned another key to the ban. If the list loses the
        focus, nothing is banned.
        """
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
