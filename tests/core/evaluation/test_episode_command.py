"""What an evaluation keeps of its episodes: enough to plan, to estimate, to count failures, and to repeat each one."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.app.command_line import parsed
from core.common.errors import DataError, UsageError
from core.evaluation import episode_command, sweep
from core.evaluation.child import CommandChild, value_in
from core.evaluation.command import evaluate
from core.evaluation.contestants import contestant
from core.evaluation.overview import overview
from core.evaluation.plan import EvaluationPlan, estimate
from core.evaluation.results import OLD, Results, class_table, classes_of, read_results
from core.evaluation.rows import row_of
from core.evaluation.suites import suite
from core.evaluation.worker import OpenWorld
from core.llm.budget import Limits, Price
from core.llm.model_config import ModelConfig
from core.recording.failures.causes import propose
from core.recording.failures.run import READ
from core.recording.reader import open_recording
from core.recording.takeover import take_over
from core.suites.origin import Origin
from core.suites.suite import Row
from sim.registry import simulator_class

WRONG = "llm-policy+wrong_answers=1"
PLAN = EvaluationPlan("rearrangement", (WRONG, "oracle"), 1, 6, jobs=1)
CELLS = suite("rearrangement").cells
ORIGIN = Origin("four-rooms-1", {"seeing": "camera"}, 3, 4, "inside(apple, fridge)", "Put …", 9, False, "steps used up", 9, "a")


def opener(name: str) -> OpenWorld:
    return simulator_class(name).open


def flags(words: Sequence[str]) -> argparse.Namespace:
    return parsed(list(words))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of a small evaluation: every second planner fails, after six actions at most."""
    folder = tmp_path_factory.mktemp("results") / "small"
    assert evaluate(flags(PLAN.arguments(folder)), ModelConfig("", "commonsense"), opener, lambda line: None)
    return folder


def failed_row(results: Results) -> Row:
    return next(row for row in results.rows if row.has_failed and row.contestant == WRONG)


# --- rows and plans ------------------------------------------------------------------
def test_the_folder_says_what_was_asked_for_and_what_the_names_stand_for(folder: Path) -> None:
    results = read_results(folder)
    assert results.plan == PLAN
    assert results.settings["contestants"][WRONG]["parameters"]["wrong_answers"] == 1
    assert len(results.rows) == PLAN.episodes
    assert not results.note
    assert not PLAN.left(results.rows)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="=\0"), min_size=1, max_size=8).filter(lambda t: t.strip() == t)
AMOUNTS = st.integers(0, 1000).map(lambda n: n / 8)


@given(st.sampled_from(("rearrangement", "blocking")),
       st.lists(st.sampled_from(("oracle", "greedy", WRONG)), min_size=1, unique=True),
       st.integers(1, 99), st.integers(0, 99), st.integers(1, 99), st.dictionaries(st.sampled_from(("model", "top_p")), TEXTS),
       st.booleans(), st.none() | st.integers(0, 99), st.none() | AMOUNTS, st.dictionaries(st.just("gpt-5"), AMOUNTS),
       st.integers(0, 3))
def test_a_plan_survives_its_folder_and_its_command(
        name: str, planners: list[str], trials: int, first: int, steps: int, options: dict[str, str], cache: bool,
        calls: int | None, cost: float | None, prices: dict[str, float], cells: int) -> None:
    chosen, every = suite(name).cells[:cells], {model: Price(amount, amount) for model, amount in prices.items()}
    plan = EvaluationPlan(name, tuple(planners), trials, steps, first, "openai", options, {"seeing": "camera"}, "oracle", cache,
                          3, Limits(calls, None, cost), every, chosen)
    assert msgspec.convert(json.loads(json.dumps(plan.plain())), EvaluationPlan) == plan
    args = flags(plan.arguments(Path("results")))
    assert (args.suite, tuple(args.planner), args.trials, args.first_seed, args.max_steps, args.jobs) == (
        name, tuple(planners), trials, first, steps, 3)
    assert [f"{k}={v}" for k, v in options.items()] == args.ask
    assert tuple(args.cell) == chosen
    assert plan.episodes == sum(plan.left([]).values()) == len(planners) * trials * len(chosen or suite(name).cells)
    assert (args.provider, args.beside, args.no_cache, args.out) == ("openai", "oracle", not cache, Path("results"))


def test_a_row_keeps_what_it_was_played_from_and_ignores_what_later_versions_add(folder: Path) -> None:
    row = failed_row(read_results(folder))
    assert row.origin is not None
    assert row.origin.turns <= 6
    assert row.origin.label
    line = json.loads((folder / "runs.jsonl").read_text(encoding="utf-8").splitlines()[0])
    line["origin"]["a later field"] = 1
    assert row_of(json.dumps(line).encode()) == read_results(folder).rows[0]


