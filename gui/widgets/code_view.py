"""The painted code of a program: a mark, a number and the text of each line.

A note is shown beside its line, or below it if there is no room.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from core.planning.facets import LineState, Program, ProgramLine
from gui.theme import Theme
from gui.widgets import RIGHT, SMOOTH, draw_block, draw_mark, draw_text, text_width

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
        told = (words_of(line, current=k == program.current) for k, line in enumerate(program.lines[:DESCRIBED])
                if line.text.strip())
        self.setAccessibleDescription("; ".join(told))
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
