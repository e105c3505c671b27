"""The editor of a text of several lines, or of code, that takes the place of what is shown while it is written."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from core.views.values import Edit, Write
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import Button, Line, TextField
from gui.widgets.text import ThemedWidget


class TextEditor(ThemedWidget):
    """A text field with two buttons below it.

    Attributes:
        done: the text is written: the Edit, and its value.
        cancelled: it is left as it was.
    """

    done = Signal(object, object)
    cancelled = Signal()

    def __init__(self, theme: Theme, edit: Edit):
        super().__init__()
        assert isinstance(edit.form, Write)
        self._theme, self._edit, self._form = theme, edit, edit.form
        is_code = edit.form.kind == "code"
        self.field = TextField(may_cancel=True, indents=is_code)
        wrap = QPlainTextEdit.LineWrapMode.NoWrap if is_code else QPlainTextEdit.LineWrapMode.WidgetWidth
        self.field.setLineWrapMode(wrap)
        self.field.setAccessibleName(edit.title)
        self.field.setPlaceholderText(edit.form.hint)
        self.field.setPlainText(edit.form.now)
        self.apply = Button(theme, "Use this code" if is_code else "Use this text", "check", "operator", self._finish)
        self.cancel = Button(theme, "Discard the changes", "", "plain", self.cancelled.emit)
        hint = Line(theme, "Ctrl Enter · Esc", "micro", "faint")
        vbox(theme, (self.field, 1), hbox(theme, (hint, 1), self.cancel, self.apply), on=self, spacing=6, margins=(8, 6, 8, 6))
        self.field.finished.connect(self._finish)
        self.field.cancelled.connect(self.cancelled)
        self.restyle()

    def begin(self) -> None:
        """Gives the field the keyboard, with the cursor at the end of the line in which writing begins."""
        document, line = self.field.document(), self._form.line
        block = document.findBlockByNumber(line) if 0 <= line < document.blockCount() else document.lastBlock()
        cursor = QTextCursor(block)
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self.field.setTextCursor(cursor)
        self.field.setFocus()

    def _finish(self) -> None:
        self.done.emit(self._edit, self.field.toPlainText())

    def restyle(self) -> None:
        """Takes the fonts and sizes of the theme again."""
        self.field.setFont(self._theme.font("small", 400, self._form.kind == "code"))


def is_long(edit: Edit) -> bool:
    """Returns True if the value of an edit is written in this editor."""
    return isinstance(edit.form, Write) and edit.form.kind != "line"
