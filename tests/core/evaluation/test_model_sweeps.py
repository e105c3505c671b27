"""Sweeps with a language model: one shared budget, nothing lost by a kill, model failures not counted as the planner's."""

from __future__ import annotations

import csv
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import main
from core.common.errors import DataError, UsageError
from core.evaluation import sweep as sweeps
from core.evaluation.contestants import contestant
from core.evaluation.episode_command import play_again
from core.evaluation.results import read_results
from core.evaluation.suites import suite
from core.evaluation.sweep import GIVE_UP, Resources, Result, Sweep, play
from core.llm.budget import Limits, Price
from core.suites.suite import Row
from sim.household.simulator import HouseholdSimulator
from tests.loopback.chat_server import ChatServer, Json, Sent, completion, error, serving

CELLS = suite("rearrangement").cells[:2]
STEPS = 3
PLANNER = "llm-policy+world=uniform"
"""Asks one question a decision, for one sample."""
PRICE = {"m": Price(10.0, 100.0)}


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives each test an empty cache, because servers of two tests may have the same port."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("BELVEDERE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def answer(body: Json) -> Sent:
    """Returns the same answer always."""
    del body
    return completion("open the fridge", tokens=(100, 10))


def questions(server: ChatServer) -> int:
    """Returns how many different requests arrived. A request may be sent in several forms until the server accepts one."""
    return len({json.dumps(body["messages"]) for body in server.requests})


class Busy:
    """Answers after a moment, while it answers at all, and counts how many requests are and were under way at once.

    Args:
        seconds: before each answer.
        most: after so many answers it gives none until `answers` is set.
    """

    def __init__(self, seconds: float = 0.05, most: int | None = None):
        self._seconds, self._lock, self._left = seconds, threading.Lock(), most
        self.now = self.most = 0
        self.answers = threading.Event()
        self.answers.set()

    def __call__(self, body: Json) -> Sent:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
            if self._left is not None:
                self._left -= 1
                if self._left < 0:
                    self.answers.clear()
                    self._left = None
        time.sleep(self._seconds)
        self.answers.wait(60)
        with self._lock:
            self.now -= 1
        return answer(body)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving(answer) as running:
        yield running


def a_sweep(server: ChatServer | str, trials: int = 2, **options: str) -> Sweep:
    url = server if isinstance(server, str) else server.base_url
    given = {"base_url": url, "model": "m", "retries": "0", **options}
    return Sweep("rearrangement", (contestant(PLANNER),), trials, STEPS, "openai", CELLS, options=tuple(given.items()))


def played(sweep: Sweep, folder: Path, means: Resources | None = None) -> Result:
    return play(sweep, HouseholdSimulator.open, folder, means or Resources())


def timeless(rows: tuple[Row, ...]) -> list[Row]:
    return [replace(row, figures={k: v for k, v in row.figures.items() if k != "seconds"}) for row in rows]


def test_rows_and_costs_are_the_same_however_many_workers_which_keep_within_the_servers_slots(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "_slots", lambda sweep: 1)
    with serving(busy := Busy()) as server:
        alone = played(a_sweep(server), tmp_path / "alone", Resources(prices=PRICE))
        assert alone.costs is not None
        calls = len(server.requests)
        spent = alone.costs.used.spent
        assert (spent.calls, spent.tokens_in, spent.tokens_out) == (questions(server), 100 * calls, 10 * calls)
        assert spent.cost == pytest.approx(calls * (100 * 10 + 10 * 100) / 1e6)
        assert [(row.cell, row.seed) for row in alone.rows] == [(cell, seed) for cell in sorted(CELLS) for seed in (0, 1)]
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "the workers' cache"))
        several = played(a_sweep(server), tmp_path / "several", Resources(2))
        assert timeless(several.rows) == timeless(alone.rows)
        assert busy.most == 1, "each of the two workers would have used one"
        assert several.costs is not None
        assert several.costs.used.spent.calls >= spent.calls
        calls = len(server.requests)
        again = played(a_sweep(server), tmp_path / "again")
        assert timeless(again.rows) == timeless(alone.rows)
        assert again.costs is not None
        assert again.costs.used.spent.calls == 0, "all of it was in the cache that the workers share"
        assert again.costs.used.cached >= spent.calls
        assert len(server.requests) == calls
        anew = played(replace(a_sweep(server), cache=False), tmp_path / "anew")
        assert anew.costs is not None
        assert len(server.requests) > calls
        assert anew.costs.used.cached == 0


