"""The panels of the goal and of the scene: views of the run's state that no planner shows."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtGui import QAction

from core.planning.facets import GoalProgress
from core.session.snapshot import Snapshot
from core.session.world_views import goal_view, scene_view
from core.views.values import GOAL, Tree
from gui.control.context import Context
from gui.panels.empty import EmptyPage
from gui.panels.view_panel import ViewPanel
from gui.views.source import MadeSource
from gui.widgets import tool_action


class GoalPanel(ViewPanel):
    """The literals of the goal, each with its count and the objects that satisfy it, and where the planner counts otherwise."""

    name: ClassVar[str] = "goal"
    title: ClassVar[str] = "Goal"
    facets = frozenset({GoalProgress})
    icon: ClassVar[str] = "goal"
    needs_live: ClassVar[str] = ""

    def make_sources(self) -> tuple[MadeSource]:
        """Returns the goal with its progress."""
        return (MadeSource(self.context, self.title, lambda now: None if now.goal is None else (
            now.goal, now.progress, now.fresh(GoalProgress), now.seen), goal_view),)

    def empty_page(self) -> EmptyPage:
        """Returns the page to show without a goal."""
        return self.nothing("goal", "goal", "Type a task in plain words. Each part of the goal is counted here.",
                            lambda snapshot: f"No part of a goal was judged up to turn {snapshot.turn}.")


class ScenePanel(ViewPanel):
    """The scene panel: rooms, their furniture and the objects in and on it, with states as chips."""

    name: ClassVar[str] = "scene"
    title: ClassVar[str] = "Scene"
    icon: ClassVar[str] = "scene"
    needs_live: ClassVar[str] = ""

    def __init__(self, context: Context):
        super().__init__(context)
        self.goal_only = tool_action(self, context.theme, "Only the goal's objects", "filter", self._search, checkable=True,
                                     key="F")

    def make_sources(self) -> tuple[MadeSource]:
        """Returns the newest observation."""
        def view(now: Snapshot) -> Tree:
            assert now.seen is not None
            return scene_view(now.seen, now.goal)

        return (MadeSource(self.context, self.title, lambda now: None if now.seen is None else (now.seen, now.goal), view),)

    def empty_page(self) -> EmptyPage:
        """Returns the page to show before the first observation."""
        return self.nothing("scene", "scene", "The rooms and objects that the robot knows appear here.",
                            lambda snapshot: f"Nothing was observed up to turn {snapshot.turn}.")

    def tools(self) -> tuple[QAction, ...]:
        """Returns the actions for search and for the goal's filter."""
        return (*super().tools(), self.goal_only)

    def words(self) -> list[str]:
        """Returns what is searched for: also the mark of the goal's objects."""
        return [*super().words(), *([GOAL.word] if self.goal_only.isChecked() else [])]
