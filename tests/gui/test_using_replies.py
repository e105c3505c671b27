"""An edited prompt or reply is put into the run: a fork from its call, or a run that goes on from a recording."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.session.commands import Fork
from core.session.snapshot import Snapshot
from core.session.turns import Call
from core.world.vocabulary import Action
from gui.app import App
from gui.panels.calls.panel import CallsPanel
from tests.core.recording.common import recorded
from tests.core.session.toys import LEFT, RIGHT
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle
from tests.waiting import until


def has_branches(count: int, now: Snapshot) -> bool:
    return len(now.branches) == count


def waits_in(turn: int, now: Snapshot) -> bool:
    return now.turn == turn and now.status == "paused"


def has_played(moment: Moment, now: Snapshot) -> bool:
    return any(t.moment == moment for t in now.turns) and now.status in ("paused", "ended")


def has_left(branch: int, now: Snapshot) -> bool:
    return now.branch != branch


def wait_for(qtbot: QtBot, app: App, test: Callable[[Snapshot], bool]) -> None:
    """Settles the console, and checks that the run is in some state."""
    settle(app)
    assert test(app.bridge.snapshot)


def done_in(app: App, moment: Moment) -> Action | None:
    """Returns what was done in a turn."""
    return next(t.done for t in app.bridge.snapshot.turns if t.moment == moment)


def played(qtbot: QtBot, app: App, turns: int) -> CallsPanel:
    """Plays some turns. Returns the panel of calls, in view."""
    for turn in range(1, turns + 1):
        app.console.step()
        wait_for(qtbot, app, partial(waits_in, turn + 1))
    return panel_of(qtbot, app)


def panel_of(qtbot: QtBot, app: App) -> CallsPanel:
    app.window.show_panel("calls")
    panel = app.window.docks["calls"].card.fill()
    assert isinstance(panel, CallsPanel)
    settle(app)
    assert panel.isVisible()
    return panel


def way(app: App, turn: int) -> Call:
    """Returns the call for the way in a turn of the main line."""
    return next(c for c in app.bridge.snapshot.calls if (c.branch, c.turn, c.ask.purpose) == (0, turn, "way"))


def goes_left_in_a_fork(qtbot: QtBot, app: App, turn: int) -> None:
    """Waits for the fork, plays its first turn, and checks that the branch it left is as it was."""
    before = [(t.moment, t.done) for t in app.bridge.snapshot.turns if t.branch == 0]
    settle(app)
    assert app.bridge.snapshot.branch == 1
    app.console.step()
    wait_for(qtbot, app, lambda now: any(t.moment == Moment(1, turn) for t in now.turns))
    assert done_in(app, Moment(1, turn)) == LEFT
    assert [(t.moment, t.done) for t in app.bridge.snapshot.turns if t.branch == 0] == before


def test_an_edited_reply_is_used_in_a_fork(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    panel = played(qtbot, app, 3)
    call = way(app, 2)
    qtbot.waitUntil(lambda: panel.edit_reply(call.id) is not None)
    dialog = panel.edit_reply(call.id)
    assert dialog is not None
    assert [field.toPlainText() for field in dialog.fields] == ["right"]
    dialog.fields[0].setPlainText("left")
    dialog.send()
    goes_left_in_a_fork(qtbot, app, 2)
    marks = [mark for mark in app.bridge.snapshot.marks if mark.kind == "edit"]
    assert [(m.branch, m.turn, m.text) for m in marks] == [(1, 2, f"Call {call.id} gets the operator's reply: left")]
    app.console.undoing.undo()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 0)


def test_what_just_happened_is_undone_and_not_what_was_before(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    played(qtbot, app, 3)
    app.context.post(Fork(2))
    until(lambda: app.bridge.snapshot.branch == 1)
    app.console.undoing.undo()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 0)


def test_the_reply_to_an_edited_prompt_is_used_when_it_arrives(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    panel = played(qtbot, app, 3)
    call = way(app, 2)
    qtbot.waitUntil(lambda: panel.edit_call(call.id) is not None)
    dialog = panel.edit_call(call.id)
    assert dialog is not None
    dialog.fields[-1].setPlainText("Which way, and why?")
    dialog.use()
    settle(app)
    assert app.bridge.snapshot.branch == 1
    snapshot = app.bridge.snapshot
    own = next(c for c in snapshot.calls if c.by == "operator")
    assert own.reply is not None
    assert own.ask.messages[-1].content == "Which way, and why?"
    edits = [m.text for m in snapshot.marks if m.kind == "edit"]
    assert edits == [f"Call {call.id} gets the reply to the operator's prompt: right"]
    app.console.step()
    qtbot.waitUntil(lambda: any(t.moment == Moment(1, 2) for t in app.bridge.snapshot.turns))
    given = next(c for c in app.bridge.snapshot.calls if (c.branch, c.turn, c.ask.purpose) == (1, 2, "way"))
    assert given.reply is not None
    assert (given.reply.texts, given.reply.source) == (own.reply.texts, own.reply.source)
    assert f"call {own.id}" in given.reply.note


def test_the_reply_to_a_prompt_asked_aside_is_used_by_its_button(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    panel = played(qtbot, app, 3)
    qtbot.waitUntil(lambda: panel.edit_call(way(app, 2).id) is not None)
    dialog = panel.edit_call(way(app, 2).id)
    assert dialog is not None
    dialog.fields[-1].setPlainText("Left or right?")
    dialog.send()
    qtbot.waitUntil(lambda: panel.detail.call is not None and panel.detail.call.by == "operator"
                    and panel.detail.call.reply is not None)
    assert app.bridge.snapshot.branch == 0, "asked aside only"
    qtbot.waitUntil(panel.detail.use.isVisible)
    panel.detail.use.click()
    qtbot.waitUntil(lambda: app.bridge.snapshot.branch == 1)
    assert app.bridge.snapshot.turn == 2


def test_a_call_of_a_recording_gets_another_reply(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    """A run goes on with it from the turn of the call; the recording stays as it is."""
    path = tmp_path / "a.mcap"
    recorded(path)
    before = path.read_bytes()
    app = make_app(parts())
    app.viewer.open(path)
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    app.console.go_to(Moment(0, 4))
    qtbot.waitUntil(lambda: app.console.moment == Moment(0, 4))
    panel, call = panel_of(qtbot, app), way(app, 3)
    qtbot.waitUntil(lambda: panel.edit_reply(call.id) is not None)
    assert panel.edit_call(call.id) is None, "there is no model to ask"
    dialog = panel.edit_reply(call.id)
    assert dialog is not None
    dialog.fields[0].setPlainText("left")
    dialog.send()
    qtbot.waitUntil(lambda: not app.console.replaying and app.bridge.snapshot.turn == 3)
    app.console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 3)
    assert [turn.done for turn in app.bridge.snapshot.line] == [RIGHT, RIGHT, LEFT]
    assert path.read_bytes() == before


def test_random_walks_of_an_operator_who_uses_replies(qtbot: QtBot, make_app: MakeApp) -> None:
    """Whatever is edited, looked at and undone: the main line goes right, and a fork goes where its reply says."""
    app, rng = make_app(parts()), random.Random(7)
    panel = played(qtbot, app, 3)
    for _ in range(6):
        asked = [c for c in app.bridge.snapshot.calls if c.by == "planner" and c.reply is not None and c.ask.purpose == "way"]
        call, text, branches = rng.choice(asked), rng.choice(("left", "right")), len(app.bridge.snapshot.branches)
        if rng.random() < 0.3:
            app.console.go_to(Moment(0, rng.randint(1, 3)))
        dialog = panel.edit_reply(call.id)
        if dialog is None:  # the past that is shown does not hold the call
            app.console.go_live()
            continue
        dialog.fields[0].setPlainText(text)
        dialog.send()
        wait_for(qtbot, app, partial(has_branches, branches + 1))
        moment = Moment(app.bridge.snapshot.branch, call.turn)
        app.console.step()
        wait_for(qtbot, app, partial(has_played, moment))
        assert done_in(app, moment) == (LEFT if text == "left" else RIGHT)
        if rng.random() < 0.4:
            app.console.undoing.undo()
            wait_for(qtbot, app, partial(has_left, moment.branch))
        assert all(t.done == RIGHT for t in app.bridge.snapshot.turns if t.branch == 0)
