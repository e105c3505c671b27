"""The painted lines of the log."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.control.event_log import Line
from gui.panels.log.lines import Book
from gui.theme import Theme
from gui.widgets import RIGHT, draw_text, text_width
from gui.widgets.lists import Rows
from gui.widgets.numbers import clock


class LogRows(Rows):
    """A list of lines with time, icon and text. The tooltip shows the whole line."""

    def __init__(self, theme: Theme, book: Book):
        super().__init__(theme, row=20)
        self._book = book
        self.setAccessibleName("Log")
        self.hovered.connect(self._tip)

    def count(self) -> int:
        """Returns the number of lines shown."""
        return len(self._book.shown)

    def row_words(self, index: int) -> str:
        """Returns a line as text."""
        line = self._book.shown[index]
        return f"{clock(line.at)}, {line.text}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line, with a hairline above it where a turn begins."""
        theme, px, line = self.theme, self.theme.px, self._book.shown[index]
        if index == self.current:
            painter.fillRect(rect, theme.colour("selection_bg"))
            painter.fillRect(QRectF(0, rect.y(), 3, rect.height()), theme.colour("selection"))
        elif index == self.under:
            painter.fillRect(rect, theme.colour("hover"))
        if index and self._book.shown[index - 1].turn != line.turn:
            painter.fillRect(QRectF(0, rect.y(), rect.width(), 1), theme.colour("line"))
        wide = max(px(44), text_width(theme, clock(line.at), "micro") + px(4))
        draw_text(painter, theme, QRectF(px(6), rect.y(), wide, rect.height()), clock(line.at), "micro", "faint", align=RIGHT)
        x, side = px(14) + wide, px(13)
        painter.drawPixmap(int(x), int(rect.center().y() - side / 2 + 0.5), theme.pixmap(line.icon, side, line.who))
        x += px(19)
        room = QRectF(x, rect.y(), rect.right() - x - px(8), rect.height())
        draw_text(painter, theme, room, line.text, "small", line.tone, 500 if line.kind in ("action", "fault") else 400)

    def line(self, index: int) -> Line | None:
        """Returns the line of a row, or None if there is no such row."""
        return self._book.shown[index] if 0 <= index < self.count() else None

    def at_the_end(self) -> bool:
        """Returns True if the newest line is visible. The list then follows the end."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - self.row_height()

    def to_the_end(self) -> None:
        """Scrolls to the newest line."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def _tip(self, index: int) -> None:
        line = self.line(index)
        self.viewport().setToolTip("" if line is None else line.text)