def test_an_episode_is_repeated_from_the_cache_and_calls_no_model(
        server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(a_sweep(server), tmp_path / "results")
    results, calls = read_results(tmp_path / "results"), len(server.requests)
    row = results.rows[0]
    assert row.origin is not None
    assert row.origin.calls > 0
    assert row.origin.tokens_in >= 100 * row.origin.calls
    again = play_again(results, row, lambda name: HouseholdSimulator.open, tmp_path / "again.mcap", views=())
    assert (again.differs, len(server.requests)) == ("", calls)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another cache"))
    with pytest.raises(DataError, match="not in the cache"):
        play_again(results, row, lambda name: HouseholdSimulator.open, tmp_path / "never.mcap", views=())
    assert len(server.requests) == calls
    assert not list(tmp_path.glob("*never*"))


@pytest.mark.parametrize("reply", [completion(""), completion("open the", finish="length"), completion("<html>")],
                         ids=["empty", "cut off", "a web page"])
def test_useless_replies_are_results_too_and_a_second_sweep_asks_for_none_again(reply: Sent, tmp_path: Path) -> None:
    with serving(lambda body: reply) as server:
        first = played(a_sweep(server), tmp_path / "first")
        asked = len(server.requests)
        again = played(a_sweep(server), tmp_path / "again")
        assert timeless(again.rows) == timeless(first.rows)
        assert first.rows
        assert again.costs is not None
        assert (again.costs.used.spent.calls, len(server.requests)) == (0, asked)


def test_one_budget_for_all_workers_and_all_runs(tmp_path: Path) -> None:
    with serving(Busy()) as server:
        first = played(a_sweep(server, 3), tmp_path / "small", Resources(2, limits=Limits(calls=7)))
        assert "7 of 7 calls" in first.ended
        assert questions(server) == 7
        assert (len(first.rows) + first.left, len(first.failures)) == (6, 0)
        assert 0 < first.left < 6, "what was played to its end is kept"
        calls = len(server.requests)
        second = played(a_sweep(server, 3), tmp_path / "small", Resources(limits=Limits(calls=7)))
        assert (second.rows, len(server.requests)) == (first.rows, calls), "it was spent by the first run"
        third = played(a_sweep(server, 3), tmp_path / "small", Resources(limits=Limits(calls=1000)))
        assert (third.left, third.ended) == (0, "")
        whole = played(replace(a_sweep(server, 3), cache=False), tmp_path / "whole", Resources(1))
        assert timeless(third.rows) == timeless(whole.rows)
        costs = played(replace(a_sweep(server, 3), cache=False), tmp_path / "cost",
                       Resources(limits=Limits(cost=0.03), prices=PRICE))
        assert "are spent" in costs.ended
        assert costs.costs is not None
        assert 0 < costs.costs.used.spent.cost < 0.03 + 0.01, "each worker may pass it by one reply"


def test_a_server_that_is_down_ends_the_sweep_and_is_no_failure_of_the_planner(tmp_path: Path) -> None:
    with serving() as gone:
        pass
    result = played(a_sweep(gone, 20), tmp_path)
    assert (result.rows, len(result.failures)) == ((), GIVE_UP)
    assert "cannot be reached" in result.ended or "refused" in result.ended
    assert (tmp_path / "runs.jsonl").read_text() == ""
    with serving(answer) as server:
        (tmp_path / "sweep.json").unlink()
        assert played(a_sweep(server, 1), tmp_path).left == 0


def test_a_refused_key_ends_the_sweep_at_once(tmp_path: Path) -> None:
    with serving(lambda body: error(401, "no such key")) as server:
        result = played(a_sweep(server, 20), tmp_path)
        assert len(result.failures) == len(server.requests) == 1
        assert "does not accept the key" in result.ended


def test_an_episode_in_which_the_model_failed_is_left_out_and_played_by_the_next_run(tmp_path: Path) -> None:
    hurt = threading.Event()

    def script(body: Json) -> Sent:
        if not hurt.is_set():
            hurt.set()
            return error(500, "out of memory")
        return answer(body)

    with serving(script) as server:
        result = played(a_sweep(server), tmp_path)
        assert (len(result.rows), result.left, result.ended) == (3, 1, "")
        assert [(f.kind, f.contestant) for f in result.failures] == [("down", PLANNER)]
        after = played(a_sweep(server), tmp_path)
        assert (len(after.rows), after.left, after.failures) == (4, 0, ())
        assert after.costs is not None
        assert after.costs.used.spent.failed == 1


def test_another_model_in_the_folder_is_refused_in_a_line(server: ChatServer, tmp_path: Path) -> None:
    played(a_sweep(server, 1), tmp_path)
    stamp = json.loads((tmp_path / "sweep.json").read_text())
    assert stamp["model"] == f"openai m at {server.base_url}"
    assert len(stamp["begun"]) == len("2026-11-22")
    with pytest.raises(DataError, match=r"model was openai m at .* now openai other") as caught:
        played(a_sweep(server, 1, model="other"), tmp_path)
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="another --out"):
        play(replace(a_sweep(server), provider="commonsense", options=()), HouseholdSimulator.open, tmp_path)
    calls = len(server.requests)
    assert played(a_sweep(server, 1, timeout="7"), tmp_path).left == 0, "how long to wait changes no answer"
    assert len(server.requests) == calls


