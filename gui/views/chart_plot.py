"""The plot of a chart, drawn by pyqtgraph. `gui.views.chart` imports this module when a chart is visible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QMouseEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.views.charts import Points, ends_of, lines_of, number_words, reduced, words_at
from core.views.values import Chart, Series
from gui.theme import Theme
from gui.views.tones import point_radius, point_shape, series_pen
from gui.views.widget import plain
from gui.widgets import text_width
from gui.widgets.painting import mark_path
from gui.widgets.plot_view import PlotView

MOST_SERIES = 12
"""Series that are drawn."""
MOST_CORNERS = 240
"""A line of more points is drawn thin, and one pixel at a time."""
MOST_MUTED = 80
"""Muted points that are not joined are left out if there are more."""
TICKS = 4
FILLING = 0.16
"""How opaque an area is."""
NEAR = 6
"""Pixels at text size 100 % within which a point that is not joined is named under the pointer."""
NONE: Points = np.zeros((0, 2))


class ChartPlot(PlotView):
    """Series as lines, stairs, areas and points; each has a colour, and a kind of line or a shape, of its own."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(theme, "Chart", parent)
        self._view = Chart(())
        self._places: list[Points] = []
        self._lines: list[Any] = []
        self._dots: Any = pg.ScatterPlotItem(pxMode=True, antialias=True)
        self.plot.addItem(self._dots)
        self._dots.setZValue(1)
        self.plot.getAxis("left").setGrid(255)
        self.is_built = True
        self.restyle()

    def show_chart(self, view: Chart) -> None:
        """Shows another chart."""
        self._view = view
        self._draw()

    def restyle(self) -> None:
        """Takes the theme's colours, fonts and sizes again."""
        super().restyle()
        self.plot.layout.setContentsMargins(0, self.theme.px(12), self.theme.px(20), self.theme.px(4))
        self._draw()

    def _draw(self) -> None:
        self._places = lines_of(self._view)[:MOST_SERIES]
        if (ends := ends_of(self._view, self._places)) is not None:
            self._set_axes(*ends)
        self._draw_lines()
        series = enumerate(self._view.series[:MOST_SERIES])
        self._dots.setData([dot for k, one in series for dot in self._dots_of(k, one)])

    def _draw_lines(self) -> None:
        while len(self._lines) < len(self._places):
            self._lines.append(pg.PlotCurveItem())
            self.plot.addItem(self._lines[-1])
        box, ((left, right), (low, high)) = self.plot.getViewBox(), self.plot.viewRange()
        for k, line in enumerate(self._lines):
            form = self._view.series[k].form if k < len(self._places) else "points"
            points = self._places[k] if form != "points" else NONE
            if np.isfinite(points).all(axis=1).sum() < 2:
                points = NONE  # pyqtgraph fails where there is nothing but gaps
            if is_long := len(points) > MOST_CORNERS:
                points = reduced(points, left, (right - left) / max(1.0, box.width()))
            if len(points):
                line.setPen(pen := series_pen(self.theme, self._view.series[k], k, 1.0 if is_long else 1.6))
                fill = pen.color()
                fill.setAlphaF(FILLING)
                line.setBrush(fill if form == "area" else None)
            line.setFillLevel(min(max(low, 0.0), high) if form == "area" else None)
            line.setData(points[:, 0], points[:, 1], antialias=not is_long, connect="finite")

    def _dots_of(self, k: int, series: Series) -> list[dict[str, Any]]:
        """Returns the points of a series that has no line."""
        known = self._places[k][np.isfinite(self._places[k]).all(axis=1)]
        if (series.form != "points" and len(known) != 1) or (series.tone == "muted" and len(known) > MOST_MUTED):
            return []
        look = {"symbol": mark_path(point_shape(series)), "size": 2 * self.theme.px(point_radius(series)),
                "brush": QBrush(series_pen(self.theme, series, k).color()), "pen": QPen(Qt.PenStyle.NoPen)}
        return [{"pos": at, **look} for at in known]  # with the same objects pyqtgraph paints the mark once

    def _set_axes(self, across: tuple[float, float], up: tuple[float, float]) -> None:
        theme = self.theme
        (left, right), (low, high) = across, up
        free = [0.0 if ends is not None else 0.04 for ends in (self._view.x_range, self._view.y_range)]
        wide, tall = free[0] * (right - left), free[1] * (high - low)
        self.plot.setRange(xRange=(left - wide, right + wide), yRange=(low - tall, high + tall), padding=0)
        axis, below = self.plot.getAxis("left"), self.plot.getAxis("bottom")
        ticks = [(y, number_words(y)) for y in np.linspace(low, high, TICKS + 1).tolist()]
        axis.setTicks([ticks])
        axis.setWidth(theme.px(16) + max(text_width(theme, text, "micro") for _, text in ticks)
                      + (theme.px(16) if self._view.y else 0))
        middle = round((left + right) / 2) if left == round(left) and right - left >= TICKS else (left + right) / 2
        below.setTicks([[(x, number_words(x)) for x in (left, middle, right)]])
        for side, title in ((axis, plain(self._view.y, 60)), (below, plain(self._view.x, 60))):
            if (title, theme.css("muted")) != (side.labelText, side.labelStyle.get("color")):
                side.setLabel(title or None, color=theme.css("muted"))
            side.showLabel(bool(title))
        below.setHeight(theme.px(31 if self._view.x else 18))

    def words_at(self, x: float) -> str:
        """Returns what the series are at a distance from the left edge in pixels; empty beside them."""
        box = self.plot.getViewBox()
        place, near = (box.mapSceneToView(self.mapToScene(round(x) + by, 0)).x() for by in (0, self.theme.px(NEAR)))
        return words_at(self._view, place, near - place)

    # --- Qt ----------------------------------------------------------------
    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Puts what is under the pointer into the tooltip."""
        self.setToolTip(plain(self.words_at(event.position().x())))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Draws long lines again, because they are drawn by pixels."""
        super().resizeEvent(event)
        if self.is_built and any(len(points) > MOST_CORNERS for points in self._places):
            self._draw_lines()
