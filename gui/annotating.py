"""Annotation keys: tap a digit for a point, hold it for a state."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from core.commands import Annotate
from gui.console import Console
from gui.timeline import LABELS

HOLD = 300
"""Milliseconds after which a held key codes a state."""


class Annotator(QObject):
    """Hears the digits that no text field or list wanted."""

    def __init__(self, console: Console, window: QWidget):
        super().__init__(window)
        self._console = console
        self._down = -1
        self._coding = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(HOLD)
        self._timer.timeout.connect(self._begin)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Digits pressed and released in the window."""
        del watched
        if event.type() not in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease) or not isinstance(event, QKeyEvent):
            return False
        track = event.key() - Qt.Key.Key_1
        if event.isAutoRepeat() or event.modifiers() != Qt.KeyboardModifier.NoModifier or not 0 <= track < 9:
            return False
        if event.type() == QEvent.Type.KeyPress:
            self.press(track)
        else:
            self.release(track)
        return True

    def press(self, track: int) -> None:
        """A key went down."""
        if track >= len(LABELS):
            self._console.told.emit(f"There is no annotation track {track + 1}", "warn")
            return
        self._down, self._coding = track, False
        self._timer.start()

    def release(self, track: int) -> None:
        """It came up: a point, or the end of a state."""
        if track != self._down:
            return
        self._timer.stop()
        self._down = -1
        self._console.runner.post(Annotate(LABELS[track], phase="stop" if self._coding else "point"))

    def _begin(self) -> None:
        self._coding = True
        self._console.runner.post(Annotate(LABELS[self._down], phase="start"))
