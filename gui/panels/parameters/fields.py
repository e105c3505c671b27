"""The editors of parameters, one for each kind."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from core.common.parameters import Parameter, Value


def written(value: Value) -> str:
    """Returns a value as text to type, such as `0.95` or `100`."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_words(parameter: Parameter) -> str:
    """Returns the allowed range, such as `1 to 1,000,000` or `at least 0`; "" if anything is allowed."""
    limits = parameter.limits
    if isinstance(parameter.value, bool | str):
        return ""
    low, high = (f"{x:,g}" if abs(x) < 1e6 else f"{x:,.0f}" for x in (limits.low, limits.high))
    if math.isinf(limits.low) and math.isinf(limits.high):
        return ""
    if math.isinf(limits.high):
        return f"at least {low}"
    return f"at most {high}" if math.isinf(limits.low) else f"{low} to {high}"


def step_of(value: float, *, whole: bool) -> float:
    """Returns the step of an arrow key: a power of ten from a hundredth to a tenth of the value.

    The step of a whole number is at least 1.
    """
    power = 10.0 ** math.floor(math.log10(abs(value))) if value else 0.1
    return max(1.0, power / 10) if whole else power / 10


class NumberField(QLineEdit):
    """A field for a number. ↑ and ↓ change it by one step (see `step_of`).

    It accepts any text. The parameter row shows a message if the value is not allowed.
    """

    def __init__(self, whole: bool, changed: Callable[[str], None]):
        super().__init__()
        self._whole = whole
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.textEdited.connect(changed)
        self._changed = changed

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Changes the number on the arrow keys."""
        way = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()), 0)
        if not way:
            super().keyPressEvent(event)
            return
        try:
            value = float(self.text())
        except ValueError:
            return  # no number to step from: the message is shown beside the field
        value += way * step_of(value, whole=self._whole)
        self.setText(str(round(value)) if self._whole else f"{value:g}")
        self._changed(self.text())


class Choice(QComboBox):
    """A choice among a few values. The wheel scrolls the panel and does not change the choice."""

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Passes the wheel event on to the panel."""
        event.ignore()


def make_field(parameter: Parameter, changed: Callable[[Value], None]) -> QWidget:
    """Returns the editor of a parameter.

    `changed` receives what the operator sets; numbers are passed as the typed text.
    """
    value, choices = parameter.value, parameter.limits.choices
    if isinstance(value, bool):
        box = QCheckBox()
        box.clicked.connect(changed)
        return box
    if choices:
        choice = Choice()
        choice.addItems(list(choices))
        choice.textActivated.connect(changed)
        return choice
    if isinstance(value, str):
        field = QLineEdit()
        field.textEdited.connect(changed)
        return field
    return NumberField(isinstance(value, int), changed)


def show_value(field: QWidget, value: Value) -> None:
    """Shows a value in its editor without calling `changed`."""
    if isinstance(field, QCheckBox):
        field.setChecked(bool(value))
        field.setText("on" if value else "off")
    elif isinstance(field, QComboBox):
        field.setCurrentText(str(value))
    elif isinstance(field, QLineEdit) and field.text() != written(value):
        field.setText(written(value))
