"""The goal: counts, the objects that satisfy it, where the planner counts otherwise, and its panel."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.goals.literals import Goal, Literal, LiteralProgress
from core.goals.progress import progress
from core.planning.facets import GoalProgress
from core.session.events import Shown
from core.session.snapshot import Snapshot
from core.session.world_views import goal_view
from core.views.values import REACHED
from gui.control.context import Context, Selected
from gui.panels.state_panels import GoalPanel
from gui.views.item_rows import ItemsView
from tests.gui.panels import worlds


def test_literals_with_counts_subjects_and_targets() -> None:
    view = goal_view(worlds.usual())
    first, apple, second, mug = view.items
    assert (first.text, first.values, first.marks) == ("apple on the kitchen table", (1, 1), (REACHED,))
    assert (apple.text, apple.about.things, apple.parent) == ("apple_1", ("apple_1",), 0)
    assert (second.about.things, mug.parent) == (("cabinet_1",), 2)
    assert view.headline == "2 of 2 reached"


@pytest.mark.parametrize(("believed", "word"), [(0, "planner knows of 0"), (2, "planner believes 2"), (1, "")])
def test_where_the_planner_counts_otherwise(believed: int, word: str) -> None:
    told = GoalProgress(tuple(LiteralProgress(literal, believed, ("mug_2",)) for literal in worlds.GOAL.literals))
    view = goal_view(worlds.Story().begin().tell(Shown(told)).snapshot)
    assert [[mark.word for mark in item.marks if mark is not REACHED] for item in view.items if item.parent < 0] == [
        [word] if word else []] * 2
    assert view.headline == "2 of 2 reached" + (" · the planner believes otherwise" if word else "")
    assert {"mug_2", "apple_1"} <= {item.key for item in view.items}, "the subjects of both"


def test_what_the_planner_told_in_another_turn_does_not_count() -> None:
    told = GoalProgress(tuple(LiteralProgress(literal, 0, ("mug_2",)) for literal in worlds.GOAL.literals))
    story = worlds.Story().begin().tell(Shown(told)).act(worlds.seen())
    assert goal_view(story.begin().snapshot) == goal_view(worlds.Story().begin().snapshot)


def test_a_goal_that_was_not_judged_yet_and_no_goal() -> None:
    goal = Goal(tuple(Literal("on", "book", f"shelf_{k}", 3) for k in range(40)))
    view = goal_view(Snapshot(goal=goal))
    assert [item.values for item in view.items] == [(0, 3)] * 40
    assert (goal_view(Snapshot()).items, goal_view(Snapshot()).headline) == ((), "")
    now = worlds.seen()
    assert goal_view(Snapshot(goal=goal, seen=now, progress=progress(goal, now))).headline == "0 of 40 reached"


# --- the panel -----------------------------------------------------------------------
def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[GoalPanel, Context]:
    context, _ = worlds.context()
    panel = GoalPanel(context)
    qtbot.addWidget(panel)
    panel.resize(360, 240)
    panel.show()
    panel.receive(snapshot)
    return panel, context


def rows_of(panel: GoalPanel) -> Any:
    assert isinstance(panel.shown, ItemsView)
    return panel.shown.rows


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, Snapshot())
    assert panel.shown is None
    assert panel.headline() == ""


def test_shows_and_describes(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    panel.restyle()
    assert panel.headline() == "2 of 2 reached"
    rows = rows_of(panel)
    assert [rows.model().index(row, 0).data() for row in range(2)] == [
        "apple on the kitchen table · have 1 · wanted 1 · reached", "apple"]
    assert not panel.grab().isNull()
    for row, thing in ((1, "apple_1"), (0, "kitchen_table_1")):
        at = QPoint(rows.viewport().width() // 2, rows.visualRect(rows.model().index(row, 0)).center().y())
        QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert context.selection.thing() == thing
    context.selection.select(Selected("thing", "mug_1"))
    assert rows.row_words(rows.current) == "mug"


def test_huge(qtbot: QtBot) -> None:
    now = worlds.huge(500).seen
    assert now is not None
    goal = Goal(tuple(Literal("on", "book", f"shelf_{k}", 3) for k in range(40)))
    panel, _ = shown(qtbot, Snapshot(goal=goal, seen=now, progress=progress(goal, now)))
    assert rows_of(panel).verticalScrollBar().maximum() > 0
    assert not panel.grab().isNull()
