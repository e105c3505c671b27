"""The state graph panel: places, marks, the avoid list, keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planners.neoplanner.recorded_types import PathBound, StateGraph
from gui.panels.state_graph.painting import lay_out
from gui.panels.state_graph.panel import StateGraphPanel, tip_words
from tests.gui.panels import graphs, worlds
from tests.gui.panels import searches as s


def shown(qtbot: QtBot, *graph: StateGraph) -> StateGraphPanel:
    context, _ = worlds.context()
    panel = StateGraphPanel(context)
    qtbot.addWidget(panel)
    panel.resize(649, 284)
    panel.show()
    panel.show_snapshot(s.snapshot(*graph))
    panel.restyle()
    qtbot.waitUntil(lambda: len(panel._layout.nodes) == sum(len(g.nodes) for g in graph))
    return panel


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    for graph in ((), (StateGraph((), (), -1),)):
        panel = shown(qtbot, *graph)
        assert not panel.canvas.isVisible()
        assert panel.headline() == ""
        panel.grab()


def test_shows_states_path_and_what_to_avoid(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.usual())
    assert panel.headline() == "6 states · 2 at the frontier · 3 refused · 2 steps ahead: nothing is known beyond"
    words = panel.canvas.accessibleDescription()
    assert words.startswith(
        "6 states: kitchen · carrying an orange · 4 visits · V 2.80 · with exploring 3.30 · 4 of 40 actions tried")
    assert panel.avoid.isVisible()
    assert panel.avoid.accessibleDescription() == "eat sink (refused); look around"
    assert not panel.grab().isNull()


def test_an_old_snapshot_is_not_drawn_again(qtbot: QtBot) -> None:
    panel = shown(qtbot, graph := graphs.usual())
    before = panel._layout
    panel.show_snapshot(s.snapshot(graph))
    assert panel._layout is before


def test_click_and_arrow_keys_choose(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.usual())
    canvas, keys = panel.canvas, Qt.Key
    QTest.keyClick(canvas, keys.Key_Left)
    assert panel._chosen == 4, "the first key chooses where the robot is"
    for key, chosen in ((keys.Key_Right, 5), (keys.Key_Left, 4), (keys.Key_Left, 3), (keys.Key_Left, 2), (keys.Key_Left, 2)):
        QTest.keyClick(canvas, key)
        assert panel._chosen == chosen
    x, y, w, h = canvas.rect_of(panel._layout.index[2]) or (0, 0, 0, 0)
    spare = max(0.0, canvas.viewport().height() - panel._layout.size[1] * canvas.scale) / 2
    at = QPoint(int((x + w / 2) * canvas.scale) - canvas.horizontalScrollBar().value(),
                int((y + h / 2) * canvas.scale + spare) - canvas.verticalScrollBar().value())
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert panel._chosen == -1, "a click on the chosen one lets it go"
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert panel._chosen == 2
    panel.grab()


def test_following_ends_when_the_operator_drags(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.huge(300))
    follow = panel.tools()[0]
    assert follow.isChecked()
    assert panel.canvas.horizontalScrollBar().value() > 0
    panel.canvas.moved.emit()
    assert not follow.isChecked()
    QTest.keyClick(panel.canvas, Qt.Key.Key_V)
    assert follow.isChecked()
    QTest.keyClick(panel.canvas, Qt.Key.Key_0)
    assert (panel.canvas.horizontalScrollBar().value(), follow.isChecked()) == (0, False)


def test_huge(qtbot: QtBot) -> None:
    panel = shown(qtbot, graphs.huge())
    assert panel.headline().startswith("2,000 states")
    assert not panel.grab().isNull()
    panel.canvas.hovered.emit(5)
    assert len(tip_words(graphs.huge(), graphs.huge().nodes[5]).splitlines()) < 20


def test_a_tip_tells_where_actions_led() -> None:
    lines = tip_words(graphs.usual(), graphs.usual().nodes[2]).splitlines()
    assert lines[1:] == ["focus on thermometer → kitchen, reward 1.40", "go hallway → hallway", "eat stove, eat sink → refused"]


@pytest.mark.parametrize("graph", [graphs.usual(), graphs.huge(700)])
def test_nothing_lies_over_anything_else(graph: StateGraph) -> None:
    layout = lay_out(graph)
    assert len(layout.nodes) == len(graph.nodes)
    for k, (x, y, w, h) in enumerate(layout.rects):
        assert [j for j in layout.within(x + 1, y + 1, w - 2, h - 2) if j != k] == []
    for link in layout.links:
        if link.tree:
            assert layout.rects[link.source, 0] < layout.rects[link.target, 0]


def compared() -> StateGraph:
    """The usual graph with what decided that its path ends in the last state."""
    bounds = (PathBound(4, 4, 2.8, 0.73, 0.4, 1.25, "focus on thermometer"), PathBound(5, 2, 0.9, 0.95, 0.3, 1.1, "pick up"),
              PathBound(7, 1, 0.0, 1.0, 0.0, None, ""))
    return replace(graphs.usual(), bounds=bounds, explore_chance=0.43, explored=2, exploring=True)


@pytest.mark.parametrize("width", [200, 360, 649, 1100])
def test_the_bounds_of_the_path_and_the_objective_are_below(qtbot: QtBot, width: int) -> None:
    panel = shown(qtbot, compared())
    panel.resize(width, 320)
    rows = panel.bounds.rows
    assert [rows.row_words(k) for k in range(rows.count())] == [
        "kitchen · K .73 · new action V+ 0.40 · known action V+K 1.25",
        "kitchen · K .95 · new action V+ 0.30 · known action V+K 1.10", "kitchen · K 1 · new action V+ 0.00 · no known action"]
    assert rows.row_tip(0).endswith("known: focus on thermometer")
    assert panel.bounds.objective.text == "Objective: explore · P explore .43 at N = 2"
    panel.grab()
    panel._bounds.trigger()
    assert not panel.bounds.isVisible()


def test_without_a_round_or_in_an_old_recording_there_are_no_bounds(qtbot: QtBot) -> None:
    assert not shown(qtbot, graphs.usual()).bounds.isVisible()
    alone = shown(qtbot, replace(graphs.usual(), explore_chance=1.0))
    assert alone.bounds.objective.text == "Objective: the task · P explore 1 at N = 0"
    assert not alone.bounds.rows.isVisible()
    node = replace(graphs.node(2, "hallway"), untried=0.5, new_bound=0.25, known_bound=0.125)
    tip = tip_words(StateGraph((node,), (), 2), node).splitlines()
    assert tip[1] == "K .50 · new action V+ 0.25 · known action V+K 0.12"
