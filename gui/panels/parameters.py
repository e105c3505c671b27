"""The parameters panel: a property editor built from the planner's description of its parameters."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QScrollArea, QWidget

from core.common.errors import UsageError
from core.common.parameters import Parameter, Parameters, Value, changed, described
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.previews import Previews
from gui.panels.base import Panel
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import Line, Prose, Tool, tool_action
from gui.widgets import numbers as say


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


SETTLE_MS = 300
"""Milliseconds after the last key before a typed value is sent to the session."""


class ParameterRow(QWidget):
    """A row with a parameter. It sends a value once it has settled and is allowed; otherwise it shows a message."""

    def __init__(self, theme: Theme, parameter: Parameter, say: Callable[[str, Value, Value], None], preview: Previews):
        super().__init__()
        self._theme, self._say, self._preview = theme, say, preview
        self._parameter, self._parameters, self._initial = parameter, Parameters(), parameter.value
        self._typed: Value | None = None
        self.name = Line(theme, parameter.name.replace("_", " "), "body", "text", 500)
        self.field = make_field(parameter, self._edited)
        self.field.setAccessibleName(parameter.name.replace("_", " "))
        self.field.setAccessibleDescription(parameter.limits.help)
        self._help = Prose(theme, parameter.limits.help)
        self._wrong = Prose(theme, "", "small", "bad")
        self._wrong.hide()
        self._reset = tool_action(self, theme, "", "undo", self.reset)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self.settle)
        if isinstance(self.field, QLineEdit):
            self.field.editingFinished.connect(self.settle)
            self.field.returnPressed.connect(self._leave)
        self._scrub = Scrub(self.name) if isinstance(self.field, NumberField) else None
        if self._scrub is not None:
            self._scrub.moved.connect(self._drag)
            self._scrub.settled.connect(self.settle)
        self._lay_out()

    def _lay_out(self) -> None:
        theme = self._theme
        self.reset_tool = Tool(theme, self._reset)
        policy = self.reset_tool.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_tool.setSizePolicy(policy)
        line = hbox(theme, (self.name, 1), self.field, self.reset_tool, spacing=6)
        line.setAlignment(self.field, Qt.AlignmentFlag.AlignRight)
        vbox(theme, line, self._help, self._wrong, on=self, spacing=2, margins=(12, 5, 6, 5))

    def show_parameter(self, parameter: Parameter, parameters: Parameters, initial: Value, live: bool) -> None:
        """Shows the current value. A value that is being typed is left alone."""
        self._parameter, self._parameters, self._initial = parameter, parameters, initial
        if self._typed is None:
            show_value(self.field, parameter.value)
        self.field.setEnabled(live)
        width = self._theme.px(130 if parameter.limits.choices else 92)
        if not isinstance(parameter.value, bool):
            self.field.setFixedWidth(width)
        allowed = range_words(parameter)
        unit = f"{allowed} {parameter.limits.unit}".strip()
        self._help.say(f"{parameter.limits.help} · {unit}" if unit else parameter.limits.help)
        self._reset.setText(f"Reset to {written(initial)}, its value when the run began")
        self._reset.setToolTip(self._reset.text())
        self.reset_tool.setVisible(live and parameter.value != initial)
        self.name.say(self.name.text, "text" if parameter.value == initial else "operator_act")

    def wrong(self) -> str:
        """Returns the message about what was typed, or ""."""
        return "" if self._wrong.isHidden() else self._wrong.text()

    def reset(self) -> None:
        """Resets the parameter to the value the run began with."""
        self._typed = self._initial
        show_value(self.field, self._initial)
        self.settle()

    def _edited(self, value: Value) -> None:
        self._typed = value
        if isinstance(self.field, QLineEdit):
            self._settle.start()
            self._ask_preview()
        else:
            self.settle()

    def _drag(self, steps: int) -> None:
        """Shows a value during a drag without sending it."""
        if self.field.isEnabled():
            self._typed = scrubbed(self._parameter, steps)
            show_value(self.field, self._typed)
            self._ask_preview()

    def _ask_preview(self) -> None:
        """Asks for a preview of the typed value, if it is allowed."""
        try:
            value = self._allowed()
        except UsageError:
            self._preview.clear()
            return
        self._preview.ask(f"{self.name.text} is {written(value)}", parameters=((self._parameter.name, value),))

    def let_go(self) -> None:
        """Discards a value that is dragged or typed and not sent yet."""
        if self._scrub is not None:
            self._scrub.let_go()
        if self._typed is not None:
            self._settle.stop()
            self._typed = None
            self._complain("")
            show_value(self.field, self._parameter.value)

    def _allowed(self) -> Value:
        """Returns the set value, converted to the parameter's type.

        Raises:
            UsageError: the value is not allowed.
        """
        assert self._typed is not None, "asked for after it was set"
        value: Value = vars(changed(self._parameters, {self._parameter.name: self._typed}))[self._parameter.name]
        return value

    def settle(self) -> None:
        """Sends the set value, if it is allowed."""
        self._settle.stop()
        if self._typed is None:
            return
        try:
            value = self._allowed()
        except UsageError as error:
            self._complain(str(error))
            return
        self._complain("")
        self._typed = None
        if value == self._parameter.value:
            self._preview.clear()
        else:
            self._preview.release()
            self._say(self._parameter.name, value, self._parameter.value)

    def _leave(self) -> None:
        """Ends typing on Enter unless the value is wrong, so that the next keys go to the window."""
        self.settle()
        if not self.wrong():
            self.field.clearFocus()

    def _complain(self, words: str) -> None:
        self._wrong.say(words[:1].upper() + words[1:])
        self._wrong.setVisible(bool(words))


class ParametersPanel(Panel):
    """The parameters panel.

    A change is sent at once. It takes effect at the planner's next yield and stays for the next runs. Each change can be
    undone.
    """

    name: ClassVar[str] = "parameters"
    title: ClassVar[str] = "Parameters"
    icon: ClassVar[str] = "parameters"
    needs_live: ClassVar[str] = "Changing a parameter"

    def __init__(self, context: Context):
        super().__init__(context)
        self._parameters: Parameters | None = None
        self._initial: Parameters | None = None
        self.rows: dict[str, ParameterRow] = {}
        self._list = QWidget()
        self._column = vbox(context.theme, on=self._list, spacing=0, margins=(0, 4, 0, 4))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._list)
        area.viewport().setAutoFillBackground(False)
        self._list.setAutoFillBackground(False)
        self._pages = self.stack(self.nothing(
            "parameters", "parameters", "What a planner lets you change appears here when a run begins.",
            lambda snapshot: "This planner has nothing that could be changed.", helps=False), area)
        context.live_changed.connect(lambda _: self._show())
        context.preview.cancelled.connect(self._let_go)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest values."""
        initial = snapshot.began.parameters if snapshot.began is not None else snapshot.parameters
        if self.has_changed(snapshot.parameters, initial):
            another = type(snapshot.parameters) is not type(self._parameters)
            self._parameters, self._initial = snapshot.parameters, initial
            if another:
                self._build()
            self._show()

    def headline(self) -> str:
        """Returns how many parameters there are, and how many were changed."""
        if self._parameters is None or not self.rows:
            return ""
        moved = sum(value != self._initially().get(name) for name, value in self._now().items())
        return say.count(len(self.rows), "parameter") + (f" · {moved} changed" if moved else "")

    def redraw(self) -> None:
        """Builds the rows again with the colours and sizes of the theme."""
        self._build()
        self._show()

    def _now(self) -> dict[str, Value]:
        return {p.name: p.value for p in described(self._parameters)} if self._parameters is not None else {}

    def _initially(self) -> dict[str, Value]:
        """Returns the values that the run began with. A planner of another kind is compared with its own defaults."""
        if self._initial is not None and type(self._initial) is type(self._parameters):
            return {p.name: p.value for p in described(self._initial)}
        if self._parameters is None:
            return {}
        fields = dataclasses.fields(self._parameters)
        return {f.name: f.default for f in fields if f.default is not dataclasses.MISSING}

    def _build(self) -> None:
        for row in self.rows.values():
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        while self._column.count():
            self._column.takeAt(0)
        self.rows = {}
        for parameter in described(self._parameters) if self._parameters is not None else ():
            row = ParameterRow(self.context.theme, parameter, self._say, self.context.preview)
            self.rows[parameter.name] = row
            self._column.addWidget(row)
        self._column.addStretch(1)
        self._pages.setCurrentIndex(int(bool(self.rows)))

    def _show(self) -> None:
        if self._parameters is None:
            return
        initial = self._initially()
        for parameter in described(self._parameters):
            first = initial.get(parameter.name, parameter.value)
            self.rows[parameter.name].show_parameter(parameter, self._parameters, first, self.context.live)

    def _let_go(self) -> None:
        for row in self.rows.values():
            row.let_go()

    def _say(self, name: str, value: Value, before: Value) -> None:
        self.context.push_parameter(f"Set {name.replace('_', ' ')}", name, value, before)
