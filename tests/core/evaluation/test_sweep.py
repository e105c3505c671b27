"""Sweeps run in parallel, resume after a kill, and report what they measured."""

from __future__ import annotations

import importlib.util
import itertools
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from joblib import delayed
from joblib.externals.loky.process_executor import ProcessPoolExecutor
from joblib.externals.loky.reusable_executor import _executor_lock

import main
from core.common.errors import DataError, UsageError
from core.evaluation import sweep as sweep_module
from core.evaluation.contestants import contestant, named
from core.evaluation.coordinator import Coordinator, Message
from core.evaluation.results import read_results
from core.evaluation.suites import SUITES, suite
from core.evaluation.sweep import Resources, Sweep, play
from core.planners.llm_mcts.suite_tables import table_3
from core.planners.registry import planner_class
from core.suites.origin import Origin
from core.suites.suite import STEPS, SUCCESS, Row
from core.suites.table import figure, markdown, plot
from sim.household.simulator import HouseholdSimulator
from sim.registry import SIMULATORS

SUITE = suite("rearrangement")
SIMPLE = tuple(cell for cell in SUITE.cells if cell.endswith(" Simple"))


def sweep(trials: int, steps: int = 30) -> Sweep:
    return Sweep(SUITE.name, (contestant("oracle"),), trials, steps, "commonsense", SIMPLE)


def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = play(sweep(5), HouseholdSimulator.open, tmp_path / "whole", Resources(1)).rows
    assert len(whole) == 10
    assert all(row.figures["success"] for row in whole)
    lines = (tmp_path / "whole" / "runs.jsonl").read_text().splitlines(keepends=True)
    killed = tmp_path / "killed"
    killed.mkdir()
    (killed / "runs.jsonl").write_text("".join(lines[:4]) + lines[4][:20])
    again = play(sweep(5), HouseholdSimulator.open, killed, Resources(2)).rows
    assert [(r.cell, r.seed, r.figures["steps"]) for r in again] == [(r.cell, r.seed, r.figures["steps"]) for r in whole]
    assert (killed / "runs.jsonl").read_text().splitlines(keepends=True)[:4] == lines[:4]
    assert play(sweep(5), HouseholdSimulator.open, killed, Resources(1)).rows == again


def test_each_episode_is_on_disk_as_soon_as_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, late = itertools.count(1), list[int]()

    class Watching(Coordinator):
        """Lets a worker begin only when all episodes but those of the two workers are on disk."""

        def _answer(self, message: Message, held: Any) -> Message:
            if message == {"do": "begin"}:
                ended, deadline = next(begun) - 2, time.monotonic() + 30
                while (tmp_path / "runs.jsonl").read_text().count("\n") < ended and not late:
                    if time.monotonic() > deadline:
                        late.append(ended)
                    time.sleep(0.002)
            return super()._answer(message, held)

    monkeypatch.setattr(sweep_module, "Coordinator", Watching)
    assert len(play(sweep(3), HouseholdSimulator.open, tmp_path, Resources(2)).rows) == 6
    assert not late


