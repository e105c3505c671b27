"""The plot of an evaluation: one measure by cell, a bar a planner with its interval, a diamond for the published figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gui.recordings.statistics_chart import BAR, steps
from gui.theme import Theme
from gui.widgets import text_width
from gui.widgets.painting import brush_of, pen_of
from gui.widgets.plot_view import PlotView

if TYPE_CHECKING:
    from core.evaluation.overview import Overview


class EvaluationChart(PlotView):
    """The plot. It is drawn again when the figures change."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(theme, "Plot of the evaluation", parent)
        self._overview: Overview | None = None
        self._measure, self._most = "", 1.0
        self.is_built = True
        self.restyle()

    def show_overview(self, overview: Overview, measure: str) -> None:
        """Shows the figures of a measure."""
        self._overview, self._measure = overview, measure
        self._draw()

    def restyle(self) -> None:
        """Takes the theme's colours, fonts and sizes again."""
        super().restyle()
        self.plot.layout.setContentsMargins(0, self.theme.px(8), self.theme.px(12), self.theme.px(2))
        self._draw()

    def _draw(self) -> None:
        self.plot.clear()
        overview, theme = self._overview, self.theme
        if overview is None or not overview.contestants:
            return
        measure = next(m for m in overview.measures if m.key == self._measure)
        wide, most = BAR / len(overview.contestants), 100.0 if measure.rate else 0.0
        for k, name in enumerate(overview.contestants):
            found = [(column, figure) for column, cell in enumerate(overview.cells)
                     if (figure := overview.figures.get((measure.key, (name, cell)))) is not None]
            xs = [column - BAR / 2 + (k + 0.5) * wide for column, _ in found]
            means = [figure.mean for _, figure in found]
            highs = [max(figure.high, figure.mean) for _, figure in found]
            self.plot.addItem(pg.BarGraphItem(x=xs, height=means, width=wide * 0.9, brush=brush_of(theme, k),
                                              pen=pen_of(theme, k, 1)))
            self.plot.addItem(pg.ErrorBarItem(
                x=_array(xs), y=_array(means), top=_array(highs) - _array(means), beam=wide * 0.3,
                bottom=_array([f.mean - max(0.0, min(f.low, f.mean)) for _, f in found]), pen=theme.colour("text")))
            most = max([most, *highs])
        if measure is overview.measures[0] and overview.published:
            columns = [overview.cells.index(cell) for cell in overview.published]
            self.plot.addItem(pg.ScatterPlotItem(columns, list(overview.published.values()), symbol="d", size=theme.px(9),
                                                 brush=theme.colour("text"), pen=pg.mkPen(theme.colour("surface"))))
        self._most = most or 1.0
        self._axes()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Gives the names of the cells the new room."""
        super().resizeEvent(event)
        if self.is_built:
            self._axes()

    def _axes(self) -> None:
        overview, most = self._overview, self._most
        if overview is None or not overview.contestants:
            return
        theme, px = self.theme, self.theme.px
        left, below = self.plot.getAxis("left"), self.plot.getAxis("bottom")
        ticks = steps(most)
        left.setTicks([ticks])
        left.setWidth(px(14) + max(text_width(theme, text, "micro") for _, text in ticks))
        left.setGrid(90)
        room = self.width() / max(1, len(overview.cells))
        below.setTicks([[(k, _short(theme, cell, room)) for k, cell in enumerate(overview.cells)]])
        below.setHeight(px(22))
        self.plot.setRange(xRange=(-0.5, len(overview.cells) - 0.5), yRange=(0, most * 1.04), padding=0)
        self.setAccessibleDescription("; ".join(
            f"{name}: " + ", ".join(f"{cell} {figure}" for cell in overview.cells
                                    if (figure := overview.figures.get((self._measure, (name, cell)))) is not None)
            for name in overview.contestants))


def _short(theme: Theme, cell: str, room: float) -> str:
    """Returns a cell's name, cut so that it does not reach into its neighbour's."""
    while len(cell) > 4 and text_width(theme, cell, "micro") > room - theme.px(6):
        cell = f"{cell.removesuffix('…')[:-1]}…"
    return cell


def _array(values: list[float]) -> Any:
    return np.asarray(values, float)
