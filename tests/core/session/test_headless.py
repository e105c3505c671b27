"""A run without a window: its lines while nothing happens, and its end when a person or a failure stops it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import main
from core.app.headless import Played, duration, follow, progress_line
from core.common.errors import DataError, ModelError
from core.common.parameters import Parameters
from core.common.terminal import Interrupted
from core.llm.budget import Budget, Price, Spent
from core.planning.facets import Frame, View
from core.planning.model_requests import Message, ModelReply, ModelRequest
from core.planning.search_facets import Ranking
from core.recording.reader import open_recording
from core.session.breakpoints import Breakpoint
from core.session.commands import Stop
from core.session.events import Asked, Began, Ended, Event, Payload, Shown, TurnBegan
from core.session.outcome import CUT_OFF
from core.session.snapshot import Snapshot, fold_all
from core.world.vocabulary import AgentState, Observation
from tests.core.recording.common import CODEC
from tests.core.session.toys import GOAL, Guide, Line, session

PATIENCE = 20.0
SEEN = Observation(AgentState("here"), (), ())
BEGAN = Began("walker", "line", "line", "guide", 0, GOAL, Parameters(), 30)
SPENT = Spent(calls=1400, tokens_in=3000, tokens_out=120, cost=0.25)


class UntilItIsSaid(Guide):
    """A model that answers only after a line has reported the wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.said = threading.Event()

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        assert self.said.wait(PATIENCE), "nothing was said while an answer was waited for"
        return super().answer(ask, cancelled)


def test_a_line_says_what_is_waited_for() -> None:
    model, said = UntilItIsSaid(), list[str]()

    def say(line: str) -> None:
        said.append(line)
        if "2 replies" in line:
            model.said.set()
    run, _ = session(model=model)
    assert follow(run.setup, say, quiet=0.02).snapshot.outcome.success
    line = next(line for line in said if "2 replies" in line)
    assert line.startswith("  … turn 1: waits ")
    assert line.endswith("for 2 replies of guide (way, pace)")


def test_a_run_that_says_enough_gets_no_more_lines() -> None:
    run, _ = session()
    said = list[str]()
    follow(run.setup, said.append, quiet=3600.0)
    assert not [line for line in said if "…" in line]


def known(*payloads: Payload, at: float = 0.0) -> Snapshot:
    return fold_all(Event(n, at, 1, 0, what) for n, what in enumerate(payloads))


def test_each_state_of_a_run_has_its_line() -> None:
    ask = ModelRequest("policy", (Message("user", "?"),))
    begun = (BEGAN, TurnBegan(SEEN, ()))
    ranking = Shown(Ranking((), 1240, 4000))
    assert progress_line(Snapshot(), None, 7.0, 0) == "opens the world, 7 s"
    assert progress_line(known(*begun), None, 7.0, 0) == "turn 1: thinks, 7 s since the turn began"
    assert progress_line(known(*begun, ranking, at=1.0), SPENT, 7.0, 0) == (
        "turn 1: thinks, 6 s since the turn began, 1,240 of 4,000 simulations; 1,400 calls, 3,120 tokens, cost 0.25")
    asked = [Asked(n, ask, "openai gpt-5") for n in range(3)]
    assert progress_line(known(*begun, *asked), None, 130.0, 0) == (
        "turn 1: waits 2 min 10 s for 3 replies of openai gpt-5 (policy ×3)")
    assert progress_line(known(*begun, Ended(True, "", ())), SPENT, 7.0, 3) == "draws pictures, 3 left"
    assert duration(59.6) == "1 min 0 s"


def test_a_spent_budget_ends_a_run_and_its_recording_says_so(tmp_path: Path) -> None:
    spent = ModelError("the budget is used up: 2 of 2 calls are made", "budget", retry=False)
    run, _ = session(model=Guide(fail=[spent, spent]))
    played = follow(run.setup, lambda _: None, tmp_path / "a.mcap", ("dollhouse",))
    assert (played.stopped_by, played.spent_budget) == ("budget", True)
    assert played.snapshot.outcome.reason.endswith("the budget is used up: 2 of 2 calls are made")
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        assert recording.snapshot_at().outcome == played.snapshot.outcome
        assert not recording.notice


def test_what_only_an_operator_could_mend_names_the_part_that_broke() -> None:
    with pytest.raises(DataError, match="nobody answers"):
        played(Guide(fail=[ModelError("nobody answers", "down", retry=False)] * 2)).check()
    assert played(Guide(fail=[ModelError("nobody answers", "down", retry=False)] * 2)).stopped_by == "model"


