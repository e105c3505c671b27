"""The view for visitors: the action and the reason in words, the goal field, and no figures of the planner."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

import main
from core.goals.reading import Question
from core.planning.belief_facets import Belief
from core.planning.whereabouts import where_is
from core.session.plain_turn import plain_turn
from gui.widgets.task_row import TaskRow
from gui.window.status_line import MESSAGE
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle
from tests.gui.test_keys import CTRL, press

Key = Qt.Key


def test_it_says_what_the_robot_does_and_why_and_takes_the_goal_field(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    window, bar = app.window, app.window.visitor_bar
    press(app, Key.Key_F11)
    settle(app)
    assert bar.isVisible()
    assert bar.isAncestorOf(window.bar.goal)
    app.console.step()
    settle(app)
    assert bar.act.text() == "Paused"
    assert bar.why.text().startswith("The last action was: ")
    for _ in range(3):
        app.console.step("checkpoint")
        settle(app)
    shown = plain_turn(app.console.shown)
    assert shown.why
    assert bar.act.text().lower().split()[0] == shown.act.split()[0]
    assert "_" not in bar.act.text() + bar.why.text()
    assert not re.search(r"\d", bar.why.text())
    press(app, Key.Key_G, CTRL)
    is_editing = window.bar.goal.editing
    assert is_editing
    assert window.bar.goal.isVisible()
    press(app, Key.Key_Escape)
    assert not window.bar.goal.editing
    assert bar.isVisible()
    press(app, Key.Key_F11)
    settle(app)
    assert not bar.isVisible()
    assert window.bar.isAncestorOf(window.bar.goal)


def test_the_override_shows_visitors_no_figures(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step("checkpoint")
    settle(app)
    card = app.run_dialogs.override.card
    for plain in (False, True):
        if plain:
            press(app, Key.Key_F11)
        app.run_dialogs.ask_override()
        settle(app)
        words = " ".join((card.live.text, card.count.text, *map(card.rows.row_words, range(len(card.rows.items)))))
        assert bool(re.search(r"\bN \d|visits", words)) != plain
        assert card.why.isVisible() != plain
        app.run_dialogs.override.cancel()
        settle(app)


@pytest.mark.parametrize("leaves", [Key.Key_F11, Key.Key_Escape])
def test_pictures_show_no_probabilities(qtbot: QtBot, make_app: MakeApp, leaves: Qt.Key) -> None:
    app = make_app(parts())
    settle(app)
    panel = app.window.stage.card.panel
    assert panel is not None
    panes = panel.panes.values()  # type: ignore[attr-defined]
    press(app, Key.Key_F11)
    settle(app)
    assert not any(pane.layers.figures for pane in panes)
    press(app, leaves)
    settle(app)
    assert all(pane.layers.figures for pane in panes)


def test_messages_are_shown_in_place_of_the_hidden_status_line(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    press(app, Key.Key_F11)
    settle(app)
    app.window.visitor_bar.change.click()
    settle(app)
    assert "first" in app.window.visitor_bar.why.text()
    assert app.window.visitor_bar._message_ends.interval() == MESSAGE
    app.window.visitor_bar._message_ends.stop()
    app.window.visitor_bar._message_ends.timeout.emit()
    assert "Select" not in app.window.visitor_bar.why.text()


@pytest.mark.parametrize("text_size", [1.0, 1.5])
def test_no_text_of_the_bar_is_cut_at_any_size_of_window_and_text(qtbot: QtBot, make_app: MakeApp, text_size: float) -> None:
    app = make_app(parts("greedy", TASK))
    app.window.set_theme("dark", text_size)
    press(app, Key.Key_F11)
    bar, texts = app.window.visitor_bar, (app.window.visitor_bar.act, app.window.visitor_bar.why)
    app.console.message.emit("There is no such thing here: name a piece of furniture of this room, or another. " * 3, "warn")
    cut = []
    for size in ((1024, 600), (1920, 1080), (1280, 720), (1024, 600)):
        app.window.resize(*size)
        settle(app)
        cut += [(size, text.text()) for text in texts if text.height() < text.heightForWidth(text.width())]
        assert bar.height() < size[1] * 0.6, "the pictures keep their room"
    assert not cut


def test_a_question_is_answered_from_what_is_seen_and_believed_at_the_moment_shown(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(replace(parts("greedy", TASK), read_goal=main.read_goal))
    settle(app)
    press(app, Key.Key_F11)
    goal = app.window.bar.goal
    for _ in range(2):
        app.console.step()
        settle(app)
        press(app, Key.Key_G, CTRL)
        goal.take("where is the apple?")
        settle(app)
        assert goal._help is not None
        shown = app.console.shown
        assert shown.seen is not None
        answer = where_is(Question("where is the apple?", "apple", "the apple"), shown.seen, shown.facet(Belief))
        assert goal._help.accessibleName() == f"{answer.removesuffix('.')} (turn {shown.turn})"
        assert goal.draft is None
        rows = goal._help.findChildren(TaskRow)
        assert goal._help.height() >= sum(row.height() for row in rows if row.isVisible())
        press(app, Key.Key_Escape)
    assert app.console.shown.goal is not None
    assert app.console.shown.goal.text == TASK, "a question changes nothing"


def test_what_visitors_change_leaves_their_view_as_it_is(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step()
    settle(app)
    press(app, Key.Key_F11)
    app.console.fork()
    settle(app)
    assert app.console.snapshot.branch == 1
    assert app.window.visitor_bar.isVisible()
    assert not app.window.shown_panels()


def test_the_bar_says_nothing_of_the_run_before_when_another_task_is_set(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.run()
    settle(app)
    press(app, Key.Key_F11)
    settle(app)
    bar = app.window.visitor_bar
    assert bar.act.text() == "The goal is reached"
    app.console.run_request.choose("task", "another task")
    app.console.message.emit("The previous run is in the Runs list", "muted")  # it stands in place of the reason only
    settle(app)
    assert bar.act.text() == "Ready"
    assert bar.why.text() == "The previous run is in the Runs list"
