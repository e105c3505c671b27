"""A row with one task to choose, which is read whole: a long one takes several lines."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from gui.theme import Theme
from gui.widgets.painting import LEFT, RIGHT, SMOOTH, draw_block, draw_text, text_width
from gui.widgets.text import ThemedWidget

WRAPPED = LEFT | Qt.TextFlag.TextWordWrap


class TaskRow(ThemedWidget):
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
        self._least = 30 if takes_focus else 28
        """Height in pixels of a row of one line, at 100 % text size."""
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if takes_focus else Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{text} ({note})" if note else text if takes_focus else f"Use “{text}”")

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the size of one line."""
        flag, left, right = self._edges
        del flag
        width = text_width(self._theme, self.text, "body", 500) + self._note_width() + self._theme.px(left + right)
        return QSize(int(width) + 2, self._theme.px(self._least))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Returns the least size: a few words a line."""
        return QSize(self._theme.px(120), self._theme.px(self._least))

    def heightForWidth(self, width: int) -> int:  # noqa: N802 - Qt's name
        """Returns the height in which the whole task is shown at a width, in pixels."""
        return max(self._theme.px(self._least), self._lines_high(width) + self._theme.px(12))

    def _lines_high(self, width: int) -> int:
        flag, left, right = self._edges
        del flag
        inner = width - self._theme.px(left + right) - self._note_width()
        fonts = self._theme.metrics("body", 500)
        return int(fonts.boundingRect(QRectF(0, 0, max(1.0, inner), 10_000), WRAPPED, self.text).height() + 0.99)

    def _note_width(self) -> float:
        return text_width(self._theme, self._note)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Asks for the height that the new width needs."""
        super().resizeEvent(event)
        self.restyle()

    def restyle(self) -> None:
        """Asks for the height that the present width and text size need."""
        self.setMinimumHeight(self.heightForWidth(self.width()))  # cards that know no height for a width get it so, too
        self.updateGeometry()

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
        words = rect.adjusted(px(left), 0, -self._note_width() - px(right), 0)
        draw_text(painter, theme, words, self.text, "body", "text", 500, WRAPPED, elide=False)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(12), 0), self._note, "small", "faint", align=RIGHT)
        painter.end()
