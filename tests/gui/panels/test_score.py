"""The score: the chart of its view in the panel, and what the plot does for any chart."""

from __future__ import annotations

import gc

import pyqtgraph as pg
import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.planners.neoplanner.recorded_types import Scores
from core.planners.neoplanner.state_space import NOTHING, after_action, after_episode
from gui.panels.registry import make_panel
from gui.panels.view_panel import ViewPanel
from gui.views.chart import ChartView
from gui.views.chart_plot import ChartPlot
from gui.widgets.plot_view import Axis
from tests.gui.panels import graphs, worlds
from tests.gui.panels import searches as s
from tests.gui.settling import settle


def shown(qtbot: QtBot, *scores: Scores) -> ViewPanel:
    context, _ = worlds.context()
    panel = make_panel("score", context)
    assert isinstance(panel, ViewPanel)
    qtbot.addWidget(panel)
    panel.resize(347, 240)
    panel.show()
    panel.show_snapshot(s.snapshot(*scores))
    panel.restyle()
    return panel


def charted(qtbot: QtBot, scores: Scores) -> tuple[ViewPanel, ChartPlot]:
    """A panel once its chart is there."""
    panel = shown(qtbot, scores)
    view = panel.shown
    assert isinstance(view, ChartView)
    settle(panel)
    assert view.plot is not None
    return panel, view.plot


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel = shown(qtbot)
    assert panel.shown is None
    assert panel.title == "Score"
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
    assert [(one.name, one.points) for one in now.view().series] == [
        ("score", ((0, 0.0), (2, 10.0), (4, 30.0), (4, 0.0), (5, -100.0), (5, -100.0))),
        ("best so far", ((2, 10.0), (4, 30.0), (5, 30.0))), ("episode over", ((4, 30.0),))]
    assert chart.accessibleDescription().startswith("score: 6 points, last −100 at 5; best so far: 3 points, last 30 at 5")
    assert chart.words_at(chart.width() / 2).startswith("5 interactions: score −100 · best so far 30")
    assert chart.words_at(0.0) == ""
    panel.grab()


@pytest.mark.parametrize(("score", "name"), [(-1.0, "failed"), (100.0, "task completed"), (99.0, "episode over")])
def test_the_end_of_an_episode_is_called_by_its_score(score: float, name: str) -> None:
    series = after_episode(after_action(NOTHING, score)).view().series
    assert (series[-1].name, series[-1].points) == (name, ((1, score),))


def test_huge(qtbot: QtBot) -> None:
    panel, chart = charted(qtbot, graphs.scores(4000))
    assert not panel.grab().isNull()
    across = chart.plot.getViewBox().width()
    assert 0 < len(chart._lines[0].xData) < 6 * across, "no more points than the pixels can show"
    panel.resize(600, 300)
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
    charts = sum(isinstance(w, ChartPlot) for w in QApplication.allWidgets())
    gc.collect()
    gc.freeze()
    try:
        for _ in range(60):
            panel = QWidget()
            panel.cycle = panel  # type: ignore[attr-defined]
            chart = ChartPlot(context.theme, panel)
            chart.show_chart(graphs.scores(10).view())
            panel.resize(200, 120)
            panel.show()
            del panel, chart
            QApplication.processEvents()
            gc.collect()
    finally:
        gc.unfreeze()
    assert collections >= 60
    assert sum(isinstance(w, ChartPlot) for w in QApplication.allWidgets()) == charts