def rows_of(done: Mapping[tuple[str, str], int], seconds: float = 2.0) -> list[Row]:
    origin = replace(ORIGIN, seconds=seconds, tokens_in=1000, tokens_out=100)
    return [Row(name, cell, seed, {"success": 0.0}, origin) for (name, cell), n in done.items() for seed in range(n)]


@given(st.dictionaries(st.tuples(st.sampled_from(PLAN.planners), st.sampled_from(CELLS)), st.integers(1, 4)), st.integers(1, 4))
def test_what_is_left_and_what_it_takes_follow_from_the_episodes(done: dict[tuple[str, str], int], jobs: int) -> None:
    plan = replace(PLAN, trials=4, jobs=jobs, provider="openai", options={"model": "m"}, prices={"m": Price(1, 10)})
    rows = rows_of(done)
    left, found = plan.left(rows), estimate(plan, rows, rows)
    assert sum(left.values()) + len(rows) == plan.episodes
    assert found.episodes == sum(left.values())
    unknown = {name for name in PLAN.planners if not any(key[0] == name for key in done)}
    assert set(found.unknown) == unknown
    if unknown:
        assert (found.seconds, found.tokens, found.cost) == (None, None, None)
    elif found.episodes:
        assert found.seconds == pytest.approx(2.0 * found.episodes / min(jobs, found.episodes))
        assert found.cost == pytest.approx(0.002 * found.episodes, abs=1e-4)


def test_without_a_price_the_cost_is_unknown() -> None:
    rows = rows_of({(name, CELLS[0]): 1 for name in PLAN.planners})
    assert estimate(replace(PLAN, provider="openai"), rows, rows).cost is None


