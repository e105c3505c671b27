"""Rewind and fork in the window: content belongs to the turn and branch it claims, and an edit reaches the right facet."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from core.planning.belief_facets import Belief
from core.planning.facets import GoalProgress, Moment, Plan
from core.planning.search_facets import Ranking, SearchTree
from core.session import commands as c
from core.session.events import CommandTaken, Event, Payload, Rewound, Switched
from core.session.world_views import goal_view
from gui.app import App
from gui.control.context import EditableFacet, PendingEdits
from gui.control.snapshot_texts import staleness
from gui.panels.log import LogRows
from gui.timeline.layout import lay_out
from gui.timeline.tracks import words
from gui.widgets import Line
from tests.gui.conftest import MakeApp
from tests.gui.parts import TASK, parts
from tests.gui.settling import LateClock, settle

KINDS = (Belief, Ranking, SearchTree, GoalProgress)


def stepped(qtbot: QtBot, app: App, turns: int) -> None:
    """Steps until this many turns are done and the next action is chosen."""
    for _ in range(turns):
        want = len(app.bridge.snapshot.line) + 1
        app.console.step()
        settle(app)
        assert len(app.bridge.snapshot.line) == want
        assert app.bridge.snapshot.status == "paused"


def elsewhere(qtbot: QtBot, app: App, branch: int, turn: int) -> None:
    qtbot.waitUntil(lambda: app.bridge.snapshot.moment == Moment(branch, turn) and app.bridge.snapshot.current is not None)


def test_after_a_rewind_nothing_of_a_later_turn_is_shown_as_present(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts("llm-mcts", TASK))
    stepped(qtbot, app, 3)
    assert all(app.bridge.snapshot.fresh(kind) is not None for kind in KINDS)
    app.console.rewind()
    elsewhere(qtbot, app, 1, 3)
    now = app.bridge.snapshot
    for kind in KINDS:
        assert now.moment_of(kind) == Moment(0, 2)
        assert staleness(now, kind, "new").startswith("From turn 2")
    assert goal_view(now) == goal_view(replace(now, facets={})), "the planner has not said what it believes"
    app.console.step("checkpoint")
    qtbot.waitUntil(lambda: any(app.bridge.snapshot.fresh(kind) for kind in KINDS))


def test_fork_at_the_paused_present_keeps_the_turn_and_its_edit(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    stepped(qtbot, app, 2)
    app.context.post(c.Edit(Plan((), "mine")))
    app.context.post(c.SetParameter("looks", 1))
    qtbot.waitUntil(lambda: app.bridge.snapshot.pause == "thought over again")
    app.console.fork()
    elsewhere(qtbot, app, 1, 3)
    assert app.bridge.snapshot.branches[-1] == (1, 0, 3)
    assert app.runner._run is not None
    assert app.runner._run.session is not None
    planner = app.runner._run.session._run.planner
    assert planner.edited == 1  # type: ignore[attr-defined]
    assert app.bridge.snapshot.parameters == planner.parameters
    assert planner.parameters.looks == 1  # type: ignore[attr-defined]
    app.console.rewind(Moment(0, 3))
    elsewhere(qtbot, app, 2, 3)
    assert app.bridge.snapshot.parameters.looks == 3, "as turn 3 began, it was not changed"  # type: ignore[attr-defined]


def test_a_turn_of_another_branch_is_gone_back_to_there(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    stepped(qtbot, app, 3)
    app.console.fork(Moment(0, 2))
    elsewhere(qtbot, app, 1, 2)
    stepped(qtbot, app, 2)
    app.console.rewind(Moment(0, 3))
    elsewhere(qtbot, app, 2, 3)
    assert app.bridge.snapshot.branches[-1] == (2, 0, 3)
    assert [turn.moment for turn in app.bridge.snapshot.line] == [Moment(0, 1), Moment(0, 2)]


def test_the_timeline_shows_work_or_all_time(qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LateClock()
    monkeypatch.setattr("core.session.event_bus.time", clock)
    app = make_app(parts())
    settle(app)
    clock.late = 600.0  # it is paused so long
    stepped(qtbot, app, 2)
    timeline = app.window.timeline
    settle(app)
    assert len(timeline.story.blocks) == 3
    first = timeline.story.blocks[0]
    assert first.wall > 600 > first.seconds
    assert timeline.story.worked < first.wall
    walls = [timeline.viewport.wall]
    timeline._wall.trigger()
    walls.append(timeline.viewport.wall)
    assert walls == [False, True]
    blocks = timeline.story.blocks
    by_wall, by_work = (lay_out(blocks, 3000.0, 1.0, wall=wall).spans[0][1] for wall in (True, False))
    assert by_wall > by_work
    timeline.grab()


def test_labels_the_log_and_a_replay_tell_the_time_of_the_timeline(qtbot: QtBot, make_app: MakeApp,
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of ten minutes' pause and a second of work: no clock counts the pause."""
    clock = LateClock()
    monkeypatch.setattr("core.session.event_bus.time", clock)
    app = make_app(parts())
    settle(app)
    clock.late = 600.0
    stepped(qtbot, app, 2)
    app.labelling.point("bookmark")
    qtbot.waitUntil(lambda: bool(app.labelling.visible))
    label = next(iter(app.labelling.visible.values()))
    assert label.at > 600
    assert app.console.worked_at(label.at) <= app.bridge.snapshot.worked < 60
    dialog = app.tools.dialogs.open_label(label)
    told = [line.text for line in dialog.findChildren(Line)] + [words(label, app.labelling.worked_at)]
    dialog.reject()
    app.window.show_panel("log")
    settle(app)
    rows = app.window.findChild(LogRows)
    assert rows is not None
    told += [rows.row_words(k) for k in range(rows.count())]
    assert any("0:0" in text for text in told)
    assert not [text for text in told if re.search(r"\b1\d:\d\d", text)]


EDIT, SHOWN = Plan((), "mine"), Plan((), "its own")


def event(what: Payload) -> Event:
    return Event(1, 1.0, 3, 0, what)


@pytest.mark.parametrize(("what", "stays"), [
    (Rewound(3, 1, 0, False, False), False), (Rewound(3, 1, 0, True, False), False), (Switched(1, 3), False),
    (Rewound(3, 1, 0, True, False, present=True), True), (CommandTaken(c.Edit(EDIT), False, "the run has ended"), False),
    (CommandTaken(c.Edit(EDIT)), True), (CommandTaken(c.Edit(SHOWN), False, "no"), True)])
def test_an_edit_without_an_answer_belongs_to_its_line(what: Payload, stays: bool) -> None:
    pending = PendingEdits()
    pending.expect(EDIT, SHOWN)
    pending.take_events(False, [event(what)])
    assert (pending.of(Plan) is not None) == stays


def test_another_run_knows_no_edit_of_the_one_before() -> None:
    pending = PendingEdits()
    pending.expect(EDIT, SHOWN)
    pending.take_events(True, [])
    assert pending.of(Plan) is None


def test_a_refused_edit_is_not_shown_as_made(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.ended is not None)
    held = EditableFacet(app.context, Plan)
    held.show_snapshot(app.bridge.snapshot)
    before = held.shown
    assert before is not None
    held.post_edit(EDIT, "late")
    qtbot.waitUntil(lambda: app.context.pending_edits.of(Plan) is None)
    assert held.shown is before
