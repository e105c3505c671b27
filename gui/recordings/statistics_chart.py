"""The charts of the statistics of a folder, drawn by pyqtgraph. The dialog imports this module when the recordings are read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import ceil, log10
from typing import Any, Literal

import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.recording.statistics import EpisodeRow, MeanRating, Over, interventions_per_turn, labels_per_planner, ratings_over
from gui.theme import Theme
from gui.widgets import draw_text, text_width
from gui.widgets.numbers import count, value
from gui.widgets.painting import TONES, brush_of, pen_of
from gui.widgets.plot_view import PlotView
from gui.widgets.text import PaintedWidget

Chart = Literal["labels", "interventions", "turn", "day"]
SYMBOLS = ("o", "s", "t1", "d", "t", "x")
"""The marks of the planners; from the seventh on they repeat."""
MOST_LABELS = 12
"""Labels that are drawn: the most frequent."""
BAR = 0.8
"""Share of a row that its bars fill."""
TICKS = 5


class Legend(PaintedWidget):
    """The planners in one line, each with its filling."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._names = theme, tuple[str, ...]()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_names(self, names: Sequence[str]) -> None:
        """Shows other planners."""
        self._names = tuple(names)
        self.setAccessibleName(", ".join(self._names))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """One line of text."""
        return QSize(self._theme.px(100), self._theme.px(20))

    def paint(self, painter: QPainter) -> None:
        """Paints a swatch and a name for each planner."""
        theme, px, x = self._theme, self._theme.px, 0.0
        for k, name in enumerate(self._names):
            box = QRectF(x, self.height() / 2 - px(5), px(14), px(10))
            painter.setPen(pen_of(theme, k, 1.2))
            painter.setBrush(brush_of(theme, k))
            painter.drawRect(box)
            wide = text_width(theme, name, "small")
            draw_text(painter, theme, QRectF(x + px(20), 0, wide + 2, self.height()), name, "small", "text")
            x += wide + px(38)


