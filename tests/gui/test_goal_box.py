"""The goal field while typing: a goal that is not possible changes nothing, keeps the focus, and suggests tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.common.errors import GoalError
from core.goals.literals import Goal
from core.session.setup import Setup
from gui.app import App
from gui.widgets.task_row import TaskRow
from gui.window.stage import CardCallbacks, run_state
from tests.core.session.toys import GOAL
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, as_reading, make_setup, parts, read_goal
from tests.gui.settling import PATIENCE, settle

WAYS = CardCallbacks(lambda: None, lambda: None, lambda: None, lambda: None, lambda: None)


def read(request: Request) -> Goal:
    """Parses only sentences about walking."""
    if request.task.startswith("Walk"):
        return replace(GOAL, text=request.task)
    raise GoalError("there is no “moon” here", "moon", suggestions=("Walk to 4", "Walk to 3"))


@pytest.fixture
def app(make_app: MakeApp) -> App:
    return make_app(replace(parts(), read_goal=as_reading(read)))


def type_goal(app: App, text: str) -> None:
    app.window.bar.goal.edit()
    QTest.keyClicks(app.window.bar.goal._field, text)


def refused(qtbot: QtBot, app: App, text: str = "Fly to the moon") -> None:
    type_goal(app, text)
    box = app.window.bar.goal
    qtbot.waitUntil(lambda: box._help is not None and box._help.isVisible())


def test_a_goal_that_does_not_fit_leaves_the_run_as_it_is(qtbot: QtBot, app: App) -> None:
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    before = app.bridge.snapshot
    refused(qtbot, app)
    box = app.window.bar.goal
    QTest.keyClick(box._field, Qt.Key.Key_Return)
    QTest.keyClicks(box._field, " and back")
    settle(app)
    assert box.editing
    assert box._field.hasFocus() or QApplication.focusWidget() is None, "the focus stays in the field"
    assert box._field.text() == "Fly to the moon and back", "letters are words, not commands"
    assert app.bridge.snapshot.ended is before.ended
    assert app.console.trouble is None
    assert app.console.request.task == ""


def test_enter_before_the_words_are_read_waits_for_them(qtbot: QtBot, make_app: MakeApp) -> None:
    held = threading.Event()

    def slow(request: Request) -> Goal:
        held.wait(PATIENCE / 1000)
        return read(request)

    app = make_app(replace(parts(), read_goal=as_reading(slow)))
    box = app.window.bar.goal
    type_goal(app, "Fly to the moon")
    QTest.keyClick(box._field, Qt.Key.Key_Return)
    assert box.editing, "nothing is set before it is understood"
    held.set()
    qtbot.waitUntil(lambda: box._help is not None and box._help.isVisible())
    assert box.editing
    assert app.console.trouble is None
    box._field.clear()
    with qtbot.waitSignal(box.entered) as entered:
        QTest.keyClicks(box._field, "Walk to 3")
        QTest.keyClick(box._field, Qt.Key.Key_Return)
    assert entered.args[0] == "Walk to 3"
    assert entered.args[1].text == "Walk to 3"
    assert not box.editing


def test_the_word_that_is_not_understood_is_underlined(qtbot: QtBot, app: App) -> None:
    refused(qtbot, app)
    box = app.window.bar.goal
    reading = box._reading
    assert reading is not None
    [(start, end)] = reading.spans
    assert reading.text[start:end] == "moon"
    marked = box._field.grab().toImage()
    box._field.underline((), app.context.theme.colour("bad"))
    assert box._field.text() == "Fly to the moon", "marking changes no words"
    assert marked != box._field.grab().toImage()


@pytest.mark.parametrize("how", ["mouse", "keys"])
def test_a_suggestion_fills_the_field(qtbot: QtBot, app: App, how: str) -> None:
    refused(qtbot, app)
    box = app.window.bar.goal
    assert box._help is not None
    assert tuple(row.text for row in box._help.findChildren(TaskRow)) == ("Walk to 4", "Walk to 3")
    rows = box._help.findChildren(TaskRow)
    with qtbot.waitSignal(app.control.reader.read):
        if how == "mouse":
            QTest.mouseClick(rows[1], Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
        else:
            for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Return):
                QTest.keyClick(box._field, key)
    assert box._field.text() == "Walk to 3"
    assert box.draft is not None, "the card shows the goal instead of the suggestions"
    with qtbot.waitSignal(box.entered):
        QTest.keyClick(box._field, Qt.Key.Key_Return)


def test_leaving_closes_the_card(qtbot: QtBot, app: App) -> None:
    refused(qtbot, app)
    box = app.window.bar.goal
    QTest.keyClick(box._field, Qt.Key.Key_Escape)
    assert not box.editing
    assert box._help is not None
    assert not box._help.isVisible()


def test_a_scene_that_does_not_fit_the_goal_offers_goals_that_do(qtbot: QtBot, make_app: MakeApp) -> None:
    def fits(request: Request) -> Setup:
        read(replace(request, task=request.task or "Walk"))
        return make_setup(request)

    app = make_app(replace(parts(task="Fly to the moon"), make_setup=fits, read_goal=as_reading(read)))
    state = run_state(app.console, WAYS)
    assert state is not None
    assert [choice.text for choice in state.choices] == ["Walk to 4", "Walk to 3"]
    take: Callable[[], object] | None = state.choices[1].act
    assert take is not None
    take()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 1)
    assert app.console.trouble is None
    assert app.console.request.task == "Walk to 3"


def test_the_first_run_card_stays_until_the_task_is_understood(qtbot: QtBot, app: App) -> None:
    app.window.ask_task()
    card = app.window.task_card._card
    assert card is not None
    QTest.keyClicks(card._field, "Fly to the moon")
    QTest.keyClick(card._field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "moon" in card._note.text())
    assert app.window.task_card.shown
    assert "Walk to 4" in card._note.text()
    assert app.console.trouble is None
    card._field.clear()
    QTest.keyClicks(card._field, "Walk to 5")
    QTest.keyClick(card._field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not app.window.task_card.shown)
    assert app.console.request.task == "Walk to 5"


def test_the_first_run_card_offers_tasks_of_the_scene_and_reads_them_before_they_run(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("greedy", TASK))
    app.window.ask_task()
    card = app.window.task_card._card
    assert card is not None
    settle(app)
    for scene in ("four-rooms-1", "four-rooms-3"):
        app.console.choose(replace(app.console.request, scene=scene))
        settle(app)
        assert app.window.task_card._card is card
        rows = [row for row in card.findChildren(TaskRow) if row.isVisible()]
        assert len(rows) == 4
        for row in rows:
            assert read_goal(replace(app.console.request, task=row.text, goal="")).literals
    QTest.mouseClick(rows[0], Qt.MouseButton.LeftButton)
    settle(app)
    assert app.window.task_card.shown
    assert card._field.text() == rows[0].text
    assert card._note.text()
    assert not app.console.begun
    QTest.keyClick(card._field, Qt.Key.Key_Return)
    settle(app)
    assert app.console.request.task == rows[0].text
    assert app.console.begun


def test_a_planner_that_cannot_play_the_simulator_is_greyed_with_the_reason(qtbot: QtBot, make_app: MakeApp) -> None:
    base = parts()
    rooms_only = base.choices.planners[-1].name
    unsuited = {"household": {"walker": "walks on a line, which this simulator does not have"},
                "line": {rooms_only: "acts on objects in rooms, which this simulator does not have"}}
    app = make_app(replace(base, choices=replace(base.choices, unsuited=unsuited, own_tasks=frozenset({"line"}))))
    [walker] = [c for c in app.console.choices.planners_for("household") if c.name == "walker"]
    assert not walker.available
    assert walker.hint == "walks on a line, which this simulator does not have"
    assert [c.name for c in app.console.choices.planners_for("line") if not c.available] == [rooms_only]
    with qtbot.waitSignal(app.console.message) as told:
        app.console.run_request.choose_simulator("household")
    assert app.console.request.planner == rooms_only, "the one made for it, before those that can play anything"
    assert "walks on a line" in told.args[0]
    qtbot.waitUntil(lambda: app.bridge.snapshot.began is not None and app.console.trouble is None)
    app.console.set_request(replace(app.console.request, task="Put one apple inside the fridge"))
    app.console.run_request.choose_simulator("line")
    assert app.console.request.task == "", "the world brings its own task"


def test_the_card_that_asks_for_a_task_gives_way_to_a_run_begun_in_the_bar(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.window.ask_task()
    assert app.window.task_card.shown
    QTest.mouseClick(app.window.bar.controls.run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not app.window.task_card.shown)
    assert app.console.begun
