"""The panels of plans written as lines: programs, which the operator can edit, and the steps of a plan."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from itertools import accumulate
from typing import ClassVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
    QUndoCommand,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QStackedLayout,
    QToolTip,
    QVBoxLayout,
)

from core.planners.progprompt.recorded_types import Program
from core.planning.facets import LineState, ProgramLine, Steps
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.panels.base import Panel
from gui.theme import Theme
from gui.widgets import RIGHT, SMOOTH, Button, EmptyState, Line, draw_block, draw_mark, draw_text, text_width, tool_action
from gui.widgets.numbers import count
from gui.widgets.text import ThemedWidget

ROW, NOTE = 20, 15
MARK, NUMBER, GAP = 22, 24, 8
DESCRIBED = 100
"""The most lines read out to assistive tools."""
TONES: dict[LineState, str] = {"plain": "faint", "waiting": "text", "done": "muted", "failed": "text", "skipped": "faint"}


def words_of(line: ProgramLine, *, current: bool) -> str:
    """Returns the text of a line with its state."""
    state = "under way" if current else line.state
    return f"{state}: {line.text.strip()}{f' ({line.note})' if line.note else ''}"


class CodeView(QAbstractScrollArea):
    """A view of a program. It keeps the current line visible."""

    wanted_edit = Signal(int)
    """Emitted with the index of the line that was double-clicked."""

    def __init__(self, theme: Theme, name: str):
        super().__init__()
        self._theme, self._program = theme, Program(())
        self._tops: list[int] = [0]
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(name)

    @property
    def program(self) -> Program:
        """The program that is shown."""
        return self._program

    def show_program(self, program: Program) -> None:
        """Shows another program, or the same with more progress."""
        moved = program.current != self._program.current
        self._program = program
        described = (words_of(line, current=k == program.current) for k, line in enumerate(program.lines[:DESCRIBED])
                if line.text.strip())
        self.setAccessibleDescription("; ".join(described))
        self.measure()
        if moved:
            self._follow()
        self.viewport().update()

    def measure(self) -> None:
        """Updates the heights of the lines and the scroll range."""
        px = self._theme.px
        heights = (px(ROW) + (px(NOTE) if self._note_below(k) else 0) for k in range(len(self._program.lines)))
        self._tops = list(accumulate(heights, initial=px(4)))
        bar, room = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, self._tops[-1] + px(4) - room))
        bar.setPageStep(room)
        bar.setSingleStep(px(ROW))

    def _follow(self) -> None:
        """Scrolls to the current line, with two lines around it."""
        current, px = self._program.current, self._theme.px
        if not 0 <= current < len(self._program.lines):
            return
        bar, room = self.verticalScrollBar(), self.viewport().height()
        top, bottom = self._tops[current] - 2 * px(ROW), self._tops[current + 1] + 2 * px(ROW)
        if top < bar.value() or bottom > bar.value() + room:
            bar.setValue(max(top, 0) if top < bar.value() else bottom - room)

    def _text_room(self) -> float:
        px = self._theme.px
        return self.viewport().width() - px(MARK) - px(NUMBER) - px(2 * GAP)

    def _note_fits(self, line: ProgramLine) -> bool:
        code = text_width(self._theme, line.text, "small", 400, mono=True)
        return code + self._theme.px(2 * GAP) + text_width(self._theme, line.note, "micro") <= self._text_room()

    def _note_below(self, index: int) -> bool:
        """Returns True if a note gets a line of its own: only notes of failed lines and of the current line do."""
        line = self._program.lines[index]
        matters = line.state == "failed" or index == self._program.current
        return bool(line.note) and matters and not self._note_fits(line)

    def line_at(self, y: float) -> int:
        """Returns the line at a height of the viewport, or -1."""
        index = bisect_right(self._tops, y + self.verticalScrollBar().value()) - 1
        return index if 0 <= index < len(self._program.lines) else -1

    # --- painting -----------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the visible lines."""
        del event
        painter = QPainter(self.viewport())
        painter.setRenderHint(SMOOTH)
        offset, room = self.verticalScrollBar().value(), self.viewport().height()
        first = max(0, bisect_right(self._tops, offset) - 1)
        for k in range(first, len(self._program.lines)):
            if self._tops[k] > offset + room:
                break
            self._paint_line(painter, k, QRectF(0, self._tops[k] - offset, self.viewport().width(),
                                                self._tops[k + 1] - self._tops[k]))
        painter.end()

    def _paint_line(self, painter: QPainter, index: int, rect: QRectF) -> None:
        theme, px, line = self._theme, self._theme.px, self._program.lines[index]
        current = index == self._program.current
        if current:
            draw_block(painter, theme, rect.adjusted(px(4), 0, -px(4), 0), "accent_bg", radius=px(4))
            draw_block(painter, theme, QRectF(px(4), rect.y(), 3, rect.height()), "accent", radius=1.5)
        row = QRectF(rect.x(), rect.y(), rect.width(), px(ROW))
        self._paint_mark(painter, line, px(4) + px(MARK) / 2, row.center().y(), current=current)
        number = QRectF(px(MARK), row.y(), px(NUMBER), row.height())
        draw_text(painter, theme, number, str(index + 1), "micro", "accent" if current else "faint", 600 if current else 400,
                  RIGHT, mono=True)
        left = px(MARK) + px(NUMBER) + px(GAP)
        text = QRectF(left, row.y(), self._text_room(), row.height())
        tone = "text" if current else TONES[line.state]
        draw_text(painter, theme, text, line.text, "small", tone, 600 if current else 400, mono=True)
        self._paint_note(painter, line, text, below=self._note_below(index))

    def _paint_note(self, painter: QPainter, line: ProgramLine, text: QRectF, *, below: bool) -> None:
        tone = "bad" if line.state == "failed" else "faint"
        if below:
            under = text.translated(self._theme.px(GAP), text.height() - self._theme.px(3))
            under.setHeight(self._theme.px(NOTE))
            draw_text(painter, self._theme, under.adjusted(0, 0, -self._theme.px(GAP), 0), line.note, "micro", tone)
        elif line.note and self._note_fits(line):
            draw_text(painter, self._theme, text, line.note, "micro", tone, align=RIGHT)

    def _paint_mark(self, painter: QPainter, line: ProgramLine, x: float, y: float, *, current: bool) -> None:
        """Paints the mark of a line.

        An arrow means current, a check done, an octagon failed, a dash skipped and a ring waiting. A plain line has no mark.
        """
        theme, px = self._theme, self._theme.px
        if current or line.state == "done":
            side = px(13)
            name, tone = ("run", "accent") if current else ("check", "good")
            painter.drawPixmap(QPointF(x - side / 2, y - side / 2), theme.pixmap(name, side, tone))
        elif line.state == "failed":
            draw_mark(painter, "octagon", x, y, px(5), theme.colour("bad_bg"), theme.colour("bad"))
        elif line.state == "skipped":
            painter.setPen(QPen(theme.colour("faint"), 1.5))
            painter.drawLine(QPointF(x - px(4), y), QPointF(x + px(4), y))
        elif line.state == "waiting":
            draw_mark(painter, "ring", x, y, px(3), None, theme.colour("idle"))

    # --- the operator ---------------------------------------------------------------
    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Updates the heights of the lines."""
        super().resizeEvent(event)
        self.measure()
        self._follow()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `wanted_edit` for the line under the pointer."""
        index = self.line_at(event.position().y())
        if index >= 0:
            self.wanted_edit.emit(index)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Shows a tooltip with the whole line and its note, which may be cut."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._tip(event.pos(), event.globalPos())
            return True
        return super().viewportEvent(event)

    def _tip(self, at: QPoint, where: QPoint) -> None:
        index = self.line_at(at.y())
        line = self._program.lines[index] if index >= 0 else None
        QToolTip.showText(where, "\n".join(x for x in (line.text.strip(), line.note) if x) if line is not None else "", self)


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


