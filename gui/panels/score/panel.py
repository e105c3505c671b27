"""The panel of the score over interactions."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QStackedLayout, QWidget

from core.facets import Facet, Scores
from core.snapshot import Snapshot
from gui.context import Context
from gui.lists import Throttle
from gui.panel import Panel
from gui.panels.score.painting import ScorePainter, axes
from gui.theme import Theme
from gui.widgets import EmptyState
from gui.widgets import numbers as say

READ_OUT = 20


class ScorePlot(QWidget):
    """The painted plot."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._painter = theme, ScorePainter(theme)
        self._scores: Scores | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Score over interactions")

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
        at = axes(self._theme, self.width(), self.height(), self._scores)
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
        self._painter.paint(painter, axes(self._theme, self.width(), self.height(), self._scores), self._scores)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Say what the pointer is on."""
        found = self.score_at(event.position().x())
        self.setToolTip(f"{say.value(found[1], 0)} after {say.count(found[0], 'interaction')}" if found is not None else "")

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The theme changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.update()


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
        self._throttle = Throttle(self, self._draw)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Take the newest scores."""
        scores = snapshot.facet(Scores)
        if scores is not self._scores:
            self._scores = scores
            self._throttle.call()

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
