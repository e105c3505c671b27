"""The box that shows a prompt or a reply, and the text field for the operator's answers."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QTextEdit, QVBoxLayout, QWidget

from gui.theme import Theme
from gui.widgets import SMOOTH, Line, draw_block

SCROLL_BAR = 8
Part = tuple[str, str]
"""A text and its colour token."""


class AnswerField(QPlainTextEdit):
    """A text field for the operator. Ctrl+Enter emits `sent`."""

    sent = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `sent` on Ctrl+Enter."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.sent.emit()
        else:
            super().keyPressEvent(event)


class MessageBox(QWidget):
    """A heading and a monospaced text behind a coloured edge.

    The box is as high as its text up to a limit. A longer text scrolls and starts at its end.
    """

    def __init__(self, theme: Theme, tone: str):
        super().__init__()
        self._theme, self._tone = theme, tone
        self._parts: tuple[Part, ...] = ()
        self.heading = Line(theme, "", "micro", tone, 650)
        self.text = QTextEdit()
        self.text.setReadOnly(True)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.text.setStyleSheet("background: transparent; border: 0; padding: 0;")
        self.text.document().setDocumentMargin(0)
        self.text.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.heading)
        self._column.addWidget(self.text)
        self._space()

    def _space(self) -> None:
        """Applies the theme's margins, which `height_for` assumes."""
        px = self._theme.px
        self._column.setContentsMargins(px(11), px(4), px(6), px(5))
        self._column.setSpacing(px(2))

    def say(self, heading: str, parts: Sequence[Part]) -> None:
        """Shows another text.

        Args:
            heading: the heading.
            parts: the paragraphs of the text with their colour tokens.
        """
        self.heading.say(heading)
        self._parts = tuple(parts)
        self.text.setAccessibleName(heading)
        self._fill()

    def height_for(self, width: int, most_lines: int) -> int:
        """Returns the height in pixels that the box needs, and fixes the height of its text accordingly.

        Args:
            width: in pixels.
            most_lines: the maximum number of lines shown.
        """
        theme = self._theme
        document = self.text.document()
        document.setTextWidth(max(20.0, width - theme.px(17) - SCROLL_BAR))
        high = min(document.size().height(), most_lines * theme.metrics("small", 400, True).lineSpacing()) + 2
        self.text.setFixedHeight(int(high))
        return int(high) + self.heading.sizeHint().height() + theme.px(12)

    def _fill(self) -> None:
        theme, cursor = self._theme, QTextCursor(self.text.document())
        self.text.setFont(theme.font("small", 400, True))
        self.text.clear()
        for k, (text, tone) in enumerate(self._parts):
            look = QTextCharFormat()
            look.setForeground(theme.colour(tone))
            cursor.insertText(("\n" if k else "") + text, look)
        self._to_the_end()

    def _to_the_end(self) -> None:
        """Scrolls to the end, because the end of a prompt changes most."""
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Keeps the end of the text visible."""
        super().resizeEvent(event)
        self._to_the_end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Applies the new fonts, colours and margins after a theme change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._space()
            if self._parts:
                self._fill()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the background and the coloured edge."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        draw_block(painter, self._theme, QRectF(self.rect()), "raised" if self._theme.name == "light" else "sunken", radius=5)
        draw_block(painter, self._theme, QRectF(0, 0, 3, self.height()), self._tone, radius=1.5)
        painter.end()
