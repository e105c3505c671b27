"""The scatter panel: the value of each action against its visits, for an overview of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from core.planning.facets import Facet, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.chart_panel import ChartPanel
from gui.panels.scatter.points import Trails
from gui.widgets import EmptyState, Namer, StaleVeil

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
        super().__init__(context, EmptyState(context.theme, "scatter", "No values yet",
                                             "Actions appear here by value and visits once the planner has tried them."))
        self._snapshot, self._trails, self._namer = Snapshot(), Trails(), Namer()
        self._shown: tuple[object, ...] = ()
        self._veil = StaleVeil(context.theme, self)
        context.selection.changed.connect(lambda _: self._draw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking. Each new ranking adds to the trails, even if it is not drawn."""
        self._snapshot = snapshot
        moved = self._trails.take(snapshot.facet(Ranking), snapshot.moment_of(Ranking))
        shown = (self._namer.of(snapshot.seen), staleness(snapshot, Ranking, "new search"))
        if moved or shown != self._shown:
            self._shown = shown
            self._draw()

    def headline(self) -> str:
        """Returns what the marks mean."""
        return "size: prior · trail: last 5 updates" if self._trails.points else ""

    def restyle(self) -> None:
        """Takes the theme's colours and sizes again."""
        if self.plot is not None:
            self.plot.restyle()
        self._draw()

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
        self._veil.say(staleness(self._snapshot, Ranking, "new search"))

    def _draw(self) -> None:
        self.draw_chart(has_data=bool(self._trails.points))

    def _choose(self, action: object) -> None:
        if isinstance(action, Action):
            self.context.selection.select(Selected("action", action=action))
