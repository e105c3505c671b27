"""The breakpoints panel: typing, errors, values, hits, editing; and the watches under the timeline."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.common.readings import Unknown
from core.common.shared_list import SharedList
from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from core.planning.facets import Moment
from core.recording.exports import export_all
from core.session.breakpoint_view import breakpoint_view, value_words
from core.session.breakpoints import Breakpoint, Hit
from core.session.checked_expressions import in_words
from core.session.commands import Fork
from core.session.snapshot import Snapshot
from core.views.checking import fault
from gui.app import App
from gui.control.watches import MOST, Watches, known
from gui.panels.breakpoints import BreakpointsPanel
from gui.views.item_rows import ItemRows, ItemsView
from gui.views.widget import Choice
from gui.widgets.expression_field import tail, words
from tests.core.recording.common import CODEC
from tests.core.session.test_row_quantities import Foreign, shown
from tests.gui.conftest import MakeApp
from tests.gui.test_runs import run_to_end, step, toys


def opened(app: App) -> BreakpointsPanel:
    panel = app.window.docks["breakpoints"].card.fill()
    assert isinstance(panel, BreakpointsPanel)
    app.window.show_panel("breakpoints")
    return panel


def rows_of(panel: BreakpointsPanel) -> ItemRows:
    assert isinstance(panel.shown, ItemsView)
    return panel.shown.rows


def typed(panel: BreakpointsPanel, text: str) -> None:
    panel.field.setText(text)
    QTest.keyClick(panel.field, Qt.Key.Key_Return)


def test_what_is_typed_is_set_changed_and_undone(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    panel, points = opened(app), app.context.breakpoints
    typed(panel, "tokens > 9")
    assert points.points == (Breakpoint("tokens > 9"),)
    assert panel.field.text() == ""
    panel.manner.choose(2)
    panel.from_hit.setText("3")
    typed(panel, 'action == "go"')
    assert points.points[-1] == Breakpoint('action == "go"', log=True, from_hit=3)
    rows_of(panel).choose(0, tell=True)
    QTest.keyClick(rows_of(panel), Qt.Key.Key_F2)
    assert panel.field.text() == "tokens > 9"
    panel.manner.choose(1)
    typed(panel, "tokens > 11")
    assert set(points.points) == {Breakpoint("tokens > 11", once=True), Breakpoint('action == "go"', log=True, from_hit=3)}
    app.context.undo.undo()
    assert Breakpoint("tokens > 9") in points.points
    QTest.keyClick(panel.field, Qt.Key.Key_Escape)


@pytest.mark.parametrize(("text", "start", "note"), [
    ("gapp < 1", 0, "Character 1: there is no name “gapp”: did you mean gap?"),
    ("turn = 3", 5, "Character 6: “=” compares nothing"),
    ("action", 0, "Character 1: this is a text")])
def test_errors_are_underlined_and_refused(qtbot: QtBot, make_app: MakeApp, text: str, start: int, note: str) -> None:
    app = make_app(toys())
    panel = opened(app)
    typed(panel, text)
    assert app.context.breakpoints.points == ()
    assert panel.field.error is not None
    assert panel.field.error.start == start
    assert panel._typed.text().startswith(note)
    assert not panel.field.grab().isNull()


def test_each_row_shows_its_present_value_and_hits(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    panel = opened(app)
    for text in ("turn > 2", "nodes > 3"):
        typed(panel, text)
    step(qtbot, app)
    panel.show_snapshot(app.bridge.snapshot)
    rows = rows_of(panel)
    assert [item.note for item in rows.view.items] == ["now false · turn 2", "now unknown: this planner shows no search tree"]
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.stopped is not None)
    panel.show_snapshot(app.bridge.snapshot)
    assert rows.row_words(0) == "turn > 2 · hits 1 · turns 3 · stopped here · now true · turn 3"


def test_a_breakpoint_is_turned_off_by_its_tick_deleted_and_left_alone_in_the_past(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    panel, points = opened(app), app.context.breakpoints
    for text in ("turn > 2", "nodes > 3"):
        typed(panel, text)
    rows = rows_of(panel)
    at = rows.visualRect(rows.model().index(1, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(10, at.y()))
    assert points.disabled == {Breakpoint("nodes > 3")}
    assert (panel.headline(), rows.row_words(1).split(" · ")[2]) == ("2 set · 1 off", "off")
    assert [offer.title for offer in panel.offers()] == ["Turn on: nodes > 3", "Edit: nodes > 3", "Delete: nodes > 3"]
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(10, at.y()))
    assert points.disabled == frozenset()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, at.y()))
    assert points.disabled == frozenset(), "elsewhere a click chooses"
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert list(points.points) == [Breakpoint("turn > 2")]
    app.context.undo.undo()
    assert list(points.points) == [Breakpoint("turn > 2"), Breakpoint("nodes > 3")]
    rows.choose(0, tell=True)
    panel.strip.buttons["delete"].click()
    assert list(points.points) == [Breakpoint("nodes > 3")]
    rows.choose(0, tell=True)
    QTest.keyClick(rows, Qt.Key.Key_Delete)
    assert (panel.headline(), list(panel.offers()), list(points.points)) == ("", [], [])


def test_what_is_wanted_of_a_breakpoint_that_is_gone_is_refused_in_a_line(make_app: MakeApp) -> None:
    panel = BreakpointsPanel(make_app(toys()).context)
    edit = breakpoint_view([Breakpoint("turn > 3")], (), Snapshot()).items[0].edit("delete")
    assert edit is not None
    assert panel._edit(Choice(("turn > 3",), "turn > 3"), edit, None) == "the breakpoint “turn > 3” is not set any more"
    panel.deleteLater()


def test_enter_goes_to_the_last_hit_also_in_the_past(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    panel = opened(app)
    typed(panel, "turn > 1")
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.stopped is not None)
    panel.show_snapshot(app.bridge.snapshot)
    asked: list[tuple[int, int]] = []
    app.context.selection.asked_turn.disconnect()
    app.context.selection.asked_turn.connect(lambda branch, turn: asked.append((branch, turn)))
    rows_of(panel).choose(0, tell=True)
    QTest.keyClick(rows_of(panel), Qt.Key.Key_Return)
    assert asked == [(0, 2)]
    app.context.set_live(False)
    assert [offer.title for offer in panel.offers()] == ["Last hit: turn > 1"]
    QTest.keyClick(rows_of(panel), Qt.Key.Key_Delete)
    assert app.context.breakpoints.points == (Breakpoint("turn > 1"),)
    app.context.set_live(True)


def test_turns_of_many_hits_are_cut() -> None:
    point = Breakpoint("turn > 0", once=True)
    hits = SharedList([Hit(float(k), k, 0, point, "turn", k) for k in range(1, 8)])
    view = breakpoint_view((point,), (point,), Snapshot(hits=hits))
    assert fault(view) == ""
    item = view.items[0]
    assert (item.text, item.values, [mark.word for mark in item.marks]) == ("turn > 0, once", (7, "… 4, 5, 6, 7"), ["off"])


def test_words_of_the_run_are_offered(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    step(qtbot, app)
    offered = words(app.bridge.snapshot)
    assert {"gap", "visits(", "literal[0].reached", "walker", '"go"', '"go right"'} <= set(offered)
    assert [tail(text) for text in ("ga", "gap < en", 'action == "go r', 'visits("x") > ', "(tu")] == [
        "ga", "en", '"go r', "", "tu"]
    panel = opened(app)
    panel.field.offer(offered)
    panel.field.setText('turn > 1 and action == "GO ri')
    completer = panel.field.completer()
    completer.setCompletionPrefix(completer.splitPath(panel.field.text())[0])
    assert completer.completionCount() == 1
    assert completer.currentCompletion() == 'turn > 1 and action == "go right"'
    for text, listed in (("tur", True), ("turn > 10", False), ("turn > 10 and ", False)):
        completer.setCompletionPrefix(completer.splitPath(text)[0])
        assert (completer.completionCount() > 0) == listed, text


def test_names_in_facets_are_offered_whoever_made_the_facet() -> None:
    shown = StateDictionary((StateEntry("cup 1"), StateEntry("tap")))
    offered = words(Snapshot(facets=MappingProxyType({StateDictionary: (shown, Moment(0, 1))})))
    assert {'"cup 1"', "tap"} <= set(offered)
    assert not {'"cup 1"', "tap"} & set(words(Snapshot()))


def test_values_of_wrong_texts_say_what_is_wrong() -> None:
    assert value_words("gap <", Snapshot()).startswith("Character 6: a value is missing before the end")
    assert value_words("turn", Snapshot()) == "now 0"


# --- watches ---------------------------------------------------------------------------
def test_watches_are_plotted_over_the_turns_of_each_branch(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    watches, strip = app.context.watches, app.window.watches
    assert strip.isHidden()
    panel = opened(app)
    panel.field.setText("tokens")
    panel.watch()
    assert watches.add("turn * 2")
    assert not watches.add("turn * 2")
    assert app.settings.texts("watches") == ("tokens", "turn * 2")
    assert strip.isVisible()
    for _ in range(3):
        step(qtbot, app)
    app.runner.post(Fork(2))
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1)
    step(qtbot, app)
    double = watches.watched[1]
    qtbot.waitUntil(lambda: len(watches.series(double, 0)) == 3 and len(watches.series(double, 1)) >= 2)
    assert watches.series(double, 0) == ((1, 2.0), (2, 4.0), (3, 6.0))
    assert watches.series(double, 1)[:2] == ((1, 2.0), (2, 4.0))
    qtbot.waitUntil(lambda: all(row.plot is not None for row in strip._rows.values()))
    strip.redraw()
    plot = strip._rows["turn * 2"].plot
    assert plot is not None
    assert [curve.strong for curve in plot._curves] == [False, True]
    watches.remove("tokens")
    assert list(strip._rows) == ["turn * 2"]
    watches.remove("turn * 2")
    assert strip.isHidden()


def test_watches_are_kept_and_computed_from_a_recording_as_they_were(qtbot: QtBot, make_app: MakeApp, tmp_path: Path,
                                                                     settings: QSettings) -> None:
    settings.setValue("watches", "tokens\nno name\nliteral[0].reached")
    app = make_app(toys())
    watches = app.context.watches
    assert [watch.text for watch in watches.watched] == ["tokens", "literal[0].reached"]
    app.recorders.toggle()
    run_to_end(qtbot, app)
    qtbot.waitUntil(lambda: watches.snapshot.ended is not None)
    live = {watch.text: watches.series(watch, 0) for watch in watches.watched}
    assert [number for number, _ in live["tokens"]] == [1, 2, 3, 4, 5]
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    path = next(iter((tmp_path / "recordings").glob("*.mcap")))
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying)
    qtbot.waitUntil(lambda: {w.text: watches.series(w, 0) for w in watches.watched} == live)
    out = export_all((path,), "csv", tmp_path / "a.csv", CODEC, watches=["tokens", "literal[0].reached", "nodes"]).path
    rows = [line.split(",")[-3:] for line in out.read_text("utf-8-sig").splitlines()]
    assert rows[0] == ["tokens", "literal[0].reached", "nodes"]
    assert [[int(row[0]), row[1] == "True", row[2]] for row in rows[1:]] == [
        [tokens, reached, ""] for (_, tokens), (_, reached) in zip(live["tokens"], live["literal[0].reached"], strict=True)]
    for to in ("csv", "html"):
        app.kept_runs.exporter.write(to)
        qtbot.waitUntil(path.with_suffix(f".{to}").exists)
    assert path.with_suffix(".csv").read_text("utf-8-sig").splitlines()[0].endswith(",".join(app.context.watches.texts))
    page = path.with_suffix(".html").read_text("utf-8")
    assert re.findall(r"<title>(turn \d+: .*?)</title>", page.partition("<h3>tokens</h3>")[2].partition("</svg>")[0]) == [
        f"turn {number}: {in_words(value)}" for number, value in live["tokens"]], "the window's exports hold what it plots"


def test_turns_that_are_not_kept_have_no_value() -> None:
    read: list[Moment] = []

    def not_kept(moment: Moment, take: Callable[[Snapshot | None], None]) -> None:
        read.append(moment)
        take(None)

    watches = Watches(not_kept)
    watches.add("turn")
    for k in range(MOST):
        watches.add(f"turn + {k}")
    assert len(watches.watched) == MOST
    watches.show_snapshot(Snapshot(turn=3))
    assert watches.series(watches.watched[0], 0) == ()
    assert read == []


def test_rows_and_columns_of_what_a_foreign_planner_shows_are_offered() -> None:
    offered = words(shown(Foreign()))
    assert {"row(", "cell(", '"open fridge_1"', "goal_reached", '"apple 2"', "sink_1"} <= set(offered)


def test_unknown_values_are_gaps() -> None:
    assert known(((1, 2.0), (2, Unknown("x")), (3, True))) == ((1, 2.0), (2, None), (3, 1.0))


@pytest.mark.parametrize("room", [400, 120, 60])
def test_the_list_of_names_covers_neither_the_field_nor_what_is_wrong(qtbot: QtBot, make_app: MakeApp, room: int) -> None:
    app = make_app(toys())
    step(qtbot, app)
    panel = opened(app)
    bottom = app.window.screen().availableGeometry().bottom()
    app.window.move(app.window.x(), 0)
    app.window.move(app.window.x(), bottom - room - panel.field.mapToGlobal(panel.field.rect().bottomLeft()).y())
    panel.field.offer(words(app.bridge.snapshot))
    panel.field.setFocus()
    QTest.keyClicks(panel.field, "turn = t")
    names = panel.field._completer.list
    qtbot.waitUntil(names.isVisible)
    shown = QRect(names.mapToGlobal(QPoint(0, 0)), names.size())
    for part in (panel.field, panel._typed):
        assert part.isVisible()
        assert not QRect(part.mapToGlobal(QPoint(0, 0)), part.size()).adjusted(0, 0, 0, -4).intersects(shown)  # its border
    assert panel._typed.text().startswith("Character 6: “=” compares nothing")
    names.hide()
