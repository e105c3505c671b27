"""A second planner in a sweep: it changes nothing of the first one's episodes, and its agreement is counted and kept."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

import main
from core.common.errors import DataError, UsageError
from core.evaluation.agreement import markdown
from core.evaluation.contestants import contestant, with_settings
from core.evaluation.suites import suite
from core.evaluation.sweep import Resources, Sweep, play
from core.suites.suite import Row
from sim.household.simulator import HouseholdSimulator
from tests.long_tests import either

SUITE = suite("rearrangement")
ALONE = Sweep(SUITE.name, (contestant("greedy"), contestant("bcr")), either(2, 3), 8, "commonsense", SUITE.cells[:2])
TOGETHER = replace(ALONE, beside="bcr")


def without_times(row: Row) -> dict[str, float]:
    return {key: value for key, value in row.figures.items() if key != "seconds" and not key.startswith("beside")}


def test_the_first_planners_episodes_are_what_they_are_alone(tmp_path: Path) -> None:
    alone = play(ALONE, HouseholdSimulator.open, tmp_path / "alone", Resources(1)).rows
    together = play(TOGETHER, HouseholdSimulator.open, tmp_path / "together", Resources(1)).rows
    assert [without_times(row) for row in together] == [without_times(row) for row in alone]
    for row in together:
        figures = row.figures
        assert ("beside_agreed" in figures) == (row.contestant == "greedy"), "the second planner itself plays alone"
        if "beside_agreed" in figures:
            assert 0 <= figures["beside_agreed"] <= figures["beside_decisions"] <= 8
            assert (figures["beside_diverged"] == 0) == (figures["beside_agreed"] == figures["beside_decisions"])
            assert figures["beside_calls"] > 0
            assert figures["beside_failed"] == 0


def test_it_goes_on_where_it_was_and_refuses_the_folder_of_another(tmp_path: Path) -> None:
    whole = play(TOGETHER, HouseholdSimulator.open, tmp_path / "whole", Resources(1)).rows
    lines = (tmp_path / "whole" / "runs.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / "runs.jsonl").write_text("".join(lines[:5]))
    again = play(TOGETHER, HouseholdSimulator.open, tmp_path / "killed", Resources(1)).rows
    beside = [{k: v for k, v in row.figures.items() if k.startswith("beside")} for row in whole]
    assert [{k: v for k, v in row.figures.items() if k.startswith("beside")} for row in again] == beside
    with pytest.raises(DataError, match="other settings"):
        play(replace(TOGETHER, beside="oracle"), HouseholdSimulator.open, tmp_path / "whole", Resources(1))


def test_equal_planners_agree_always(tmp_path: Path) -> None:
    same = replace(ALONE, contestants=(contestant("greedy"),), beside="greedy:default")
    for row in play(same, HouseholdSimulator.open, tmp_path, Resources(1)).rows:
        assert row.figures["beside_agreed"] == row.figures["beside_decisions"] > 0
        assert row.figures["beside_diverged"] == 0


def row(name: str, seed: int, success: int, **figures: float) -> Row:
    return Row(name, SUITE.cells[0], seed, {"success": success, **{f"beside_{key}": value for key, value in figures.items()}})


def test_the_table_counts_decisions_first_divergences_and_who_reaches_the_goal() -> None:
    rows = [row("a", 0, 1, decisions=4, agreed=4, diverged=0), row("a", 1, 0, decisions=6, agreed=1, diverged=3),
            row("a", 2, 1, decisions=2, agreed=1, diverged=2), row("b", 0, 1), row("b", 1, 1), row("b", 2, 0)]
    text = markdown(SUITE, rows, "b")
    assert "50.0 (6 of 12)" in text
    assert "2.5±0.5; none in 1 of 3" in text
    assert text.splitlines()[-1].replace(" ", "") == "|a|1|1|1|0|"


def test_the_command_writes_table_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["evaluate", "--planner", "oracle", "--beside", "bcr", "--beside-set", "tries=3", "--trials", "1", "--jobs", "1",
             "--max-steps", "3", "--out", str(tmp_path)]
    assert main.main(given) == 0
    assert "compared with bcr+tries=3" in capsys.readouterr().out
    with (tmp_path / "episodes.csv").open() as stream:
        assert {line["beside_decisions"] for line in csv.DictReader(stream)} <= {"1.0", "2.0", "3.0"}
    with pytest.raises(UsageError, match="name the planner"):
        with_settings("", ["tries=3"])
