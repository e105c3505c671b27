"""Requests of the operator's own, made beside the run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.common.errors import ModelError
from core.planning.model_requests import Message, ModelRequest
from core.recording.calls import replies
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold_all
from tests.core.recording.common import CODEC, recorded, same
from tests.core.session.test_session import in_thread, told
from tests.core.session.toys import GOAL, Ear, Guide, Line, Walker, session
from tests.waiting import until

MINE = ModelRequest("way", (Message("user", "way, said otherwise?"),), temperature=0.7)


def by(snapshot: Snapshot) -> list[str]:
    return [call.by for call in snapshot.calls]


def test_the_reply_is_a_call_of_the_operators_and_the_run_is_the_same() -> None:
    alone, ear_alone = session()
    alone.run()
    run, ear = session()
    ear.when(told(e.Paused), c.AskAside(MINE))
    ear.when(told(e.AskedAside), c.Resume())
    run.post(c.Pause())
    assert run.run().success
    snapshot = fold_all(ear.events)
    assert [call.ask for call in snapshot.calls if call.by == "operator"] == [MINE]
    assert by(snapshot).count("planner") == len(fold_all(ear_alone.events).calls)
    assert [t.action for t in snapshot.turns] == [t.action for t in fold_all(ear_alone.events).turns]
    assert snapshot.aside == ()


def test_a_paused_run_and_one_that_ended_answer_too() -> None:
    run, ear = session()
    ear.when(told(e.Ended), c.AskAside(MINE))
    thread = in_thread(run, linger=True)
    until(lambda: any(call.by == "operator" for call in fold_all(ear.events).calls))
    assert fold_all(ear.events).status == "ended"
    run.post(c.Stop())
    thread.join(5)
    assert not thread.is_alive()


def test_it_waits_for_nobody_and_nobody_waits_for_it() -> None:
    """While the planner's requests wait, the operator's is answered, and the planner's failure stays unchanged."""
    slow, quick = Guide(wait=30.0), Guide()
    run, ear = session(model=slow, quick=quick)
    thread = in_thread(run)
    until(lambda: len(ear.of(e.Asked)) == 2)
    run.post(c.AskAside(MINE))
    until(lambda: len(ear.of(e.AskedAside)) == 1)
    now = fold_all(ear.events)
    assert (now.status, len(now.waiting), len(now.aside)) == ("waiting", 2, 1)
    run.post(c.Answer(now.aside[0].id, "no"))
    until(lambda: any(not t.ok for t in ear.of(e.CommandTaken)))
    run.post(c.Stop())
    thread.join(5)
    last = fold_all(ear.events)
    assert last.aside == ()
    assert last.calls[-1].reply is not None
    assert "stopped" in last.calls[-1].reply.note


def test_a_failure_is_said_in_the_call_and_stops_nothing() -> None:
    run, ear = session(model=Guide(fail=[ModelError("no such words", "refused", retry=False)]))
    ear.when(told(e.Paused), c.AskAside(MINE))
    ear.when(told(e.Replied), c.Resume())
    run.post(c.Pause())
    assert run.run().success
    call = fold_all(ear.events).calls[0]
    assert call.reply is not None
    assert (call.by, call.reply.texts, call.reply.note) == ("operator", (), "no such words")
    assert ear.of(e.Failed) == []


def test_without_a_model_it_is_refused() -> None:
    run = Session(Setup(Walker(), Line, GOAL))
    ear = Ear(run)
    run.post(c.AskAside(MINE))
    run.post(c.Stop())
    run.run()
    taken = next(t for t in ear.of(e.CommandTaken) if isinstance(t.command, c.AskAside))
    assert not taken.ok
    assert "choose a provider" in taken.reason


@pytest.mark.parametrize("words", ["way, said otherwise?", "way at ['at 0']?"])
def test_it_is_recorded_replayed_and_answers_nobody_else(tmp_path: Path, words: str) -> None:
    """Even if the operator uses the planner's exact prompt, a replay returns the planner's own replies."""
    mine = replace(MINE, messages=(Message("user", words),))
    path = tmp_path / "episode.mcap"
    events = recorded(path, c.Pause(), c.AskAside(mine), c.Resume())
    with open_recording(path, CODEC) as recording:
        assert same(recording.snapshot_at(), fold_all(events))
        assert len(replies(recording)) == len([x for x in events if isinstance(x.what, e.Asked)])
