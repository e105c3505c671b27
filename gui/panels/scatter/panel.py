"""The scatter panel: the value of each action against its visits, for an overview of the search."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QStackedLayout

from core.planning.facets import Facet, Ranking
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.control.context import Context, Selected
from gui.control.snapshot_texts import staleness
from gui.panels.base import Panel
from gui.panels.scatter.geometry import radius
from gui.panels.scatter.painting import Plot as Axes
from gui.panels.scatter.painting import ScatterPainter, make_plot
from gui.panels.scatter.trails import Trails
from gui.theme import Theme
from gui.widgets import EmptyState, Namer, Names, StaleVeil
from gui.widgets import numbers as say
from gui.widgets.plot import Plot


class Scatter(Plot):
    """The painted plot."""

    clicked = Signal(object)
    """Emitted with the Action of the clicked mark, or None beside the marks."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Value against visits")
        self._painter = ScatterPainter(theme)
        self._trails, self._names, self._selected = Trails(), Names(), None

    _selected: Action | None

    def show_trails(self, trails: Trails, names: Names, selected: Action | None) -> None:
        """Shows points with their trails, and the selection."""
        self._trails, self._names, self._selected = trails, names, selected
        words = (f"{names.phrase(p.action)}: value {p.value:.2f}, {p.visits} visits" for p in trails.points)
        self.setAccessibleDescription("; ".join(words))
        self.update()

    def _plot(self) -> Axes:
        return make_plot(self.theme, self.width(), self.height(), self._trails)

    def action_at(self, place: QPointF) -> Action | None:
        """Returns the action whose mark is under a point, or None. Of several marks it is that of the best action."""
        plot = self._plot()
        for point in self._trails.points:
            way = plot.place(point.value, point.visits) - place
            if way.manhattanLength() <= radius(point.ranked.prior, self.theme.scale) + 4:
                return point.action
        return None

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the plot."""
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), self.theme.colour("surface"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._painter.paint(painter, self._plot(), self._trails, self._names, self._selected)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `clicked` with the action under the pointer."""
        self.clicked.emit(self.action_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Sets the tooltip to the action under the pointer."""
        action = self.action_at(event.position())
        point = next((p for p in self._trails.points if p.action == action), None)
        if point is None or action is None:
            self.setToolTip("")
            return
        prior = say.probability(point.ranked.prior) or "0"
        self.setToolTip(f"{self._names.phrase(action)} · P {prior} · N {say.whole(point.visits)} · Q {say.value(point.value)}")


class ScatterPanel(Panel):
    """The scatter panel: x is the value, y the visits (logarithmic), size the prior, and shape and colour the loss.

    A trail shows the last five updates.
    """

    name: ClassVar[str] = "scatter"
    title: ClassVar[str] = "Value and visits"
    facets: ClassVar[frozenset[type[Facet]]] = frozenset({Ranking})
    icon: ClassVar[str] = "scatter"

    def __init__(self, context: Context):
        super().__init__(context)
        self._snapshot, self._trails, self._namer = Snapshot(), Trails(), Namer()
        self._shown: tuple[object, ...] = ()
        self.plot = Scatter(context.theme)
        self._veil = StaleVeil(context.theme, self.plot)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(EmptyState(context.theme, "scatter", "No values yet",
                                         "Actions appear here by value and visits once the planner has tried them."))
        self._stack.addWidget(self.plot)
        self.plot.clicked.connect(self._choose)
        context.selection.changed.connect(lambda _: self._draw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest ranking. Each new ranking adds to the trails, even if it is not drawn."""
        self._snapshot = snapshot
        moved = self._trails.take(snapshot.facet(Ranking), snapshot.moment_of(Ranking))
        stale = staleness(snapshot, Ranking, "new search")
        shown = (self._namer.of(snapshot.seen), stale)
        if moved or shown != self._shown:
            self._shown = shown
            self._veil.say(stale)
            self._draw()

    def headline(self) -> str:
        """Returns what the marks mean."""
        return "size: prior · trail: last 5 updates" if self._trails.points else ""

    def _draw(self) -> None:
        self._stack.setCurrentIndex(int(bool(self._trails.points)))
        now = self.context.selection.now
        selected = now.action if now is not None and now.kind == "action" else None
        self.plot.show_trails(self._trails, self._namer.of(self._snapshot.seen), selected)

    def _choose(self, action: object) -> None:
        if isinstance(action, Action):
            self.context.selection.select(Selected("action", action=action))
