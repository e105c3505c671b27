"""One field of a form: its name, its editor, and its meaning, or an error instead of the meaning."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.common.parameters import Parameter, Value
from gui.panels.parameters import make_field, range_words, show_value
from gui.theme import Theme
from gui.widgets import Prose

NAMES, NUMBERS = 124, 130
"""Width in pixels of the column of names, and of fields for numbers."""


class FieldRow(QWidget):
    """A labelled editor with an optional widget `beside` it, on the right."""

    def __init__(self, theme: Theme, title: str, field: QWidget, help: str = "", beside: QWidget | None = None,
                 *, narrow: bool = False):
        super().__init__()
        self._theme, self.field, self._narrow = theme, field, narrow
        self.label = Prose(theme, title, "body", "text", 500)
        self.label.setWordWrap(False)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.label.setBuddy(field)
        field.setAccessibleName(title)
        field.setAccessibleDescription(help)
        self._help, self._wrong = Prose(theme, help), Prose(theme, "", "small", "bad")
        self._beside = beside
        self._lay_out(beside)
        self.complain("")
        self._measure()

    def _lay_out(self, beside: QWidget | None) -> None:
        px = self._theme.px
        row, self._column, line = QHBoxLayout(self), QVBoxLayout(), QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(px(10))
        self._column.setSpacing(px(2))
        line.setSpacing(px(6))
        line.addWidget(self.field, 0 if self._narrow else 1)
        if beside is not None:
            line.addWidget(beside)
        if self._narrow:
            line.addStretch(1)
        self._column.addLayout(line)
        self._column.addWidget(self._help)
        self._column.addWidget(self._wrong)
        row.addWidget(self.label, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._column, 1)

    def _measure(self) -> None:
        px = self._theme.px
        self.label.setFixedWidth(px(NAMES))
        self.label.setFixedHeight(px(28))
        if not isinstance(self.field, QCheckBox):
            self.field.setFont(self._theme.font("body"))
            self.field.setFixedHeight(px(28))
        if self._narrow and not isinstance(self.field, QCheckBox):
            self.field.setFixedWidth(px(NUMBERS))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Adapts to a change of theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._measure()

    @property
    def wrong(self) -> str:
        """The error shown, or empty."""
        return self._wrong.text()

    def complain(self, words: str) -> None:
        """Shows an error; empty removes it."""
        self._wrong.say(words)
        self._wrong.setVisible(bool(words))
        self._help.setVisible(bool(self._help.text()) and not words)
        self.field.setAccessibleDescription(words or self._help.text())

    def text(self) -> str:
        """The editor's value as text."""
        match self.field:
            case QCheckBox() as box:
                return "true" if box.isChecked() else "false"
            case QComboBox() as combo:
                return combo.currentText().strip()
            case QLineEdit() as line:
                return line.text().strip()
        return ""

    def show_text(self, value: Value) -> None:
        """Puts a value into the editor."""
        if isinstance(self.field, QComboBox) and self.field.isEditable():
            self.field.setEditText(str(value))
        else:
            show_value(self.field, value)


def setting_row(theme: Theme, parameter: Parameter, title: str, changed: Callable[[], object], field: QWidget | None = None,
                beside: QWidget | None = None) -> FieldRow:
    """Returns the row of a provider's setting. Without a `field`, an editor for the setting's type is created."""
    def on_change(value: Value) -> None:
        del value
        if isinstance(editor, QCheckBox):
            editor.setText("on" if editor.isChecked() else "off")
        changed()

    editor = field or make_field(parameter, on_change)
    allowed = f"{range_words(parameter)} {parameter.limits.unit}".strip()
    meaning = parameter.limits.help[:1].upper() + parameter.limits.help[1:]
    narrow = not isinstance(parameter.value, str) or bool(parameter.limits.choices)
    row = FieldRow(theme, title, editor, f"{meaning} · {allowed}" if allowed else meaning, beside, narrow=narrow)
    row.show_text(parameter.value)
    return row
