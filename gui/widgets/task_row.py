"""A row with one task to choose."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.theme import Theme
from gui.widgets.painting import RIGHT, SMOOTH, draw_block, draw_text, text_width


class TaskRow(QWidget):
    """One task to choose: a flag, its text, and a note on the right.

    Args:
        theme: the colours and fonts.
        text: the task.
        note: what is said about it.
        takes_focus: whether it can have the keyboard focus; otherwise `choose` marks it.
    """

    clicked = Signal(str)

    def __init__(self, theme: Theme, text: str, note: str = "", *, takes_focus: bool = True):
        super().__init__()
        self._theme, self.text, self._note, self._chosen = theme, text, note, False
        self._edges = (10, 34, 24) if takes_focus else (9, 31, 10)
        """Pixels left of the flag, left of the text, and right of it, at 100 % text size."""
        self.setFixedHeight(theme.px(30 if takes_focus else 28))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if takes_focus else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{text} ({note})" if note else text if takes_focus else f"Use “{text}”")
        self.setToolTip("" if takes_focus else text)

    def choose(self, chosen: bool) -> None:
        """Marks or unmarks the row as the one that Enter takes."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the task."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self.text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the task on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit(self.text)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a flag, the text and the note."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        rect, side, (flag, left, right) = QRectF(self.rect()), px(14), self._edges
        marked = self._chosen or self.hasFocus()
        draw_block(painter, theme, rect, "hover" if marked or self.underMouse() else "raised", "accent" if marked else "line",
                   5)
        painter.drawPixmap(px(flag), int((self.height() - side) / 2), theme.pixmap("goal", side))
        note = text_width(theme, self._note)
        draw_text(painter, theme, rect.adjusted(px(left), 0, -note - px(right), 0), self.text, "body", "text", 500)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(12), 0), self._note, "small", "faint", align=RIGHT)
        painter.end()
