"""Dragging of a number's name left and right, which changes the number within its limits."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from core.common.parameters import Parameter
from gui.panels.parameters.fields import step_of

DRAG_FOR_STEP = 4.0
"""Pixels for each step of an arrow key. With Shift it takes ten times as many."""


class Scrub(QObject):
    """Filters the pointer events of a label. A press without a move does nothing."""

    moved = Signal(int)
    """Emitted with the number of steps from where the drag began."""
    settled = Signal()
    """Emitted when the drag is over."""

    def __init__(self, label: QWidget):
        super().__init__(label)
        label.setCursor(Qt.CursorShape.SizeHorCursor)
        label.setToolTip("Drag left or right to change it")
        label.installEventFilter(self)
        self._from: float | None = None
        self._steps = 0
        self._dragging = False

    def let_go(self) -> None:
        """Ends the drag, even if the button is still down."""
        self._from, self._dragging = None, False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Handles press, move and release."""
        del watched
        if not isinstance(event, QMouseEvent):
            return False
        if event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            self._from, self._steps = event.globalPosition().x(), 0
        elif event.type() == QEvent.Type.MouseMove and self._from is not None:
            self._follow(event.globalPosition().x() - self._from, event.modifiers())
        elif event.type() == QEvent.Type.MouseButtonRelease and self._from is not None:
            dragged = self._dragging
            self.let_go()
            if dragged:
                self.settled.emit()
        else:
            return False
        return True

    def _follow(self, way: float, modifiers: Qt.KeyboardModifier) -> None:
        slower = 10.0 if modifiers & Qt.KeyboardModifier.ShiftModifier else 1.0
        steps = round(way / (DRAG_FOR_STEP * slower))
        if steps != self._steps:
            self._steps, self._dragging = steps, True
            self.moved.emit(steps)


def scrubbed(parameter: Parameter, steps: int) -> int | float:
    """Returns the number that is `steps` steps from the current value, within the limits."""
    value, limits = parameter.value, parameter.limits
    assert isinstance(value, int | float), "only numbers are dragged"
    whole = isinstance(value, int)
    step = step_of(value, whole=whole)
    reached = min(limits.high, max(limits.low, value + steps * step))
    return round(reached) if whole else float(f"{reached:.6g}")
