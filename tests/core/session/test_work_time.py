"""Clocks count thinking, waiting for the model and acting. Waiting for a person is counted separately."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.app.headless import report
from core.common.errors import ModelError
from core.llm.human import Human
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

WAIT = 0.4
"""Seconds a person takes; what is left out of work is at least most of them."""
Say = tuple[Callable[[e.Event], bool], c.Command]


def first(kind: type[e.Payload]) -> Callable[[e.Event], bool]:
    return lambda event: isinstance(event.what, kind)


def late(ear: Ear, *said: Say) -> None:
    """Posts each command after its event, with the delay of a person."""
    for cue, command in said:
        ear.session.subscribe(Person(ear, cue, command).hear)


class Person:
    """Gives one answer, late."""

    def __init__(self, ear: Ear, cue: Callable[[e.Event], bool], command: c.Command):
        self._ear, self._cue, self._command, self._said = ear, cue, command, False

    def hear(self, event: e.Event) -> None:
        if self._cue(event) and not self._said:
            self._said = True
            threading.Timer(WAIT, lambda: self._ear.session.post(self._command)).start()


def turn_of(ear: Ear, number: int) -> Turn:
    return next(turn for turn in fold_all(ear.events).turns if turn.number == number)


def is_work_only(turn: Turn) -> None:
    """Checks that the person's time is in `idle`, and nowhere else."""
    assert turn.idle >= WAIT * 0.9
    assert turn.work < WAIT * 0.7
    assert turn.thinking + turn.waiting + turn.acting <= turn.work + 1e-3


def test_a_pause_is_no_work() -> None:
    run, ear = session()
    run.post(c.Pause())
    late(ear, (first(e.Paused), c.Resume()))
    run.run()
    is_work_only(turn_of(ear, 1))
    assert turn_of(ear, 2).idle < 0.05


def test_a_failure_that_waits_for_the_operator_is_no_work() -> None:
    errors = [ModelError("gone", "down", retry=True), ModelError("gone", "down", retry=True)]
    run, ear = session(model=Guide(fail=errors))
    late(ear, (lambda event: isinstance(event.what, e.Failed) and event.turn == 1, c.Retry()))
    run.run()
    is_work_only(turn_of(ear, 1))


def test_an_answer_of_a_person_is_no_work() -> None:
    run, ear = session(model=Human())
    late(ear, (first(e.Asked), c.Answer(0, "right")), (first(e.Asked), c.Answer(1, "slowly")))
    late(ear, (lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 2, c.Stop()))
    run.run()
    is_work_only(turn_of(ear, 1))


def test_an_answer_of_a_model_is_work_even_while_the_run_is_paused() -> None:
    run, ear = session(model=Guide(wait=WAIT), steps=1)
    ear.when(first(e.Asked), c.Pause())
    ear.when(lambda event: isinstance(event.what, e.Replied) and event.what.id == 1, c.Resume())
    run.run()
    turn = turn_of(ear, 1)
    assert turn.waiting >= WAIT * 0.9
    assert turn.work >= turn.waiting


class Slow(Walker):
    """Thinks for a while."""

    def plan(self, observation: Observation) -> Thought:
        time.sleep(WAIT)
        return (yield from super().plan(observation))


def test_thinking_is_work() -> None:
    run, ear = session(Slow(), steps=1)
    run.run()
    turn = turn_of(ear, 1)
    assert turn.thinking >= WAIT
    assert turn.work >= turn.thinking
    assert turn.idle < 0.05


def test_the_clock_stands_still_before_the_start_and_after_the_end(tmp_path: Path) -> None:
    run, ear = session()
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    run.post(c.Pause())
    late(ear, (first(e.Paused), c.Resume()), (first(e.Ended), c.Annotate("late")))
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


def test_a_stopwatch_counts_work_only() -> None:
    clock = WorkClock()
    watch = Stopwatch(clock)
    with watch:
        time.sleep(0.05)
        with clock.resting("pause"), clock.resting("failure"):
            clock.hold("answer", True)
            time.sleep(0.3)
            clock.hold("answer", False)
        time.sleep(0.05)
    assert 0.1 <= watch.total < 0.3
    at, worked = clock.read()
    assert at - worked >= 0.3
