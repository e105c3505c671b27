"""The selected cell below the heatmap: its value, its prior, a slider, and the controls that change it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy

from gui.control.context import Context
from gui.control.key_labels import KeyLabel
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import Button, Line, draw_mark
from gui.widgets.numbers import probability
from gui.widgets.text import PaintedWidget

KEY_STEP, PAGE_STEP = 0.01, 0.1
Key = Qt.Key


class ProbabilitySlider(PaintedWidget):
    """A slider from 0 to 1. Keys and dragging stop at `most`, which is below 1 if other cells of the row are pinned."""

    moved = Signal(float)
    settled = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._value, self._prior, self._most = 0.0, 0.0, 1.0
        self._flips: tuple[float, ...] = ()
        self._held = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Probability")

    def show_value(self, value: float, prior: float, most: float, flips: tuple[float, ...] = ()) -> None:
        """Shows a value.

        Args:
            value: the probability.
            prior: the probability according to the model.
            most: the highest probability the slider can take.
            flips: the probabilities at which the planner's decision changes.
        """
        if (value, prior, most, flips) != (self._value, self._prior, self._most, self._flips):
            self._value, self._prior, self._most, self._flips = value, prior, most, flips
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

    def paint(self, painter: QPainter) -> None:
        """Paints the track, the heat scale up to the value, the tick and the knob."""
        theme = self._theme
        (left, right), y, half = self._span(), self.height() / 2, theme.px(3)
        x, tick = left + (right - left) * self._value, left + (right - left) * self._prior
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("line"))
        painter.drawRoundedRect(QRectF(left, y - half, right - left, 2 * half), half, half)
        painter.setBrush(theme.heat_gradient(left, right))
        painter.drawRoundedRect(QRectF(left, y - half, x - left, 2 * half), half, half)
        painter.setPen(QPen(theme.colour("muted"), 1.5))
        painter.drawLine(QPointF(tick, y - theme.px(7)), QPointF(tick, y + theme.px(7)))
        for flip in self._flips:
            draw_mark(painter, "diamond", left + (right - left) * flip, y, theme.px(4), theme.colour("warn"))
        tone = "selection" if self.isEnabled() else "line_strong"
        draw_mark(painter, "circle", x, y, theme.px(7), theme.colour("surface"), theme.colour(tone))
        if self.hasFocus():
            draw_mark(painter, "circle", x, y, theme.px(3), theme.colour("accent"))

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


NARROW = 330
"""Pixels at text size 100 %. If the editor is narrower, its buttons show only their glyphs."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selected cell as texts and numbers. Probabilities are in [0, 1].

    Attributes:
        thing: the label of the object.
        where: the location with its preposition.
        value: its probability.
        prior: its probability according to the model.
        most: the highest probability it can take.
        was: its probability before the last change, or None.
        pinned: whether the operator pinned it.
        zeroed: whether the operator ruled it out.
        why_not: why it cannot be edited. Empty if it can.
        undo: the last edit of the belief, which the button undoes. Empty if there is none.
        said: how many of the model's answers name the place. Empty if it was not asked.
        flips: at which probabilities the present decision changes.
        flip_words: the same as text; empty if that is not known.
    """

    thing: str
    where: str
    value: float
    prior: float
    most: float
    was: float | None = None
    pinned: bool = False
    zeroed: bool = False
    why_not: str = ""
    undo: str = ""
    said: str = ""
    flips: tuple[float, ...] = ()
    flip_words: str = ""


class CellEditor(PaintedWidget):
    """The controls of the selected cell: a slider, a number field, and the buttons Pin, Zero and Undo.

    It only emits signals. Its owner makes the edit and calls `show_cell` with the result.
    """

    moved = Signal(float)
    settled = Signal()
    typed = Signal(float)
    pin = Signal()
    zero = Signal()
    undo = Signal()

    def __init__(self, context: Context):
        super().__init__()
        self._theme = theme = context.theme
        self._cell = Chosen("", "", 0, 0, 1)
        self._title, self._note = Line(theme, "", "body", "selection", 600), Line(theme, "", "small", "muted")
        self.number = QLineEdit()
        self.slider = ProbabilitySlider(theme)
        self._pin = Button(theme, "Pin", "pin", act=self.pin.emit)
        self._zero = Button(theme, "Zero", "zero", act=self.zero.emit)
        self._undo = Button(theme, "Undo", "undo", act=self.undo.emit)
        self._build()
        KeyLabel(context, self, self.number.setToolTip, "Type a probability: .3, 30 or 30 % ({E})")
        self._pin_tip = KeyLabel(context, self, self._pin.setToolTip, "")
        self._zero_tip = KeyLabel(context, self, self._zero.setToolTip, "")
        self.restyle()

    def _build(self) -> None:
        theme = self._theme
        self._top = hbox(theme, self._title, (self._note, 1), self.number)
        self._foot = hbox(theme, (self.slider, 1), self._pin, self._zero, self._undo)
        self._column = vbox(theme, self._top, self._foot, on=self, spacing=2)
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.setAccessibleName("Probability, as a number")
        self.number.returnPressed.connect(self._take_number)
        self.number.editingFinished.connect(self._show_number)
        self.slider.moved.connect(self.moved)
        self.slider.settled.connect(self.settled)

    # --- display -------------------------------------------------------------
    def show_cell(self, cell: Chosen) -> None:
        """Shows another cell or another value."""
        if cell == self._cell:
            return
        self._cell = cell
        self._title.say(f"{cell.thing} {cell.where}")
        self._note.say(self._said(cell))
        self.slider.show_value(cell.value, cell.prior, cell.most, cell.flips)
        self._show_number()
        free = not cell.why_not
        for widget in (self.slider, self.number, self._pin, self._zero):
            widget.setEnabled(free)
        self._undo.setEnabled(free and bool(cell.undo))
        self._undo.setToolTip(f"Undo: {cell.undo}" if cell.undo else "Nothing to undo")
        self._dress()

    @staticmethod
    def _said(cell: Chosen) -> str:
        parts = [f"was {probability(cell.was) or '0'}"] if cell.was is not None and abs(cell.was - cell.value) >= 0.005 else []
        parts.append(f"prior {probability(cell.prior) or '0'}")
        parts += [cell.said] if cell.said else []
        parts += [cell.flip_words] if cell.flip_words else []
        parts += ["pinned"] * cell.pinned + ["ruled out by you"] * cell.zeroed + ([cell.why_not] if cell.why_not else [])
        return " · ".join(parts)

    def _show_number(self) -> None:
        if not self.number.hasFocus() or not self.number.isModified():
            self.number.setText(f"{self._cell.value:.2f}")

    def type(self, text: str) -> None:
        """Gives the number field the focus.

        Args:
            text: the text that the field starts with. Empty selects the number shown.
        """
        self.number.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if text:
            self.number.setText(text)
            self.number.setModified(True)
        else:
            self.number.selectAll()

    def _take_number(self) -> None:
        value = read_number(self.number.text())
        self.number.setModified(False)
        if value is not None:
            self.typed.emit(value)
        self.number.setText(f"{self._cell.value:.2f}")
        self.number.selectAll()

    # --- appearance ------------------------------------------------------------
    def _dress(self) -> None:
        words = self.width() >= self._theme.px(NARROW)
        cell = self._cell
        self._pin.dress(("Unpin" if cell.pinned else "Pin") if words else "", "pin", "operator" if cell.pinned else "plain")
        self._zero.dress(("Allow" if cell.zeroed else "Zero") if words else "", "zero", "operator" if cell.zeroed else "plain")
        self._undo.dress("Undo" if words else "", "undo")
        for button, name in ((self._pin, "Unpin" if cell.pinned else "Pin"), (self._zero, "Allow" if cell.zeroed else "Zero"),
                             (self._undo, "Undo")):
            button.setAccessibleName(name)
        self._pin_tip.set_text("Unpin ({P})" if cell.pinned else "Pin this probability ({P})")
        self._zero_tip.set_text("Allow it again ({Z})" if cell.zeroed else "Rule it out ({Z})")

    def show_foot(self, shown: bool) -> None:
        """Shows or hides the slider and the buttons. Keys and the heatmap offer the same edits."""
        for part in (self.slider, self._pin, self._zero, self._undo):
            part.setVisible(shown)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns a width that fits the buttons without text."""
        return QSize(self._theme.px(190), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Shows the buttons' texts if they fit."""
        super().resizeEvent(event)
        self._dress()

    def restyle(self) -> None:
        """Takes the fonts and sizes of the theme again."""
        px = self._theme.px
        self.number.setFont(self._theme.font("heading", 650))
        self.number.setFixedSize(px(58), px(26))
        self._top.setSpacing(px(8))
        self._foot.setSpacing(px(5))
        self._column.setContentsMargins(px(10), px(6), px(8), px(8))

    def paint(self, painter: QPainter) -> None:
        """Paints a line along the top."""
        painter.fillRect(0, 0, self.width(), 1, self._theme.colour("line"))


def read_number(text: str) -> float | None:
    """Returns a typed number (`.3`, `0,3`, `30` or `30 %`) as a probability in [0, 1], or None if it is not valid."""
    percent = text.strip().endswith("%")
    try:
        value = float(text.strip().removesuffix("%").strip().replace(",", "."))
    except ValueError:
        return None
    if percent or 1 < value <= 100:
        value /= 100
    return value if 0 <= value <= 1 else None
