"""The score panel."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.facets import Scores
from core.neoplanner.scores import NOTHING, after_action, after_episode
from gui.panels.score import ScorePanel
from gui.panels.score.chart import ScoreChart
from gui.panels.score.curves import best_line, drawn, score_after, stair
from tests.gui.panels import graphs, worlds
from tests.gui.panels import searches as s


def shown(qtbot: QtBot, *scores: Scores) -> ScorePanel:
    context, _ = worlds.context()
    panel = ScorePanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, 240)
    panel.show()
    panel.show_snapshot(s.snapshot(*scores))
    return panel


def charted(qtbot: QtBot, scores: Scores) -> tuple[ScorePanel, ScoreChart]:
    """Once the chart is there."""
    panel = shown(qtbot, scores)
    qtbot.waitUntil(lambda: panel.chart is not None)
    assert panel.chart is not None
    return panel, panel.chart


def rising() -> Scores:
    """An episode to 30, and one that failed."""
    now = NOTHING
    for score in (0.0, 10.0, 10.0, 30.0):
        now = after_action(now, score)
    return after_action(after_episode(now), -100.0)


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel = shown(qtbot)
    qtbot.wait(100)
    assert panel.chart is None, "nothing is loaded for a planner without scores"
    assert panel.headline() == ""
    panel.grab()


def test_the_beginning(qtbot: QtBot) -> None:
    panel, chart = charted(qtbot, NOTHING)
    assert panel.headline() == "0 of 100 · nothing reached yet · episode 1"
    assert chart.isVisible()
    assert not panel.grab().isNull()


def test_episodes_best_and_now(qtbot: QtBot) -> None:
    now = rising()
    panel, chart = charted(qtbot, now)
    assert panel.headline() == "−100 of 100 · best 30 after 4 · episode 2"
    assert stair(now) == [(0, 0.0), (2, 10.0), (4, 30.0), (4, 0.0), (5, -100.0), (5, -100.0)]
    assert list(best_line(now)) == [(2, 10.0), (4, 30.0)]
    assert chart.accessibleDescription() == "now −100 after 5 interactions; episode 1 ended with 30 after 4"


def test_the_score_under_the_pointer() -> None:
    now = rising()
    assert [score_after(now, k) for k in (-1, 0, 1, 2, 3, 5, 6)] == [None, 0.0, 0.0, 10.0, 10.0, -100.0, None]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(-100, 100)), max_size=30))
def test_a_stair_is_drawn_level_and_upright(steps: list[tuple[int, float]]) -> None:
    at, corners = 0, []
    for more, score in steps:
        at += more
        corners.append((at, score))
    xs, ys = drawn(corners)
    assert len(xs) == len(ys) == max(0, 2 * len(corners) - 1)
    assert all(y >= 0 for y in ys)
    assert [(x, y) for x, y in zip(xs[::2], ys[::2], strict=True)] == [(x, max(0.0, y)) for x, y in corners]
    for k in range(1, len(xs)):
        assert xs[k] == xs[k - 1] or ys[k] == ys[k - 1]


def test_it_follows_until_the_operator_looks_closer(qtbot: QtBot) -> None:
    panel, chart = charted(qtbot, graphs.scores(40))
    first, last = chart.in_sight()
    assert first <= 0
    assert last >= graphs.scores(40).interactions
    panel.show_snapshot(s.snapshot(graphs.scores(80)))
    panel.restyle()
    assert chart.in_sight()[1] >= graphs.scores(80).interactions
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Right):
        QTest.keyClick(chart, key)
    closer = chart.in_sight()
    assert closer[1] - closer[0] < 0.8 * graphs.scores(80).interactions
    panel.show_snapshot(s.snapshot(graphs.scores(90)))
    panel.restyle()
    assert chart.in_sight() == closer, "what the operator looks at stays"
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.in_sight()[0] < closer[0]
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert chart.in_sight()[1] >= graphs.scores(90).interactions


def test_the_wheel_looks_closer(qtbot: QtBot) -> None:
    _, chart = charted(qtbot, graphs.scores(40))
    first, last = chart.in_sight()
    viewport = chart._view.viewport()
    place = QPointF(viewport.rect().center())
    QApplication.sendEvent(viewport, QWheelEvent(
        place, viewport.mapToGlobal(place), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False))
    assert chart.in_sight()[1] - chart.in_sight()[0] < last - first
    assert not chart.following


def test_huge(qtbot: QtBot) -> None:
    panel, _ = charted(qtbot, graphs.scores(4000))
    assert not panel.grab().isNull()
    panel.show_snapshot(s.snapshot(replace(graphs.scores(4000), best=0.0, best_at=0)))
    panel.restyle()
    assert not panel.grab().isNull()
