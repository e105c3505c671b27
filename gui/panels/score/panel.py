"""The panel of the score over interactions."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QStackedLayout

from core.planning.facets import Facet, Scores
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.base import Panel
from gui.panels.score.painting import ScorePainter, axes
from gui.theme import Theme
from gui.widgets import EmptyState
from gui.widgets import numbers as say
from gui.widgets.plot import Plot

READ_OUT = 20


class ScorePlot(Plot):
    """The painted plot."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Score over interactions")
        self._painter = ScorePainter(theme)
        self._scores: Scores | None = None

    def show_scores(self, scores: Scores) -> None:
        """Another picture."""
        self._scores = scores
        ends = [f"episode {k} ended with {say.value(s, 0)} after {n}" for k, (n, s) in enumerate(scores.ends, 1)]
        now = f"now {say.value(scores.score, 0)} after {say.count(scores.interactions, 'interaction')}"
        self.setAccessibleDescription("; ".join([now, *ends[-READ_OUT:]]))
        self.update()

    def score_at(self, x: float) -> tuple[int, float] | None:
        """Interactions and score under a place on the x axis."""
        if self._scores is None:
            return None
        at = axes(self.theme, self.width(), self.height(), self._scores)
        count = round((x - at.area.left()) / max(1.0, at.area.width()) * at.last)
        if not 0 <= count <= self._scores.interactions:
            return None
        return count, [score for n, score in self._scores.points if n <= count][-1]

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """The plot."""
        del event
        if self._scores is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.paint(painter, axes(self.theme, self.width(), self.height(), self._scores), self._scores)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Say what the pointer is on."""
        found = self.score_at(event.position().x())
        self.setToolTip(f"{say.value(found[1], 0)} after {say.count(found[0], 'interaction')}" if found is not None else "")


class ScorePanel(Panel):
    """x interactions, y score; the dashed line is the best so far, marks are ends of episodes: octagon failed, diamond done."""

    name: ClassVar[str] = "score"
    title: ClassVar[str] = "Score"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Scores})
    icon: ClassVar[str] = "scatter"

    def __init__(self, context: Context):
        super().__init__(context)
        self._scores: Scores | None = None
        self.plot = ScorePlot(context.theme)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(context.theme, "scatter", "No scores yet",
                                         "The score over interactions appears here, episode by episode."))
        self._stack.addWidget(self.plot)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take the newest scores."""
        scores = snapshot.facet(Scores)
        if scores is not self._scores:
            self._scores = scores
            self._draw()

    def headline(self) -> str:
        """Now, the best, and when."""
        now = self._scores
        if now is None:
            return ""
        best = f"best {say.value(now.best, 0)} after {say.whole(now.best_at)}" if now.best > 0 else "nothing reached yet"
        return f"{say.value(now.score, 0)} of {say.value(now.most, 0)} · {best} · episode {len(now.ends) + 1}"

    def restyle(self) -> None:
        """Other colours and sizes."""
        self._draw()

    def _draw(self) -> None:
        self._stack.setCurrentIndex(int(self._scores is not None))
        if self._scores is not None:
            self.plot.show_scores(self._scores)
