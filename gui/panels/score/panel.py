"""The panel of the score over interactions."""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStackedLayout

from core.facets import Facet, Scores
from core.snapshot import Snapshot
from gui.context import Context
from gui.lists import Throttle
from gui.panel import Panel
from gui.widgets import EmptyState
from gui.widgets import numbers as say

if TYPE_CHECKING:
    from gui.panels.score.chart import ScoreChart

LOOK_EVERY = 30
"""Milliseconds between two looks whether the chart's library is loaded."""


class ScorePanel(Panel):
    """x interactions, y score; the dashed line is the best so far, marks are ends of episodes: octagon failed, diamond done."""

    name: ClassVar[str] = "score"
    title: ClassVar[str] = "Score"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Scores})
    icon: ClassVar[str] = "scatter"

    def __init__(self, context: Context):
        super().__init__(context)
        self._scores: Scores | None = None
        self.chart: ScoreChart | None = None
        self._loading: threading.Thread | None = None
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(context.theme, "scatter", "No scores yet",
                                         "The score over interactions appears here, episode by episode."))
        self._throttle = Throttle(self, context.theme.way, self._draw)
        self._waiting = QTimer(self)
        self._waiting.setInterval(LOOK_EVERY)
        self._waiting.timeout.connect(self._look_for_chart)

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
        if self._scores is not None and self._loading is None:
            # Beside the window's own thread: it takes up to two seconds.
            self._loading = threading.Thread(target=importlib.import_module, args=("pyqtgraph",), name="chart", daemon=True)
            self._loading.start()
            self._waiting.start()
        if self.chart is not None and self._scores is not None:
            self.chart.show_scores(self._scores)
        self._stack.setCurrentIndex(int(self.chart is not None and self._scores is not None))

    def _look_for_chart(self) -> None:
        if self._loading is not None and not self._loading.is_alive():
            self._waiting.stop()
            from gui.panels.score.chart import ScoreChart

            self.chart = ScoreChart(self.context.theme)
            self._stack.addWidget(self.chart)
            self._draw()