class StatisticsChart(PlotView):
    """One of the charts: labels of each planner, interventions in each turn, or mean ratings."""

    def __init__(self, theme: Theme, parent: QWidget):
        super().__init__(theme, "Statistics", parent)
        self._rows: Sequence[EpisodeRow] = ()
        self._chart: Chart = "labels"
        self.is_built = True
        self.restyle()

    def show_rows(self, rows: Sequence[EpisodeRow], chart: Chart) -> None:
        """Shows a chart of other episodes."""
        self._rows, self._chart = rows, chart
        self._draw()

    @property
    def has_figures(self) -> bool:
        """Whether anything is drawn: episodes may have no labels, or no ratings."""
        return bool(self.accessibleDescription())

    def restyle(self) -> None:
        """Takes the theme's colours, fonts and sizes again."""
        super().restyle()
        self.plot.layout.setContentsMargins(0, self.theme.px(8), self.theme.px(20), self.theme.px(4))
        self._draw()

    def _draw(self) -> None:
        self.plot.clear()
        if not self._rows:
            return
        match self._chart:
            case "labels":
                self._draw_labels()
            case "interventions":
                self._draw_interventions()
            case "turn" | "day":
                self._draw_ratings(self._chart)

    # --- the charts ------------------------------------------------------------
    def _draw_labels(self) -> None:
        counts = labels_per_planner(self._rows)
        labels, planners = counts.labels[:MOST_LABELS], counts.planners
        high = BAR / max(1, len(planners))
        most = max((counts.per_episode(p, label) for p in planners for label in labels), default=1.0)
        for k, planner in enumerate(planners):
            ys = [-row + BAR / 2 - (k + 0.5) * high for row in range(len(labels))]
            widths = [counts.per_episode(planner, label) for label in labels]
            self.plot.addItem(pg.BarGraphItem(x0=0, y=ys, height=high * 0.9, width=widths, brush=brush_of(self.theme, k),
                                              pen=pen_of(self.theme, k, 1.0)))
        self._axes([(-row, label) for row, label in enumerate(labels)], steps(most), "labels per episode", "",
                   (0, most * 1.05), (-max(1, len(labels)) + 0.4, 0.6))
        self._say("; ".join(f"{label}: " + ", ".join(f"{p} {value(counts.per_episode(p, label))}" for p in planners)
                            for label in labels))

    def _draw_interventions(self) -> None:
        found = interventions_per_turn(self._rows)
        last = max((rates[-1].turn for rates in found.values() if rates), default=1)
        most = max([0.25, *(rate.share for rates in found.values() for rate in rates)])
        for k, rates in enumerate(found.values()):
            tone = self.theme.colour(TONES[k % len(TONES)])
            self.plot.addItem(pg.PlotDataItem([r.turn for r in rates], [r.share for r in rates], pen=pen_of(self.theme, k),
                                              symbol=SYMBOLS[k % len(SYMBOLS)], symbolSize=self.theme.px(6), symbolBrush=tone,
                                              symbolPen=None))
        self._axes(steps(most), _turns(last), "turn", "interventions per time played", (0.5, last + 0.5),
                   (-0.03 * most, most * 1.05))
        self._say("; ".join(f"{name}: {count(sum(r.interventions for r in rates), 'intervention')} in "
                            f"{count(sum(r.played for r in rates), 'turn')}" for name, rates in found.items()))

    def _draw_ratings(self, over: Over) -> None:
        means = ratings_over(self._rows, over)
        xs = [mean.at for mean in means]
        low, high = (min(xs, default=1), max(xs, default=1))
        accent = self.theme.colour("accent")
        errors = [mean.error or 0.0 for mean in means]
        if means:
            self.plot.addItem(pg.ErrorBarItem(x=_array(xs), y=_array([m.mean for m in means]), top=_array(errors),
                                              bottom=_array(errors), beam=0.15, pen=pen_of(self.theme, 5, 1.2)))
        self.plot.addItem(pg.PlotDataItem(xs, [m.mean for m in means], pen=pen_of(self.theme, 0), symbol="o",
                                          symbolSize=[self.theme.px(_size(m)) for m in means] or self.theme.px(6),
                                          symbolBrush=accent, symbolPen=None))
        bottom = _turns(high, low) if over == "turn" else _days(low, high)
        self._axes([(k, str(k)) for k in range(1, 6)], bottom, "turn" if over == "turn" else "day", "mean rating",
                   (low - 0.5, high + 0.5), (0.7, 5.3))
        self._say("; ".join(f"{over} {_day(m.at) if over == 'day' else m.at}: {m.mean:.1f} of {count(m.count, 'rating')}"
                            for m in means))

    def _axes(self, left: list[tuple[float, str]], bottom: list[tuple[float, str]], x_name: str, y_name: str,
              xs: tuple[float, float], ys: tuple[float, float]) -> None:
        theme, px = self.theme, self.theme.px
        side, below = self.plot.getAxis("left"), self.plot.getAxis("bottom")
        side.setTicks([left])
        side.setWidth(px(34 if y_name else 16) + max((text_width(theme, text, "micro") for _, text in left), default=0))
        side.setLabel(y_name, color=theme.css("muted"))
        side.showLabel(bool(y_name))
        below.setTicks([bottom])
        below.setHeight(px(36))
        below.setLabel(x_name, color=theme.css("muted"))
        below.setGrid(255)
        self.plot.setRange(xRange=xs, yRange=ys, padding=0)

    def _say(self, words: str) -> None:
        self.setAccessibleDescription(words)


def _array(values: Sequence[float]) -> Any:
    import numpy as np

    return np.asarray(values, float)


def _size(mean: MeanRating) -> float:
    """Returns the size of a mark in pixels at 100 % text size: the more ratings, the larger."""
    return min(14.0, 6.0 + 3.0 * log10(mean.count))


def steps(most: float) -> list[tuple[float, str]]:
    """Returns round ticks from 0 to a value."""
    step = next(s * 10**k for k in range(-2, 6) for s in (1, 2, 5) if s * 10**k * TICKS >= most)
    return [(step * k, f"{step * k:g}") for k in range(ceil(most / step) + 1)]


def _turns(last: int, first: int = 1) -> list[tuple[float, str]]:
    step = max(1, ceil((last - first + 1) / 12))
    return [(turn, str(turn)) for turn in range(first, last + 1, step)]


def _day(ordinal: int) -> str:
    return date.fromordinal(ordinal).strftime("%d %b %y")


def _days(first: int, last: int) -> list[tuple[float, str]]:
    step = max(1, ceil((last - first + 1) / TICKS))
    return [(day, _day(day)) for day in range(first, last + 1, step)]
