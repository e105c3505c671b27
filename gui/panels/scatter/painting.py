"""The painter of value against visits: axes, trails, marks, and the names of the best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from core.world.vocabulary import Action
from gui.panels.scatter.geometry import Range, place_labels, radius, value_range, value_ticks, visit_ticks, visits_range
from gui.panels.scatter.trails import Point, Trails
from gui.theme import Theme
from gui.widgets import CENTRE, RIGHT, Names, draw_mark, draw_text, loss_mark, saved, text_width
from gui.widgets.numbers import signed, whole

NAMED = 4
"""Number of the best actions that are labelled."""


@dataclass(frozen=True, slots=True)
class Plot:
    """The mapping from data to pixels of the widget."""

    area: QRectF
    values: Range
    visits: Range

    def place(self, value: float, visits: int) -> QPointF:
        """Returns the position of a value and a visit count in pixels."""
        up = self.visits.share(math.log10(visits + 1))
        right = self.values.share(value)
        return QPointF(self.area.left() + right * self.area.width(), self.area.bottom() - up * self.area.height())


def make_plot(theme: Theme, width: float, height: float, trails: Trails) -> Plot:
    """Returns the axes that fit all points, including their trails."""
    past = [place for point in trails.points for place in trails.of(point.action)]
    visits = visits_range(max((v for _, v in past), default=1))
    left = theme.px(24) + max(text_width(theme, whole(t), "micro") for t in (*visit_ticks(visits), 1)) + theme.px(4)
    area = QRectF(left, theme.px(8), width - left - theme.px(12), height - theme.px(8) - theme.px(36))
    return Plot(area, value_range(v for v, _ in past), visits)


class ScatterPainter:
    """Paints the scatter plot."""

    def __init__(self, theme: Theme):
        self._theme = theme

    def paint(self, painter: QPainter, plot: Plot, trails: Trails, names: Names, selected: Action | None) -> None:
        """Paints the axes, the trails, the marks from the worst to the best, and last the labels."""
        self._axes(painter, plot)
        with saved(painter):
            painter.setClipRect(plot.area.adjusted(0, -6, 8, 0))
            for point in reversed(trails.points):
                self._trail(painter, plot, point, trails)
        for point in reversed(trails.points):
            self._mark(painter, plot, point, point.action == selected)
        self._names(painter, plot, trails.points, names, selected)

    def _axes(self, painter: QPainter, plot: Plot) -> None:
        theme, area, px = self._theme, plot.area, self._theme.px
        grid, line = QPen(theme.tinted("line_strong", 0.30), 1), QPen(theme.colour("line_strong"), 1)
        fewer = max(2, int(area.width() / px(44)))
        ticks = value_ticks(plot.values, fewer)
        for tick in ticks:
            x = area.left() + plot.values.share(tick) * area.width()
            painter.setPen(grid)
            painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
            text = signed(f"{tick:.2f}".rstrip("0").rstrip("."))
            room = QRectF(x - px(22), area.bottom() + px(3), px(44), px(14))
            draw_text(painter, theme, room, text, "micro", "muted", align=CENTRE)
        lowest = math.inf
        for visits in visit_ticks(plot.visits):
            y = plot.place(plot.values.low, visits).y()
            painter.setPen(grid)
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            if lowest - y >= px(13):
                lowest = y
                room = QRectF(px(18), y - px(7), area.left() - px(18) - px(5), px(14))
                draw_text(painter, theme, room, whole(visits), "micro", "muted", align=RIGHT)
        painter.setPen(line)
        painter.drawLine(QLineF(area.bottomLeft(), area.bottomRight()))
        painter.drawLine(QLineF(area.topLeft(), area.bottomLeft()))
        foot = QRectF(area.left(), area.bottom() + px(18), area.width(), px(15))
        draw_text(painter, theme, foot, "value Q", "small", "muted", align=CENTRE)
        painter.save()
        painter.translate(px(10), area.center().y())
        painter.rotate(-90)
        draw_text(painter, theme, QRectF(-px(60), -px(8), px(120), px(16)), "visits", "small", "muted", align=CENTRE)
        painter.restore()

    def _trail(self, painter: QPainter, plot: Plot, point: Point, trails: Trails) -> None:
        """Paints the trail of one point. Older segments are more transparent."""
        places = [plot.place(value, visits) for value, visits in trails.of(point.action)]
        tone, _ = loss_mark(point.ranked.loss)
        pieces = list(pairwise(places))
        for k, (one, other) in enumerate(pieces):
            painter.setPen(QPen(self._theme.tinted(tone, 0.15 + 0.45 * (k + 1) / len(pieces)), 2, c=Qt.PenCapStyle.RoundCap))
            painter.drawLine(one, other)

    def _mark(self, painter: QPainter, plot: Plot, point: Point, selected: bool) -> None:
        theme, place = self._theme, plot.place(point.value, point.visits)
        tone, shape = loss_mark(point.ranked.loss)
        fill = theme.tinted(tone, 0.32 if point.visits > 2 else 0.14)
        size = radius(point.ranked.prior, theme.scale)
        draw_mark(painter, shape, place.x(), place.y(), size, fill, theme.colour("selection" if selected else tone))
        if selected:
            draw_mark(painter, shape, place.x(), place.y(), size + 1, None, theme.colour("selection"))

    def _names(self, painter: QPainter, plot: Plot, points: Sequence[Point], names: Names, selected: Action | None) -> None:
        theme = self._theme
        named = [p for k, p in enumerate(points) if k < NAMED or p.action == selected]
        named.sort(key=lambda p: p.action != selected)
        texts = [names.target(p.action) or names.phrase(p.action) for p in named]
        others = [p for p in points if p not in named]
        marks = [(plot.place(p.value, p.visits), radius(p.ranked.prior, theme.scale)) for p in (*named, *others)]
        sizes = [(text_width(theme, text, "small", 600) + 2, float(theme.px(14))) for text in texts]
        room = QRectF(plot.area.left() + 2, 0, plot.area.width() + theme.px(10), plot.area.bottom())
        for point, text, rect in zip(named, texts, place_labels(marks, sizes, room), strict=True):
            if rect is not None:
                chosen = point.action == selected
                tone = "selection" if chosen else "text" if point.visits > 2 else "muted"
                draw_text(painter, theme, rect, text, "small", tone, 600 if chosen else 500, elide=False)
