"""The score panel: the score over interactions, and the reduction of long runs to what a chart can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.planners.neoplanner.recorded_types import Scores
from core.planning.facets import Facet
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.chart_panel import ChartPanel
from gui.widgets import numbers as say

if TYPE_CHECKING:
    from gui.panels.score.chart import ScoreChart


class ScorePanel(ChartPanel["ScoreChart"]):
    """The score panel: x is the number of interactions, y the score.

    The dashed line is the best score so far. Marks are ends of episodes: an octagon failed, a diamond is done.
    """

    name: ClassVar[str] = "score"
    title: ClassVar[str] = "Score"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Scores})
    icon: ClassVar[str] = "scatter"

    def __init__(self, context: Context):
        super().__init__(context, "scores", "The score over interactions appears here, episode by episode.")
        self._scores: Scores | None = None

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest scores."""
        self._scores = snapshot.facet(Scores)
        if self.has_changed(self._scores):
            self.redraw()

    def headline(self) -> str:
        """Returns the current score, the best score and when it was reached."""
        now = self._scores
        if now is None:
            return ""
        best = f"best {say.value(now.best, 0)} after {say.whole(now.best_at)}" if now.best > 0 else "nothing reached"
        return f"{say.value(now.score, 0)} of {say.value(now.most, 0)} · {best} · episode {len(now.ends) + 1}"

    def redraw(self) -> None:
        """Draws the panel again at once."""
        self.draw_chart(has_data=self._scores is not None)

    def make_chart(self) -> ScoreChart:
        """Returns the chart of the score."""
        from gui.panels.score.chart import ScoreChart

        return ScoreChart(self.context.theme, self)

    def fill_chart(self, chart: ScoreChart) -> None:
        """Shows the newest scores."""
        if self._scores is not None:
            chart.show_scores(self._scores)


def stair(scores: Scores) -> list[tuple[int, float]]:
    """Returns the corners of the stair as (interactions, score), up to now."""
    return [*scores.points, (scores.interactions, scores.score)]


def best_line(scores: Scores) -> Iterator[tuple[int, float]]:
    """Yields (interactions, score) wherever the best score so far rose."""
    best = 0.0
    for count, score in scores.points:
        if score > best:
            best = score
            yield count, score


def stair_line(corners: Sequence[tuple[int, float]]) -> tuple[list[float], list[float]]:
    """Returns x and y of the line along a stair: level until a corner, then upright. Scores under 0 are drawn on the axis."""
    xs, ys = [float(corners[0][0])], [max(0.0, corners[0][1])]
    for (_, before), (count, score) in pairwise(corners):
        xs += [count, count]
        ys += [max(0.0, before), max(0.0, score)]
    return xs, ys


def extremes(scores: Scores, columns: int, each: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the lowest and the highest score in each of `columns` stretches of `each` interactions.

    A stretch includes the score it begins with.
    """
    counts, values = (np.array(row, float) for row in zip(*stair(scores), strict=True))
    edges = np.arange(columns + 1) * each
    first = np.maximum(0, np.searchsorted(counts, edges[:-1], "left") - 1)
    after = np.maximum(first + 1, np.r_[np.searchsorted(counts, edges[1:-1], "left"), len(counts)])
    cuts = np.c_[first, after].ravel()
    padded = np.r_[values, values[-1]]
    return np.minimum.reduceat(padded, cuts)[::2], np.maximum.reduceat(padded, cuts)[::2]
