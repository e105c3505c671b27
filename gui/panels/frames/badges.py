"""Captions over a picture: white text on a dark background, kept inside the pane and clear of each other."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.theme import Theme
from gui.widgets import draw_text, text_width

MARGIN = 4.0


class Badges:
    """Draws captions one after the other, without overlaps.

    Draw the important captions first. A caption that finds no free room is left out, unless it is drawn with `must`.

    Args:
        bounds: the rectangle of the pane, in pixels.
    """

    def __init__(self, painter: QPainter, theme: Theme, bounds: QRectF):
        self._painter, self._theme = painter, theme
        self._bounds = bounds.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
        self._corner = QRectF()
        self.taken: list[QRectF] = []

    def size(self, text: str, strong: str = "") -> tuple[float, float]:
        """Returns the width and height of a caption, in pixels."""
        width = text_width(self._theme, text, "small", 500) + (self._gap + text_width(self._theme, strong, "small", 650)
                                                               if strong else 0.0)
        return min(width + self._theme.px(12), self._bounds.width()), float(self._theme.px(18))

    @property
    def _gap(self) -> float:
        return float(self._theme.px(5))

    def keep(self, rect: QRectF) -> None:
        """Reserves a rectangle, so that no caption is drawn there."""
        self.taken.append(rect)

    def beside(self, box: QRectF, text: str, strong: str = "", tone: QColor | None = None, *, must: bool = False,
               ring: QColor | None = None) -> None:
        """Draws a caption at a box: above it, inside its top edge, or below it; left edge first, then right, then centred."""
        width, height = self.size(text, strong)
        tops = (box.y() - height - 2, box.y() + 3, box.bottom() + 2)
        lefts = (box.x() + 3, box.right() - width, box.center().x() - width / 2)
        self._first_fit([(x, y) for y in tops for x in lefts], text, strong, tone, must, ring)

    def around(self, point: QPointF, text: str, strong: str = "", tone: QColor | None = None, *, must: bool = False) -> None:
        """Draws a caption next to a point: to its right, left, above or below."""
        width, height = self.size(text, strong)
        gap = self._theme.px(9)
        places = [(point.x() + gap, point.y() - height / 2), (point.x() - gap - width, point.y() - height / 2),
                  (point.x() - width / 2, point.y() - gap - height), (point.x() - width / 2, point.y() + gap)]
        self._first_fit(places, text, strong, tone, must, None)

    def corner(self, text: str) -> QRectF:
        """Draws the caption of the picture itself, at the lower left. Returns its rectangle."""
        left, top = self._bounds.x() + 2, self._bounds.bottom() - self._theme.px(20)
        self._corner = self._inside(left, top, *self.size(text))
        self._draw(self._corner, text, "", None, None)
        return self._corner

    def pill(self, centre: QPointF, text: str, tone: QColor) -> None:
        """Draws a number centred on a point, unless it would overlap another caption."""
        width, height = text_width(self._theme, text, "small", 650) + self._theme.px(10), float(self._theme.px(16))
        rect = self._inside(centre.x() - width / 2, centre.y() - height / 2, width, height)
        if self._is_free(rect):
            self.taken.append(rect)
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.setBrush(self._theme.picture("ink", 0.8))
            self._painter.drawRoundedRect(rect, height / 2, height / 2)
            draw_text(self._painter, self._theme, rect, text, "small", tone, 650, Qt.AlignmentFlag.AlignCenter, elide=False)

    def _first_fit(self, places: list[tuple[float, float]], text: str, strong: str, tone: QColor | None, must: bool,
                   ring: QColor | None) -> None:
        size = self.size(text, strong)
        rects = [self._inside(x, y, *size) for x, y in places]
        free = next((rect for rect in rects if self._is_free(rect)), rects[0] if must else None)
        if free is not None:
            if free.intersects(self._corner):
                free.moveBottom(self._corner.y() - 2)
            self._draw(free, text, strong, tone, ring)

    def _inside(self, x: float, y: float, width: float, height: float) -> QRectF:
        b = self._bounds
        return QRectF(max(b.x(), min(x, b.right() - width)), max(b.y(), min(y, b.bottom() - height)), width, height)

    def _is_free(self, rect: QRectF) -> bool:
        return not any(rect.adjusted(-2, -1, 2, 1).intersects(other) for other in self.taken)

    def _draw(self, rect: QRectF, text: str, strong: str, tone: QColor | None, ring: QColor | None) -> None:
        painter, theme = self._painter, self._theme
        self.taken.append(rect)
        painter.setPen(QPen(ring, 1.5) if ring is not None else Qt.PenStyle.NoPen)
        painter.setBrush(theme.picture("ink", 0.8))
        painter.drawRoundedRect(rect, 4, 4)
        paper, inset = QColor("#FFFFFF"), theme.px(6)
        last = text_width(theme, strong, "small", 650) + self._gap if strong else 0.0
        took = draw_text(painter, theme, rect.adjusted(inset, 0, -inset - last, 0), text, "small", paper, 500)
        if strong:
            after = rect.adjusted(inset + took + self._gap, 0, 0, 0)
            draw_text(painter, theme, after, strong, "small", tone or paper, 650, elide=False)
