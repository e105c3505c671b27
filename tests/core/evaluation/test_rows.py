"""The rows of a folder of results: no finished one is ever lost, and whatever else is in the files is left out and said."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from core.common.errors import BelvedereError, DataError
from core.evaluation import agreement, sweep
from core.evaluation.contestants import contestant
from core.evaluation.dataset import dataset
from core.evaluation.episode_command import listing
from core.evaluation.folder import Ledger
from core.evaluation.overview import overview
from core.evaluation.results import Results, read_results
from core.evaluation.rows import Key, key_of
from core.evaluation.suites import suite
from core.evaluation.sweep import Resources, Sweep, play
from core.evaluation.worker import Played
from core.llm.budget import Limits
from core.planners.registry import PLANNERS
from core.suites import table
from core.suites.origin import Origin
from core.suites.suite import Row
from sim.household.simulator import HouseholdSimulator
from tests.altered import altered, altered_line
from tests.full_disk import full_disk
from tests.long_tests import either

SUITE = suite("rearrangement")
CELLS = tuple(sorted(SUITE.cells[:2]))
ORIGIN = Origin("FloorPlan1", {}, 1, 2, "", "Wash one mug", 30, success=False, ended="steps used up", turns=30, actions="ab",
                seconds=1.5, calls=2, tokens_in=300, tokens_out=20, label="policy failure", turn=2, because="9 of 12 lost")
SWEEP = Sweep(SUITE.name, (contestant("oracle"),), 2, 30, "commonsense", CELLS)
FOREIGN = ('"x"', "5", "null", "[]", '{"seed": 1}', '{"contestant": null}', "\udcff", '{"figures": [1]}', "{" * 5000, "NaN")


def row_of(cell: str, seed: int) -> Row:
    return Row("oracle", cell, seed, {measure.key: 1.0 for measure in SUITE.measures}, ORIGIN)


ROWS = tuple(row_of(cell, seed) for cell in CELLS for seed in range(2))


def line_of(row: Row) -> str:
    return json.dumps(asdict(row)) + "\n"


def write(folder: Path, rows: Sequence[Row] = ROWS, end: str = "") -> bytes:
    """Writes a folder of results as a sweep leaves it. Returns the content of its rows."""
    stamp = {"suite": SUITE.name, "max_steps": 30, "provider": "commonsense", "model": "commonsense", "settings": {},
             "edition": SUITE.edition, "begun": "2026-01-02", "last": "2026-01-02",
             "plan": SWEEP.plan(Resources(1)).plain(), "contestants": {"oracle": {"planner": "oracle", "parameters": {}}}}
    folder.mkdir(exist_ok=True)
    (folder / "sweep.json").write_text(json.dumps(stamp))
    content = ("".join(map(line_of, rows)) + end).encode("utf-8", "surrogateescape")
    (folder / "runs.jsonl").write_bytes(content)
    return content


def go_on(folder: Path, said: list[str] | None = None) -> list[Row]:
    """Goes on with the sweep. Returns its rows."""
    return list(play(SWEEP, HouseholdSimulator.open, folder, Resources(1), (said if said is not None else []).append).rows)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Key]:
    """Lets an episode be played at once. Holds what was played."""
    played: list[Key] = []

    def episode(job: object, text: str, cell: str, seed: int) -> Played:
        played.append((text, cell, seed))
        return Played(row_of(cell, seed))

    monkeypatch.setattr(sweep, "play_episode", episode)
    return played


def test_foreign_lines_are_left_out_said_and_kept(tmp_path: Path, quick: list[Key]) -> None:
    for foreign in FOREIGN:
        write(tmp_path, ROWS[:2], foreign + "\n")
        assert read_results(tmp_path).read.strange == 1, foreign
    before, said = write(tmp_path, ROWS[:2], "\n".join((*FOREIGN, ""))), list[str]()
    assert go_on(tmp_path, said) == list(ROWS)
    assert quick == [key_of(row) for row in ROWS[2:]]
    assert said[0].startswith(f"{tmp_path / 'runs.jsonl'}: {len(FOREIGN)} lines are no episode of this evaluation "
                              "(the first is line 3: ")
    assert (tmp_path / "runs.jsonl").read_bytes() == before + "".join(map(line_of, ROWS[2:])).encode()
    assert read_results(tmp_path).note == said[0]


@pytest.mark.parametrize(("change", "why"), [
    ({"contestant": "somebody"}, "nothing says who 'somebody' is"), ({"cell": "no cell"}, "there is no cell 'no cell'"),
    ({"figures": {}}, "it has none of the suite's figures"), ({"figures": {"zzz": 1.0}}, "it has none of the suite's figures"),
    ({"figures": {"success": 7}}, "a rate is not between 0 and 1"),
    ({"figures": {"steps": "1"}}, "Expected `float`, got `str`"),
    ({"origin": {}}, "missing required field"), ({"seed": True}, "Expected `int`, got `bool`")])
def test_rows_of_something_else_do_not_count(change: dict[str, object], why: str, tmp_path: Path) -> None:
    write(tmp_path, ROWS, json.dumps({**asdict(row_of(CELLS[0], 9)), **change}) + "\n")
    results = read_results(tmp_path)
    assert results.rows == ROWS
    assert why in results.note


def test_a_file_that_an_editor_has_saved_as_utf_16_says_so(tmp_path: Path) -> None:
    content = write(tmp_path).decode().encode("utf-16")
    (tmp_path / "runs.jsonl").write_bytes(content)
    assert "perhaps UTF-16" in read_results(tmp_path).note
    assert (tmp_path / "runs.jsonl").read_bytes() == content


def test_an_episode_counts_once_however_often_it_is_in_the_file(tmp_path: Path, quick: list[Key]) -> None:
    changed, said = replace(ROWS[1], figures={**ROWS[1].figures, "success": 0.0}), list[str]()
    write(tmp_path, (*ROWS, ROWS[0], changed, ROWS[0]))
    assert go_on(tmp_path, said) == list(ROWS)
    assert not quick
    assert said == [f"{tmp_path / 'runs.jsonl'}: 3 lines repeat an episode: not counted; correct or delete them, or leave them"]
    some = read_results(tmp_path)
    with (tmp_path / "runs.jsonl").open("a") as file:
        file.write(line_of(ROWS[3]))
    assert read_results(tmp_path, some) == read_results(tmp_path)
    assert read_results(tmp_path, some).read.doubles == 4


@pytest.mark.parametrize("is_note_written", [False, True])
def test_a_full_disk_costs_no_finished_row_and_names_the_file(is_note_written: bool, tmp_path: Path,
                                                              quick: list[Key]) -> None:
    torn = line_of(ROWS[3])[:40]
    before = write(tmp_path, ROWS[:3], torn)
    told = pytest.raises(DataError, match=f"cannot write {tmp_path}/.*make room")
    with full_disk(len(before) + 50 if is_note_written else 1), told as error:
        go_on(tmp_path)
    assert "\n" not in str(error.value)
    assert (tmp_path / "runs.jsonl").read_bytes() in (before, before + b"\n")
    assert go_on(tmp_path) == list(ROWS)
    assert (tmp_path / "runs.jsonl").read_bytes() == before + b"\n" + line_of(ROWS[3]).encode()


def test_a_disk_that_becomes_full_says_what_is_kept(tmp_path: Path, quick: list[Key]) -> None:
    size = len(write(tmp_path, ROWS[:1]))
    with full_disk(size + 3000), pytest.raises(DataError, match=r"runs\.jsonl: File too large; .* episodes? (is|are) kept in"):
        play(replace(SWEEP, trials=50), HouseholdSimulator.open, tmp_path, Resources(1))
    kept = read_results(tmp_path)
    assert not kept.note
    assert [key_of(row) for row in kept.rows] == [key_of(ROWS[0]), *quick[:-1]]


def everything_of(results: Results) -> None:
    """Makes all that is made of a folder of results."""
    overview(results)
    found = dataset([results])
    assert len(found.rows) == len(results.rows)
    table.markdown(SUITE, results.rows)
    agreement.markdown(SUITE, results.rows, "oracle")
    listing(results, [row for row in results.rows if row.has_failed])


def test_no_altered_value_is_a_traceback(tmp_path: Path, quick: list[Key]) -> None:
    rng, lines, refused = random.Random(4), [line_of(row) for row in ROWS], list[str]()
    write(tmp_path)
    note = json.loads((tmp_path / "sweep.json").read_text())
    assert "oracle" in PLANNERS
    for number in range(either(60, 1000)):
        changed = [altered_line(lines[0], rng), *(line.encode() for line in lines[1:])]
        (tmp_path / "runs.jsonl").write_bytes(b"\n".join(line.rstrip(b"\n") for line in changed) + b"\n")
        (tmp_path / "sweep.json").write_text(json.dumps(altered(note, rng) if number % 3 == 0 else note))
        try:
            results = read_results(tmp_path)
            everything_of(results)
            assert len(results.rows) >= 3 or number % 3 == 0
        except BelvedereError as error:
            refused.append(str(error))
        spent = {"calls": 3, "failed": 0, "tokens_in": 9, "tokens_out": 9, "cached": 0, "cost": 0.5, "seconds": 1.5}
        (tmp_path / "spent.json").write_text(json.dumps(altered(spent, rng)))
        with suppress(DataError):
            ledger = Ledger(tmp_path, Limits(), {})
            ledger.settle(ledger.reserve(1, "m"), ())
        if number % 10 == 0:
            (tmp_path / "sweep.json").write_text(json.dumps(note))
            assert len(go_on(tmp_path)) == 4
    assert 0 < len(refused) < number / 3, "only a folder whose sweep.json was altered"
    assert not [line for line in refused if len(line.splitlines()) != 1]
