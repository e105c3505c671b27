"""The chart of value against visits, drawn by pyqtgraph. The panel imports this module when the first ranking comes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QMouseEvent, QPainter, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

from core.world.vocabulary import Action
from gui.panels.scatter.points import (
    Point,
    Range,
    Trails,
    place_labels,
    radius,
    value_range,
    value_ticks,
    visit_ticks,
    visits_range,
)
from gui.theme import Theme
from gui.widgets import Names, draw_text, loss_mark, text_width
from gui.widgets import numbers as say
from gui.widgets.painting import Shape, mark_path
from gui.widgets.plot_view import PlotView

NAMED = 4
"""The number of the best actions that have a label."""
SHAPES: tuple[Shape, ...] = ("circle", "ring", "square", "triangle", "diamond", "octagon")


class ScatterChart(PlotView):
    """The marks of the actions with their trails and the names of the best. x is the value, y is log10(visits + 1)."""

    clicked = Signal(object)
    """Emitted with the Action of the clicked mark, or None beside the marks."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(theme, "Value against visits", parent)
        self._trails, self._names = Trails(), Names()
        self._selected: Action | None = None
        self._ranges: tuple[Range, Range] | None = None
        self._paths: dict[Shape, QPainterPath] = {shape: mark_path(shape) for shape in SHAPES}
        self._pens: dict[tuple[str, float], QPen] = {}
        self._brushes: dict[tuple[str, float], QBrush] = {}
        self._marks: Any = pg.ScatterPlotItem(pxMode=True, antialias=True)
        self.plot.addItem(self._marks)
        self.setMouseTracking(True)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.NoViewportUpdate)  # see `_draw`
        self.is_built = True
        self.restyle()

    def show_trails(self, trails: Trails, names: Names, selected: Action | None) -> None:
        """Shows points with their trails, and the selection."""
        self._trails, self._names, self._selected = trails, names, selected
        words = (f"{names.phrase(p.action)}: value {p.value:.2f}, {p.visits} visits" for p in trails.points)
        self.setAccessibleDescription("; ".join(words))
        self._draw()

    def place(self, value: float, visits: int) -> QPointF:
        """Returns the position of a value and a visit count, in pixels of the view."""
        found: QPointF = self.plot.getViewBox().mapViewToScene(QPointF(value, math.log10(visits + 1)))
        return found

    def action_at(self, place: QPointF) -> Action | None:
        """Returns the action whose mark is under a point, or None. Of several marks it is that of the best action."""
        for point in self._trails.points:
            way = self.place(point.value, point.visits) - place
            if way.manhattanLength() <= radius(point.ranked.prior, self.theme.scale) + 4:
                return point.action
        return None

    def restyle(self) -> None:
        """Takes the theme's colours, fonts and sizes again."""
        theme, px = self.theme, self.theme.px
        super().restyle()
        bottom, left = self.plot.getAxis("bottom"), self.plot.getAxis("left")
        for axis in (bottom, left):
            axis.setGrid(255)
        bottom.setLabel("value Q", color=theme.css("muted"))
        left.setLabel("visits", color=theme.css("muted"))
        bottom.setHeight(px(34))
        self.plot.layout.setContentsMargins(0, px(6), px(12), px(2))
        self._ranges = None
        self._pens, self._brushes = {}, {}
        self._draw()

    # --- drawing ---------------------------------------------------------------
    def _draw(self) -> None:
        points = self._trails.points
        if not points:
            return
        past = [place for point in points for place in self._trails.of(point.action)]
        needed = value_range(value for value, _ in past), visits_range(max(visits for _, visits in past))
        if self._ranges is None or not all(now.suits(new) for now, new in zip(self._ranges, needed, strict=True)):
            self._ranges = needed  # only where they must change: drawing the axes again takes longer than all marks
            self._set_ranges(*needed)
        self._draw_marks(points[::-1])
        self.viewport().update()  # all of it, because trails and names are no items, and once: the items would do it twice

    def _set_ranges(self, values: Range, visits: Range) -> None:
        theme, px = self.theme, self.theme.px
        ticks = [(math.log10(count + 1), say.whole(count)) for count in visit_ticks(visits)]
        left = self.plot.getAxis("left")
        left.setWidth(px(28) + max((text_width(theme, text, "micro") for _, text in ticks), default=0))
        left.setTicks([ticks])
        steps = value_ticks(values, max(2, self.width() // px(52)))
        self.plot.getAxis("bottom").setTicks([[(tick, say.signed(f"{tick:.2f}".rstrip("0").rstrip("."))) for tick in steps]])
        self.plot.setRange(xRange=(values.low, values.high), yRange=(visits.low, visits.high), padding=0)

    def _draw_marks(self, points: Sequence[Point]) -> None:
        theme, looks = self.theme, [loss_mark(point.ranked.loss) for point in points]
        chosen = [point.action == self._selected for point in points]
        self._marks.setData(
            x=[point.value for point in points], y=[math.log10(point.visits + 1) for point in points],
            symbol=[self._paths[shape] for _, shape in looks],
            size=[2 * radius(point.ranked.prior, theme.scale) + on for point, on in zip(points, chosen, strict=True)],
            pen=[self._pen("selection" if on else tone, 2.5 if on else 1.5)
                 for (tone, _), on in zip(looks, chosen, strict=True)],
            brush=[self._brush(tone, 0.32 if point.visits > 2 else 0.14)
                   for (tone, _), point in zip(looks, points, strict=True)])

    def _pen(self, tone: str, width: float) -> QPen:
        """Returns the outline of a mark, always the same object: pyqtgraph draws marks of a new pen or brush again."""
        if (tone, width) not in self._pens:
            self._pens[tone, width] = pen = QPen(self.theme.colour(tone), width)
            pen.setCosmetic(True)  # the symbol is scaled to its size, its outline is not
        return self._pens[tone, width]

    def _brush(self, tone: str, alpha: float) -> QBrush:
        """Returns the filling of a mark, always the same object."""
        if (tone, alpha) not in self._brushes:
            self._brushes[tone, alpha] = QBrush(self.theme.tinted(tone, alpha))
        return self._brushes[tone, alpha]

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:  # noqa: N802 - Qt's name
        """Paints the trails under the marks. Older segments are more transparent."""
        super().drawBackground(painter, rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for point in reversed(self._trails.points):
            places = [self.place(value, visits) for value, visits in self._trails.of(point.action)]
            tone, _ = loss_mark(point.ranked.loss)
            for k, (one, other) in enumerate(pairwise(places)):
                alpha = 0.15 + 0.45 * (k + 1) / (len(places) - 1)
                painter.setPen(QPen(self.theme.tinted(tone, alpha), 2, c=Qt.PenCapStyle.RoundCap))
                painter.drawLine(one, other)

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:  # noqa: N802 - Qt's name
        """Paints the names of the best actions and of the selected one beside their marks."""
        super().drawForeground(painter, rect)
        theme, points = self.theme, self._trails.points
        named = [p for k, p in enumerate(points) if k < NAMED or p.action == self._selected]
        named.sort(key=lambda p: p.action != self._selected)
        texts = [self._names.target(p.action) or self._names.phrase(p.action) for p in named]
        marks = [(self.place(p.value, p.visits), radius(p.ranked.prior, theme.scale))
                 for p in (*named, *(p for p in points if p not in named))]
        sizes = [(text_width(theme, text, "small", 600) + 2, float(theme.px(14))) for text in texts]
        area: QRectF = self.plot.getViewBox().sceneBoundingRect()
        room = QRectF(area.left() + 2, 0, area.width() + theme.px(10), area.bottom())
        for point, text, place in zip(named, texts, place_labels(marks, sizes, room), strict=True):
            if place is not None:
                chosen = point.action == self._selected
                tone = "selection" if chosen else "text" if point.visits > 2 else "muted"
                draw_text(painter, theme, place, text, "small", tone, 600 if chosen else 500, elide=False)

    # --- Qt ----------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `clicked` with the action under the pointer."""
        self.clicked.emit(self.action_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Sets the tooltip to the action under the pointer."""
        action = self.action_at(event.position())
        point = next((p for p in self._trails.points if p.action == action), None)
        if point is None:
            self.setToolTip("")
            return
        prior, visits = say.probability(point.ranked.prior) or "0", say.whole(point.visits)
        self.setToolTip(f"{self._names.phrase(point.action)} · P {prior} · N {visits} · Q {say.value(point.value)}")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the ticks again, for the new width."""
        super().resizeEvent(event)
        if self.is_built:
            self._ranges = None
            self._draw()