def played(model: Guide) -> Played:
    return follow(session(model=model)[0].setup, lambda _: None)


@pytest.mark.parametrize(("reason", "is_cut"), [
    ("stopped by the operator", True), ("stopped by SIGTERM", True), ("the budget is used up", False)])
def test_only_a_person_or_a_signal_cuts_a_run_short(reason: str, is_cut: bool) -> None:
    run, ear = session()
    ear.when(lambda e: isinstance(e.what, TurnBegan) and e.turn == 2, Stop(reason))
    ended = run.run()
    assert (ended.reason, ended.success, ended.cut) == (reason, False, is_cut)


def test_a_spent_budget_prints_its_json_and_exits_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--limit", "calls=2", "--task", "Put one apple inside the fridge", "--seed", "0", "--json"]
    assert main.main(words) == 1
    out, said = capsys.readouterr()
    value = json.loads(out)
    assert (value["success"], value["stopped_by"]) == (False, "budget")
    assert "2 of 2 calls" in value["ended"]
    assert value["ended"] in said.splitlines()[-1]
    assert value["cost"] == 0


def test_a_server_that_goes_away_prints_the_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", "--provider", "openai", "--base-url", "http://127.0.0.1:9/v1", "--ask", "retries=0", "--no-cache", "--json"]
    assert main.main([*words, "--task", "Put one apple inside the fridge", "--seed", "0"]) == 2
    out, said = capsys.readouterr()
    assert json.loads(out)["stopped_by"] == "model"
    assert said.splitlines()[-1].startswith("error: the run stopped: ")


def test_a_late_signal_leaves_what_is_known(tmp_path: Path) -> None:
    """A session that takes too long to stop is cancelled. Its report has the events up to then."""
    run, _ = session()
    path = tmp_path / "a.mcap"

    def broken_off(line: str) -> None:
        if line.strip().startswith("2 "):
            raise Interrupted(15)
    end = follow(run.setup, broken_off, path)
    assert (end.stopped_by, end.snapshot.outcome.reason) == ("SIGTERM", CUT_OFF)
    assert len(end.snapshot.turns) >= 2
    assert re.fullmatch(r"\d turns are on disk in .*a\.mcap", end.saved)
    with pytest.raises(Interrupted):
        end.check()


def test_cost_is_unknown_where_a_model_has_no_price() -> None:
    run, _ = session()
    assert follow(replace(run.setup, budget=Budget()), lambda _: None).cost is None
    assert follow(replace(session()[0].setup, budget=Budget(None, {"*": Price(1.0, 1.0)})), lambda _: None).cost == 0.0


def test_pictures_that_a_recording_lacks_are_counted(tmp_path: Path) -> None:
    class Undrawable(Line):
        def shot(self, view: View, width: int = 64, height: int = 64, *, still: bool = False) -> Callable[[], Frame]:
            pixels = np.zeros((height, width, 0), np.uint8)
            return lambda: Frame(view, pixels, None, (), notice="this picture is missing: no light")
    run, said = session(world=Undrawable)[0], list[str]()
    follow(run.setup, said.append, tmp_path / "a.mcap", ("dollhouse",))
    assert said[-1] == "  warning: the recording lacks 6 pictures: no light"


def test_a_signal_after_the_end_did_not_stop_the_run() -> None:
    end = follow(session()[0].setup, lambda _: None)
    assert replace(end, signal=15).stopped_by == ""


@pytest.mark.parametrize("at", ['action == "go right" and turn == 3', "turn == 3", 'reply ~ "right" and turn == 3'])
def test_a_breakpoint_ends_the_run_before_the_action_and_says_why(at: str) -> None:
    said: list[str] = []
    run, _ = session()
    played = follow(run.setup, said.append, points=(Breakpoint(at), Breakpoint("calls > 1", log=True)))
    assert played.stopped_by == "breakpoint"
    assert played.at_breakpoint
    assert len(played.snapshot.line) == 2
    assert played.snapshot.ended is not None
    assert played.snapshot.ended.cut
    stop = next(line for line in said if line.startswith("  Stopped"))
    assert f"breakpoint “{at}”, hit 1" in stop
    assert sum(line.startswith("  Logged: calls ") for line in said) == (2 if at == "turn == 3" else 3)


def test_a_run_whose_breakpoints_are_never_met_ends_by_itself() -> None:
    run, _ = session()
    played = follow(run.setup, lambda line: None, points=(Breakpoint("turn == 99"), Breakpoint("nodes > 3")))
    assert (played.stopped_by, played.snapshot.outcome.success) == ("", True)
