"""The score panel: the score over interactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

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