class TextEditor(ThemedWidget):
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
        self.restyle()

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

    def restyle(self) -> None:
        """Takes the fonts and sizes of the theme again."""
        self.field.setFont(self._theme.font("small", 400, True))


class ProgramPanel(Panel):
    """The program panel. It shows a plan as code, as ProgPrompt writes it."""

    name: ClassVar[str] = "program"
    title: ClassVar[str] = "Program"
    facets = frozenset({Program})
    icon: ClassVar[str] = "plan"

    def __init__(self, context: Context):
        super().__init__(context)
        self._reported: Program | None = None
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
        if program is self._reported:
            return
        self._reported = program
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


class PlanPanel(Panel):
    """Shows a plan of several steps. LLM-State emits such plans."""

    name: ClassVar[str] = "plan"
    title: ClassVar[str] = "Plan"
    facets = frozenset({Steps})
    icon: ClassVar[str] = "plan"

    def __init__(self, context: Context):
        super().__init__(context)
        self._steps: Steps | None = None
        self._empty = EmptyState(context.theme, "plan", "No plan yet",
                                 "The steps that the model plans, and their progress, appear here.")
        self.view = CodeView(context.theme, "Steps of the plan")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the snapshot's plan."""
        steps = snapshot.facet(Steps)
        if steps is self._steps:
            return
        self._steps = steps
        self._draw()

    def headline(self) -> str:
        """Returns the number of the current step, and how many steps failed or were skipped."""
        steps = self._steps
        if steps is None or not steps.lines:
            return ""
        states = Counter(line.state for line in steps.lines)
        where = f"step {steps.current + 1} of {len(steps.lines)}" if steps.current >= 0 else "not started"
        return " · ".join([where, *(f"{states[s]} {s}" for s in ("failed", "skipped") if states[s])])

    def restyle(self) -> None:
        """Draws the steps again in the new theme."""
        self._draw()

    def _draw(self) -> None:
        steps = self._steps
        self._stack.setCurrentWidget(self.view if steps is not None and steps.lines else self._empty)
        self.view.show_program(Program(steps.lines, steps.current) if steps is not None else Program(()))
