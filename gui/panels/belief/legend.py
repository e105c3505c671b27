"""The legend of the heatmap's colours, for the panel's header."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.panels.belief.painting import Scale, heat
from gui.theme import Theme
from gui.widgets import RIGHT, SMOOTH, draw_text


class Legend(QWidget):
    """The heat scale from 0 to 1 as a strip."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._scale: Scale = "square root"
        self._restyle()

    def show_scale(self, scale: Scale) -> None:
        """Shows another scale."""
        self._scale = scale
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Applies the new sizes after a theme change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        self.setFixedSize(self._theme.px(96), self._theme.px(22))
        self.setToolTip(f"Probability 0 to 1, {self._scale} scale")
        self.setAccessibleName(self.toolTip())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the strip between the labels 0 and 1."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        strip = QRectF(px(16) + 0.5, self.height() / 2 - px(3.5), px(64), px(7))
        colours = QLinearGradient(strip.left(), 0, strip.right(), 0)
        for k in range(11):
            colours.setColorAt(k / 10, heat(theme, k / 10, self._scale))
        draw_text(painter, theme, QRectF(0, 0, px(12), self.height()), "0", "micro", "faint", align=RIGHT)
        painter.setPen(QPen(theme.colour("line_strong"), 1))
        painter.setBrush(colours)
        painter.drawRoundedRect(strip, 2, 2)
        draw_text(painter, theme, QRectF(px(84), 0, px(12), self.height()), "1", "micro", "faint",
                  align=Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        painter.end()
