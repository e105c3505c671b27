"""Every refusal can be read whole: in the smallest window, with the largest text, in every mode."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

import main
from core.app.run_request import Request
from core.app.scene_content import SampleTask
from core.common.errors import GoalError, UsageError
from gui.app import App
from gui.widgets import Line, Prose
from gui.widgets.task_row import TaskRow
from gui.window.palette import Entry, message_entry
from tests.gui.conftest import MakeApp
from tests.gui.looking import area
from tests.gui.parts import parts
from tests.gui.settling import lay_out, settle
from tests.gui.test_keys import press

REASON = ("the kitchen cabinet 12 is not within reach of the robot, and its door cannot be opened while the robot holds the "
          "frying pan with both hands: put it down on the counter first, then walk to the cabinet")
ROOMS = [((1280, 720), 1.0), ((1024, 600), 1.5)]
sizes = pytest.mark.parametrize(("size", "scale"), ROOMS)


def small(app: App, size: tuple[int, int], scale: float) -> App:
    """Makes the window small and its text large."""
    app.window.set_theme("dark", scale)
    app.window.resize(*size)
    lay_out(app.window)
    settle(app)
    return app


def whole(window: QWidget, text: str) -> bool:
    """Whether a text can be read whole somewhere in a window, perhaps by scrolling."""
    for part in window.findChildren(QWidget):
        if isinstance(part, Line | Prose) and part.isVisible() and text in _text(part):
            scrolls = any(a.isAncestorOf(part) and a.verticalScrollBar().isVisible() for a in window.findChildren(QScrollArea))
            room = part.rect() if scrolls else part.visibleRegion().boundingRect()
            fits = part.width() + 1 >= part.sizeHint().width() if isinstance(part, Line) else \
                part.height() >= part.heightForWidth(part.width())
            if fits and room == part.rect():
                return True
    return False


def _text(part: Line | Prose) -> str:
    return part.text if isinstance(part, Line) else part.text()


@pytest.mark.parametrize(("size", "scale", "alone"), [(*ROOMS[0], True), (*ROOMS[1], True)])
def test_a_message_is_read_whole_in_every_mode(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int], scale: float, alone: bool
                                               ) -> None:
    """Says it beside the panels, over the frames `alone`, and on a page."""
    app = small(make_app(parts()), size, scale)
    is_read_whole(qtbot, app, app.console.message.emit)
    if alone:
        press(app, Qt.Key.Key_F11)
        settle(app)
        is_read_whole(qtbot, app, app.console.message.emit)
        press(app, Qt.Key.Key_F11)
    app.window.toggle_page(app.pages.library)
    settle(app)
    is_read_whole(qtbot, app, app.pages.library.say)


def is_read_whole(qtbot: QtBot, app: App, say: Callable[[str, str], object]) -> None:
    """Asserts that a message can be read, hides no frames, and goes with the next one."""
    say(REASON, "warn")
    qtbot.waitUntil(lambda: whole(app.window, REASON))
    card = app.window.status._message.card
    if card is not None and card.isVisible():
        assert app.window.rect().contains(area(app.window, card))
        assert not area(app.window, card).intersects(area(app.window, app.window.stage.card)), "frames stay in view"
    say("short", "warn")
    settle(app)
    assert card is None or not card.isVisible()
    assert not whole(app.window, REASON)


@sizes
def test_why_a_run_cannot_start_is_read_whole(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int], scale: float) -> None:
    app = small(make_app(parts()), size, scale)
    for error in (UsageError(REASON), GoalError(REASON, suggestions=("Fill one mug",) * 3)):
        app.console._set_trouble(error)
        settle(app)
        assert whole(app.window, REASON[20:])
        app.console._set_trouble(None)
        settle(app)
        assert not whole(app.window, REASON[20:])


@sizes
def test_what_the_reader_refuses_is_read_whole(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int], scale: float) -> None:
    app = make_app(replace(parts(), read_goal=main.read_goal))
    small(app, size, scale)
    goal = app.window.bar.goal
    goal.edit()
    goal.take("Put the unicorn of my late grandmother and the dragon of her sister on the shelf that is next to the window")
    settle(app)
    assert goal._help is not None
    assert whole(app.window, goal._help.accessibleName()[1:])
    press(app, Qt.Key.Key_Escape)
    app.window.ask_task()
    card = app.window.task_card._card
    assert card is not None
    card._take("Put the unicorn of my late grandmother and the dragon of her sister on the shelf that is next to the window")
    settle(app)
    assert card._reading is not None
    assert whole(app.window, card._reading.reason[1:])


@sizes
def test_a_message_of_the_palette_has_the_room_of_all_rows(qtbot: QtBot, make_app: MakeApp, size: tuple[int, int], scale: float
                                                           ) -> None:
    app = small(make_app(parts()), size, scale)
    palette = app.actions.palette
    palette.open_palette(Entry("Say", "info", lambda: None, "", lambda query: [message_entry(f"{REASON} {query}")], "say"))
    settle(app)
    blank = palette._rows.grab().toImage()
    palette.look_for("M" * 3)
    settle(app)
    assert palette._rows.grab().toImage() != blank, "the end of the message is painted, too"


def test_no_line_that_may_be_cut_is_made_for_refusals() -> None:
    """A `Line` with the colour of a refusal would be cut. The one that is left says how many labels are not saved."""
    made = re.compile(r"(?<!Message)Line\((?:self\._)?theme, [^()]*\"(?:bad|warn)\"")
    sources = sorted((Path(__file__).parents[2] / "gui").rglob("*.py"))
    found = [path.name for path in sources for line in path.read_text("utf-8").splitlines() if made.search(line)]
    assert found == ["status_line.py"]


LONG_TASK = ("Put the crackers inside the fridge and put the notes on the desk and put one water glass inside the dishwasher "
             "and then switch on the dishwasher")


def cut_rows(root: QWidget) -> list[str]:
    """Returns the offered tasks that cannot be read whole."""
    return [row.text for row in root.findChildren(TaskRow) if row.isVisible() and (
        row.height() < row.heightForWidth(row.width()) or row.visibleRegion().boundingRect() != row.rect())]


@sizes
def test_tasks_that_are_offered_are_read_whole(make_app: MakeApp, size: tuple[int, int], scale: float) -> None:
    app = small(make_app(parts()), size, scale)
    app.window.ask_task()
    card = app.window.task_card._card
    assert card is not None
    app.window.task_card.show_tasks(app.window.task_card._asked or app.console.request, tuple(
        SampleTask(text, "Put things in place", f"{k} objects") for k, text in enumerate((LONG_TASK, "Fill one mug"), 1)))
    settle(app)
    rows = [row for row in card.findChildren(TaskRow) if row.isVisible()]
    assert rows or scale > 1, "a window of 600 pixels has no room for tasks in large text"
    assert not cut_rows(card)
    if len(rows) > 1:
        assert rows[0].height() > rows[1].height(), "the long one has several lines"
    app.window.task_card.close_card()
    app.window.bar.goal.edit()
    settle(app)  # what is being read may close the card
    help_card = app.window.bar.goal._the_card()
    help_card.explain(REASON, (LONG_TASK, "Fill one mug", LONG_TASK))
    lay_out(app.window)
    assert len([row for row in help_card.findChildren(TaskRow) if row.isVisible()]) == 3
    assert not cut_rows(help_card)
    assert help_card.geometry().bottom() <= app.window.height()


@pytest.mark.parametrize(("wrong", "offered"), [
    ({"planner": "lab-model", "preset": "paper"}, ("LLM-MCTS",)), ({"planner": "nobody"}, ("LLM-MCTS",)),
    ({"beside": "lab-policy"}, ("No second planner",)), ({"scene": "nowhere"}, ("Four rooms 1",)),
    ({"preset": "none"}, ("Default parameters",)), ({"parameters": {"simulations": -1}}, ("Default parameters",))])
def test_what_fits_is_offered_where_a_run_cannot_start(qtbot: QtBot, make_app: MakeApp, wrong: dict[str, Any],
                                                       offered: tuple[str, ...]) -> None:
    """And starts the run. Only *Try again* was offered, which cannot help."""
    request = replace(Request(planner="llm-mcts", simulator="household", scene="four-rooms-1"), **wrong)
    app = make_app(main.console_parts(request))
    assert isinstance(app.console.trouble, UsageError)
    qtbot.waitUntil(lambda: app.console.choices.complete)
    settle(app)
    for title in offered:
        button = next(b for b in app.window.stage.findChildren(QPushButton) if b.isVisible() and b.text().strip() == title)
        button.click()
    qtbot.waitUntil(lambda: app.console.trouble is None and app.console.snapshot.turn > 0)
