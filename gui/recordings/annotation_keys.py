"""Annotation keys: tap for a point, hold for a state."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from core.recording.labels import Label
from gui.recordings.labelling import Labelling

HOLD = 300
"""Milliseconds after which a key counts as held and marks a state."""


class Annotator(QObject):
    """Handles the keys of the label set, unless a text field or list takes them.

    The key of a point label sets a point when tapped, and marks a state while it is held. The key of a state label begins a
    state:
    if the key is held, the state ends when it is released; if it is tapped, the state ends at the next tap.
    """

    def __init__(self, labelling: Labelling, window: QWidget):
        super().__init__(window)
        self._labelling = labelling
        self._down: Label | None = None
        self._is_held = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(HOLD)
        self._timer.timeout.connect(self._hold)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles keys pressed and released in the window."""
        del watched
        kinds = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        label = self._labelling.set.by_key(event.text().lower()) if plain and event.text() else None
        if label is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # the key of a label does not also trigger an action
        elif event.isAutoRepeat():
            return True
        elif event.type() == QEvent.Type.KeyPress:
            self.press(label)
        else:
            self.release(label)
        return True

    def press(self, label: Label) -> None:
        """Handles a key that was pressed."""
        if self._down is not None:
            self.release(self._down)
        self._down, self._is_held = label, False
        if label.kind == "state":
            if self._labelling.is_open(label.name):
                self._down = None
                self._labelling.stop(label.name)
                return
            self._labelling.start(label.name)
        self._timer.start()

    def release(self, label: Label) -> None:
        """Handles a key that was released: sets a point, or ends a state that was held."""
        if self._down is None or label.name != self._down.name:
            return
        self._timer.stop()
        self._down = None
        if self._is_held:
            self._labelling.stop(label.name)
        elif label.kind == "point":
            self._labelling.point(label.name)

    def _hold(self) -> None:
        self._is_held = True
        if self._down is not None and self._down.kind == "point":
            self._labelling.start(self._down.name)
