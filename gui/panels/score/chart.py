"""The chart of the score, by pyqtgraph: importing that takes a while, so that `panel.py` has it done on another thread."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.facets import Scores
from gui.panels.score.curves import best_line, drawn, score_after, stair
from gui.theme import Theme
from gui.widgets import numbers as say
from gui.widgets import shape_path
from gui.widgets.painting import Shape

READ_OUT = 20
LEAST = 10
"""Interactions across, at least."""
STEP = 0.2
"""Of what is in sight: how far an arrow key goes."""
CLOSER = 0.7
MARGIN = 0.03
"""Around the data, as a share of it."""
MOST_MARKS = 80
"""With more episodes than this only failed and finished ones are marked."""
Mark = tuple[Shape, str, float]
"""Shape, token, diameter."""
MARKS: dict[str, Mark] = {"failed": ("octagon", "bad", 9), "done": ("diamond", "good", 9), "over": ("circle", "muted", 5)}
"""How an episode's end is marked."""
TOP: Mark = ("triangle", "good", 9)
"""Where the best score was reached."""


class ScoreChart(QWidget):
    """The stair filled, the best so far dashed, a mark where an episode ended; the wheel looks closer, dragging goes along.

    It follows the run until the operator looks elsewhere; 0 or a double-click shows all again.
    """

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._scores = theme, Scores((), (), 0, 0.0, 0.0, 0)
        self._shapes = {shape: shape_path(shape) for shape in (TOP[0], *(shape for shape, _, _ in MARKS.values()))}
        self.following = True
        self.setAccessibleName("Score over interactions")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._view: Any = pg.PlotWidget()
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._plot: Any = self._view.getPlotItem()
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._plot.setMouseEnabled(x=True, y=False)
        self._now: Any = self._plot.plot(fillLevel=0)
        self._now.setDownsampling(auto=True, method="peak")
        self._now.setClipToView(True)
        self._best: Any = self._plot.plot(antialias=True)
        self._ends: Any = pg.ScatterPlotItem(pxMode=True, antialias=True)
        self._plot.addItem(self._ends)
        self._plot.getViewBox().sigRangeChangedManually.connect(self._let_go)
        self._view.scene().sigMouseMoved.connect(self._tell)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(4), theme.px(6), theme.px(10), theme.px(2))
        column.addWidget(self._view)
        self.restyle()

    def show_scores(self, scores: Scores) -> None:
        """Another state of the run."""
        before, self._scores = self._scores, scores
        self._now.setData(*drawn(stair(scores)))
        rises = list(best_line(scores))
        self._best.setData(*drawn([*rises, (scores.interactions, rises[-1][1])] if rises else []))
        if (scores.ends, scores.best_at) != (before.ends, before.best_at):
            self._ends.setData(self._marks())
        self._plot.getViewBox().setLimits(xMin=-MARGIN * self._last, xMax=(1 + MARGIN) * self._last)
        if self.following:
            self.fit()
        ends = [f"episode {k} ended with {say.value(s, 0)} after {n}" for k, (n, s) in enumerate(scores.ends, 1)]
        now = f"now {say.value(scores.score, 0)} after {say.count(scores.interactions, 'interaction')}"
        self.setAccessibleDescription("; ".join([now, *ends[-READ_OUT:]]))

    def fit(self) -> None:
        """All of it, and on with the run."""
        self.following = True
        most = max(1.0, self._scores.most)
        self._plot.setRange(xRange=(0, self._last), yRange=(0, (1 + 2 * MARGIN) * most), padding=MARGIN)

    def in_sight(self) -> tuple[float, float]:
        """The first and the last interaction that are shown."""
        first, last = self._plot.viewRange()[0]
        return float(first), float(last)

    def restyle(self) -> None:
        """Other colours and sizes."""
        theme = self._theme
        self._view.setBackground(theme.colour("surface"))
        for side, words in (("bottom", "interactions"), ("left", "")):
            axis = self._plot.getAxis(side)
            axis.setPen(theme.colour("line_strong"))
            axis.setTextPen(theme.colour("muted"))
            axis.setStyle(tickFont=theme.font("micro"), tickLength=theme.px(3))
            axis.enableAutoSIPrefix(False)
            if words:
                axis.label.setFont(theme.font("small"))
                axis.setLabel(words, color=theme.css("muted"))
        self._plot.showGrid(y=True, alpha=0.18)
        self._now.setBrush(theme.tinted("accent", 0.16))
        self._best.setPen(_cosmetic(QPen(theme.colour("good"), 1.6, Qt.PenStyle.DashLine)))
        self._now.setPen(_cosmetic(QPen(theme.colour("accent"), 1)))
        self._ends.setData(self._marks())

    @property
    def _last(self) -> int:
        return max(LEAST, self._scores.interactions)

    def _marks(self) -> list[dict[str, object]]:
        scores = self._scores
        marks = []
        for count, score in scores.ends:
            kind = "failed" if score < 0 else "done" if score >= scores.most else "over"
            if kind == "over" and len(scores.ends) > MOST_MARKS:
                continue
            marks.append(self._mark(count, score, MARKS[kind]))
        return [*marks, self._mark(scores.best_at, scores.best, TOP)] if scores.best > 0 else marks

    def _mark(self, count: int, score: float, mark: Mark) -> dict[str, object]:
        shape, tone, size = mark
        return {"pos": (count, max(0.0, score)), "symbol": self._shapes[shape], "size": self._theme.px(size),
                "brush": self._theme.colour(tone), "pen": None}

    # --- the operator ----------------------------------------------------------
    def _let_go(self, *ignored: object) -> None:
        self.following = False

    def _tell(self, place: QPointF) -> None:
        count = round(self._plot.getViewBox().mapSceneToView(place).x())
        score = score_after(self._scores, count)
        self.setToolTip(f"{say.value(score, 0)} after {say.count(count, 'interaction')}" if score is not None else "")

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """0 shows all; arrows go along; + and − look closer and less close."""
        first, last = self.in_sight()
        wide, middle = last - first, (first + last) / 2
        match event.key():
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                way = STEP * wide * (1 if event.key() == Qt.Key.Key_Right else -1)
                self._look(max(0.0, min(first + way, self._last - wide)), wide)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._look(middle - wide * CLOSER / 2, wide * CLOSER)
            case Qt.Key.Key_Minus:
                self._look(middle - wide / CLOSER / 2, wide / CLOSER)
            case _:
                event.ignore()

    def _look(self, first: float, wide: float) -> None:
        self.following = False
        self._plot.setXRange(first, first + wide, padding=0)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """All of it."""
        del event
        self.fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The theme changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.restyle()


def _cosmetic(pen: QPen) -> QPen:
    """As wide on the screen however close one looks."""
    pen.setCosmetic(True)
    return pen
