"""The goal panel: every literal with its count, and where the planner's knowledge differs from the world."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QStackedLayout

from core.planning.facets import GoalProgress
from core.session.events import Began
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.panels.base import Panel
from gui.panels.goal.list import GoalList
from gui.panels.goal.literal_status import Standing, standings
from gui.widgets import EmptyState, Namer


class GoalPanel(Panel):
    """The goal panel. A click on a literal selects its target, a click on a chip selects its object."""

    name: ClassVar[str] = "goal"
    title: ClassVar[str] = "Goal"
    facets = frozenset({GoalProgress})
    icon: ClassVar[str] = "goal"

    def __init__(self, context: Context):
        super().__init__(context)
        self._namer = Namer()
        self._began: Began | None = None
        self._snapshot = Snapshot()
        self._shown: tuple[object, ...] = ()
        self._standings: tuple[Standing, ...] = ()
        self._empty = EmptyState(context.theme, "goal", "No goal yet",
                                 "Type a task in plain words. Each part of the goal is counted here.")
        self.list = GoalList(context.theme)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        self.list.picked.connect(lambda entity_id: context.selection.select(Selected("thing", entity_id)))
        context.selection.changed.connect(lambda _: self._draw())

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Shows the newest counts."""
        if snapshot.began is not self._began:
            self._began = snapshot.began
            self._namer.forget()
        self._snapshot = snapshot
        shown = (snapshot.goal, snapshot.progress, snapshot.fresh(GoalProgress), self._namer.of(snapshot.seen))
        if len(self._shown) != len(shown) or any(a is not b for a, b in zip(shown, self._shown, strict=True)):
            self._shown = shown
            self._draw()

    def headline(self) -> str:
        """Returns how many literals are reached."""
        if not self._standings:
            return ""
        wrong = sum(1 for s in self._standings if s.differs)
        told = " · the planner believes otherwise" if wrong else ""
        return f"{sum(s.reached for s in self._standings)} of {len(self._standings)} reached{told}"

    def restyle(self) -> None:
        """Takes the colours and sizes of the theme again."""
        self._draw()

    def _draw(self) -> None:
        self._standings = standings(self._snapshot, self._namer.of(self._snapshot.seen))
        self._stack.setCurrentWidget(self.list if self._standings else self._empty)
        self.list.show_standings(self._standings, self.context.selection.thing())
