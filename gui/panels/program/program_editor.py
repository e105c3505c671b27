"""The operator's edits of a program: a plain text editor, and the command on the undo stack."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor, QUndoCommand
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from core.planners.progprompt.recorded_types import Program
from core.planning.facets import ProgramLine
from gui.theme import Theme
from gui.widgets import Button, Line


def with_text(program: Program, text: str) -> Program:
    """Returns the program with another text.

    The progress of the lines above the first changed line stays.
    """
    texts = text.rstrip("\n").split("\n")
    same = next((k for k, (new, old) in enumerate(zip(texts, program.lines, strict=False)) if new != old.text),
                min(len(texts), len(program.lines)))
    return Program((*program.lines[:same], *map(ProgramLine, texts[same:])), min(program.current, same))


class EditProgram(QUndoCommand):
    """An undoable change of a program's text. Nothing is changed if the planner has written another program since.

    Args:
        before: the program that was edited.
        after: the program after the edit.
        now: returns the newest program.
        say: shows a program and posts it to the session, with the reason.
    """

    def __init__(self, words: str, before: Program, after: Program, now: Callable[[], Program | None],
                 say: Callable[[Program, str], None]):
        super().__init__(words)
        self._before, self._after, self._now, self._say = before.text, after.text, now, say

    def redo(self) -> None:
        """Applies the new text."""
        self._put(self._before, self._after, self.text())

    def undo(self) -> None:
        """Restores the old text."""
        self._put(self._after, self._before, f"undo: {self.text()}")

    def _put(self, old: str, new: str, why: str) -> None:
        now = self._now()
        if now is None or now.text != old:
            self.setObsolete(True)
        else:
            self._say(with_text(now, new), why)


class Field(QPlainTextEdit):
    """A plain text field. Ctrl+Enter finishes the edit, Escape discards it."""

    done = Signal()
    given_up = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `done` on Ctrl+Enter and `given_up` on Escape."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.done.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)


class TextEditor(QWidget):
    """The text field with two buttons below it."""

    done = Signal(str)
    given_up = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.field = Field()
        self.field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.field.setAccessibleName("Code of the program")
        self.apply = Button(theme, "Use this program", "check", "operator", self._finish)
        self.cancel = Button(theme, "Discard the changes", "", "plain", self.given_up.emit)
        self._hint = Line(theme, "Ctrl Enter · Esc", "micro", "faint")
        row = QHBoxLayout()
        row.addWidget(self._hint, 1)
        row.addWidget(self.cancel)
        row.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(8), theme.px(6), theme.px(8), theme.px(6))
        column.setSpacing(theme.px(6))
        column.addWidget(self.field, 1)
        column.addLayout(row)
        self.field.done.connect(self._finish)
        self.field.given_up.connect(self.given_up)
        self._restyle()

    def begin(self, text: str, line: int) -> None:
        """Starts editing a text, with the cursor at the end of a line."""
        self.field.setPlainText(text)
        block = self.field.document().findBlockByNumber(max(0, line))
        cursor = QTextCursor(block) if block.isValid() else self.field.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self.field.setTextCursor(cursor)
        self.field.setFocus()

    def _finish(self) -> None:
        self.done.emit(self.field.toPlainText())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the font of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        self.field.setFont(self._theme.font("small", 400, True))
