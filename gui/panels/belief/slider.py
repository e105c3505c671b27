"""A slider for a probability, with a tick at the model's prior."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import Theme
from gui.widgets import SMOOTH, draw_mark
from gui.widgets.numbers import probability

KEY_STEP, PAGE_STEP = 0.01, 0.1
Key = Qt.Key


class ProbabilitySlider(QWidget):
    """A slider from 0 to 1. Keys and dragging stop at `most`, which is below 1 if other cells of the row are pinned."""

    moved = Signal(float)
    settled = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._value, self._prior, self._most = 0.0, 0.0, 1.0
        self._held = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Probability")

    def show_value(self, value: float, prior: float, most: float) -> None:
        """Shows a value.

        Args:
            value: the probability.
            prior: the probability according to the model.
            most: the highest probability the slider can take.
        """
        if (value, prior, most) != (self._value, self._prior, self._most):
            self._value, self._prior, self._most = value, prior, most
            self.setAccessibleDescription(f"{probability(value) or '0'}, prior {probability(prior) or '0'}")
            self.setToolTip("" if most > 0.999 else f"Up to {probability(most) or '0'}: the rest of the row is pinned")
            self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the usual size of a control."""
        return QSize(self._theme.px(120), self._theme.px(26))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size that can still be dragged."""
        return QSize(self._theme.px(48), self._theme.px(26))

    def _span(self) -> tuple[float, float]:
        margin = float(self._theme.px(8))
        return margin, self.width() - margin

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the track, the heat scale up to the value, the tick and the knob."""
        del event
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(SMOOTH)
        (left, right), y, half = self._span(), self.height() / 2, theme.px(3)
        x, tick = left + (right - left) * self._value, left + (right - left) * self._prior
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("line"))
        painter.drawRoundedRect(QRectF(left, y - half, right - left, 2 * half), half, half)
        painter.setBrush(theme.heat_gradient(left, right))
        painter.drawRoundedRect(QRectF(left, y - half, x - left, 2 * half), half, half)
        painter.setPen(QPen(theme.colour("muted"), 1.5))
        painter.drawLine(QPointF(tick, y - theme.px(7)), QPointF(tick, y + theme.px(7)))
        tone = "selection" if self.isEnabled() else "line_strong"
        draw_mark(painter, "circle", x, y, theme.px(7), theme.colour("surface"), theme.colour(tone))
        if self.hasFocus():
            draw_mark(painter, "circle", x, y, theme.px(3), theme.colour("accent"))
        painter.end()

    # --- pointer and keys ------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Moves to the pointer and begins a drag."""
        self._held = True
        self._to(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Follows the pointer during a drag."""
        if self._held:
            self._to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Ends the drag and emits `settled`."""
        del event
        if self._held:
            self._held = False
            self.settled.emit()

    def let_go(self) -> None:
        """Stops the drag even if the mouse button is still down."""
        self._held = False

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Changes the value by 0.01 with the arrow keys and by 0.1 with the Page keys."""
        steps = {Key.Key_Left: -KEY_STEP, Key.Key_Down: -KEY_STEP, Key.Key_Right: KEY_STEP, Key.Key_Up: KEY_STEP,
                 Key.Key_PageUp: PAGE_STEP, Key.Key_PageDown: -PAGE_STEP}
        step = steps.get(Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self.moved.emit(min(self._most, max(0.0, self._value + step)))
        self.settled.emit()

    def _to(self, x: float) -> None:
        left, right = self._span()
        self.moved.emit(min(self._most, max(0.0, (x - left) / max(1.0, right - left))))
