"""Sweeps run in parallel, go on after a kill, and say what they measured."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from core.errors import DataError, UsageError
from core.evaluation.contestant import contestant
from core.evaluation.rearrangement import CELLS
from core.evaluation.sweep import Row, Sweep, play
from core.evaluation.table import PUBLISHED, figure, markdown, plot, write_csv
from sim.household.simulator import HouseholdSimulator

SIMPLE = tuple(cell for cell in CELLS if cell.name == "Simple")


def sweep(trials: int, steps: int = 30) -> Sweep:
    return Sweep((contestant("oracle"),), trials, steps, "commonsense", SIMPLE)


def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    whole = play(sweep(12), HouseholdSimulator.open, tmp_path / "whole", 1)
    assert len(whole) == 24
    assert all(row.success for row in whole)
    lines = (tmp_path / "whole" / "runs.jsonl").read_text().splitlines(keepends=True)
    killed = tmp_path / "killed"
    killed.mkdir()
    (killed / "runs.jsonl").write_text("".join(lines[:7]) + lines[7][:20])
    again = play(sweep(12), HouseholdSimulator.open, killed, 2)
    assert [(r.cell, r.seed, r.steps) for r in again] == [(r.cell, r.seed, r.steps) for r in whole]
    assert (killed / "runs.jsonl").read_text().splitlines(keepends=True)[:7] == lines[:7]
    assert play(sweep(12), HouseholdSimulator.open, killed, 1) == again


def test_another_sweep_s_folder_is_refused(tmp_path: Path) -> None:
    play(sweep(1), HouseholdSimulator.open, tmp_path, 1)
    with pytest.raises(DataError, match="other settings"):
        play(sweep(1, steps=40), HouseholdSimulator.open, tmp_path, 1)
    (tmp_path / "runs.jsonl").write_text('{"seed": 1}\n')
    with pytest.raises(DataError, match="--out"):
        play(sweep(1), HouseholdSimulator.open, tmp_path, 1)


def row(success: bool, steps: int = 5, cell: str = "Simple") -> Row:
    return Row("x", cell, True, steps, success, steps, 2.0, 0.1)


def test_figures_are_means_with_standard_errors() -> None:
    found = figure([row(True), row(True), row(True), row(False, 30)], 30)
    assert found is not None
    assert str(found) == "75.0±21.7"
    assert found.steps == (5 * 3 + 30) / 4
    assert figure([], 30) is None


def test_the_table_the_csv_and_the_plot(tmp_path: Path) -> None:
    rows = [row(True), row(False, 30), row(True, cell="Comp")]
    text = markdown(rows, 30)
    assert "50.0±35.4" in text
    assert "not comparable" in text
    assert "No language model took part" in text
    assert all(f"published: {name}" in text for name in PUBLISHED)
    assert all(len(values) == len(CELLS) for values in PUBLISHED.values())
    write_csv(rows, tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open() as stream:
        assert [r["success"] for r in csv.DictReader(stream)] == ["True", "False", "True"]
    plot(rows, 30, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("text", ["nobody", "oracle:paper", "oracle+x=1", "oracle+x"])
def test_unknown_contestants_are_named(text: str) -> None:
    with pytest.raises(UsageError):
        contestant(text)


def test_rows_are_plain_json(tmp_path: Path) -> None:
    play(sweep(1), HouseholdSimulator.open, tmp_path, 1)
    values = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert {v["contestant"] for v in values} == {"oracle"}
