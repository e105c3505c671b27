"""An overlay over content from before the last action. The content stays visible, dimmed and labelled."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.theme import Theme
from gui.widgets.painting import CENTRE, SMOOTH, draw_block, draw_text, text_width


class StaleVeil(QWidget):
    """A widget that covers another and follows its size. Clicks go through it."""

    def __init__(self, theme: Theme, over: QWidget, text: str = ""):
        super().__init__(over)
        self._theme, self._text = theme, text
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        over.installEventFilter(self)
        self.setGeometry(over.rect())
        self.setVisible(bool(text))

    def say(self, text: str) -> None:
        """Dims the covered widget and shows why (`From turn 6 · new search in a moment`). An empty text hides the overlay."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()
        self.setVisible(bool(text))
        if text:
            self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Follows the size of the covered widget."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a tint, and a pill with the text near the bottom."""
        del event
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(SMOOTH)
        painter.fillRect(self.rect(), theme.tinted("surface", 0.55))
        high = theme.px(26)
        text, most = self._text, self.width() - 12.0
        if text_width(theme, text, "small", 500) + theme.px(32) > most:
            text = text.partition(" · ")[0]
        width = min(most, text_width(theme, text, "small", 500) + theme.px(32))
        pill = QRectF((self.width() - width) / 2, self.height() - high - theme.px(12), width, high)
        draw_block(painter, theme, pill, "raised", "line_strong", high / 2)
        draw_text(painter, theme, pill.adjusted(8, 0, -8, 0), text, "small", "text", 500, CENTRE)
        painter.end()
