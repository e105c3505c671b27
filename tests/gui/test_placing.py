"""Panels that are shown at unusual moments: just closed, or while only the frames are shown."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gui.app import App
from tests.gui.conftest import MakeApp
from tests.gui.looking import faults
from tests.gui.parts import TASK, parts


def visible(app: App) -> set[str]:
    """Names of the docks that are in the window or float."""
    return {name for name, dock in app.window.docks.items() if dock.isVisible()}


def test_a_floating_panel_can_be_shown_at_once_after_it_was_closed(qtbot: QtBot, make_app: MakeApp) -> None:
    """The layout still lists the panel as floating, before the window notices that it was closed."""
    app = make_app(parts("llm-mcts", TASK))
    window = app.window
    window.show_panel("runs")
    window.docks["runs"].setFloating(True)
    qtbot.waitUntil(lambda: "runs" in {name for name, *_ in window._arrangement.wanted.floating})
    window.docks["runs"].hide()
    window.show_panel("runs")
    qtbot.waitUntil(lambda: "runs" in visible(app))
    qtbot.waitUntil(lambda: not faults(window, None, {"runs"}))


def test_a_panel_that_is_offered_while_the_frames_are_alone_waits(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    window = app.window
    before = visible(app)
    assert "breakpoints" not in before
    window.toggle_frames_only()
    window._arrangement.place("breakpoints", front=False)
    assert not visible(app)
    assert window.leave_frames_only()
    qtbot.waitUntil(lambda: visible(app) == before | {"breakpoints"})
    qtbot.waitUntil(lambda: not faults(window, None, {"breakpoints"}))
