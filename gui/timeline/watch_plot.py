"""The plot of one watched expression over turns, drawn by pyqtgraph. The strip imports this module when pyqtgraph is loaded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QWidget

from gui.theme import Theme
from gui.widgets.plot_view import PlotView

MOST_DOTS = 80
"""With more turns than this the curve has no dots."""
LEAST_TURNS = 5
"""Turns that the x axis spans at least."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The values on one branch.

    Attributes:
        points: (turn, value); None: unknown.
        strong: it is the branch on display.
    """

    points: tuple[tuple[int, float | None], ...]
    strong: bool


class WatchPlot(PlotView):
    """One curve for each branch: that on display strong, the others faint. A line marks the turn on display."""

    def __init__(self, theme: Theme, name: str, parent: QWidget, *, is_truth: bool):
        super().__init__(theme, name, parent)
        self._is_truth, self._curves, self._turn, self._last = is_truth, tuple[Curve, ...](), 0, LEAST_TURNS
        self._lines, self._dots = list[Any](), list[Any]()
        self._mark: Any = pg.InfiniteLine(angle=90)
        self.plot.addItem(self._mark)
        self.is_built = True
        self.restyle()

    def show_curves(self, curves: Sequence[Curve], turn: int, last: int) -> None:
        """Shows other values, up to the turn `last`, and marks a turn."""
        self._curves, self._turn, self._last = tuple(curves), turn, max(LEAST_TURNS, last)
        for item in (*self._lines, *self._dots):
            self.plot.removeItem(item)
        self._lines = [pg.PlotCurveItem(antialias=True) for _ in self._curves]
        self._dots = [pg.ScatterPlotItem(pxMode=True, antialias=True) for _ in self._curves]
        for item in (*self._lines, *self._dots):
            self.plot.addItem(item)
        self._draw()

    def restyle(self) -> None:
        """Takes the theme's colours, fonts and sizes again."""
        super().restyle()
        self.plot.getAxis("left").setWidth(self.theme.px(46))
        self.plot.getAxis("left").setGrid(255)
        self.plot.layout.setContentsMargins(0, self.theme.px(5), self.theme.px(8), self.theme.px(2))
        self._draw()

    def _draw(self) -> None:
        theme = self.theme
        for curve, line, dots in zip(self._curves, self._lines, self._dots, strict=True):
            tone, wide = (theme.colour("accent"), 1.8) if curve.strong else (theme.colour("idle"), 1.0)
            turns, values = _columns(curve.points)
            is_known = np.isfinite(values)
            line.setPen(_cosmetic(QPen(tone, wide)))
            line.setData(turns, values, connect="finite") if is_known.any() else line.setData([], [])
            # A value between two unknown ones has no line, so each is a dot.
            few = len(turns) <= MOST_DOTS or not is_known.all()
            dots.setData(turns[is_known] if few else [], values[is_known] if few else [], brush=tone, pen=None,
                         size=theme.px(5 if curve.strong else 3))
            for item in (line, dots):
                item.setZValue(int(curve.strong))
        self._mark.setPen(_cosmetic(QPen(theme.colour("selection"), 1.2)))
        self._mark.setValue(self._turn)
        self._mark.setVisible(self._turn > 0)
        low, high = self._range()
        ticks = [(0.0, "false"), (1.0, "true")] if self._is_truth else [(low, _short(low)), (high, _short(high))]
        self.plot.getAxis("left").setTicks([ticks])
        step = max(1, math.ceil(self._last / 8))
        self.plot.getAxis("bottom").setTicks([[(k, str(k)) for k in range(1, self._last + 1, step)]])
        room = (high - low) * 0.12
        self.plot.setRange(xRange=(0.5, self._last + 0.5), yRange=(low - room, high + room), padding=0)

    def _range(self) -> tuple[float, float]:
        values = [value for curve in self._curves for _, value in curve.points if value is not None and math.isfinite(value)]
        low, high = (0.0, 1.0) if self._is_truth or not values else (min(values), max(values))
        return (low, high) if high > low else (low - 0.5, high + 0.5)


def _columns(points: tuple[tuple[int, float | None], ...]) -> tuple[Any, Any]:
    """Returns turns and values; unknown and infinite values are gaps in the line."""
    values = np.array([math.nan if value is None else value for _, value in points], float)
    return np.array([turn for turn, _ in points], float), np.where(np.isfinite(values), values, math.nan)


def _short(value: float) -> str:
    return f"{value:.3g}"


def _cosmetic(pen: QPen) -> QPen:
    pen.setCosmetic(True)
    return pen