def test_a_folder_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text('{"suite": "rearrangement", "max_steps": 3, "provider": "commonsense", "edition": 3}')
    plain = replace(a_sweep("http://127.0.0.1:9/v1", 1), provider="commonsense", options=())
    assert played(plain, tmp_path).left == 0
    with pytest.raises(DataError, match="provider was commonsense"):
        played(a_sweep("http://127.0.0.1:9/v1", 1), tmp_path)


def test_two_sweeps_do_not_play_in_one_folder(server: ChatServer, tmp_path: Path) -> None:
    refused: list[str] = []

    def script(body: Json) -> Sent:
        if not refused:
            refused.append("")
            with pytest.raises(DataError, match="another sweep is under way") as caught:
                played(a_sweep(server, 1), tmp_path)
            refused[0] = str(caught.value)
        return answer(body)

    server.script = script
    assert played(a_sweep(server, 1), tmp_path).left == 0
    assert "choose another --out" in refused[0]


def test_nobody_answers_a_sweep_by_hand(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="by hand"):
        played(replace(a_sweep("http://127.0.0.1:9/v1"), provider="human", options=()), tmp_path)
    with pytest.raises(UsageError, match="unknown parameter 'modle'"):
        played(a_sweep("http://127.0.0.1:9/v1", modle="x"), tmp_path)


def evaluate(server: ChatServer, out: Path, *more: str) -> int:
    return main.main(["evaluate", "--provider", "openai", "--base-url", server.base_url, "--model", "m", "--out", str(out),
                      "--planner", PLANNER, "--trials", "1", "--max-steps", "2", "--jobs", "1", *more])


def test_the_command_says_who_answered_and_what_it_cost(server: ChatServer, tmp_path: Path,
                                                        capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(server, tmp_path, "--limit", "calls=3", "--prices", "m=10/100") == 1
    out, err = capsys.readouterr()
    sent = len(server.requests)
    told = f"3 calls, {100 * sent} tokens in, {10 * sent} out, cost {0.002 * sent:.4g}; 0 replies from the cache"
    assert told in err
    lines = err.splitlines()
    assert "stopped early: the budget is used up: 3 of 3 calls are made" in lines[-1]
    assert "of 10 episodes are kept" in lines[-1]
    assert lines[-1].endswith("go on with the same command")
    assert "are not played to their end and not counted" in out
    assert "Traceback" not in err
    assert evaluate(server, tmp_path, "--limit", "calls=500") == 0
    out, err = capsys.readouterr()
    assert f"Answered by `openai m at {server.base_url}`, played 20" in out
    assert "No language model" not in out
    assert (tmp_path / "table.md").read_text() == out
    with (tmp_path / "episodes.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert {row["model"] for row in rows} == {f"openai m at {server.base_url}"}
    assert all(len(row["first_played"]) == len(row["last_played"]) == 10 for row in rows)
    assert len(rows) == 10


@pytest.mark.parametrize("flags", [("--backend", "dask"), ("--scheduler", "tcp://127.0.0.1:1")])
def test_a_cluster_needs_both_flags(flags: tuple[str, ...], server: ChatServer, tmp_path: Path,
                                    capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(server, tmp_path, *flags) == 2
    assert "go together" in capsys.readouterr().err


