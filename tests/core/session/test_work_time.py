"""Clocks count thinking, waiting for the model and acting. Waiting for a person is counted separately.

Time passes in these tests only when they say so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from core.app.headless import report
from core.common.errors import ModelError
from core.llm.human import Human
from core.planning.model_requests import ModelReply, ModelRequest
from core.planning.planner import Thought
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.event_bus import Stopwatch, WorkClock
from core.session.snapshot import fold_all
from core.session.turns import Turn
from core.world.vocabulary import Observation
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.toys import Ear, Guide, Walker, session
from tests.waiting import PATIENCE, until

WAIT = 40.0
"""Seconds a person, a model or a planner takes; all else takes a moment."""
TICK = 1e-6
Say = tuple[Callable[[e.Event], bool], c.Command]


class Time:
    """Stands in for the module `time`: each look at the clock takes a moment."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        self._now += TICK
        return self._now

    def passes(self, seconds: float) -> None:
        self._now += seconds


@pytest.fixture(autouse=True)
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr("core.session.event_bus.time", time)
    return time


def first(kind: type[e.Payload]) -> Callable[[e.Event], bool]:
    return lambda event: isinstance(event.what, kind)


def late(time: Time, ear: Ear, *said: Say) -> None:
    """Posts each command after its event, with the delay of a person."""
    for cue, command in said:
        ear.session.subscribe(Person(time, ear, cue, command).hear)


class Person:
    """Gives one answer, late: the time passes once the session waits for a person."""

    def __init__(self, time: Time, ear: Ear, cue: Callable[[e.Event], bool], command: c.Command):
        self._time, self._ear, self._cue, self._command, self._said = time, ear, cue, command, False

    def hear(self, event: e.Event) -> None:
        if self._cue(event) and not self._said:
            self._said = True
            threading.Thread(target=self._answer).start()

    def _answer(self) -> None:
        clock = self._ear.session._bus.clock
        until(lambda: bool(clock._reasons))
        self._time.passes(WAIT)
        self._ear.session.post(self._command)


def turn_of(ear: Ear, number: int) -> Turn:
    return next(turn for turn in fold_all(ear.events).turns if turn.number == number)


def is_work_only(turn: Turn) -> None:
    """Checks that the person's time is in `idle`, and nowhere else."""
    assert turn.idle >= WAIT * 0.9
    assert turn.work < WAIT * 0.7
    assert turn.thinking + turn.waiting + turn.acting <= turn.work + 1e-3


def test_a_pause_is_no_work(time: Time) -> None:
    run, ear = session()
    run.post(c.Pause())
    late(time, ear, (first(e.Paused), c.Resume()))
    run.run()
    is_work_only(turn_of(ear, 1))
    assert turn_of(ear, 2).idle < 0.05


def test_a_failure_that_waits_for_the_operator_is_no_work(time: Time) -> None:
    errors = [ModelError("gone", "down", retry=True), ModelError("gone", "down", retry=True)]
    run, ear = session(model=Guide(fail=errors))
    late(time, ear, (lambda event: isinstance(event.what, e.Failed) and event.turn == 1, c.Retry()))
    run.run()
    is_work_only(turn_of(ear, 1))


def test_an_answer_of_a_person_is_no_work(time: Time) -> None:
    run, ear = session(model=Human())
    late(time, ear, (first(e.Asked), c.Answer(0, "right")), (first(e.Asked), c.Answer(1, "slowly")))
    late(time, ear, (lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 2, c.Stop()))
    run.run()
    is_work_only(turn_of(ear, 1))


def test_an_answer_of_a_model_is_work_even_while_the_run_is_paused(time: Time) -> None:
    paused = threading.Event()

    class Slow(Guide):
        def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
            assert paused.wait(PATIENCE)
            time.passes(WAIT)
            return super().answer(ask, cancelled)

    run, ear = session(model=Slow(), steps=1)
    ear.when(first(e.Asked), c.Pause())
    run.subscribe(lambda event: paused.set() if isinstance(event.what, e.CommandTaken) else None)
    ear.when(lambda event: isinstance(event.what, e.Replied) and event.what.id == 1, c.Resume())
    run.run()
    turn = turn_of(ear, 1)
    assert turn.waiting >= WAIT * 0.9
    assert turn.work >= turn.waiting


def test_thinking_is_work(time: Time) -> None:
    class Slow(Walker):
        def plan(self, observation: Observation) -> Thought:
            time.passes(WAIT)
            return (yield from super().plan(observation))

    run, ear = session(Slow(), steps=1)
    run.run()
    turn = turn_of(ear, 1)
    assert turn.thinking >= WAIT
    assert turn.work >= turn.thinking
    assert turn.idle < 0.05


def test_thinking_before_the_search_is_compiled_is_no_work(time: Time) -> None:
    class Slow(Walker):
        def plan(self, observation: Observation) -> Thought:
            time.passes(WAIT)
            return (yield from super().plan(observation))

    run, ear = session(Slow(), steps=2)
    run._bus.clock.is_compiling = lambda: not any(isinstance(event.what, e.Acted) for event in ear.events)
    run.run()
    interpreted, compiled = turn_of(ear, 1), turn_of(ear, 2)
    assert interpreted.compiling >= WAIT
    assert interpreted.work < WAIT
    assert interpreted.thinking + interpreted.waiting + interpreted.acting <= interpreted.work + 1e-3
    assert interpreted.idle < 0.05, "no person was waited for"
    assert compiled.thinking >= WAIT
    assert not compiled.compiling
    end = fold_all(ear.events)
    seconds = report(end, end.at)["seconds"]
    assert seconds["compiling"] == pytest.approx(interpreted.compiling, abs=1e-3)
    assert seconds["person"] < 0.05


def test_the_clock_stands_still_before_the_start_and_after_the_end(time: Time, tmp_path: Path) -> None:
    run, ear = session()
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.post(c.Pause())
    late(time, ear, (first(e.Paused), c.Resume()), (first(e.Ended), c.Annotate("late")))
    ear.when(first(e.Annotated), c.Stop())
    run.run(linger=True)
    recorder.close()
    end = fold_all(ear.events)
    assert end.at >= 2 * WAIT * 0.9
    assert end.worked < WAIT
    seconds = report(end, end.at)["seconds"]
    assert seconds["work"] == pytest.approx(end.worked, abs=1e-3)
    assert seconds["person"] == pytest.approx(end.at - end.worked, abs=2e-3)
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert recording.worked == pytest.approx(end.worked)
        assert recording.worked_at(recording.seconds) == pytest.approx(end.worked)


def test_a_stopwatch_counts_work_only(time: Time) -> None:
    clock = WorkClock()
    watch = Stopwatch(clock)
    with watch:
        time.passes(1.0)
        with clock.resting("pause"), clock.resting("failure"):
            clock.hold("answer", True)
            time.passes(300.0)
            clock.hold("answer", False)
        time.passes(2.0)
    assert watch.total == pytest.approx(3.0, abs=1e-3)
    at, worked = clock.read()
    assert at - worked == pytest.approx(300.0, abs=1e-3)
