"""The scene: what lies where, what the goal names, and its panel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from core.session.snapshot import Snapshot
from core.session.world_views import ROBOT, scene_view
from core.views.checking import fault
from core.views.values import GOAL, Item, Tree
from core.world.vocabulary import Observation, Relation
from gui.control.context import Context, Selected
from gui.panels.state_panels import ScenePanel
from gui.views.item_rows import ItemsView
from tests.gui.panels import worlds


def lines(view: Tree) -> list[str]:
    assert fault(view) == ""
    depths: list[int] = []
    for item in view.items:
        depths.append(depths[item.parent] + 1 if item.parent >= 0 else 0)
    return [f"{'  ' * depth}{item.text} {item.place}".rstrip() for item, depth in zip(view.items, depths, strict=True)]


def by_key(view: Tree) -> dict[str, Item]:
    return {item.key: item for item in view.items}


def test_rooms_hold_furniture_and_furniture_holds_things() -> None:
    view = scene_view(worlds.seen())
    assert lines(view) == [
        "robot in kitchen_1", "kitchen_1", "  cabinet_1", "    mug_1 in cabinet_1", "  cabinet_2", "  fridge_1",
        "  kitchen_table_1", "    plate_1 on kitchen_table_1", "      apple_1 on plate_1", "living_room_1", "  coffee_table_1",
        "  desk_1"]
    assert view.headline == "3 objects in sight · 2 landmarks from the map"


def test_states_and_what_is_not_in_sight() -> None:
    items = by_key(scene_view(worlds.seen(fridge="open")))
    assert items["fridge_1"].values == (frozenset({"open"}),)
    assert [mark.word for mark in items["desk_1"].marks] == ["not in sight"]
    assert items["living_room_1"].marks == items["fridge_1"].marks == ()


def test_what_the_goal_names_is_marked() -> None:
    view = scene_view(worlds.seen(), worlds.GOAL)
    assert {item.key for item in view.items if GOAL in item.marks} == {
        "apple_1", "mug_1", "kitchen_table_1", "cabinet_1", "cabinet_2"}


def test_held_things_are_the_robots_and_what_is_controlled_is_said() -> None:
    now = worlds.seen(held=("mug_1",))
    view = scene_view(replace(now, relations=(*now.relations, Relation("controls", "desk_1", "fridge_1"))))
    items = by_key(view)
    assert (view.items[items["mug_1"].parent].key, items["mug_1"].place) == (ROBOT.id, "held")
    assert items["desk_1"].note == "controls fridge_1"


@pytest.mark.parametrize("circle", [
    (Relation("on", "fridge_1", "apple_1"), Relation("on", "kitchen_table_1", "fridge_1")),
    (Relation("inside", "desk_1", "desk_1"),)])
def test_each_entity_is_there_once_even_in_a_circle(circle: tuple[Relation, ...]) -> None:
    now = worlds.seen()
    view = scene_view(replace(now, relations=(*now.relations, *circle)))
    assert fault(view) == ""
    assert sorted(item.key for item in view.items[1:]) == sorted(e.id for e in (*now.entities, *now.landmarks))


def test_things_of_no_known_room_come_last() -> None:
    now = worlds.seen()
    view = scene_view(Observation(now.agent, (*now.entities, worlds.entity("ball_1", "object", None)), now.relations))
    assert lines(view)[-1] == "ball_1"


# --- the panel -----------------------------------------------------------------------
def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[ScenePanel, Context]:
    context, _ = worlds.context()
    panel = ScenePanel(context)
    qtbot.addWidget(panel)
    panel.resize(420, 500)
    panel.show()
    panel.receive(snapshot)
    return panel, context


def rows_of(panel: ScenePanel) -> Any:
    assert isinstance(panel.shown, ItemsView)
    return panel.shown.rows


def words(panel: ScenePanel) -> list[str]:
    rows = rows_of(panel)
    return [rows.model().index(row, 0).data().partition(" · ")[0] for row in range(rows.count())]


def spot(panel: ScenePanel, key: str) -> QPoint:
    rows = rows_of(panel)
    row = next(row for row in range(rows.count()) if rows.item_of_row(row).key == key)
    return QPoint(rows.viewport().width() // 2, rows.visualRect(rows.model().index(row, 0)).center().y())


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, Snapshot())
    assert panel.shown is None
    assert panel.headline() == ""
    assert panel._empty_page is not None
    assert panel._empty_page.isVisible()


def test_shows_the_world(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    assert panel.headline() == "3 objects in sight · 2 landmarks from the map"
    assert words(panel)[:6] == ["robot", "kitchen", "cabinet 1", "mug", "cabinet 2", "fridge"]
    rows = rows_of(panel)
    assert rows.row_words(3) == "mug · in cabinet 1 · states clean · goal"
    assert "states clean: what is known of its state" in rows.row_tip(3)
    assert not panel.grab().isNull()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=spot(panel, "fridge_1"))
    assert context.selection.thing() == "fridge_1"
    asked: list[str] = []
    context.selection.asked_override.connect(asked.append)
    QTest.mouseDClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=spot(panel, "desk_1"))
    assert asked == ["fridge_1"], "of what is chosen"


def test_the_menu_says_what_can_be_done_with_a_thing(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    rows_of(panel).choose(5, tell=True)
    changed: list[str] = []
    context.selection.asked_changes.connect(changed.append)
    panel._open_menu(panel.mapToGlobal(panel.rect().center()))
    menu = panel.findChild(QMenu)
    assert menu is not None
    acts = {action.text(): action for action in menu.actions()}
    assert {"What the robot can do with the fridge …", "Copy the text", "Fold all"} <= set(acts)
    acts["Change the fridge in the simulator, in a fork …"].trigger()
    assert changed == ["fridge_1"]
    menu.close()


def test_follows_the_selection(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    rows = rows_of(panel)
    context.selection.select(Selected("thing", "apple_1"))
    assert rows.item_of_row(rows.current).key == "apple_1"
    context.selection.select(None)
    assert rows.current == -1


def test_search_in_the_panel(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, worlds.usual())
    panel._find.setChecked(True)
    panel.query.setText("clean")
    panel.restyle()
    assert words(panel) == ["kitchen", "cabinet 1", "mug"]
    panel.receive(replace(worlds.usual(), seen=worlds.seen(held=("mug_1",))))
    assert words(panel) == ["robot", "mug"], "also in the next turn"
    panel.query.setText("kitchen table")
    assert words(panel) == ["kitchen", "kitchen table", "plate", "apple"], "with what is on it"
    panel.query.setText("zebra")
    assert words(panel) == []
    assert not panel.grab().isNull()
    panel._find.setChecked(False)
    assert len(words(panel)) == 12


def test_only_the_goals_objects(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, worlds.usual())
    assert panel.goal_only in panel.tools()
    panel.goal_only.trigger()
    assert words(panel) == ["kitchen", "cabinet 1", "mug", "cabinet 2", "kitchen table", "plate", "apple"]
    panel.goal_only.trigger()
    assert len(words(panel)) == 12


def test_huge(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, worlds.huge())
    rows = rows_of(panel)
    assert rows.count() == 13, "the rooms"
    assert not rows.outline.is_open(rows.outline.index_of(("room_0",)))
    assert not panel.grab().isNull()
