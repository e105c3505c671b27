"""The scene panel: the tree it makes, the rows it changes, and search."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from pytestqt.qtbot import QtBot

from core.session.snapshot import Snapshot
from core.world.vocabulary import Observation, Relation
from gui.control.context import Context, Selected
from gui.panels.scene.panel import ScenePanel
from gui.panels.scene.tree import ROBOT, Branch, BranchBuilder, arranged, matching, walk
from gui.panels.scene.view import SceneModel
from gui.widgets import Names
from tests.gui.panels import worlds


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[ScenePanel, Context]:
    context, _ = worlds.context()
    panel = ScenePanel(context)
    qtbot.addWidget(panel)
    panel.resize(420, 500)
    panel.show()
    panel.show_snapshot(snapshot)
    return panel, context


def grown(now: Observation) -> tuple[Branch, ...]:
    return BranchBuilder().build(now, Names.of(now))


def lines(tree: tuple[Branch, ...], depth: int = 0) -> list[str]:
    return [line for b in tree for line in (f"{'  ' * depth}{b.relation} {b.name}".rstrip(), *lines(b.under, depth + 1))]


def test_rooms_hold_furniture_and_furniture_holds_things() -> None:
    assert lines(grown(worlds.seen())) == [
        " robot", " kitchen", "   cabinet 1", "    in mug", "   cabinet 2", "   fridge", "   kitchen table", "    on plate",
        "      on apple", " living room", "   coffee table", "   desk"]


def test_held_things_are_the_robots() -> None:
    tree = grown(worlds.seen(held=("mug_1",)))
    assert [(b.id, b.relation) for b in tree[0].under] == [("mug_1", "held")]
    assert sum(b.id == "mug_1" for b in walk(tree)) == 1


def test_each_entity_is_there_once_even_in_a_circle() -> None:
    now = worlds.seen()
    circle = (*now.relations, Relation("on", "fridge_1", "apple_1"), Relation("on", "kitchen_table_1", "fridge_1"))
    tree = grown(replace(now, relations=circle))
    ids = [b.id for b in walk(tree) if b.id != ROBOT]
    assert sorted(ids) == sorted(e.id for e in (*now.entities, *now.landmarks))


def test_search_keeps_what_is_above_and_under_a_match() -> None:
    tree = grown(worlds.seen())
    found = tuple(b for branch in tree if (b := matching(branch, ("plate",))) is not None)
    assert lines(found) == [" kitchen", "   kitchen table", "    on plate", "      on apple"]
    assert all(matching(branch, ("zebra",)) is None for branch in tree)


def test_rows_by_state() -> None:
    kitchen = arranged(grown(worlds.seen(fridge="open"))[1], by_states=True, backwards=False)
    assert kitchen.under[0].id == "fridge_1"
    assert arranged(kitchen, by_states=False, backwards=True).under[-1].id == "fridge_1"


def test_only_changed_rows_are_reported(qtbot: QtBot) -> None:
    model = SceneModel()
    model.show_branches(grown(worlds.seen()))
    told: list[str] = []
    inserted: list[int] = []
    model.dataChanged.connect(lambda first, last: told.append(model.branch_at(first).id))
    model.rowsInserted.connect(lambda parent, first, last: inserted.append(first))
    model.show_branches(grown(worlds.seen(fridge="open")))
    assert told == ["fridge_1"]
    assert not inserted
    model.show_branches(grown(worlds.seen(fridge="open", held=("mug_1",))))
    assert told[1:] == [ROBOT, "cabinet_1"]
    assert inserted == [0]


def test_the_model_keeps_qts_rules(qtbot: QtBot) -> None:
    model = SceneModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for now in (worlds.seen(), worlds.seen(held=("mug_1",)), worlds.seen(fridge="open"), replace(worlds.seen(), relations=())):
        model.show_branches(grown(now))
        model.show_branches(tuple(arranged(b, by_states=True, backwards=True) for b in grown(now)))
    assert model.index_of("apple_1").data() == "apple"
    assert model.parent(model.index_of("apple_1")).data() == "kitchen"
    model.show_branches(())
    assert model.rowCount(QModelIndex()) == 0
    del tester


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, Snapshot())
    assert not panel.view.isVisible()
    assert panel.headline() == ""


def test_shows_the_world(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    assert panel.headline() == "3 objects in sight · 2 landmarks from the map"
    assert panel.delegate.goal == {"apple_1", "mug_1", "kitchen_table_1", "cabinet_1", "cabinet_2"}
    assert not panel.grab().isNull()
    spot = panel.view.visualRect(panel.model.index_of("fridge_1")).center()
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert context.selection.thing() == "fridge_1"
    asked: list[str] = []
    context.selection.asked_override.connect(asked.append)
    QTest.mouseDClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert asked == ["fridge_1"]


def test_follows_the_selection(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, worlds.usual())
    context.selection.select(Selected("thing", "apple_1"))
    assert panel.view.currentIndex().data() == "apple"
    context.selection.select(None)
    assert not panel.view.currentIndex().isValid()


def test_search_in_the_panel(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, worlds.usual())
    panel.search.setChecked(True)
    panel.query.setText("clean")
    panel.restyle()
    qtbot.waitUntil(lambda: panel.model.index_of("fridge_1").isValid() is False)
    assert panel.model.index_of("mug_1").isValid()
    panel.query.setText("zebra")
    qtbot.waitUntil(lambda: not panel.view.isVisible())
    panel.search.setChecked(False)
    qtbot.waitUntil(panel.view.isVisible)


def test_huge(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, worlds.huge())
    assert panel.model.rowCount(QModelIndex()) == 13
    assert panel.model.index_of("book_4999").isValid()
    assert not panel.view.isExpanded(panel.model.index_of("room_0"))
    assert not panel.grab().isNull()
    assert panel.view.indexAt(QPoint(5, 5)).isValid()
