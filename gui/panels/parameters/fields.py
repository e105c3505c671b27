"""One editor for each kind of parameter."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from core.common.parameters import Parameter, Value


def written(value: Value) -> str:
    """A value as one types it: `0.95`, `100`."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def range_words(parameter: Parameter) -> str:
    """What it allows: `1 to 1,000,000`, `at least 0`; empty where anything goes."""
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
    """How far an arrow key goes: about a tenth, in round numbers."""
    power = 10.0 ** math.floor(math.log10(abs(value))) if value else 0.1
    return max(1.0, power / 10) if whole else power / 10


class NumberField(QLineEdit):
    """A number one types; ↑ and ↓ go by about a tenth. It takes anything: whether it is allowed is said in words."""

    def __init__(self, whole: bool, changed: Callable[[str], None]):
        super().__init__()
        self._whole = whole
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.textEdited.connect(changed)
        self._changed = changed

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Arrow keys change the number."""
        way = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()), 0)
        if not way:
            super().keyPressEvent(event)
            return
        try:
            value = float(self.text())
        except ValueError:
            return  # nothing to count from: what is wrong is said beside the field
        value += way * step_of(value, whole=self._whole)
        self.setText(str(round(value)) if self._whole else f"{value:g}")
        self._changed(self.text())


class Choice(QComboBox):
    """One of a few; the wheel scrolls the panel, not the choice."""

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Leave the wheel to the panel."""
        event.ignore()


def make_field(parameter: Parameter, changed: Callable[[Value], None]) -> QWidget:
    """The editor of a parameter; `changed` hears what the operator sets, numbers as the text that was typed."""
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
    """Show a value in its editor, without telling."""
    if isinstance(field, QCheckBox):
        field.setChecked(bool(value))
        field.setText("on" if value else "off")
    elif isinstance(field, QComboBox):
        field.setCurrentText(str(value))
    elif isinstance(field, QLineEdit) and field.text() != written(value):
        field.setText(written(value))
