"""Panels that are shown at unusual moments: just closed, or while only the frames are shown."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from core.planning.search_facets import Ranking
from gui.app import App
from gui.control.kept_settings import KeptSettings
from gui.window import layouts
from gui.window.layouts import Layout
from tests.gui.conftest import MakeApp
from tests.gui.looking import faults
from tests.gui.parts import TASK, parts
from tests.gui.settling import settle


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
    window.toggle_visitors()
    window._arrangement.place("breakpoints", front=False)
    assert not visible(app)
    assert window.leave_frames_only()
    qtbot.waitUntil(lambda: visible(app) == before | {"breakpoints"})
    qtbot.waitUntil(lambda: not faults(window, None, {"breakpoints"}))


def test_the_layout_of_another_planner_waits_behind_a_page(qtbot: QtBot, make_app: MakeApp) -> None:
    """The catalogue of planners may be read after the library was opened, and a batch goes on with another planner."""
    app = make_app(parts("llm-mcts", TASK))
    arrangement = app.window._arrangement
    app.window.toggle_page(app.pages.library)
    for change in (partial(arrangement.learn, frozenset({Ranking})), partial(app.window.use_layout, "greedy"),
                   arrangement.reset):
        change()
        settle(app)
        assert not visible(app)
        assert app.pages.library.isVisible()
    assert app.window.leave_frames_only()
    qtbot.waitUntil(lambda: visible(app) == set(arrangement.wanted.names))


def test_the_menu_of_a_panel_moves_floats_and_hides_it(make_app: MakeApp) -> None:
    app = make_app(parts())
    dock = app.window.docks["belief"]
    settle(app)
    more = next(action for action in dock.card.findChildren(QAction) if action.text() == "More")

    def choose(text: str) -> None:
        more.trigger()
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        next(action for action in menu.actions() if action.text() == text).trigger()
        menu.close()
        settle(app)

    choose("Move to the bottom")
    assert app.window.dockWidgetArea(dock) == Qt.DockWidgetArea.BottomDockWidgetArea
    choose("Float, or dock again")
    assert dock.isFloating()
    choose("Hide")
    assert dock.isHidden()


def test_floating_panels_come_back_at_the_next_start(qtbot: QtBot, make_app: MakeApp, kept: KeptSettings) -> None:
    """One where it was, one whose screen was unplugged on the screen that is left."""
    floating = (("runs", 60, 80, 300, 200), ("log", 9000, 50, 300, 200))
    layouts.store(kept, "walker", Layout((("goal",),), (("scene",),), floating=floating))
    settle(kept)
    app = make_app(parts())
    runs, log = app.window.docks["runs"], app.window.docks["log"]
    qtbot.waitUntil(lambda: runs.isVisible() and log.isVisible() and runs.isFloating() and log.isFloating())
    assert runs.geometry().getRect() == (60, 80, 300, 200)
    assert QGuiApplication.primaryScreen().availableGeometry().contains(log.geometry())
    qtbot.waitUntil(lambda: runs.card.panel is not None and log.card.panel is not None)
    app.window.close()
    layout = layouts.load(app.settings, "walker", app.window.docks)
    assert layout is not None
    assert ("runs", 60, 80, 300, 200) in layout.floating
