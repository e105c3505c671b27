"""The scatter panel: the value of each action against its visits, for an overview of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedLayout

from core.planning.facets import Facet
from core.planning.search_facets import Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.background import ChartImport
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.base import Panel
from gui.panels.scatter.points import Trails
from gui.widgets import StaleOverlay

if TYPE_CHECKING:
    from gui.panels.scatter.chart import ScatterChart


IMPORT_AFTER = 500
"""Milliseconds from the first sight of the panel to the import of pyqtgraph, so that the window is complete first."""


class ScatterPanel(Panel):
    """The scatter panel: x is the value, y the visits (logarithmic), size the prior, and shape and colour the loss.

    A trail shows the last five updates. pyqtgraph is imported before the first search, where there is time for it.
    """

    name: ClassVar[str] = "scatter"
    title: ClassVar[str] = "Value and visits"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Ranking})
    icon: ClassVar[str] = "scatter"
    interval: ClassVar[int] = 300

    def __init__(self, context: Context):
        super().__init__(context)
        self.plot: ScatterChart | None = None
        """The chart; None until pyqtgraph is imported."""
        self._import = ChartImport(self)
        self._import.ready.connect(self._on_import)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.nothing(
            self.icon, "values", "Actions appear here by value and visits once the planner has tried them.",
            lambda snapshot: f"No ranked action has visits and a value in turn {snapshot.turn}."))
        self._snapshot, self._trails = Snapshot(), Trails()
        self._overlay = StaleOverlay(context.theme, self)
        context.selection.changed.connect(lambda _: self.redraw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking. Each new ranking adds to the trails, even if it is not drawn."""
        self._snapshot = snapshot
        moved = self._trails.take(snapshot.facet(Ranking), snapshot.moment_of(Ranking))
        if self.has_changed(self.context.names.of(snapshot), staleness(snapshot, Ranking, "new search")) or moved:
            self.redraw()

    def headline(self) -> str:
        """Returns what the marks mean."""
        return "size: prior · trail: last 5 updates" if self._trails.points else ""

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Starts the import a little later."""
        super().showEvent(event)
        QTimer.singleShot(IMPORT_AFTER, self, self._import.start)

    def _on_import(self) -> None:
        from gui.panels.scatter.chart import ScatterChart

        self.plot = ScatterChart(self.context.theme, self)
        self.plot.clicked.connect(self._choose)
        self._stack.addWidget(self.plot)
        self.restyle()

    def restyle(self) -> None:
        """Takes the theme's colours and sizes again."""
        if self.plot is not None:
            self.plot.restyle()
        super().restyle()

    def redraw(self) -> None:
        """Shows the newest points, the selection, and whether they are of an earlier search."""
        has_points, now = bool(self._trails.points), self.context.selection.now
        if has_points:
            self._import.start()
        if self.plot is not None and has_points:
            selected = now.action if now is not None and now.kind == "action" else None
            self.plot.show_trails(self._trails, self.context.names.of(self._snapshot), selected)
        self._overlay.say(staleness(self._snapshot, Ranking, "new search") if self.plot is not None and has_points else "")
        self._stack.setCurrentIndex(int(self.plot is not None and has_points))

    def _choose(self, action: object) -> None:
        if isinstance(action, Action):
            self.context.selection.select(Selected("action", action=action))
