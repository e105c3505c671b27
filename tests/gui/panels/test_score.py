"""The score panel."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from core.planners.neoplanner.scores import NOTHING, after_action, after_episode
from core.planning.facets import Scores
from gui.panels.score import ScorePanel
from gui.panels.score.painting import best_line, extremes, stair
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


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel = shown(qtbot)
    assert not panel.plot.isVisible()
    assert panel.headline() == ""
    panel.grab()


def test_the_beginning(qtbot: QtBot) -> None:
    panel = shown(qtbot, NOTHING)
    assert panel.headline() == "0 of 100 · nothing reached yet · episode 1"
    assert not panel.grab().isNull()


def test_episodes_best_and_now(qtbot: QtBot) -> None:
    now = NOTHING
    for score in (0.0, 10.0, 10.0, 30.0):
        now = after_action(now, score)
    now = after_action(after_episode(now), -100.0)
    panel = shown(qtbot, now)
    assert panel.headline() == "−100 of 100 · best 30 after 4 · episode 2"
    assert stair(now) == [(0, 0.0), (2, 10.0), (4, 30.0), (4, 0.0), (5, -100.0), (5, -100.0)]
    assert list(best_line(now)) == [(2, 10.0), (4, 30.0)]
    assert panel.plot.accessibleDescription() == "now −100 after 5 interactions; episode 1 ended with 30 after 4"
    width = panel.plot.width()
    assert panel.plot.score_at(width / 2) == (5, -100.0)
    assert panel.plot.score_at(0.0) is None
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
    panel = shown(qtbot, graphs.scores(4000))
    assert not panel.grab().isNull()
    panel.show_snapshot(s.snapshot(replace(graphs.scores(4000), best=0.0, best_at=0)))
    panel.restyle()
    assert not panel.grab().isNull()
