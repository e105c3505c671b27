"""All keys on one sheet (F1)."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import CENTRE, SMOOTH, Line, draw_block, draw_text, text_width

Rows = Sequence[tuple[str, str]]
"""(key, what it does)."""


class _Table(QWidget):
    """Two columns of keys, painted."""

    def __init__(self, theme: Theme, rows: Rows):
        super().__init__()
        self._theme, self._rows = theme, rows
        self.setAccessibleName("Keys")
        self.setAccessibleDescription("; ".join(f"{key}: {what}" for key, what in rows))

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        half = (len(self._rows) + 1) // 2
        return QSize(self._theme.px(760), self._theme.px(24) * half + 4)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        del event
        painter, px = QPainter(self), self._theme.px
        painter.setRenderHint(SMOOTH)
        half, column, high = (len(self._rows) + 1) // 2, self.width() / 2, px(24)
        for k, (key, what) in enumerate(self._rows):
            x, y = (column if k >= half else 0.0), (k % half) * high
            cap = QRectF(x, y + 3, text_width(self._theme, key, "micro", 600) + px(12), high - 6)
            draw_block(painter, self._theme, cap, "raised", "line_strong", 3)
            draw_text(painter, self._theme, cap, key, "micro", "text", 600, CENTRE)
            words = QRectF(x + px(96), y, column - px(104), high)
            draw_text(painter, self._theme, words, what, "small", "text")
        painter.end()


class KeySheet(QDialog):
    """The sheet; Esc closes it."""

    def __init__(self, theme: Theme, rows: Rows, parent: QWidget):
        super().__init__(parent)
        self.setWindowTitle("Keys")
        px = theme.px
        column = QVBoxLayout(self)
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(8))
        column.addWidget(Line(theme, "Keys", "heading", "text", 650))
        column.addWidget(Line(theme, "Letters act only when no text field has the focus.", "small", "muted"))
        table = _Table(theme, rows)
        table.setMinimumSize(table.sizeHint())
        column.addWidget(table)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
