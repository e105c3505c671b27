"""How much work a turn of a run is, counted: it does not depend on the machine, so a doubled part fails on each.

A budget holds for the mean turn of a scripted run. It is 10 % above what was counted, which differs a little between versions
of Python and with the digits of a clock. Whoever does less work lowers it; whoever needs more says in the commit what for.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mcap.reader import make_reader

from core.app.launch import build
from core.app.run_request import Request
from core.recording.recorder import Recorder
from core.recording.writer import encoded
from core.session import events as e
from core.session.session import Session
from core.session.snapshot import Snapshot, fold
from sim.registry import simulator_class
from tests.own_calls import OwnCalls, check

TASK = "Put one apple on the kitchen table and one toothbrush inside the bathroom cabinet"
TURNS = 12
BUDGETS: dict[str, dict[str, float]] = {
    "greedy": {"events": 7.6, "facets": 3.7, "requests": 0.2, "bytes": 41_000, "core/goals": 1_900, "core/planning": 88,
               "core/recording": 175, "core/session": 373, "core/world": 560, "sim/household": 1_900},
    "bcr": {"events": 13.7, "facets": 8.6, "requests": 0.9, "bytes": 49_500, "core/goals": 7_500, "core/planners": 1_750,
            "core/planning": 905, "core/recording": 365, "core/session": 635, "core/world": 830, "sim/household": 1_900},
    "llm-state": {"events": 12.5, "facets": 6.8, "requests": 1.1, "bytes": 70_000, "core/goals": 1_800, "core/llm": 425,
                  "core/planners": 1_050, "core/recording": 250, "core/session": 593, "core/world": 465,
                  "sim/household": 1_900},
    "llm-mcts": {"events": 26.4, "facets": 14.3, "requests": 4.4, "bytes": 155_000, "core/common": 65, "core/goals": 1_950,
                 "core/llm": 102, "core/planners": 775, "core/planning": 1_260, "core/recording": 480,
                 "core/session": 1_203, "core/world": 955, "sim/household": 1_900},
}
"""For each planner, for a turn: events, model requests, bytes of a recording before compression, calls in each package."""


def session(planner: str) -> Session:
    parameters = {"simulations": 200} if planner == "llm-mcts" else {}
    return Session(build(Request(planner=planner, scene="four-rooms-1", seed=3, task=TASK, max_steps=TURNS,
                                 parameters=parameters, cache=False), simulator_class))


def recorded_bytes(path: Path) -> int:
    """Bytes of all events of a recording, uncompressed. Its log repeats events in words with the time of day."""
    with path.open("rb") as file:
        return sum(len(message.data) for _, channel, message in make_reader(file).iter_messages() if channel.topic != "/log")


class Played:
    """A run, recorded and folded as in the window, with its calls counted on the session's thread."""

    def __init__(self, planner: str, path: Path):
        self.events: list[e.Event] = []
        self.snapshot = Snapshot()
        run, recorder = session(planner), Recorder(path, lambda said: None)
        run.follow(recorder.on_event)
        run.follow(self._hear)
        with OwnCalls() as self.calls:
            run.run()
        recorder.close()
        self.bytes = recorded_bytes(path)

    def _hear(self, event: e.Event, now: Snapshot) -> None:
        self.events.append(event)
        self.snapshot = now

    def work(self) -> dict[str, float]:
        """Returns the work of a turn."""
        kinds = Counter(type(event.what) for event in self.events)
        calls = {package: number / TURNS for package, number in self.calls.by_package().items()}
        return {"events": len(self.events) / TURNS, "facets": kinds[e.Shown] / TURNS, "requests": kinds[e.Asked] / TURNS,
                "bytes": self.bytes / TURNS, **calls}


@pytest.fixture(scope="module", params=sorted(BUDGETS))
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Played]:
    folder = tmp_path_factory.mktemp("work")
    Played(request.param, folder / "first.mcap")  # fills caches
    return request.param, Played(request.param, folder / "second.mcap")


def test_a_turn_takes_no_more_work_than_its_budget(played: tuple[str, Played]) -> None:
    planner, run = played
    assert run.events[-1].turn == TURNS
    check(run.work(), BUDGETS[planner])


def test_each_event_is_folded_and_encoded_once(played: tuple[str, Played]) -> None:
    _, run = played
    assert run.calls.of(fold) == len(run.events)
    assert run.calls.of(encoded) == len(run.events)


def test_a_turn_has_one_beginning_one_decision_and_one_action(played: tuple[str, Played]) -> None:
    _, run = played
    kinds = Counter(type(event.what) for event in run.events)
    assert [kinds[kind] for kind in (e.Began, e.TurnBegan, e.Decided, e.Acted, e.Ended)] == [1, TURNS, TURNS, TURNS, 1]
    assert kinds[e.Asked] == kinds[e.Replied]
