"""The lists beside the goal, by the keyboard alone: tasks that can be reached here, and the scene's objects by room."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.scene_content import sample_tasks, scene_entities
from core.world.vocabulary import spaced
from gui.app import App
from gui.window.goal_pickers import ONLY_YOU, OTHERS, things_by_room
from sim.registry import simulator_class
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts, read_goal

Key, Mod = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def app(make_app: MakeApp) -> App:
    return make_app(parts("greedy", "Put one apple inside the fridge"))


def test_a_task_is_drawn_found_by_typing_and_set(qtbot: QtBot, app: App) -> None:
    tasks, box = app.offers.pickers.tasks, app.window.bar.goal
    QTest.keyClick(app.window.windowHandle(), Key.Key_T, Mod.ControlModifier)
    qtbot.waitUntil(lambda: len(tasks.titles()) > 2)
    first, second = tasks.options[:2]
    assert first.title == OTHERS
    assert (bool(second.group), second.note.split()[-1][:6]) == (True, "object"), "by kind and difficulty"
    tasks.look_for(second.title)
    QTest.keyClick(tasks, Key.Key_Return)
    assert not tasks.isVisible()
    qtbot.waitUntil(lambda: box.draft is not None and box.draft.text == second.title)
    QTest.keyClick(box._field, Key.Key_Return)
    qtbot.waitUntil(lambda: app.console.request.task == second.title)
    qtbot.waitUntil(lambda: app.bridge.snapshot.goal is not None and app.bridge.snapshot.goal.text == second.title)
    assert app.console.trouble is None, "a task that is offered can be done"


def test_the_dice_draws_other_tasks(qtbot: QtBot, app: App) -> None:
    tasks = app.offers.pickers.tasks
    app.offers.pickers.open_tasks()
    qtbot.waitUntil(lambda: len(tasks.titles()) > 2)
    before = tasks.titles()
    tasks.look_for(OTHERS)
    QTest.keyClick(tasks, Key.Key_Return)
    qtbot.waitUntil(lambda: len(tasks.titles()) > 2 and tasks.titles() != before)


def test_sample_tasks_can_be_reached_and_read_in_every_scene(app: App) -> None:
    request = app.console.request
    for number in range(3):
        found = sample_tasks(request, number, simulator_class)
        assert len({task.text for task in found}) == len(found) > 4
        for task in found[::5]:
            assert read_goal(replace(request, task=task.text)).literals


def test_objects_are_listed_by_room_with_counts_and_selected_not_typed(qtbot: QtBot, app: App) -> None:
    things, box = app.offers.pickers.things, app.window.bar.goal
    QTest.keyClick(app.window.windowHandle(), Key.Key_T, Mod.ControlModifier | Mod.ShiftModifier)
    qtbot.waitUntil(lambda: len(things.options) > 2)
    assert things.options[0].title == ONLY_YOU
    assert not things.options[0].enabled
    entities = scene_entities(app.console.request, simulator_class)
    counts = Counter((e.room, e.cls) for e in entities if e.category == "object")
    rooms = {e.id: spaced(e.id) for e in entities if e.category == "room"}
    assert [(room, name, len(ids)) for room, name, ids in things_by_room(entities)] == sorted(
        (rooms[room or ""], spaced(cls), n) for (room, cls), n in counts.items())
    things.look_for("apple")
    QTest.keyClick(things, Key.Key_Return)
    assert not box.editing
    assert app.console.request.task == "Put one apple inside the fridge"
    selected = app.context.selection.thing()
    assert selected in {entity.id for entity in entities}
    assert selected.startswith("apple_")
