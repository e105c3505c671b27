"""The row of one parameter: its name, its editor, its meaning with range and unit, and a message if a value is not allowed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.common.errors import UsageError
from core.common.parameters import Parameter, Parameters, Value, changed
from gui.control.previews import Previews
from gui.panels.parameters.fields import NumberField, make_field, range_words, show_value, written
from gui.panels.parameters.scrub import Scrub, scrubbed
from gui.theme import Theme
from gui.widgets import Line, Prose, Tool, tool_action

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
        px = self._theme.px
        column = QVBoxLayout(self)
        column.setContentsMargins(px(12), px(5), px(6), px(5))
        column.setSpacing(px(2))
        line = QHBoxLayout()
        line.setSpacing(px(6))
        self.reset_tool = Tool(self._theme, self._reset)
        policy = self.reset_tool.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset_tool.setSizePolicy(policy)
        line.addWidget(self.name, 1)
        line.addWidget(self.field, 0, Qt.AlignmentFlag.AlignRight)
        line.addWidget(self.reset_tool)
        column.addLayout(line)
        column.addWidget(self._help)
        column.addWidget(self._wrong)

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
            self._wonder()
        else:
            self.settle()

    def _drag(self, steps: int) -> None:
        """Shows a value during a drag without sending it."""
        if self.field.isEnabled():
            self._typed = scrubbed(self._parameter, steps)
            show_value(self.field, self._typed)
            self._wonder()

    def _wonder(self) -> None:
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
