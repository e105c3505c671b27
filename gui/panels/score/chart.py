"""The chart of the score, drawn by pyqtgraph. The panel imports this module when the first scores come."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.planners.neoplanner.recorded_types import Scores
from gui.panels.score.lines import best_line, extremes, stair, stair_line
from gui.theme import Theme
from gui.widgets import numbers as say
from gui.widgets import text_width
from gui.widgets.painting import Shape, mark_path
from gui.widgets.plot_view import PlotView

GRID = 4
"""Steps of the y axis."""
LEAST = 10
"""Interactions that the x axis spans at least."""
MOST_MARKS = 80
"""With more episodes than this only failed and finished ones are marked."""
MOST_CORNERS = 120
"""A stair with more corners is drawn one pixel at a time."""
READ_OUT = 20
"""Ends of episodes in the accessible description."""
Mark = tuple[Shape, str, float]
"""Shape, colour token, radius in pixels at text size 100 %."""
FAILED: Mark = ("octagon", "bad", 4)
DONE: Mark = ("diamond", "good", 4)
OVER: Mark = ("circle", "muted", 2.5)
TOP: Mark = ("triangle", "good", 4)


class ScoreChart(PlotView):
    """The stair filled, the best score so far dashed, and a mark where an episode ended."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(theme, "Score over interactions", parent)
        self._scores = Scores((), (), 0, 0.0, 0.0, 0)
        self._paths: dict[Shape, QPainterPath] = {mark[0]: mark_path(mark[0]) for mark in (FAILED, DONE, OVER, TOP)}
        self._fill: Any = pg.PlotCurveItem(fillLevel=0.0)
        self._line: Any = pg.PlotCurveItem()
        self._best: Any = pg.PlotCurveItem(antialias=True)
        self._marks: Any = pg.ScatterPlotItem(pxMode=True, antialias=True)
        for item in (self._fill, self._line, self._best, self._marks):
            self.plot.addItem(item)
        self.is_built = True
        self.restyle()

    def show_scores(self, scores: Scores) -> None:
        """Shows another state of the run."""
        self._scores = scores
        ends = [f"episode {k} ended with {say.value(s, 0)} after {n}" for k, (n, s) in enumerate(scores.ends, 1)]
        now = f"now {say.value(scores.score, 0)} after {say.count(scores.interactions, 'interaction')}"
        self.setAccessibleDescription("; ".join([now, *ends[-READ_OUT:]]))
        self._draw()

    def score_at(self, x: float) -> tuple[int, float] | None:
        """Returns interactions and score at a distance from the left edge in pixels, or None beside the stair."""
        count = round(self.plot.getViewBox().mapSceneToView(self.mapToScene(round(x), 0)).x())
        if not self._scores.points or not 0 <= count <= self._scores.interactions:
            return None
        return count, self._scores.points[bisect_right(self._scores.points, count, key=lambda point: point[0]) - 1][1]

    def restyle(self) -> None:
        """Takes the theme's colours, fonts and sizes again."""
        theme, px = self.theme, self.theme.px
        super().restyle()
        bottom, left = self.plot.getAxis("bottom"), self.plot.getAxis("left")
        left.setGrid(255)
        bottom.setLabel("interactions", color=theme.css("muted"))
        bottom.setHeight(px(31))
        self.plot.layout.setContentsMargins(0, px(12), px(20), px(5))
        self._fill.setPen(None)
        self._fill.setBrush(theme.tinted("accent", 0.16))
        self._best.setPen(_cosmetic(QPen(theme.colour("good"), 1.6, Qt.PenStyle.DashLine)))
        self._draw()

    # --- drawing ---------------------------------------------------------------
    @property
    def _last(self) -> int:
        return max(LEAST, self._scores.interactions)

    def _draw(self) -> None:
        scores = self._scores
        if not scores.points:
            return
        most = max(1.0, scores.most)
        left = self.plot.getAxis("left")
        left.setWidth(self.theme.px(16) + text_width(self.theme, say.whole(round(scores.most)), "micro"))
        left.setTicks([[(most * k / GRID, say.value(most * k / GRID, 0)) for k in range(GRID + 1)]])
        shares = ((share * self._last, say.whole(round(share * self._last))) for share in (0.0, 0.5, 1.0))
        self.plot.getAxis("bottom").setTicks([list(shares)])
        self.plot.setRange(xRange=(0, self._last), yRange=(0, most), padding=0)
        self._draw_stair()
        rises = list(best_line(scores))
        self._best.setData(*stair_line([*rises, (scores.interactions, rises[-1][1])]) if rises else ([], []))
        self._marks.setData(self._mark_data())

    def _draw_stair(self) -> None:
        corners, accent = stair(self._scores), self.theme.colour("accent")
        wide = self.plot.getViewBox().width() / self._last
        columns = math.ceil(self._scores.interactions * wide)
        if len(corners) <= MOST_CORNERS or columns < 1:
            xs, ys = stair_line(corners)
            self._line.setPen(_cosmetic(QPen(accent, 1.4)))
            self._line.setData(xs, ys, antialias=True, connect="all")
            self._fill.setData(xs, ys)
            return
        low, high = (np.maximum(0.0, row) for row in extremes(self._scores, columns, 1 / wide))
        xs_by_column = (np.arange(len(low)) + 0.5) / wide
        self._line.setPen(_cosmetic(QPen(accent, 1)))
        self._line.setData(np.repeat(xs_by_column, 2), np.c_[low, high].ravel(), antialias=False, connect="pairs")
        self._fill.setData(xs_by_column, low)

    def _mark_data(self) -> list[dict[str, object]]:
        scores = self._scores
        shown: list[tuple[int, float, Mark]] = []
        for count, score in scores.ends:
            mark = FAILED if score < 0 else DONE if score >= scores.most else OVER
            if mark != OVER or len(scores.ends) <= MOST_MARKS:
                shown.append((count, score, mark))
        if scores.best > 0:
            shown.insert(0, (scores.best_at, scores.best, TOP))
        return [{"pos": (count, max(0.0, score)), "symbol": self._paths[shape], "size": 2 * self.theme.px(radius),
                 "brush": self.theme.colour(tone), "pen": None} for count, score, (shape, tone, radius) in shown]

    # --- Qt ----------------------------------------------------------------
    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Puts the score under the pointer into the tooltip."""
        found = self.score_at(event.position().x())
        self.setToolTip(f"{say.value(found[1], 0)} after {say.count(found[0], 'interaction')}" if found is not None else "")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Draws the stair again, because a long one is drawn by pixels."""
        super().resizeEvent(event)
        if self.is_built and self._scores.points:
            self._draw_stair()


def _cosmetic(pen: QPen) -> QPen:
    """Makes a pen keep its width on the screen at each scale of the axes."""
    pen.setCosmetic(True)
    return pen
