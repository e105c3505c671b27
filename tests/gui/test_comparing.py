"""Fork and compare in the window: live, in the past, and of a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.session.branch_comparison import Pair
from core.session.commands import Pause
from core.session.snapshot import Snapshot, fold_all
from gui.app import App
from gui.panels.compare.moments import BEFORE, Moments
from gui.panels.compare.panel import ComparePanel
from gui.panels.registry import PANELS
from gui.widgets import Names
from tests.core.session.toys import session
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle

HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def ran(qtbot: QtBot, app: App) -> None:
    app.console.run()
    settle(app)
    assert app.bridge.snapshot.ended is not None
    assert app.window.timeline.story.ended


def panel_of(app: App) -> ComparePanel:
    panel = app.window.docks["compare"].card.panel
    assert isinstance(panel, ComparePanel)
    return panel


def forked(qtbot: QtBot, app: App, turn: int = 2) -> ComparePanel:
    """Plays a run to its end and forks one of its turns, which waits."""
    ran(qtbot, app)
    app.console.go_to(Moment(0, turn))
    app.runner.post(Pause())
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_F, HELD)
    settle(app)
    assert not app.window.docks["compare"].isHidden()
    assert panel_of(app).rows.count() > 1
    return panel_of(app)


def test_forking_opens_the_comparison_in_a_place_of_its_own(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    dock = app.window.docks["compare"]
    assert dock.isHidden()
    panel = forked(qtbot, app)
    qtbot.waitUntil(lambda: not dock.visibleRegion().isEmpty())
    assert app.window.dockWidgetArea(dock) == Qt.DockWidgetArea.BottomDockWidgetArea
    assert panel.heads[0].end.text == "Goal reached"
    assert [h.picker.accessibleName() for h in panel.heads] == ["Left: Main line", "Right: Branch 1 · from turn 2"]


def test_neither_a_rewind_nor_a_refused_fork_opens_it(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    ran(qtbot, app)
    app.console.fork(Moment(0, 99))
    qtbot.waitUntil(lambda: app.console._forks_from is None)
    app.console.go_to(Moment(0, 2))
    app.console.rewind()
    settle(app)
    assert app.bridge.snapshot.branch == 1
    assert app.window.docks["compare"].isHidden()


def test_a_row_goes_to_its_turn_and_the_timeline_follows_to_that_branch(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    panel = forked(qtbot, app)
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 3 and app.bridge.snapshot.status == "paused")
    panel.rows.asked.emit(Moment(0, 4))
    assert app.console.moment == Moment(0, 4)
    assert (app.console.shown.branch, app.console.shown.turn) == (0, 4)
    assert [b.moment for b in app.window.timeline.story.blocks] == [Moment(0, k) for k in range(1, 6)]
    qtbot.waitUntil(lambda: panel.rows._shown.looked_at == Moment(0, 4))
    assert any(isinstance(row, Pair) and row.right is not None for row in panel.rows.rows), "the fork is still there"
    panel.rows.asked.emit(Moment(0, 2))
    qtbot.waitUntil(lambda: panel.facet_rows.rows.count() > 0)
    panel.rows.asked.emit(Moment(0, 4))
    app.console.fork()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 2)
    assert app.bridge.snapshot.branches[-1] == (2, 0, 4), "a fork of the turn that is shown, on its own branch"


def test_a_recording_is_compared_too(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.recorders.toggle()
    forked(qtbot, app)
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.last is not None)
    assert app.recorders.last is not None
    app.viewer.open(app.recorders.last)
    qtbot.waitUntil(lambda: app.console.replaying and app.console.moment is not None)
    panel = panel_of(app)
    qtbot.waitUntil(lambda: [h.end.text for h in panel.heads] == ["Goal reached", "Goal reached"])
    assert panel.headline().startswith("the same so far")
    panel.rows.asked.emit(Moment(0, 3))
    qtbot.waitUntil(lambda: app.console.moment == Moment(0, 3))
    qtbot.waitUntil(lambda: panel.rows._shown.looked_at == Moment(0, 3))
    assert len([row for row in panel.rows.rows if isinstance(row, Pair)]) == 4
    qtbot.waitUntil(lambda: panel.facet_rows.rows.count() > 0)
    assert panel.facet_rows.rows.row_words(0) == "Plan · the same"


def test_every_panel_that_is_shown_has_a_place(make_app: MakeApp) -> None:
    app = make_app(parts())
    for name in set(PANELS) - {"frames"}:
        app.window.show_panel(name)
        dock = app.window.docks[name]
        assert dock.isVisible()
        assert app.window.dockWidgetArea(dock) != Qt.DockWidgetArea.NoDockWidgetArea, name


def test_the_turn_before_is_read_again_for_another_run() -> None:
    """A run that is played again has the same settings and the same numbers of turns."""
    snapshots = []
    for _ in range(2):
        run, ear = session()
        run.run()
        snapshots.append(fold_all(ear.events))
    read: list[Callable[[Snapshot | None], None]] = []

    class Reader:
        def read_turn(self, moment: Moment, take: Callable[[Snapshot | None], None]) -> None:
            read.append(take)

    moments = Moments(Reader())  # type: ignore[arg-type]
    for number, snapshot in enumerate(snapshots):
        assert moments.of(BEFORE, snapshot, Names()).pair is None
        assert len(read) == number + 1
        read[-1](snapshot)
        found = moments.of(BEFORE, snapshot, Names()).pair
        assert found is not None
        assert found[0] is snapshot


def test_another_turn_is_compared_though_it_showed_nothing_yet(
    qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(parts())
    panel = forked(qtbot, app)
    panel.compare(BEFORE)
    app.console.go_live()
    qtbot.waitUntil(lambda: app.context.live)
    older = replace(app.bridge.snapshot, turn=2)
    newer = replace(older, turn=3)
    panel.show_snapshot(older)
    monkeypatch.setattr(app.context, "newest", lambda shown: newer)
    panel._go_on()
    panel.show_snapshot(newer)
    assert panel._showing.sides[1] == "Turn 3"
