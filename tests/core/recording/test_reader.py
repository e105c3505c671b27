"""Replay equals the live run: events, snapshots, pictures, marks, and runs repeated with the recorded replies."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.common.errors import DataError, ModelError
from core.llm.replay import Replay
from core.planning.facets import Frame, Plan
from core.recording.calls import calls, replay_of, write_replies
from core.recording.pictures import without_pixels
from core.recording.reader import Recording, open_recording
from core.recording.recorder import Recorder
from core.recording.states import StateIndex
from core.session.commands import (
    Annotate,
    Answer,
    Ban,
    Command,
    Edit,
    Fork,
    ListActions,
    Look,
    Override,
    Pause,
    Resume,
    Rewind,
    SetParameter,
    Stop,
    Switch,
    UseModel,
)
from core.session.events import Acted, Decided, Event, Failed, Shown, TurnBegan
from core.session.marks import mark_of
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from core.world.vocabulary import Action
from sim.registry import simulator_class
from tests.core.recording.common import CODEC, PATIENT, lines, recorded, recorder_of, same
from tests.core.session.toys import LEFT, RIGHT, Ear, Guide, Walker, session


def at_turn(number: int) -> Callable[[Event], bool]:
    return lambda e: isinstance(e.what, TurnBegan) and e.turn == number


def busy(ear: Ear) -> None:
    """Makes the listener act as an operator who uses many kinds of commands."""
    ear.when(at_turn(2), Pause(), Annotate("slow", "why?", "start", "ann"), ListActions(), Ban(LEFT), Resume())
    ear.when(at_turn(3), Override(LEFT, False, "to see"), Annotate("slow", "", "stop", "ann"))
    ear.when(at_turn(4), Edit(Plan((RIGHT,)), "go on"), SetParameter("looks", 2), Override(Action("fly")), Fork(2))
    ear.when(lambda e: e.branch == 1 and at_turn(3)(e), Switch(0))
    ear.when(lambda e: e.branch == 0 and e.turn == 5 and isinstance(e.what, Acted), Rewind(3, True))


def pixelless(events: list[Event]) -> list[Event]:
    return [without_pixels(e) for e in events]


def live(events: list[Event]) -> list[Snapshot]:
    """Returns the snapshots of a live listener."""
    found, now = [], Snapshot()
    for event in events:
        now = fold(now, event)
        found.append(now)
    return found


def test_replayed_events_and_snapshots_are_those_of_the_live_run(tmp_path: Path) -> None:
    heard = recorded(tmp_path / "a.mcap", cue=busy)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert all(same(a, b) for a, b in zip(recording.events(), heard, strict=True))
        snapshots = live(heard)
        assert len(snapshots[-1].branches) == 3
        order = list(range(len(heard)))
        random.Random(3).shuffle(order)
        for number in [*order, *range(len(heard))]:
            assert same(recording.snapshot_at(number), snapshots[number]), f"event {number}: {heard[number].what}"


def test_a_household_run_replays_as_it_was(tmp_path: Path) -> None:
    run = Session(build(Request(planner="llm-mcts", task="Put one apple inside the fridge"), simulator_class))
    ear = Ear(run)
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, limits=PATIENT)
    run.follow(recorder.on_event)
    run.post(Look(("first person", "dollhouse"), 64, 48))
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap") as recording:
        again = list(recording.events())
        assert lines(again) == lines(ear.events)
        snapshots = live(again)
        assert all(same(recording.snapshot_at(e.number), s) for e, s in zip(again, snapshots, strict=True))
        for original, event in zip(ear.events, again, strict=True):
            if isinstance(original.what, Shown) and isinstance(original.what.facet, Frame):
                assert isinstance(event.what, Shown)
                assert isinstance(event.what.facet, Frame)
                wide = event.what.facet.pixels.astype(int)
                assert np.abs(wide - original.what.facet.pixels).mean() < 8, "a JPEG of it"


def test_what_is_kept_within_a_turn_is_bounded(tmp_path: Path) -> None:
    heard = recorded(tmp_path / "a.mcap", cue=busy)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        rows = list(recording.events())
        spine = StateIndex(recording._catalogue, lambda row: rows[row], CODEC, every=2, most_kept=8)
        snapshots = live(heard)
        for number in (len(heard) - 1, 3, 40, 17, 0, len(heard) - 2):
            assert same(spine.at(number), snapshots[number])
        assert len(spine.kept) <= 8
        assert all(not s.facets and not s.frames for s in spine.kept)
        assert recording._event.cache_info().currsize <= 256


def test_moments_by_turn_and_by_second(tmp_path: Path) -> None:
    heard = recorded(tmp_path / "a.mcap")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        turns = recording.turns()
        assert [(t.number, t.branch) for t in turns] == [(k, 0) for k in range(1, 6)]
        assert all(t.ended is not None and t.began <= t.ended for t in turns)
        assert isinstance(heard[turns[2].first].what, TurnBegan)
        assert len(recording.snapshot_at(turn=3).turns) == 3
        assert recording.snapshot_at(seconds=turns[2].began).turn == 3
        assert recording.snapshot_at(seconds=-1.0).turn == 0
        assert recording.snapshot_at().ended is not None
        assert recording.seconds == heard[-1].at
        assert (len(recording), recording.numbers) == (len(heard), range(len(heard)))
        assert lines(list(recording.events(5, 9))) == lines(heard[5:10])
        with pytest.raises(DataError, match="holds no turn 9: it has 5"):
            recording.snapshot_at(turn=9)


def test_frames_at_a_moment(tmp_path: Path) -> None:
    run, ear = session()
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.post(Look(("dollhouse",), 32, 32))
    run.run(linger=False)
    frame = Frame("dollhouse", np.full((32, 32, 3), 200, np.uint8), None, ("",), turn=5, phase="after")
    recorder.on_event(Event(len(ear.events), ear.events[-1].at + 5, 5, 0, Shown(frame)))
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        found = recording.frames_at(recording.seconds)["dollhouse"]
        assert abs(int(found.pixels.mean()) - 200) <= 2
        assert recording.frames_at(-5.0) == {}
        before = recording.frames_at(recording.turns()[2].began)
        assert not before or before["dollhouse"].pixels.max() < 20


def test_marks_branches_and_calls_are_those_of_the_run(tmp_path: Path) -> None:
    heard = recorded(tmp_path / "a.mcap", cue=busy)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        last, end = live(heard)[-1], recording.snapshot_at()
        assert list(end.marks) == list(last.marks) == [mark for mark in map(mark_of, heard) if mark is not None]
        assert [(mark.kind, mark.text) for mark in end.marks if mark.branch == 1] == [("rewind", "fork to turn 2")]
        assert ("rewind", "back on branch 0, turn 4") in [(mark.kind, mark.text) for mark in end.marks]
        assert [mark.text for mark in end.marks if mark.kind == "edit"] == ["go on"]
        assert all(heard[recording.number_at(seconds=mark.at)].at == mark.at for mark in end.marks)
        assert end.branches == last.branches
        assert same(tuple(calls(recording)), tuple(last.calls))


# --- running again with the recorded answers ----------------------------------
def actions(events: list[Event]) -> list[Action | None]:
    return [e.what.action for e in events if isinstance(e.what, Decided)]


class Fickle(Guide):
    """A model that sometimes answers left, at random."""

    def answer(self, ask: object, cancelled: object) -> object:  # type: ignore[override]
        reply = super().answer(ask, cancelled)  # type: ignore[arg-type]
        return replace(reply, texts=("left",)) if random.random() < 0.3 and reply.texts == ("right",) else reply


@pytest.mark.parametrize("commands", [(), (Annotate("x"),)])
def test_a_run_with_the_recorded_answers_does_the_same(tmp_path: Path, commands: tuple[Command, ...]) -> None:
    run, ear = session(model=Fickle(), steps=12)
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    for command in commands:
        run.post(command)
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        again, ear_again = session(model=replay_of(recording), steps=12)
        write_replies(recording, tmp_path / "replies.jsonl")
    again.run()
    assert actions(ear_again.events) == actions(ear.events)
    from_file, ear_file = session(model=Replay(tmp_path / "replies.jsonl"), steps=12)
    from_file.run()
    assert actions(ear_file.events) == actions(ear.events)


def test_answers_given_by_a_person_are_replayed_too(tmp_path: Path) -> None:
    failing = Guide(fail=[ModelError("down", "down", retry=True)] * 2)
    run, ear = session(model=failing, second=Guide(text="right"))
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    ear.when(lambda e: isinstance(e.what, Failed), Answer(0, "right"))
    ear.when(lambda e: isinstance(e.what, Failed) and len(ear.of(Failed)) == 2, UseModel("second"))
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        again, ear_again = session(model=replay_of(recording))
    again.run()
    assert actions(ear_again.events) == actions(ear.events)


def household(path: Path | None, recording: Recording | None) -> list[Action | None]:
    setup = build(Request(planner="llm-mcts", task="Put one apple inside the fridge", scene="four-rooms-2", seed=5,
                          parameters={"wrong_answers": "0.3"}), simulator_class)
    if recording is not None:
        setup = replace(setup, models={"replay": replay_of(recording)})
    run = Session(setup)
    ear = Ear(run)
    recorder = Recorder(path, lambda said: None, limits=PATIENT) if path is not None else None
    if recorder is not None:
        run.follow(recorder.on_event)
    ear.when(lambda e: isinstance(e.what, Failed) and e.what.waits, Stop())
    run.run()
    if recorder is not None:
        recorder.close()
    assert not ear.of(Failed)
    return actions(ear.events)


def test_a_household_run_with_the_recorded_answers_does_the_same(tmp_path: Path) -> None:
    done = household(tmp_path / "a.mcap", None)
    assert len(done) > 3
    with open_recording(tmp_path / "a.mcap") as recording:
        assert household(None, recording) == done


def test_an_oracle_needs_no_answers(tmp_path: Path) -> None:
    run = Session(build(Request(planner="oracle", task="Put one apple inside the fridge"), simulator_class))
    recorder = Recorder(tmp_path / "a.mcap", lambda said: None, limits=PATIENT)
    ear = Ear(run)
    run.follow(recorder.on_event)
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap") as recording:
        assert actions(list(recording.events())) == actions(ear.events)
        assert replay_of(recording)._replies == {}


def test_a_newer_format_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.recording.mcap_messages.FORMAT", "99")
    recorded(tmp_path / "a.mcap")
    with pytest.raises(DataError, match="format 99"):
        open_recording(tmp_path / "a.mcap", CODEC)
    assert Walker.name == "walker"
