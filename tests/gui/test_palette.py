"""The palette's entries and what they do: breakpoints, turns, parameters, calls, belief, exports."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.llm.human import Human
from core.planners.bcr.recorded_types import BlockingTree
from core.planning.belief_facets import Belief
from core.recording.exports import about
from core.session.breakpoints import Breakpoint
from core.session.setup import Setup
from gui.app import App
from gui.panels.calls.dialogs import AskDialog
from gui.panels.calls.panel import CallsPanel
from tests.core.session.toys import Guide
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, make_setup, parts
from tests.gui.settling import settle
from tests.gui.test_replay import record, show

Key = Qt.Key


def choose(app: App, query: str, *more: str) -> None:
    """Opens the palette, types a query and presses Enter; then the same for a completion."""
    app.actions.open_palette()
    for words in (query, *more):
        app.actions.palette.look_for(words)
        QTest.keyClick(app.actions.palette._field, Key.Key_Return)


def listed(app: App, query: str, *more: str) -> list[str]:
    """The entries listed after typing a query."""
    app.actions.open_palette()
    for words in (query, *more)[:-1]:
        app.actions.palette.look_for(words)
        QTest.keyClick(app.actions.palette._field, Key.Key_Return)
    app.actions.palette.look_for((query, *more)[-1])
    titles = app.actions.palette.titles()
    app.actions.palette.leave()
    return titles


def one_turn(qtbot: QtBot, app: App) -> None:
    turn = app.bridge.snapshot.turn
    app.console.step()
    settle(app)
    assert (app.bridge.snapshot.turn, app.bridge.snapshot.status) == (turn + 1, "paused")
    assert app.console.shown.turn == turn + 1


# --- breakpoints ----------------------------------------------------------------------
@pytest.mark.parametrize(("query", "typed", "point"), [
    ("break entropy", "1.5", Breakpoint("entropy > 1.5")),
    ("break gap", "0,25", Breakpoint("gap < 0.25")),
    ("break tokens", "1234", Breakpoint("tokens > 1234")),
    ("break at turn", "7", Breakpoint("turn == 7")),
    ("break before", "go ri", Breakpoint('action == "go ri"')),
])
def test_a_break_takes_what_is_typed(qtbot: QtBot, make_app: MakeApp, query: str, typed: str, point: Breakpoint) -> None:
    app = make_app(parts())
    choose(app, query, typed)
    assert not app.actions.palette.isVisible()
    qtbot.waitUntil(lambda: app.bridge.snapshot.breakpoints == (point,))
    choose(app, "delete breakpoint")
    qtbot.waitUntil(lambda: app.bridge.snapshot.breakpoints == ())


def test_a_break_at_a_turn_that_is_over_stops_the_next_run(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    assert listed(app, "break at turn", "") == ["Break at turn 1", "Break at turn 5"]
    choose(app, "break at turn", "2")
    app.console.again()
    qtbot.waitUntil(lambda: app.bridge.snapshot.stopped is not None)
    assert app.bridge.snapshot.turn == 2


def test_what_is_no_number_says_what_is_wanted_and_does_nothing(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    for typed in ("much", "-1", "inf", "nan"):
        choose(app, "break entropy", typed)
        assert app.actions.palette.isVisible()
        assert app.actions.palette.titles() == ["Type bits as a number, 0 or more"]
        app.actions.palette.leave()
    assert listed(app, "break at turn", "0") == ["Number of a turn, 1 or more"]
    begin = "Break when the entropy of a goal object is over"
    assert listed(app, "break entropy", "") == [f"{begin} {bits} bits" for bits in ("0.5", "1", "2")]
    assert app.bridge.snapshot.breakpoints == ()


def test_a_new_blocking_condition_pauses_a_run(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("bcr", TASK))
    choose(app, "break on a new blocking")
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.breakpoints) == 1)
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.pause.startswith("breakpoint: "))
    tree = app.bridge.snapshot.facet(BlockingTree)
    assert tree is not None
    assert any(node.kind == "condition" for node in tree.nodes)


# --- turns ------------------------------------------------------------------------------
def test_turns_are_found_by_number_and_by_what_was_done(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    for _ in range(3):
        one_turn(qtbot, app)
    titles = listed(app, "rewind to turn …", "")
    assert [title.split(":")[0] for title in titles] == ["Rewind to turn 3", "Rewind to turn 2", "Rewind to turn 1"]
    assert listed(app, "go to turn …", "2")[0].startswith("Go to turn 2: go")
    assert listed(app, "go to turn …", "99") == ["There is no such turn on this branch"]
    choose(app, "go to turn …", "2")
    assert app.console.moment is not None
    assert app.console.moment.turn == 2
    app.console.go_live()
    choose(app, "fork at turn …", "2")
    qtbot.waitUntil(lambda: (app.bridge.snapshot.branch, app.bridge.snapshot.turn) == (1, 2))


# --- parameters ---------------------------------------------------------------------------
def test_parameters_are_set_by_name_and_checked(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    assert "simulations" in listed(app, "set simulations …", "0")[0]
    assert listed(app, "set simulations …", "0")[0].startswith("simulations=0: give ")
    choose(app, "set simulations …", "42")
    qtbot.waitUntil(lambda: vars(app.bridge.snapshot.parameters)["simulations"] == 42)
    assert app.console.request.parameters["simulations"] == 42


# --- calls --------------------------------------------------------------------------------
def test_calls_are_asked_again_and_answered_by_oneself(qtbot: QtBot, make_app: MakeApp) -> None:
    guide = Guide()

    def with_human(request: Request) -> Setup:
        return replace(make_setup(request), models={"guide": guide, "human": Human()})

    app = make_app(replace(parts(), make_setup=with_human))
    one_turn(qtbot, app)
    titles = listed(app, "ask call …", "0")
    assert titles[0].startswith("Ask call 0 again, back in turn 1")
    choose(app, "ask call …", "0")
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1)
    choose(app, "answer calls myself")
    app.console.run()
    qtbot.waitUntil(lambda: bool(app.bridge.snapshot.waiting) and app.bridge.snapshot.waiting[0].source == "human")
    choose(app, "let guide answer")
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)


# --- panels ----------------------------------------------------------------------------------
def test_belief_is_edited_pinned_zeroed_and_renormalised_from_the_palette(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", "Put one book inside the fridge"))
    for _ in range(20):
        if app.bridge.snapshot.facet(Belief) is None:
            app.console.step("checkpoint")
            settle(app)
    assert app.bridge.snapshot.facet(Belief) is not None
    panel = app.window.docks["belief"].card.panel
    assert panel is not None
    qtbot.waitUntil(lambda: bool(panel.offers()))
    titles = [title for title in listed(app, "belief: ") if title.startswith("Belief: ")]
    assert {title.split(" ")[1] for title in titles} >= {"edit", "pin", "zero", "renormalise"}
    assert sum(title.startswith("Belief: edit ") for title in titles) > 1
    thing = next(t for t in titles if t.startswith("Belief: pin ")).removeprefix("Belief: pin ")
    choose(app, f"belief: pin {thing}")
    qtbot.waitUntil(lambda: bool(panel.editor.belief.pinned.any()))  # type: ignore[attr-defined]
    assert any(t == f"Belief: unpin {thing}" for t in listed(app, "belief: unpin"))
    choose(app, "belief: renormalise")
    qtbot.waitUntil(lambda: not panel.editor.belief.pinned.any())  # type: ignore[attr-defined]
    choose(app, f"belief: edit {thing}")
    assert panel.cell.number.hasFocus()  # type: ignore[attr-defined]


def is_whole(table: Path) -> bool:
    return table.read_text("utf-8-sig").startswith("turn,")


# --- exports ------------------------------------------------------------------------------
def test_a_recording_is_exported_beside_itself_and_never_over_another(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    with qtbot.waitSignal(app.console.message) as told:
        choose(app, "export as", "csv")
    assert told.args[0].startswith("Open the recording first")
    show(qtbot, app, path)
    for made in (tmp_path / "episode.csv", tmp_path / "episode-2.csv"):
        choose(app, "export as", "csv")
        qtbot.waitUntil(made.exists)
        qtbot.waitUntil(partial(is_whole, made))
    assert len(listed(app, "export as", "")) == len(about())


# --- an own prompt ----------------------------------------------------------------------------
def test_e_in_calls_rewrites_a_prompt_and_the_reply_is_a_call_of_yours(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    one_turn(qtbot, app)
    app.window.show_panel("calls")
    panel = app.window.docks["calls"].card.panel
    assert isinstance(panel, CallsPanel)
    qtbot.waitUntil(lambda: len(list(panel.offers())) == 2)
    QTest.keyClick(app.window.windowHandle(), Key.Key_E)
    dialog = next(d for d in app.window.findChildren(AskDialog) if d.isVisible())
    dialog.fields[-1].setPlainText("Which way, and why?")
    dialog.send()
    qtbot.waitUntil(lambda: app.console.shown.calls[-1].by == "operator")
    call = app.console.shown.calls[-1]
    assert call.ask.messages[-1].content == "Which way, and why?"
    assert call.reply is not None
    assert app.bridge.snapshot.status == "paused", "the run stays as it was"
    qtbot.waitUntil(lambda: panel.detail.call == call)
