"""The panel of a program, which the operator can edit."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import ClassVar

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from core.planning.facets import LineState, Program, ProgramLine
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.panels.base import Panel
from gui.theme import Theme
from gui.theme.boxes import hbox, vbox
from gui.widgets import RIGHT, Button, Line, draw_block, draw_mark, draw_text, text_width, tool_action
from gui.widgets.canvas import PaintedArea
from gui.widgets.numbers import count
from gui.widgets.text import TextField, ThemedWidget

ROW, NOTE = 20, 15
MARK, NUMBER, GAP = 22, 24, 8
DESCRIBED = 100
"""The most lines read out to assistive tools."""
TONES: dict[LineState, str] = {"plain": "faint", "waiting": "text", "done": "muted", "failed": "text", "skipped": "faint"}


def words_of(line: ProgramLine, *, current: bool) -> str:
    """Returns the text of a line with its state."""
    state = "under way" if current else line.state
    return f"{state}: {line.text.strip()}{f' ({line.note})' if line.note else ''}"


class CodeView(PaintedArea):
    """A view of a program. It keeps the current line visible."""

    wanted_edit = Signal(int)
    """Emitted with the index of the line that was double-clicked."""

    def __init__(self, theme: Theme, name: str):
        super().__init__(theme, name)
        self._program = Program(())
        self._tops: list[int] = [0]

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
        px = self.theme.px
        heights = (px(ROW) + (px(NOTE) if self._note_below(k) else 0) for k in range(len(self._program.lines)))
        self._tops = list(accumulate(heights, initial=px(4)))
        self.set_range(self.verticalScrollBar(), self._tops[-1] + px(4), self.viewport().height(), px(ROW))

    def _follow(self) -> None:
        """Scrolls to the current line, with two lines around it."""
        current, px = self._program.current, self.theme.px
        if not 0 <= current < len(self._program.lines):
            return
        bar, room = self.verticalScrollBar(), self.viewport().height()
        top, bottom = self._tops[current] - 2 * px(ROW), self._tops[current + 1] + 2 * px(ROW)
        if top < bar.value() or bottom > bar.value() + room:
            bar.setValue(max(top, 0) if top < bar.value() else bottom - room)

    def _text_room(self) -> float:
        px = self.theme.px
        return self.viewport().width() - px(MARK) - px(NUMBER) - px(2 * GAP)

    def _note_fits(self, line: ProgramLine) -> bool:
        code = text_width(self.theme, line.text, "small", 400, mono=True)
        return code + self.theme.px(2 * GAP) + text_width(self.theme, line.note, "micro") <= self._text_room()

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
    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints the visible lines."""
        del rect
        offset, room = self.verticalScrollBar().value(), self.viewport().height()
        first = max(0, bisect_right(self._tops, offset) - 1)
        for k in range(first, len(self._program.lines)):
            if self._tops[k] > offset + room:
                break
            self._paint_line(painter, k, QRectF(0, self._tops[k] - offset, self.viewport().width(),
                                                self._tops[k + 1] - self._tops[k]))

    def _paint_line(self, painter: QPainter, index: int, rect: QRectF) -> None:
        theme, px, line = self.theme, self.theme.px, self._program.lines[index]
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
            under = text.translated(self.theme.px(GAP), text.height() - self.theme.px(3))
            under.setHeight(self.theme.px(NOTE))
            draw_text(painter, self.theme, under.adjusted(0, 0, -self.theme.px(GAP), 0), line.note, "micro", tone)
        elif line.note and self._note_fits(line):
            draw_text(painter, self.theme, text, line.note, "micro", tone, align=RIGHT)

    def _paint_mark(self, painter: QPainter, line: ProgramLine, x: float, y: float, *, current: bool) -> None:
        """Paints the mark of a line.

        An arrow means current, a check done, an octagon failed, a dash skipped and a ring waiting. A plain line has no mark.
        """
        theme, px = self.theme, self.theme.px
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
        """Keeps the current line visible."""
        super().resizeEvent(event)
        self._follow()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `wanted_edit` for the line under the pointer."""
        index = self.line_at(event.position().y())
        if index >= 0:
            self.wanted_edit.emit(index)

    def tip_at(self, point: QPointF) -> str:
        """Returns the whole line at a point and its note, which may be cut."""
        index = self.line_at(point.y())
        line = self._program.lines[index] if index >= 0 else None
        return "\n".join(filter(None, (line.text.strip(), line.note))) if line is not None else ""


def with_text(program: Program, text: str) -> Program:
    """Returns the program with another text.

    The progress of the lines above the first changed line stays.
    """
    texts = text.rstrip("\n").split("\n")
    same = next((k for k, (new, old) in enumerate(zip(texts, program.lines, strict=False)) if new != old.text),
                min(len(texts), len(program.lines)))
    return Program((*program.lines[:same], *map(ProgramLine, texts[same:])), min(program.current, same))


def replaced(program: Program, old: str, new: str) -> Program | None:
    """Returns the program with a new text. None if its text is not the old one: the planner has written another program."""
    return with_text(program, new) if program.text == old else None


class TextEditor(ThemedWidget):
    """The text field with two buttons below it."""

    done = Signal(str)
    cancelled = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.field = TextField(may_cancel=True, indents=True)
        self.field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.field.setAccessibleName("Code of the program")
        self.apply = Button(theme, "Use this program", "check", "operator", self._finish)
        self.cancel = Button(theme, "Discard the changes", "", "plain", self.cancelled.emit)
        self._hint = Line(theme, "Ctrl Enter · Esc", "micro", "faint")
        foot = hbox(theme, (self._hint, 1), self.cancel, self.apply)
        vbox(theme, (self.field, 1), foot, on=self, spacing=6, margins=(8, 6, 8, 6))
        self.field.finished.connect(self._finish)
        self.field.cancelled.connect(self.cancelled)
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
    needs_live: ClassVar[str] = "Editing the program"

    def __init__(self, context: Context):
        super().__init__(context)
        self._facet = EditableFacet(context, Program, self.redraw)
        self._edited: Program | None = None
        self._empty = self.nothing("plan", "program", "The plan that the model writes as code, and its progress, appear here.")
        self.code, self.editor = CodeView(context.theme, "Lines of the program"), TextEditor(context.theme)
        self._pages = self.stack(self._empty, self.code)
        self._pages.addWidget(self.editor)
        self._edit = tool_action(self, context.theme, "Edit the program", "edit", self.edit, key="E")
        self.code.wanted_edit.connect(self.edit)
        self.editor.done.connect(self._use)
        self.editor.cancelled.connect(self._leave)
        context.live_changed.connect(lambda _: self._live())
        self._live()

    @property
    def program(self) -> Program | None:
        """The program to show: the operator's pending edit if there is one, otherwise the session's latest."""
        return self._facet.shown

    # --- what it shows -------------------------------------------------------------
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest program."""
        self._facet.show_snapshot(snapshot)
        if self.has_changed(snapshot.facet(Program)):
            self.redraw()

    def headline(self) -> str:
        """Returns the current line, and the number of failed and skipped lines."""
        return self.program.view().headline if self.program is not None else ""

    def tools(self) -> tuple[QAction, ...]:
        """Returns the edit action."""
        return (self._edit,)

    def redraw(self) -> None:
        """Draws the panel again at once."""
        program = self.program
        if self._edited is None:
            self._pages.setCurrentIndex(int(program is not None))
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
        self._pages.setCurrentWidget(self.editor)
        self.editor.begin(program.text, line if line >= 0 else program.current)

    def _leave(self) -> None:
        self._edited = None
        self.redraw()
        self.code.setFocus()

    def _use(self, text: str) -> None:
        """Applies an edit through the undo stack.

        The program may have advanced since the edit began, so only its text is changed.
        """
        edited, before = self._edited, self._facet.current
        self._edited = None
        if edited is not None and before is not None and text.rstrip("\n") != before.text:
            after = with_text(before, text)
            differing = sum(a.text != b.text for a, b in zip(before.lines, after.lines, strict=False))
            lines = max(1, differing + abs(len(after.lines) - len(before.lines)))
            self._facet.push_edit(f"changed {count(lines, 'line')} of the program",
                                  lambda now: replaced(now, before.text, after.text),
                                  lambda now: replaced(now, after.text, before.text))
        self._leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the editor on E."""
        if event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.edit()
        else:
            super().keyPressEvent(event)
