"""The panel of value against visits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.planning.search_facets import Ranking
from core.session.snapshot import Snapshot
from gui.control.context import Context, Selected
from gui.panels.scatter.chart import ScatterChart
from gui.panels.scatter.panel import ScatterPanel
from gui.panels.scatter.points import UPDATES, Range, Trails, place_labels, value_range, value_ticks, visit_ticks, visits_range
from tests.gui.panels import searches as s
from tests.gui.panels import worlds
from tests.gui.settling import settle


def shown(qtbot: QtBot, snapshot: Snapshot) -> tuple[ScatterPanel, Context]:
    context, _ = worlds.context()
    panel = ScatterPanel(context)
    qtbot.addWidget(panel)
    panel.resize(420, 220)
    panel.show()
    panel.show_snapshot(snapshot)
    if snapshot.facet(Ranking) is not None:
        qtbot.waitUntil(lambda: panel.plot is not None)  # pyqtgraph is imported on a thread
    return panel, context


def chart(panel: ScatterPanel) -> ScatterChart:
    assert panel.plot is not None
    return panel.plot


def grown(k: int) -> Ranking:
    return Ranking((s.ranked(s.FRIDGE, visits=k, value=5 + k / 10),), k, 100)


def test_says_what_it_waits_for(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, s.snapshot())
    assert panel.plot is None
    assert panel.headline() == ""


def test_shows_visited_actions_and_selects_them(qtbot: QtBot) -> None:
    panel, context = shown(qtbot, s.snapshot(s.ranking()))
    plot = chart(panel)
    assert plot.accessibleDescription().startswith("walk to the fridge: value 6.42, 27 visits; ")
    assert panel.headline()
    panel.grab()
    place = plot.place(6.42, 27)
    assert plot.action_at(place) == s.FRIDGE
    QTest.mouseMove(plot.viewport(), place.toPoint())
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert context.selection.now == Selected("action", action=s.FRIDGE)
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPointF(2, 2).toPoint())
    assert context.selection.now is not None
    panel.grab()


def test_nothing_says_from_when_it_is_where_nothing_is_shown(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, s.snapshot(s.ranking(), facet_turn=6))
    qtbot.waitUntil(panel._overlay.isVisible)
    panel.show_snapshot(s.snapshot(turn=8))
    panel.redraw()
    assert not panel._overlay.isVisible()


def test_every_mark_lies_inside_the_axes_and_higher_means_more_visits(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, s.snapshot(s.ranking()))
    plot = chart(panel)
    panel.grab()
    area = plot.plot.getViewBox().sceneBoundingRect()
    visited = [r for r in s.ranking().actions if r.value is not None]
    assert visited
    assert all(area.contains(plot.place(r.value or 0.0, r.visits)) for r in visited)
    assert plot.place(0.0, 30).y() < plot.place(0.0, 3).y()
    assert plot.place(5.0, 3).x() > plot.place(1.0, 3).x()


def test_a_huge_ranking(qtbot: QtBot) -> None:
    many = Ranking(tuple(s.ranked(s.FRIDGE, visits=1 + k % 50, value=k % 7) for k in range(2000)), 5000, 5000)
    panel, _ = shown(qtbot, s.snapshot(many))
    panel.grab()


def test_what_is_stale_stays(qtbot: QtBot) -> None:
    panel, _ = shown(qtbot, s.snapshot(s.ranking()))
    panel.show_snapshot(replace(s.snapshot(s.ranking()), turn=8))
    panel.grab()


def test_trails_keep_the_last_updates_and_end_with_the_turn() -> None:
    trails = Trails()
    for k in range(1, 10):
        assert trails.take(grown(k), Moment(0, 1))
    assert len(trails.of(s.FRIDGE)) == UPDATES + 1
    assert trails.of(s.FRIDGE)[-1] == (5.9, 9)
    trails.take(grown(3), Moment(0, 1))  # a search that began anew within the turn
    assert len(trails.of(s.FRIDGE)) == 1
    trails.take(grown(4), Moment(0, 2))
    assert len(trails.of(s.FRIDGE)) == 1
    same = grown(4)
    assert trails.take(same, Moment(0, 2))
    assert not trails.take(same, Moment(0, 2))


def test_axes_have_round_numbers_within_their_range() -> None:
    span = value_range((0.84, 6.42))
    ticks = value_ticks(span)
    assert span.low < 0.84 < 6.42 < span.high
    assert ticks == [pytest.approx(k) for k in range(1, 8)]
    assert visit_ticks(visits_range(27)) == [1, 3, 10, 30]
    assert value_range(()).low < value_range(()).high
    assert Range(0, 10).suits(Range(2, 9))
    assert not Range(0, 10).suits(Range(2, 11)), "a mark would lie outside"
    assert not Range(0, 10).suits(Range(4, 6)), "all marks would be in a corner"


def test_labels_never_cover_each_other() -> None:
    points = [(QPointF(50 + k, 50 + k), 8.0) for k in range(4)]
    placed = place_labels(points, [(40, 14)] * 4, QRectF(0, 0, 300, 200))
    found = [p for p in placed if p is not None]
    assert found
    assert not any(a.intersects(b) for k, a in enumerate(found) for b in found[k + 1:])


def test_a_new_ranking_is_painted_once(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Painting the chart is slow, and pyqtgraph's items would have the view painted again a moment later."""
    painted: list[QPaintEvent] = []
    paint = ScatterChart.paintEvent

    def painting(view: ScatterChart, event: QPaintEvent) -> None:
        painted.append(event)
        paint(view, event)

    monkeypatch.setattr(ScatterChart, "paintEvent", painting)
    panel, _ = shown(qtbot, s.snapshot(grown(3)))
    settle(panel)
    painted.clear()
    for k in range(4, 8):
        panel.show_snapshot(s.snapshot(grown(k)))
        settle(panel)
    assert len(painted) == 4