def test_the_workers_end_while_the_pools_thread_can_still_submit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that ended in an error waited for ever: the thread wanted to submit, and ending held the lock for that."""
    free, end = list[bool](), ProcessPoolExecutor.shutdown

    def watched(pool: ProcessPoolExecutor, *args: bool, **kwargs: bool) -> None:
        def take() -> None:
            free.append(_executor_lock.acquire(blocking=False))
            if free[-1]:
                _executor_lock.release()

        if pool._executor_manager_thread is not None:  # it has not ended yet
            taking = threading.Thread(target=take)
            taking.start()
            taking.join()
        end(pool, *args, **kwargs)

    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", watched)
    with sweep_module.processes(2, None) as parallel:
        assert sorted(parallel(delayed(abs)(-number) for number in range(3))) == [0, 1, 2]
    assert free
    assert all(free)


def test_seeds_may_begin_anywhere_and_ranges_may_overlap(tmp_path: Path) -> None:
    late = Sweep(SUITE.name, (contestant("oracle"),), 3, 30, "commonsense", SIMPLE[:1], 90_000)
    assert [row.seed for row in play(late, HouseholdSimulator.open, tmp_path, Resources(1)).rows] == [90_000, 90_001, 90_002]
    later = replace(late, first=90_001)
    assert [row.seed for row in play(later, HouseholdSimulator.open, tmp_path, Resources(1)).rows] == [90_001, 90_002, 90_003]
    assert len((tmp_path / "runs.jsonl").read_text().splitlines()) == 4, "what was played is not played again"


def test_another_sweep_s_folder_is_refused(tmp_path: Path) -> None:
    play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))
    with pytest.raises(DataError, match="other settings"):
        play(sweep(1, steps=40), HouseholdSimulator.open, tmp_path, Resources(1))


def test_episodes_of_another_edition_of_the_suite_are_not_mixed_in(tmp_path: Path) -> None:
    play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))
    before = json.loads((tmp_path / "sweep.json").read_text())
    assert before.pop("edition") == SUITE.edition == 3
    (tmp_path / "sweep.json").write_text(json.dumps(before))
    with pytest.raises(DataError, match="edition was 1, now 3"):
        play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))


def test_episodes_whose_texts_were_compared_otherwise_are_not_mixed_in(tmp_path: Path) -> None:
    play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))
    before = json.loads((tmp_path / "sweep.json").read_text())
    other = {"words": "embeddings", "embeddings": "words"}[before["comparison"]]
    (tmp_path / "sweep.json").write_text(json.dumps({**before, "comparison": other}))
    with pytest.raises(DataError, match=f"comparison was {other}, now {before['comparison']}"):
        play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))
    del before["comparison"]  # as earlier versions wrote it
    (tmp_path / "sweep.json").write_text(json.dumps(before))
    play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))


def row(success: bool, steps: int = 5, cell: str = SIMPLE[0]) -> Row:
    return Row("x", cell, steps, {"success": success, "steps": steps, "requests": 2.0, "calls": 3.0, "seconds": 0.1})


def test_figures_are_means_with_standard_errors_and_intervals() -> None:
    found = figure([1, 1, 1, 0], SUCCESS)
    assert found is not None
    assert str(found) == "75.0±21.7"
    assert (round(found.low), round(found.high)) == (30, 95)  # Wilson's, by hand
    sure = figure([1.0] * 50, SUCCESS)
    assert sure is not None
    assert (sure.error, round(sure.low, 1), sure.high) == (0, 92.9, 100)
    steps = figure([5, 7, 9, 30], STEPS)
    assert steps is not None
    assert str(steps) == "12.8±5.8"
    assert steps.deviation == pytest.approx(11.615, abs=0.001)  # sqrt(404.75 / 3)
    assert sure.deviation is None
    assert figure([], STEPS) is None
    assert [str(figure([1], measure)) for measure in (SUCCESS, STEPS)] == ["100.0", "1.0"], "one episode has no standard error"


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_s_published_figures_fit_its_table(name: str) -> None:
    found = suite(name)
    assert len(set(found.cells)) == len(found.cells) > 0
    assert all(len(values) == len(found.cells) for values in found.published.values())
    assert found.method in found.published
    assert found.published_errors.keys() <= found.published.keys()
    assert all(len(errors) == len(found.cells) for errors in found.published_errors.values())
    assert found.printed.keys() <= {m.key for m in found.measures[1:]}
    for table in found.printed.values():
        assert table.keys() <= found.published.keys()
        assert all(len(cells) == len(found.cells) for cells in table.values())
    for text in found.contestants:
        if planner_class(named(text)).missing():
            continue  # left out of a sweep, with a word about what it lacks
        assert contestant(text).text == text
    assert found.simulator in SIMULATORS


def test_the_table_says_what_a_cloned_policy_was_trained_on() -> None:
    rows = [replace(row(True), contestant=name) for name in ("oracle", "cloned-policy:paper", "cloned-policy")]
    plain, detours = markdown(SUITE, rows).splitlines()[-3::2]
    assert plain.startswith("cloned-policy:paper: a network of 426,")
    assert "trajectories of the expert in the seen homes; no language model." in plain
    assert "of them also after a detour" in detours


def test_table_3_gives_the_seconds_of_an_action_in_simple_tasks() -> None:
    """Seconds per action of the two Simple episodes: 6 / 3 = 2 and 8 / 2 = 4, so 3 ± sqrt(2) / sqrt(2) = 1."""
    played = [("seen Simple", 6.0, 3), ("unseen Simple", 8.0, 2), ("seen Comp", 90.0, 1), ("seen Simple", 0.0, 0)]
    rows = [replace(row(True, cell=cell), origin=Origin("home", {}, 0, 0, "", "", 30, True, "", turns, "", seconds))
            for cell, seconds, turns in played]
    text = table_3([r for r in rows if "Simple" in r.cell], [rows[0].contestant])
    cells = [line.split("|")[1:3] for line in text.splitlines() if "±" in line]
    found = {title.strip(): value.strip() for title, value in cells}
    assert found[f"{rows[0].contestant} (no language model)"] == "3.00±1.00"
    assert found["*published: LLM-MCTS*"] == "67.83±18.92"
    assert "Table 3" in markdown(SUITE, rows)


def test_the_table_and_the_plot(tmp_path: Path) -> None:
    rows = [row(True), row(False, 30), row(True, cell="seen Comp")]
    text = markdown(SUITE, rows)
    assert "50.0±35.4" in text
    assert "not comparable" in text
    assert "No language model took part" in text
    assert all(f"published: {name}" in text for name in SUITE.published)
    assert "91.4±3.3" in text
    assert "4.4" in next(line for line in text.splitlines() if "fully observable" in line)
    plot(SUITE, rows, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_further_measures_have_the_printed_rows_and_deviations() -> None:
    found = suite("blocking")
    rows = [Row("bcr", "coffee", seed, {"success": 1, "seconds": float(s), "considered": 3.0, "decisions": 5.0, "calls": 2.0,
                                        "steps": 9.0}) for seed, s in enumerate((2, 4))]
    text = markdown(found, rows)
    seconds = text.split("Seconds in the planner")[1].split("\n\n")[1]
    cells = {line.split("|")[1].strip(): [c.strip() for c in line.split("|")[2:-1]] for line in seconds.splitlines()}
    assert cells["bcr"] == ["3.00±1.00 (SD 1.41)", "–", "–", "–"]
    assert cells["*published: BCR*"] == ["10.6±16", "46.8±50", "46.4±44", "11.6±16"]
    assert "661±74" in text.split("Actions considered")[1]
    assert "five kitchens" not in text


def test_without_what_draws_plots_there_are_tables_and_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                              capsys: pytest.CaptureFixture[str]) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "matplotlib" else real(name))
    assert main.main(["evaluate", "--planner", "oracle", "--trials", "1", "--jobs", "1", "--out", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "plot.png needs matplotlib, not installed here" in told.err
    assert "Traceback" not in told.err
    assert (tmp_path / "table.md").read_text() == told.out
    assert (tmp_path / "episodes.csv").exists()
    assert not (tmp_path / "plot.png").exists()


def test_single_cells_are_played_and_the_rest_later(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "--suite", "blocking", "--planner", "oracle", "--trials", "1", "--jobs", "1", "--out", str(tmp_path)]
    first, last = suite("blocking").cells[0], suite("blocking").cells[-1]
    assert main.main([*words, "--cell", last, "--cell", first]) == 0
    assert [row.cell for row in read_results(tmp_path).rows] == [first, last]
    assert main.main([*words, "--cell", "bread"]) == 2
    assert f"blocking has no cell 'bread'; it has {first}, " in capsys.readouterr().err
    assert main.main(words) == 0
    assert {row.cell for row in read_results(tmp_path).rows} == set(suite("blocking").cells)


@pytest.mark.parametrize("text", ["nobody", "oracle:paper", "oracle+x=1", "oracle+x"])
def test_unknown_contestants_are_named(text: str) -> None:
    with pytest.raises(UsageError):
        contestant(text)


def test_rows_are_plain_json(tmp_path: Path) -> None:
    play(sweep(1), HouseholdSimulator.open, tmp_path, Resources(1))
    values = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert {v["contestant"] for v in values} == {"oracle"}


def test_a_sweep_closes_the_worlds_it_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    closed: list[object] = []
    begin, end = HouseholdSimulator.open, HouseholdSimulator.close

    def opening(scene: str, options: Mapping[str, str]) -> HouseholdSimulator:
        opened.append(begin(scene, options))
        return opened[-1]  # type: ignore[return-value]

    def closing(self: HouseholdSimulator) -> None:
        closed.append(self)
        end(self)

    monkeypatch.setattr(HouseholdSimulator, "close", closing)
    play(sweep(2), opening, tmp_path, Resources(1))
    assert len(opened) == 4, "each home once"
    assert {id(x) for x in closed} == {id(x) for x in opened}
