"""The goal panel: counts, subjects, and where the planner's knowledge differs."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.goals.literals import Goal, Literal, LiteralProgress
from core.goals.progress import progress
from core.planning.facets import GoalProgress
from core.session.events import Shown
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.panels.goal import GoalPanel, literal_statuses
from gui.widgets import Names
from tests.gui.panels import worlds


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[GoalPanel, Context]:
    context, _ = worlds.context()
    panel = GoalPanel(context)
    qtbot.addWidget(panel)
    panel.resize(360, 240)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, Snapshot())
    assert not panel.list.isVisible()
    assert panel.headline() == ""


def test_literals_with_counts_and_subjects() -> None:
    now = worlds.seen()
    first, second = literal_statuses(worlds.usual(), Names.of(now))
    assert (first.words, first.real, first.reached) == ("apple on the kitchen table", 1, True)
    assert first.subjects == (("apple_1", "apple"),)
    assert second.target == "cabinet_1"
    assert second.known is None


def test_where_the_planner_knows_less() -> None:
    told = GoalProgress(tuple(LiteralProgress(literal, 0, ()) for literal in worlds.GOAL.literals))
    snapshot = worlds.Story().begin().tell(Shown(told)).snapshot
    assert [s.differs for s in literal_statuses(snapshot, Names())] == ["planner knows of 0"] * 2


def test_shows_and_describes(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    panel.restyle()
    assert panel.headline() == "2 of 2 reached"
    assert panel.list.model().index(0, 0).data().startswith("apple on the kitchen table: 1 of 1, reached")
    assert not panel.grab().isNull()
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(50, 40))
    assert context.selection.thing() == "apple_1"
    QTest.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 14))
    assert context.selection.thing() == "kitchen_table_1"


def test_huge(qtbot: QtBot) -> None:
    snapshot = worlds.huge(500)
    assert snapshot.seen is not None
    goal = Goal(tuple(Literal("on", "book", f"shelf_{k}", 3) for k in range(40)))
    story = worlds.Story().begin(snapshot.seen)
    many = story.tell(Shown(GoalProgress(progress(goal, snapshot.seen)))).snapshot
    panel, _ = shown(qtbot, many)
    panel.show_snapshot(type(many)(goal=goal, seen=snapshot.seen, progress=progress(goal, snapshot.seen)))
    panel.restyle()
    assert panel.list.verticalScrollBar().maximum() > 0
    assert not panel.grab().isNull()