# --- reading ------------------------------------------------------------------------
def test_reading_goes_on_where_it_ended_and_leaves_a_half_written_line(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "runs.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "sweep.json").write_bytes((folder / "sweep.json").read_bytes())
    assert read_results(tmp_path).rows == ()
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    some = read_results(tmp_path)
    assert len(some.rows) == 3
    path.write_bytes(b"".join(lines))
    assert read_results(tmp_path, some) == read_results(tmp_path) == replace(read_results(folder), folder=tmp_path)
    path.write_bytes(lines[0])
    assert len(read_results(tmp_path, read_results(folder)).rows) == 1


def test_results_of_an_earlier_version_are_read_and_say_so(folder: Path, tmp_path: Path) -> None:
    settings = {name: value for name, value in json.loads((folder / "sweep.json").read_text()).items()
                if name not in ("plan", "contestants")}
    (tmp_path / "sweep.json").write_text(json.dumps(settings))
    old = [replace(row, origin=None) for row in read_results(folder).rows]
    (tmp_path / "runs.jsonl").write_text("".join(json.dumps(plain(row)) + "\n" for row in old))
    results = read_results(tmp_path)
    assert results.note == OLD
    assert (results.plan, list(results.rows)) == (None, old)
    assert classes_of(results.rows)["not analysed"] == sum(row.has_failed for row in old)
    assert overview(results).total == 0


def plain(row: Row) -> dict[str, Any]:
    return {"contestant": row.contestant, "cell": row.cell, "seed": row.seed, "figures": dict(row.figures)}


@pytest.mark.parametrize("content", ["{}", "[]", '{"suite": "none"}', "{", '{"suite": "blocking", "plan": {}}'])
def test_what_is_no_folder_of_results_is_refused_in_one_line(content: str, tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text(content)
    with pytest.raises(DataError) as error:
        read_results(tmp_path)
    assert "\n" not in str(error.value)


def test_failure_classes_are_counted_for_each_cell(folder: Path) -> None:
    results = read_results(folder)
    head, lines = class_table(results)
    assert head[:4] == ["planner", "cell", "episodes", "failed"]
    assert {line[0] for line in lines} >= {WRONG}
    for line in lines:
        assert int(line[3]) == sum(map(int, line[4:]))
    assert sum(int(line[3]) for line in lines) == sum(row.has_failed for row in results.rows)
    seen = overview(results)
    assert (seen.total, seen.left, seen.estimate) == (PLAN.episodes, 0, None)
    assert sum(count.total() for count in seen.failed.values()) == sum(row.has_failed for row in results.rows)


# --- played again ---------------------------------------------------------------------
def test_a_failed_episode_is_recorded_as_it_was_played(folder: Path, tmp_path: Path) -> None:
    results = read_results(folder)
    row = failed_row(results)
    found = episode_command.play_again(results, row, opener, tmp_path / "again.mcap", views=())
    assert (found.differs, row.origin is not None and found.turn == row.origin.turn) == ("", True)
    with open_recording(found.path) as recording:
        proposal, end = propose(recording.of_kind(*READ)), recording.snapshot_at()
        assert len(recording._catalogue.keyframes) == recording.count("TurnBegan") + 1, "as a session's recording"
        assert recording.end == {"success": "false", "reason": end.outcome.reason, "branch": "0"}
        assert end.began is not None
        assert (end.began.seed, end.began.goal.text) == (row.origin.world_seed, row.origin.task) if row.origin else False
        assert proposal is not None
        assert proposal.opens_at is not None
        assert proposal.opens_at.turn == found.turn
        past = take_over(recording, recording.numbers[-1])
        assert sum(step.action is not None for step in past.script) == (row.origin.turns if row.origin else -1)
    assert episode_command.repetition_of(json.loads(found.path.with_suffix(".json").read_text())) == found


def test_seeds_and_settings_of_the_world_are_in_the_recording(tmp_path: Path) -> None:
    plan = EvaluationPlan("blocking", ("oracle",), 1, 1, jobs=1)
    assert evaluate(flags(plan.arguments(tmp_path)), ModelConfig("", "commonsense"), opener, lambda line: None)
    results = read_results(tmp_path)
    row = next(row for row in results.rows if row.cell == "coffee")
    found = episode_command.play_again(results, row, opener, tmp_path / "again.mcap", views=())
    assert not found.differs
    with open_recording(found.path) as recording:
        began = recording.snapshot_at().began
        assert began is not None
        assert row.origin is not None
        assert dict(began.world) == row.origin.world == {"seeing": "camera"}
        assert (began.seed, began.planner_seed) == (row.origin.world_seed, 0)


@pytest.mark.parametrize(("change", "said"), [
    ({"actions": "other"}, "its actions"), ({"goal": "inside(mug, sink)"}, "its goal"), ({"turns": 1}, "its turns"),
    ({"success": True}, "its success"),
])
def test_a_repetition_that_differs_says_so(change: dict[str, Any], said: str) -> None:
    row = Row("oracle", "coffee", 0, {"success": 0.0, "seconds": 1.0}, ORIGIN)
    assert episode_command.difference(row, replace(row, figures={"success": 0.0, "seconds": 9.0})) == ""
    assert said in episode_command.difference(row, replace(row, origin=replace(ORIGIN, **change)))
    bare = replace(row, origin=None)
    assert "success was 0, now 1" in episode_command.difference(bare, replace(row, figures={"success": 1.0}))


def test_another_edition_and_unknown_episodes_are_refused(folder: Path, tmp_path: Path) -> None:
    results = read_results(folder)
    other = replace(results, settings={**results.settings, "edition": 1})
    with pytest.raises(DataError, match="edition"):
        episode_command.play_again(other, failed_row(results), opener, tmp_path / "x.mcap")
    with pytest.raises(UsageError, match="0 episodes have seed"):
        episode_command.episode(flags(["episode", str(folder), "--seed", "99"]), opener, lambda line: None)
    with pytest.raises(UsageError, match="name one"):
        episode_command.episode(flags(["episode", str(folder), "--seed", "0"]), opener, lambda line: None)


def test_the_command_lists_failed_episodes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert episode_command.episode(flags(["episode", str(folder), "--planner", WRONG]), opener, lambda line: None) is None
    listed = capsys.readouterr().out
    results = read_results(folder)
    assert listed.count(f"| {WRONG}") >= sum(row.has_failed for row in results.rows if row.contestant == WRONG)
    assert "| oracle" not in listed.partition("\n\n")[2]


# --- pausing
def test_a_paused_sweep_keeps_what_was_under_way_and_is_resumed(tmp_path: Path) -> None:
    def ends_at_once(end: Callable[[str], None]) -> None:
        end("paused")

    plan = sweep.Sweep("rearrangement", (contestant("oracle"),), 2, 4, "commonsense", CELLS[:2])
    paused = sweep.play(plan, opener("household"), tmp_path, on_start=ends_at_once)
    assert (paused.ended, paused.left) == ("paused", 4)
    assert read_results(tmp_path).plan == replace(PLAN, planners=("oracle",), trials=2, max_steps=4, cells=CELLS[:2])
    whole = sweep.play(plan, opener("household"), tmp_path)
    assert (whole.ended, whole.left, len(whole.rows)) == ("", 0, 4)


# --- the child process ----------------------------------------------------------------
def test_a_paused_child_keeps_what_it_has_played_and_goes_on(tmp_path: Path) -> None:
    plan = replace(PLAN, planners=("oracle",), trials=50)
    child = CommandChild([*plan.arguments(tmp_path / "out"), "--while-input"])
    child.pause()
    assert child.run() == ""
    assert not (tmp_path / "out").exists()
    assert value_in('{"turn": 3}') == {"turn": 3}
    for line in ("", '{"error": "no"}'):
        with pytest.raises(DataError):
            value_in(line)


def test_an_error_of_the_child_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"sweep\.json"):
        CommandChild(["episode", str(tmp_path)]).run()
