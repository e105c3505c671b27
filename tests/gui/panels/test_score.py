"""The score panel."""

from __future__ import annotations

import gc
from dataclasses import replace

import pyqtgraph as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.planners.neoplanner.recorded_types import Scores
from core.planners.neoplanner.state_space import NOTHING, after_action, after_episode
from gui.panels.score.chart import ScoreChart
from gui.panels.score.lines import best_line, extremes, stair
from gui.panels.score.panel import ScorePanel
from gui.widgets.plot_view import Axis
from tests.gui.panels import graphs, worlds
from tests.gui.panels import searches as s


def shown(qtbot: QtBot, *scores: Scores) -> ScorePanel:
    context, _ = worlds.context()
    panel = ScorePanel(context)
    qtbot.addWidget(panel)
    panel.resize(347, 240)
    panel.show()
    panel.show_snapshot(s.snapshot(*scores))
    panel.restyle()
    return panel


def charted(qtbot: QtBot, scores: Scores) -> tuple[ScorePanel, ScoreChart]:
    """A panel once its chart is there."""
    panel = shown(qtbot, scores)
    qtbot.waitUntil(lambda: panel.plot is not None)
    assert panel.plot is not None
    return panel, panel.plot


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel = shown(qtbot)
    assert panel.plot is None
    assert panel.headline() == ""
    panel.grab()


def test_the_beginning(qtbot: QtBot) -> None:
    panel, chart = charted(qtbot, NOTHING)
    assert chart.isVisible()
    assert panel.headline() == "0 of 100 · nothing reached · episode 1"
    assert not panel.grab().isNull()


def test_episodes_best_and_now(qtbot: QtBot) -> None:
    now = NOTHING
    for score in (0.0, 10.0, 10.0, 30.0):
        now = after_action(now, score)
    now = after_action(after_episode(now), -100.0)
    panel, chart = charted(qtbot, now)
    assert panel.headline() == "−100 of 100 · best 30 after 4 · episode 2"
    assert stair(now) == [(0, 0.0), (2, 10.0), (4, 30.0), (4, 0.0), (5, -100.0), (5, -100.0)]
    assert list(best_line(now)) == [(2, 10.0), (4, 30.0)]
    assert chart.accessibleDescription() == "now −100 after 5 interactions; episode 1 ended with 30 after 4"
    width = chart.width()
    assert chart.score_at(width / 2) == (5, -100.0)
    assert chart.score_at(0.0) is None
    panel.grab()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-100, 100)), min_size=1, max_size=40), st.integers(1, 30))
def test_a_column_holds_all_scores_of_its_stretch(steps: list[tuple[int, int]], columns: int) -> None:
    points, now = [], 0
    for by, score in steps:
        now += by
        points.append((now, float(score)))
    scores = Scores(tuple(points), (), now + 1, points[-1][1], 0.0, 0)
    each = scores.interactions / columns
    low, high = extremes(scores, columns, each)
    corners = stair(scores)
    for k in range(columns):
        until = (k + 1) * each if k < columns - 1 else float("inf")
        before = [s for n, s in corners if n < k * each][-1:] or [corners[0][1]]
        within = [s for n, s in corners if k * each <= n < until]
        assert (low[k], high[k]) == (min(before + within), max(before + within))


def test_huge(qtbot: QtBot) -> None:
    panel, _ = charted(qtbot, graphs.scores(4000))
    assert not panel.grab().isNull()
    panel.show_snapshot(s.snapshot(replace(graphs.scores(4000), best=0.0, best_at=0)))
    panel.restyle()
    assert not panel.grab().isNull()


def test_a_chart_outlives_its_own_paint_event(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector runs within each paint event, when only a reference cycle refers to the panel: this used to crash."""
    charted(qtbot, NOTHING)  # pyqtgraph is imported from here on
    collections = 0

    def paint_and_collect(axis: Axis, *args: object) -> None:
        nonlocal collections
        collections += 1
        gc.collect(1)
        pg.AxisItem.paint(axis, *args)

    monkeypatch.setattr(Axis, "paint", paint_and_collect)
    context, _ = worlds.context()
    charts = sum(isinstance(w, ScoreChart) for w in QApplication.allWidgets())
    gc.collect()
    gc.freeze()
    try:
        for _ in range(60):
            panel = QWidget()
            panel.cycle = panel  # type: ignore[attr-defined]
            chart = ScoreChart(context.theme, panel)
            chart.show_scores(graphs.scores(10))
            panel.resize(200, 120)
            panel.show()
            del panel, chart
            QApplication.processEvents()
            gc.collect()
    finally:
        gc.unfreeze()
    assert collections >= 60
    assert sum(isinstance(w, ScoreChart) for w in QApplication.allWidgets()) == charts
