"""The program panel: a plan written as code, its current line, the result of each line, and the operator's edits of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QTextCursor, QUndoCommand
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QStackedLayout, QVBoxLayout, QWidget

from core.planning.facets import Program, ProgramLine
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.editable_facet import EditableFacet
from gui.panels.base import Panel
from gui.theme import Theme
from gui.widgets import Button, EmptyState, Line, tool_action
from gui.widgets.code_view import CodeView
from gui.widgets.numbers import count


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


class ProgramPanel(Panel):
    """The program panel. It shows a plan as code, as ProgPrompt writes it."""

    name: ClassVar[str] = "program"
    title: ClassVar[str] = "Program"
    facets = frozenset({Program})
    icon: ClassVar[str] = "plan"

    def __init__(self, context: Context):
        super().__init__(context)
        self._told: Program | None = None
        self._held = EditableFacet(context, Program)
        self._edited: Program | None = None
        self._empty = EmptyState(context.theme, "plan", "No program yet",
                                 "The plan that the model writes as code, and its progress, appear here.")
        self.code, self.editor = CodeView(context.theme, "Lines of the program"), TextEditor(context.theme)
        self._stack = QStackedLayout(self)
        for widget in (self._empty, self.code, self.editor):
            self._stack.addWidget(widget)
        self._edit = tool_action(self, context.theme, "Edit the program", "edit", self.edit, key="E")
        self.code.wanted_edit.connect(self.edit)
        self.editor.done.connect(self._use)
        self.editor.given_up.connect(self._leave)
        context.live_changed.connect(lambda _: self._live())
        self._live()

    @property
    def program(self) -> Program | None:
        """The program to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._held.shown

    # --- what it shows -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest program."""
        program = snapshot.facet(Program)
        self._held.show_snapshot(snapshot)
        if program is self._told:
            return
        self._told = program
        self._draw()

    def headline(self) -> str:
        """Returns the current line, and the number of failed and skipped lines."""
        program = self.program
        if program is None or not program.lines:
            return ""
        states = Counter(line.state for line in program.lines)
        where = f"line {program.current + 1} of {len(program.lines)}" if 0 <= program.current < len(program.lines) else (
            "not started" if program.current < 0 else "ended")
        return " · ".join([where, *(f"{states[s]} {s}" for s in ("failed", "skipped") if states[s])])

    def tools(self) -> tuple[QAction, ...]:
        """Returns the edit action."""
        return (self._edit,)

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self._draw()

    def _draw(self) -> None:
        program = self.program
        if self._edited is None:
            self._stack.setCurrentWidget(self.code if program is not None else self._empty)
        self.code.show_program(program or Program(()))
        self._live()

    def _live(self) -> None:
        self._edit.setEnabled(self.context.live and self.program is not None)
        if not self.context.live and self._edited is not None:
            self._leave()

    # --- the operator's edits --------------------------------------------------------
    def edit(self, line: int = -1) -> None:
        """Opens the code as text, with the cursor in the given line, or in the current line without one."""
        program = self.program
        if program is None or not self.context.live or self._edited is not None:
            return
        self._edited = program
        self._stack.setCurrentWidget(self.editor)
        self.editor.begin(program.text, line if line >= 0 else program.current)

    def _leave(self) -> None:
        self._edited = None
        self._draw()
        self.code.setFocus()

    def _use(self, text: str) -> None:
        """Applies an edit through the undo stack.

        The program may have advanced since the edit began, so only its text is changed.
        """
        before, now = self._edited, self._held.current
        self._edited = None
        if before is not None and now is not None and text.rstrip("\n") != now.text:
            after = with_text(now, text)
            differing = sum(a.text != b.text for a, b in zip(now.lines, after.lines, strict=False))
            lines = max(1, differing + abs(len(after.lines) - len(now.lines)))
            self.context.undo.push(EditProgram(f"changed {count(lines, 'line')} of the program", now, after,
                                               lambda: self._held.current, self._say))
        self._leave()

    def _say(self, program: Program, why: str) -> None:
        self._held.post_edit(program, why)
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the editor on E."""
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.edit()
        else:
            super().keyPressEvent(event)
