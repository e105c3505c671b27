"""The state graph, drawn by the renderer of graphs: places, keys, following, tooltips."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.neoplanner.recorded_types import StateGraph
from core.views.values import Graph
from gui.panels.view_panel import ViewPanel
from gui.views.graph import GraphView, lay_out
from gui.views.sections import SectionsView
from tests.core.planners.neoplanner.test_views import compared, states
from tests.gui.panels import graphs, viewed
from tests.gui.panels import searches as s
from tests.gui.settling import settle

Key = Qt.Key


def shown(qtbot: QtBot, *graph: StateGraph) -> ViewPanel:
    panel, _, _ = viewed.shown(qtbot, "state_graph", s.snapshot(*graph), (649, 284))
    return panel


def view_in(panel: ViewPanel) -> GraphView:
    assert isinstance(panel.shown, SectionsView)
    found = panel.shown.parts[0].shown
    assert isinstance(found, GraphView)
    return found


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    for graph in ((), (StateGraph((), (), -1),)):
        panel = shown(qtbot, *graph)
        assert not panel._place.isVisible()
        assert panel.headline() == ""


def test_shows_states_the_path_first(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.usual())
    assert panel.headline().startswith("6 states · 2 at the frontier")
    words = view_in(panel).canvas.accessibleDescription()
    assert words.startswith("6 nodes, 7 links: kitchen · carrying an orange · n 4 · V 2.80 · refused 2 · tried 4 · possible 40")
    assert panel._note.isVisible()


def test_click_and_arrow_keys_choose(qtbot: QtBot) -> None:
    view = view_in(shown(qtbot, graphs.usual()))
    canvas = view.canvas
    QTest.keyClick(canvas, Key.Key_Left)
    assert canvas.current == 2, "the first key chooses where the robot is"
    for key, chosen in ((Key.Key_Right, 3), (Key.Key_Left, 2), (Key.Key_Left, 1), (Key.Key_Left, 0), (Key.Key_Left, 0)):
        QTest.keyClick(canvas, key)
        assert canvas.current == chosen
    at = (canvas.item_rect(0).center() * canvas.scale + canvas._origin()).toPoint()
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert canvas.current == -1, "a click on the chosen one lets it go"
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert canvas.current == 0


def test_following_ends_when_the_operator_drags(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.huge(300))
    view = view_in(panel)
    fit, follow = view.tools()
    assert follow.isChecked()
    assert view.canvas.horizontalScrollBar().value() > 0
    view.canvas.moved.emit()
    assert not follow.isChecked()
    follow.trigger()
    assert follow.isChecked()
    fit.trigger()
    assert (view.canvas.horizontalScrollBar().value(), follow.isChecked()) == (0, False)


def test_huge(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.huge())
    assert panel.headline().startswith("2,000 states")
    assert len(view_in(panel)._tip(5).splitlines()) < 25


def test_a_tip_tells_where_actions_led(qtbot: QtBot) -> None:
    lines = view_in(shown(qtbot, graphs.usual()))._tip(2).splitlines()
    assert lines[-2:] == ["focus on thermometer → kitchen · carrying an orange · on the path · reward",
                          "go hallway → hallway · carrying an orange"]


@pytest.mark.parametrize("graph", [graphs.usual(), graphs.huge(700)])
def test_nothing_lies_over_anything_else(graph: StateGraph) -> None:
    view = states(graph)
    layout = lay_out(view)
    assert len(layout.rects) == len(graph.nodes)
    for k, (x, y, w, h) in enumerate(layout.rects):
        assert [j for j in layout.within(x + 1, y + 1, w - 2, h - 2) if j != k] == []
    for target, came in enumerate(layout.came):
        if came >= 0:
            assert layout.rects[view.links[came].source, 0] < layout.rects[target, 0]


def test_a_start_stands_first_though_a_way_leads_back_to_it() -> None:
    view = states(graphs.usual())
    back = Graph(view.nodes, (*view.links, type(view.links[0])(4, 0, ("go back",))))
    assert lay_out(back).depth == lay_out(view).depth


@pytest.mark.parametrize("width", [200, 360, 649, 1100])
def test_the_bounds_of_the_path_can_be_folded(qtbot: QtBot, width: int) -> None:
    panel = shown(qtbot, compared())
    panel.resize(width, 320)
    settle(panel)
    assert [words.split(" · ")[0] for words in viewed.words_in(panel, "Along the path")] == [
        f"step {k}: kitchen" for k in (1, 2, 3)]
    bounds = viewed.items_in(panel, "Along the path")
    assert bounds.isVisible()
    assert isinstance(panel.shown, SectionsView)
    panel.shown.parts[1].head.click()
    assert not bounds.isVisible()
    graph = view_in(panel)
    qtbot.waitUntil(lambda: graph.width() >= width - 2)
