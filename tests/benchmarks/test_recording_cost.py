"""What recording costs a run, and how quick seeking is in an hour of 10,000 turns. Prints; asserts nothing about time."""

from __future__ import annotations

import itertools
import resource
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.app.launch import build
from core.app.run_request import Request
from core.goals.literals import Goal, Literal
from core.recording.codec import Codec
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.recording.writer import Limits
from core.session.events import Asked, Event, Replied
from core.session.session import Session
from core.session.setup import Setup
from core.session.snapshot import Snapshot, fold
from sim.registry import simulator_class
from tests.benchmarks.reference import PYTHON, Alternation, in_units, note
from tests.core.session.toys import Guide, Line, Walker, WalkerParameters

EPISODES = 12
ANSWER_SECONDS = 0.05
"""How long a small local model takes for an answer; servers take ten times as long."""
CODEC = Codec((WalkerParameters,))
NEVER = Goal((Literal("is", "walker", None, 1, frozenset({"at -1"})),), "Walk on")


def episode(seed: int, path: Path | None) -> list[Event]:
    """Plays one household episode of LLM-MCTS with its default parameters, headless, answers by rules at no cost."""
    run = Session(build(Request(planner="llm-mcts", scene="four-rooms-1", seed=seed), simulator_class))
    recorder = None if path is None else Recorder(path, lambda said: None)
    if recorder is not None:
        run.follow(recorder.on_event)
    events: list[Event] = []
    run.subscribe(events.append)
    run.run()
    if recorder is not None:
        recorder.close()
    return events


def waits(events: list[Event]) -> int:
    """How often a run waited for answers: questions put together are answered together."""
    return sum(isinstance(a.what, Asked) and isinstance(b.what, Replied) for a, b in itertools.pairwise(events))


def test_cost_of_recording(benchmark: Any, tmp_path: Path) -> None:
    plain, recorded = Alternation(PYTHON), Alternation(PYTHON)
    turns = waited = 0
    episode(0, tmp_path / "first.mcap")

    def pairs() -> None:
        nonlocal turns, waited
        for seed in range(EPISODES if benchmark.enabled else 1):
            for path in (None, tmp_path / f"{seed}.mcap")[::1 if seed % 2 else -1]:  # the first warms caches for the other
                spent = recorded if path is not None else plain
                spent.unit()
                events = spent.round(partial(episode, seed, path))
                if path is None:
                    turns, waited = turns + events[-1].turn, waited + waits(events)

    benchmark.pedantic(pairs, rounds=1)
    if not benchmark.enabled:
        assert (tmp_path / "0.mcap").stat().st_size > 0
        return
    figures = [spent.of(f"a turn, {name}", sum(spent.rounds) / turns)
               for name, spent in (("headless", plain), ("headless and recorded", recorded))]
    note(benchmark, *figures)
    without, with_it, model = sum(plain.rounds), sum(recorded.rounds), waited * ANSWER_SECONDS
    say(f"{turns} turns: recording takes {(with_it - without) / turns * 1e3:.2f} ms a turn, ratio {with_it / without:.3f} "
        f"with answers at no cost, {(with_it + model) / (without + model):.3f} with a model of {ANSWER_SECONDS * 1e3:.0f} ms")


def say(line: str) -> None:
    sys.stdout.write(f"\n{line}\n")


def resident() -> int:
    """Bytes of memory at the peak so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """An episode of 10,000 turns (a plain test run: of 150), stretched to an hour."""
    turns = 10_000 if request.config.getoption("--benchmark-enable") else 150
    path = tmp_path_factory.mktemp("hour") / "hour.mcap"
    recorder = Recorder(path, lambda said: None, codec=CODEC, limits=Limits(sync=3600.0, events=10**6))
    run = Session(Setup(Walker(), Line, NEVER, 0, turns, {"guide": Guide()}))
    now = Snapshot()

    def stretched(event: Event) -> None:
        nonlocal now
        event = replace(event, at=event.turn * 3600 / turns)
        now = fold(now, event)
        recorder.on_event(event, now)

    run.subscribe(stretched)
    run.run()
    recorder.close()
    return path


@pytest.mark.timeout(600)
def test_seeking_in_an_hour(benchmark: Any, hour: Path) -> None:
    before, began = resident(), time.perf_counter()
    recording = open_recording(hour, CODEC)
    opened = time.perf_counter() - began
    recording.snapshot_at()
    places = itertools.cycle([k * 7919 % 3600 for k in range(200)])

    def seek() -> None:
        recording.snapshot_at(seconds=float(next(places)))

    in_units(benchmark, PYTHON, seek, "a seek in an hour of 10,000 turns", repeats=10)
    held = resident() - before
    began = time.perf_counter()
    recording.read_on()
    through = time.perf_counter() - began
    say(f"{len(recording):,} events, {hour.stat().st_size / 1e6:.1f} MB: opened in {opened:.2f} s; {held / 1e6:.0f} MB held, "
        f"reading on through all logs took {through:.2f} s")
    assert recording._event.cache_info().currsize <= 256
    recording.close()
