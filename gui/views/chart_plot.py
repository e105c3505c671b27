"""The plot of a chart, drawn by pyqtgraph. `gui.views.chart` imports this module when a chart is visible."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtWidgets import QWidget

from core.views.values import Chart, Series
from core.views.wording import cell_text
from gui.theme import Theme
from gui.views.widget import plain
from gui.widgets import text_width
from gui.widgets.painting import pen_of
from gui.widgets.plot_view import PlotView

MOST_SERIES, MOST_POINTS = 12, 4_000
"""Series that are drawn, and points of each: of more, the lowest and the highest of each stretch."""
TICKS = 4
WHOLE = 1e9
"""Whole numbers below this are written in full at an axis."""
LARGEST = 1e30
"""Numbers beyond this cannot be drawn."""
Points = npt.NDArray[np.float64]
NONE: Points = np.zeros((0, 2))


def drawable(series: Series) -> Points:
    """Returns the points that can be drawn: (n, 2). Points without a finite place are gaps, as NaN."""
    points = np.array(series.points, float).reshape(-1, 2)
    points[~((np.abs(points) < LARGEST).all(axis=1))] = np.nan
    if len(points) <= MOST_POINTS:
        return points
    stretches = np.array_split(points, MOST_POINTS // 2)
    found = []
    for part in stretches:
        known = np.flatnonzero(~np.isnan(part[:, 1]))
        ends = sorted({known[part[known, 1].argmin()], known[part[known, 1].argmax()]}) if len(known) else [0]
        found.append(part[ends])
    return np.concatenate(found)


class ChartPlot(PlotView):
    """Series as lines; each has a colour and a kind of line of its own. A single point is a dot."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(theme, "Chart", parent)
        self._view = Chart(())
        self._lines: list[Any] = []
        self._dots: Any = pg.ScatterPlotItem(pxMode=True, antialias=True)
        self.plot.addItem(self._dots)
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
        self.plot.layout.setContentsMargins(0, self.theme.px(8), self.theme.px(16), self.theme.px(4))
        self._draw()

    def _draw(self) -> None:
        theme, series = self.theme, self._view.series[:MOST_SERIES]
        while len(self._lines) < len(series):
            self._lines.append(pg.PlotCurveItem(antialias=True, connect="finite"))
            self.plot.addItem(self._lines[-1])
        places = [drawable(one) for one in series]
        dots = []
        for k, line in enumerate(self._lines):
            points = places[k] if k < len(places) else NONE
            known = points[~np.isnan(points).any(axis=1)]
            points = points if len(known) > 1 else NONE  # pyqtgraph fails where there is nothing but gaps
            line.setPen(pen_of(theme, k))
            line.setData(points[:, 0], points[:, 1])
            if len(known) == 1:
                dots.append({"pos": known[0], "size": theme.px(7), "brush": pen_of(theme, k).color(), "pen": None})
        self._dots.setData(dots)
        everywhere = np.concatenate([NONE, *places])
        everywhere = everywhere[~np.isnan(everywhere).any(axis=1)]
        if len(everywhere):
            self._range(everywhere)

    def _range(self, known: Points) -> None:
        theme = self.theme
        (left, low), (right, high) = known.min(axis=0), known.max(axis=0)
        left, right = _apart(float(left), float(right))
        low, high = _apart(float(low), float(high))
        self.plot.setRange(xRange=(left, right), yRange=(low, high), padding=0.04)
        axis, below = self.plot.getAxis("left"), self.plot.getAxis("bottom")
        ticks = [(y, tick(y)) for y in np.linspace(low, high, TICKS + 1).tolist()]
        axis.setTicks([ticks])
        axis.setWidth(theme.px(16) + max(text_width(theme, text, "micro") for _, text in ticks)
                      + (theme.px(16) if self._view.y else 0))
        below.setTicks([[(x, tick(x)) for x in np.linspace(left, right, 3).tolist()]])
        for side, title in ((axis, self._view.y), (below, self._view.x)):
            side.setLabel(plain(title, 60) or None, color=theme.css("muted"))
            side.showLabel(bool(title))
        below.setHeight(theme.px(31 if self._view.x else 18))


def tick(number: float) -> str:
    """Returns a number at an axis: whole ones without digits after the point."""
    return cell_text(round(number) if abs(number) < WHOLE and number == round(number) else number, "value")


def _apart(low: float, high: float) -> tuple[float, float]:
    """Returns two limits that differ by so much that the numbers between them can be told apart."""
    least = max(abs(low), abs(high)) * 1e-9
    return (low, high) if high - low > least else (low - max(least, 0.5), high + max(least, 0.5))
