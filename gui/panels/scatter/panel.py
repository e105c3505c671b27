"""The scatter panel: the value of each action against its visits, for an overview of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from core.planning.facets import Facet
from core.planning.search_facets import Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.chart_panel import ChartPanel
from gui.panels.scatter.points import Trails
from gui.widgets import Namer, StaleOverlay

if TYPE_CHECKING:
    from gui.panels.scatter.chart import ScatterChart


class ScatterPanel(ChartPanel["ScatterChart"]):
    """The scatter panel: x is the value, y the visits (logarithmic), size the prior, and shape and colour the loss.

    A trail shows the last five updates.
    """

    name: ClassVar[str] = "scatter"
    title: ClassVar[str] = "Value and visits"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Ranking})
    icon: ClassVar[str] = "scatter"

    def __init__(self, context: Context):
        super().__init__(context, "values", "Actions appear here by value and visits once the planner has tried them.",
                         lambda snapshot: f"No ranked action has visits and a value in turn {snapshot.turn}.")
        self._snapshot, self._trails, self._namer = Snapshot(), Trails(), Namer()
        self._overlay = StaleOverlay(context.theme, self)
        context.selection.changed.connect(lambda _: self.redraw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking. Each new ranking adds to the trails, even if it is not drawn."""
        self._snapshot = snapshot
        moved = self._trails.take(snapshot.facet(Ranking), snapshot.moment_of(Ranking))
        if self.has_changed(self._namer.of(snapshot.seen), staleness(snapshot, Ranking, "new search")) or moved:
            self.redraw()

    def headline(self) -> str:
        """Returns what the marks mean."""
        return "size: prior · trail: last 5 updates" if self._trails.points else ""

    def make_chart(self) -> ScatterChart:
        """Returns the chart of value against visits."""
        from gui.panels.scatter.chart import ScatterChart

        chart = ScatterChart(self.context.theme, self)
        chart.clicked.connect(self._choose)
        return chart

    def fill_chart(self, chart: ScatterChart) -> None:
        """Shows the newest points, the selection, and whether they are of an earlier search."""
        now = self.context.selection.now
        selected = now.action if now is not None and now.kind == "action" else None
        chart.show_trails(self._trails, self._namer.of(self._snapshot.seen), selected)
        self._overlay.say(staleness(self._snapshot, Ranking, "new search"))

    def redraw(self) -> None:
        """Draws the panel again at once."""
        if not self._trails.points:
            self._overlay.say("")
        self.draw_chart(has_data=bool(self._trails.points))

    def _choose(self, action: object) -> None:
        if isinstance(action, Action):
            self.context.selection.select(Selected("action", action=action))
