"""Ctrl+Z undoes the operator's last action of any kind; Esc stops nothing; closing with unsaved runs asks once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from core.common.parameters import described
from core.planning.facets import Moment
from core.recording.files import HIDDEN
from core.recording.reader import open_recording
from core.session.breakpoints import Breakpoint
from core.session.commands import Ban, Override, SetParameter
from gui.app import App
from gui.panels.breakpoints import BreakpointsPanel
from gui.panels.parameters import ParametersPanel
from gui.panels.runs import RunsPanel
from gui.recordings.runs import Losses, ask_operator
from gui.recordings.unsaved_labels import Answer
from gui.theme import Theme
from gui.views.item_rows import ItemsView
from gui.widgets import Banner, Button
from tests.core.recording.common import CODEC
from tests.core.session.toys import LEFT, RIGHT
from tests.gui.conftest import MakeApp
from tests.gui.settling import settle
from tests.gui.test_runs import another, is_ready, run_to_end, step, toys

Key = Qt.Key


def press(app: App, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(app.window.windowHandle(), key, modifier)


def undo(app: App) -> None:
    press(app, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)


def looks(app: App) -> object:
    return next(p.value for p in described(app.bridge.snapshot.parameters) if p.name == "looks")


def noticed(app: App) -> bool:
    return app.window.notices.shown


def past(app: App) -> Moment | None:
    return app.console.moment


def standing(app: App) -> tuple[Breakpoint, ...]:
    return app.context.breakpoints.points


def override(qtbot: QtBot, app: App) -> None:
    app.runner.post(Override(RIGHT))
    settle(app)
    assert [t.by for t in app.bridge.snapshot.turns[-1:]] == ["operator"]
    assert app.context.undo.undoText().startswith("Override: ")


def test_acts_of_all_kinds_are_undone_in_their_order(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    step(qtbot, app)
    wishes, goal = app.console.run_request, app.bridge.snapshot.goal
    assert goal is not None
    point = Breakpoint("turn == 25")
    wishes.set_parameter("looks", 5)
    wishes.ban_or_allow(LEFT, "go left")
    wishes.set_breakpoint(point)
    wishes.set_steps(17)
    app.labelling.point("bookmark")
    qtbot.waitUntil(lambda: app.context.undo.undoText() == "Label bookmark")
    app.console.fork(Moment(0, 1))
    qtbot.waitUntil(lambda: app.context.undo.undoText() == "Fork to turn 1")
    now: list[tuple[Callable[[], object], object]] = [
        (lambda: app.bridge.snapshot.branch, 0), (lambda: len(app.bridge.snapshot.labels), 0),
        (lambda: app.bridge.snapshot.most_steps, 30), (lambda: app.bridge.snapshot.breakpoints, ()),
        (lambda: app.bridge.snapshot.banned, frozenset()), (lambda: looks(app), 3)]
    for read, before in now:
        assert read() != before
        undo(app)
        qtbot.waitUntil(lambda read=read, before=before: read() == before)  # type: ignore[misc]
    assert app.context.breakpoints.points == ()
    redo = partial(press, app, Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    for _ in now[1:]:
        redo()
    before_last = frozenset({LEFT}), 5, (point,)
    qtbot.waitUntil(lambda: (app.bridge.snapshot.banned, looks(app), app.bridge.snapshot.breakpoints) == before_last)
    redo()
    qtbot.waitUntil(lambda: (app.bridge.snapshot.branch, app.bridge.snapshot.banned) == (1, frozenset()))
    assert app.context.undo.count() == len(now), "undoing is no act of its own"


def test_a_parameter_set_in_its_panel_after_the_end_is_that_of_the_next_run(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    app.window.show_panel("parameters")
    qtbot.waitUntil(lambda: bool(app.window.findChildren(ParametersPanel)))
    (panel,) = app.window.findChildren(ParametersPanel)
    qtbot.waitUntil(lambda: "looks" in panel.rows)
    field = panel.rows["looks"].field
    assert isinstance(field, QLineEdit)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Key.Key_Return)
    assert app.console.request.parameters == {"looks": 7}
    app.console.again()
    assert app.console.request.parameters == {"looks": 7}
    app.context.push_parameter("Set looks", "looks", 9, 7)
    app.context.undo.undo()
    assert app.console.request.parameters == {"looks": 7}


def test_an_override_is_not_undone_and_nothing_before_it_either(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    app.console.run_request.set_parameter("looks", 5)
    step(qtbot, app)
    override(qtbot, app)
    undo(app)
    assert looks(app) == 5, "the parameter was changed before the override"
    assert noticed(app)
    (banner,) = app.window.notices.box.findChildren(Banner)
    assert banner.accessibleName() == "“Override: go right” cannot be undone"
    app.window.notices.offer_example(Moment(0, 2), lambda moment: None)  # it may arrive later than the answer to the undo
    assert banner.accessibleName() == "“Override: go right” cannot be undone"
    press(app, Key.Key_Escape)
    assert not noticed(app)
    undo(app)
    turn = app.bridge.snapshot.turns[-1].number
    next(b for b in app.window.notices.box.findChildren(Button) if b.accessibleName() == f"Rewind to turn {turn}").click()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1 and app.bridge.snapshot.turn == turn)
    qtbot.waitUntil(lambda: app.context.undo.undoText() == f"Rewind to turn {turn}")
    undo(app)
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 0)


def test_a_choice_of_parts_is_undone(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 9))
    another(qtbot, app, lambda: undo(app))
    assert app.console.request.seed == 0
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    undo(app)
    assert said == ["Nothing to undo in this run; earlier runs are in the Runs list"]


# --- Esc ---------------------------------------------------------------------------------
def test_esc_leaves_the_past_and_never_stops_the_run(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    step(qtbot, app)
    step(qtbot, app)
    app.console.go_to(Moment(0, 1))
    assert past(app) == Moment(0, 1)
    for _ in range(6):
        press(app, Key.Key_Escape)
    assert past(app) is None
    settle(app)
    assert app.runner.phase == "live"
    assert app.bridge.snapshot.ended is None
    press(app, Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: app.runner.phase == "idle")


# --- breakpoints -------------------------------------------------------------------------
def test_a_hit_says_what_where_and_why_and_the_list_counts_it(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    panel = app.window.docks["breakpoints"].card.fill()
    assert isinstance(panel, BreakpointsPanel)
    app.window.show_panel("breakpoints")
    point = Breakpoint('action == "go"')
    app.console.run_request.set_breakpoint(point)
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.stopped is not None and app.window.notices.shown)
    app.console.run()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.hits) == 2)
    words = 'Stopped before “go right” in turn 2: breakpoint “action == "go"”, hit 2'
    qtbot.waitUntil(lambda: app.window.status._message.text == words)
    panel.show_snapshot(app.bridge.snapshot)
    assert isinstance(panel.shown, ItemsView)
    rows = panel.shown.rows
    assert rows.row_words(0).startswith('action == "go" · hits 2 · turns 1, 2 · stopped here · now')
    qtbot.waitUntil(lambda: len(app.window.timeline.story.hits) == 2)
    rows.choose(0, tell=True)
    panel.strip.buttons["tick"].click()
    qtbot.waitUntil(lambda: app.bridge.snapshot.disabled == {point})
    run_to_end(qtbot, app)
    qtbot.waitUntil(lambda: not noticed(app))
    another(qtbot, app, app.console.again)
    qtbot.waitUntil(lambda: app.bridge.snapshot.disabled == {point})  # off stays off in the next run
    rows.choose(0, tell=True)
    QTest.keyClick(rows, Key.Key_Delete)
    assert standing(app) == ()
    undo(app)
    assert standing(app) == (point,)


def test_breakpoints_set_without_a_run_hold_in_the_next_one(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    run_to_end(qtbot, app)
    app.console.stop()
    qtbot.waitUntil(lambda: app.runner.phase == "idle")
    app.console.run_request.set_breakpoint(Breakpoint("turn == 3"))
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.stopped is not None and app.bridge.snapshot.turn == 3)
    app.console.run_request.set_breakpoint(Breakpoint("turn == 5"))
    qtbot.waitUntil(lambda: app.window.timeline.story.ahead == (5,))


# --- closing -----------------------------------------------------------------------------
def closing_app(theme: Theme, settings: QSettings, tmp_path: Path, qtbot: QtBot,
                answers: list[Answer]) -> tuple[App, list[Losses]]:
    from dataclasses import replace

    from gui.control.recording_files import RecordingFiles

    asked: list[Losses] = []

    def ask(window: QWidget, losses: Losses, answered: Callable[[Answer], object]) -> None:
        asked.append(losses)
        answered(answers.pop(0))

    app = App(replace(toys(), files=RecordingFiles(tmp_path / "recordings", lambda: CODEC)), theme, settings, ask)
    app.open(ask=False)
    qtbot.waitUntil(lambda: is_ready(app))
    return app, asked


@pytest.mark.parametrize("answer", ["save", "discard"])
def test_closing_over_unsaved_runs_asks_once(qtbot: QtBot, theme: Theme, settings: QSettings, tmp_path: Path,
                                             answer: Answer) -> None:
    app, asked = closing_app(theme, settings, tmp_path, qtbot, ["cancel", answer])
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose("seed", 4))
    step(qtbot, app)
    app.labelling.point("bookmark")
    qtbot.waitUntil(lambda: bool(app.bridge.snapshot.labels))
    assert not app.window.close()
    qtbot.waitUntil(lambda: bool(asked))
    assert app.window.isVisible()
    assert (len(asked[0].runs), asked[0].labels, asked[0].in_progress) == (2, 1, True)
    app.window.close()
    qtbot.waitUntil(lambda: not app.window.isVisible())
    assert len(asked) == 2
    saved = [path for path in (tmp_path / "recordings").glob("*.mcap") if not path.name.startswith(HIDDEN)]
    assert len(saved) == (2 if answer == "save" else 0)
    assert not list((tmp_path / "recordings").glob(f"{HIDDEN}*"))
    for path in saved:
        with open_recording(path, CODEC) as recording:
            assert recording.notice == ""
    app.window.deleteLater()


def test_nothing_is_asked_when_nothing_would_be_lost(qtbot: QtBot, theme: Theme, settings: QSettings, tmp_path: Path) -> None:
    app, asked = closing_app(theme, settings, tmp_path, qtbot, [])
    app.recorders.toggle()
    run_to_end(qtbot, app)
    qtbot.waitUntil(lambda: app.recorders._recorder is not None)
    app.window.close()
    qtbot.waitUntil(lambda: not app.window.isVisible())
    assert asked == []
    app.window.deleteLater()


def test_a_signal_saves_every_run_and_asks_nobody(qtbot: QtBot, theme: Theme, settings: QSettings, tmp_path: Path) -> None:
    app, asked = closing_app(theme, settings, tmp_path, qtbot, [])
    step(qtbot, app)
    app.runner.post(Ban(LEFT))
    app.close_guard.close_keeping()
    assert asked == []
    (path,) = (tmp_path / "recordings").glob("[!.]*.mcap")
    with open_recording(path, CODEC) as recording:
        assert recording.snapshot_at().banned == {LEFT}
    app.window.deleteLater()


@pytest.mark.parametrize(("button", "answer"), [("Save", "save"), ("Discard", "discard"), ("Cancel", "cancel")])
def test_the_dialog_names_what_would_be_lost(qtbot: QtBot, theme: Theme, button: str, answer: Answer) -> None:
    window, heard = QWidget(), list[Answer]()
    qtbot.addWidget(window)
    window.show()
    ask_operator(window, Losses(tuple(f"Run {k}: Walker, 3 turns, stopped" for k in range(1, 12)), 2, True), heard.append)
    (box,) = window.findChildren(QMessageBox)
    texts = [label.text() for label in box.findChildren(QLabel)]
    assert "Save 11 runs and 2 labels before closing? The run under way ends." in texts
    assert any("Run 8: Walker, 3 turns, stopped\nand 3 more" in text for text in texts)
    box.button(getattr(QMessageBox.StandardButton, button)).click()
    assert heard == [answer]


# --- what is chosen ------------------------------------------------------------------------
def test_the_seed_is_typed_or_drawn(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    box = app.window.bar.pickers.seed
    box.field.setText("123")
    another(qtbot, app, lambda: QTest.keyClick(box.field, Key.Key_Return))
    qtbot.waitUntil(lambda: app.bridge.snapshot.began is not None and app.bridge.snapshot.began.seed == 123)
    box.field.setText("7")
    QTest.keyClick(box.field, Key.Key_Escape)
    assert (box.field.text(), app.console.request.seed) == ("123", 123)
    another(qtbot, app, lambda: box.dice.click())
    assert app.console.request.seed != 123


def test_another_task_is_drawn(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    another(qtbot, app, lambda: app.window.bar.dice.click())
    assert app.console.request.task.startswith("Walk ")
    assert app.bridge.snapshot.goal is not None
    assert app.bridge.snapshot.goal.text == app.console.request.task


def test_the_first_run_card_is_opened_from_the_palette(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    entry = next(e for e in app.actions.entries() if e.title.startswith("New task"))
    entry.run()
    assert app.window.task_card.shown
    press(app, Key.Key_Escape)
    assert not app.window.task_card.shown


def test_the_list_of_runs_says_what_it_holds(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    panel = app.window.docks["runs"].card.fill()
    assert isinstance(panel, RunsPanel)
    app.window.show_panel("runs")
    run_to_end(qtbot, app)
    another(qtbot, app, lambda: app.console.run_request.choose_planner("runner"))
    qtbot.waitUntil(lambda: panel.headline() == "2 runs · 1 not saved")
    assert isinstance(panel.shown, ItemsView)
    rows = panel.shown.rows
    assert rows.row_words(1).startswith("1 · Walker: Walk to 5 · not saved · reached · goal reached · 5 turns · 0:0")
    rows.choose(1, tell=True)
    assert list(panel.strip.buttons) == ["open", "go on", "save", "remove"]
    assert [offer.title for offer in panel.offers()][:1] == ["Open: 1 · Walker: Walk to 5"]
    QTest.keyClick(rows, Key.Key_Return)
    qtbot.waitUntil(lambda: app.console.replaying and " · shown" in rows.row_words(0))
    assert list(panel.strip.buttons) == ["go on", "save", "remove"], "it is open"
    assert not panel.grab().isNull()


def test_a_parameter_of_a_panel_and_of_the_palette_share_the_stack(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(toys())
    app.console.run_request.set_parameter("looks", 7)
    qtbot.waitUntil(lambda: looks(app) == 7)
    app.runner.post(SetParameter("looks", 8))
    qtbot.waitUntil(lambda: looks(app) == 8)
    undo(app)
    qtbot.waitUntil(lambda: looks(app) == 3)
    assert "looks" not in app.console.request.parameters
