"""The legend of the tree's shapes, for the panel's header."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.panels.blocking.shapes import DRESS, draw_shape
from gui.theme import Theme
from gui.widgets import draw_text, text_width

WORDS = (("blocked", "blocked"), ("condition", "condition"), ("resolution", "resolution"), ("candidate", "candidate"),
         ("chosen", "selected"))


class Legend(QWidget):
    """Shows each shape at a small size, with its meaning."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.setAccessibleName("Octagon: blocked action; diamond: blocking condition; rectangle: resolution; pill: candidate, "
                               "with a check: selected; dashed: possibly")
        self.setToolTip("Dashed: may or may not have the wanted effect. Orchid outline: by the operator.")
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Applies the new sizes after a theme change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        px = self._theme.px
        wide = sum(px(37) + text_width(self._theme, words, "small") for _, words in WORDS)
        self.setFixedSize(int(wide), px(22))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the five shapes with their labels."""
        del event
        painter, theme, px, x = QPainter(self), self._theme, self._theme.px, 4.0
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for shape, words in WORDS:
            painter.setPen(QPen(theme.colour(DRESS[shape].line), 1.5))
            painter.setBrush(theme.colour(DRESS[shape].fill))
            draw_shape(painter, shape, QRectF(x, px(5), px(18), px(12)))
            took = draw_text(painter, theme, QRectF(x + px(23), 0, px(120), px(22)), words, "small", "muted")
            x += px(37) + took
        painter.end()
