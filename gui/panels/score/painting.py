"""The score as a stair over interactions: episodes side by side, the best so far as a line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from core.planning.facets import Scores
from gui.theme import Theme
from gui.widgets import CENTRE, RIGHT, draw_mark, draw_text, text_width
from gui.widgets.numbers import value, whole

GRID = 4
MOST_MARKS = 80
"""With more episodes than this only failed and finished ones are marked."""
MOST_CORNERS = 120
"""A stair with more is drawn by pixels."""


@dataclass(frozen=True, slots=True)
class Axes:
    """Where the data lies on the widget: `last` interactions wide, from `low` to `high`."""

    area: QRectF
    last: int
    low: float
    high: float

    def place(self, count: float, score: float) -> QPointF:
        """A point in pixels; what lies under the axis is drawn on it."""
        share = (max(self.low, score) - self.low) / (self.high - self.low)
        return QPointF(self.area.left() + count / max(1, self.last) * self.area.width(),
                       self.area.bottom() - share * self.area.height())


def axes(theme: Theme, width: float, height: float, scores: Scores) -> Axes:
    """From nothing to all; failed episodes lie on the floor, with a mark."""
    left = theme.px(10) + text_width(theme, whole(round(scores.most)), "micro")
    area = QRectF(left + theme.px(6), theme.px(12), width - left - theme.px(20), height - theme.px(12) - theme.px(36))
    return Axes(area, max(10, scores.interactions), 0.0, max(1.0, scores.most))


def stair(scores: Scores) -> list[tuple[int, float]]:
    """The corners of the stair, up to now."""
    return [*scores.points, (scores.interactions, scores.score)]


def best_line(scores: Scores) -> Iterator[tuple[int, float]]:
    """Where the best so far rose."""
    best = 0.0
    for count, score in scores.points:
        if score > best:
            best = score
            yield count, score


def extremes(scores: Scores, columns: int, each: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lowest and the highest score in each of so many stretches of `each` interactions, from what it was before on."""
    counts, values = (np.array(row, float) for row in zip(*stair(scores), strict=True))
    edges = np.arange(columns + 1) * each
    first = np.maximum(0, np.searchsorted(counts, edges[:-1], "left") - 1)
    after = np.maximum(first + 1, np.r_[np.searchsorted(counts, edges[1:-1], "left"), len(counts)])
    cuts = np.c_[first, after].ravel()
    padded = np.r_[values, values[-1]]
    return np.minimum.reduceat(padded, cuts)[::2], np.maximum.reduceat(padded, cuts)[::2]


class ScorePainter:
    """Draws one picture."""

    def __init__(self, theme: Theme):
        self._theme = theme

    def paint(self, painter: QPainter, at: Axes, scores: Scores) -> None:
        """Axes, the stair filled, the best so far, the ends of episodes."""
        self._grid(painter, at)
        self._stair(painter, at, scores)
        self._best(painter, at, scores)
        for count, score in scores.ends:
            if len(scores.ends) <= MOST_MARKS or score < 0 or score >= scores.most:
                self._end(painter, at.place(count, score), score, scores.most)

    def _grid(self, painter: QPainter, at: Axes) -> None:
        theme, area, px = self._theme, at.area, self._theme.px
        for k in range(GRID + 1):
            score = at.low + (at.high - at.low) * k / GRID
            y = at.place(0, score).y()
            painter.setPen(QPen(theme.tinted("line_strong", 0.30) if k else theme.colour("line_strong"), 1))
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            draw_text(painter, theme, QRectF(0, y - px(7), area.left() - px(5), px(14)), value(score, 0), "micro", "muted",
                      align=RIGHT)
        for share in (0.0, 0.5, 1.0):
            x = area.left() + share * area.width()
            room = QRectF(x - px(30), area.bottom() + px(3), px(60), px(14))
            draw_text(painter, theme, room.translated(-px(12) if share == 1 else 0, 0), whole(round(share * at.last)), "micro",
                      "muted", align=CENTRE)
        foot = QRectF(area.left(), area.bottom() + px(17), area.width(), px(15))
        draw_text(painter, theme, foot, "interactions", "small", "muted", align=CENTRE)

    def _stair(self, painter: QPainter, at: Axes, scores: Scores) -> None:
        corners = stair(scores)
        if len(corners) > MOST_CORNERS:
            self._columns(painter, at, scores)
            return
        path = QPainterPath(at.place(*corners[0]))
        for (_, before), (count, score) in pairwise(corners):
            path.lineTo(at.place(count, before))
            path.lineTo(at.place(count, score))
        filled = QPainterPath(path)
        filled.lineTo(at.place(corners[-1][0], at.low))
        filled.lineTo(at.place(corners[0][0], at.low))
        painter.fillPath(filled, self._theme.tinted("accent", 0.16))
        painter.setPen(QPen(self._theme.colour("accent"), 1.4))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _columns(self, painter: QPainter, at: Axes, scores: Scores) -> None:
        """The same a pixel at a time: a path that goes up and down a thousand times takes longer than a picture may."""
        area, wide = at.area, at.area.width() / at.last
        low, high = extremes(scores, math.ceil(scores.interactions * wide), 1 / wide)
        lowest, highest = ((area.bottom() - (np.maximum(at.low, y) - at.low) / (at.high - at.low) * area.height()).tolist()
                           for y in (low, high))
        lines = list(zip(itertools.count(area.left() + 0.5), lowest, highest, strict=False))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(QPen(self._theme.tinted("accent", 0.16), 1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        painter.drawLines([QLineF(x, area.bottom(), x, under) for x, under, _ in lines])
        painter.setPen(QPen(self._theme.colour("accent"), 1))
        painter.drawLines([QLineF(x, under, x, over) for x, under, over in lines])
        painter.restore()

    def _best(self, painter: QPainter, at: Axes, scores: Scores) -> None:
        """Dashed, as it is what could be had, not what is."""
        theme, steps = self._theme, list(best_line(scores))
        if not steps:
            return
        path = QPainterPath(at.place(*steps[0]))
        for (_, before), (count, score) in pairwise([*steps, (scores.interactions, steps[-1][1])]):
            path.lineTo(at.place(count, before))
            path.lineTo(at.place(count, score))
        painter.setPen(QPen(theme.colour("good"), 1.6, Qt.PenStyle.DashLine))
        painter.drawPath(path)
        top = at.place(scores.best_at, scores.best)
        draw_mark(painter, "triangle", top.x(), top.y(), theme.px(4), theme.colour("good"))

    def _end(self, painter: QPainter, place: QPointF, score: float, most: float) -> None:
        """An episode's end: failed, done, or neither."""
        theme = self._theme
        if score < 0:
            draw_mark(painter, "octagon", place.x(), place.y(), theme.px(4), theme.colour("bad"))
        elif score >= most:
            draw_mark(painter, "diamond", place.x(), place.y(), theme.px(4), theme.colour("good"))
        else:
            draw_mark(painter, "circle", place.x(), place.y(), theme.px(2.5), theme.colour("muted"))
