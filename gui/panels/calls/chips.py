"""A row of chips that wraps to the next line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import Theme
from gui.widgets import SMOOTH, ChipLook, draw_chip, text_width


class ChipFlow(QWidget):
    """A widget that paints chips and wraps them to its width."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._looks: tuple[ChipLook, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_looks(self, looks: Sequence[ChipLook]) -> None:
        """Shows other chips."""
        self._looks = tuple(looks)
        self.setAccessibleName(", ".join(f"{look.text} {look.strong}".strip() for look in looks))
        self.update()

    def height_for(self, width: int) -> int:
        """Returns the height in pixels that the chips need at a width."""
        return max((int(rect.bottom()) for _, rect in self._placed(width)), default=0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the chips."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(SMOOTH)
        for look, rect in self._placed(self.width()):
            draw_chip(painter, self._theme, rect, look)
        painter.end()

    def _placed(self, width: int) -> Iterator[tuple[ChipLook, QRectF]]:
        theme, px = self._theme, self._theme.px
        x, y, high = 0.0, 0.0, px(22)
        for look in self._looks:
            wide = text_width(theme, look.text, "small", 500) + px(15) + (px(17) if look.icon else 0)
            wide += text_width(theme, look.strong, "small", 650) + px(5) if look.strong else 0
            wide = min(wide + 1, float(width))
            if x and x + wide > width:
                x, y = 0.0, y + high + px(4)
            yield look, QRectF(x, y, wide, high)
            x += wide + px(5)
