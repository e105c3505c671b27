"""The tidy table of results: every value comes back from CSV and Parquet, and the card says what the table holds."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError, UsageError
from core.evaluation.dataset import (
    AFTER,
    BEFORE,
    CARD,
    CSV,
    PARQUET,
    Dataset,
    Value,
    dataset,
    write_csv,
    write_dataset,
    write_parquet,
)
from core.evaluation.results import OLD, Results
from core.evaluation.rows import ReadRows
from core.evaluation.suites import suite
from core.suites.origin import Origin
from core.suites.suite import Row

MEASURES = [measure.key for measure in suite("rearrangement").measures]
SETTINGS = {"suite": "rearrangement", "provider": "commonsense", "model": "commonsense rules", "edition": 2, "max_steps": 30,
            "begun": "2026-01-02", "last": "2026-01-03"}
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=12)
ORIGINS = st.builds(
    Origin, TEXTS, st.just({}), st.integers(0, 2**40), st.integers(0, 2**40), TEXTS, TEXTS, st.integers(1, 99), st.booleans(),
    TEXTS, st.integers(0, 99), TEXTS, st.floats(0, 1e6), st.integers(0, 999), st.integers(0, 2**40), st.integers(0, 2**40),
    st.sampled_from(("", "policy failure")), st.integers(0, 9), st.text(max_size=5))
ROWS = st.lists(st.builds(
    Row, st.sampled_from(("oracle", "llm-policy:paper+wrong_answers=1", "of-another-package")), TEXTS, st.integers(0, 2**40),
    st.fixed_dictionaries({key: st.floats(allow_nan=False) for key in MEASURES}), st.none() | ORIGINS), min_size=1, max_size=8)


def table_of(rows: list[Row], folder: Path = Path("results")) -> Dataset:
    return dataset([Results(folder, SETTINGS, None, ReadRows(tuple(rows)))])


def read_csv(table: Dataset, path: Path) -> list[tuple[Value, ...]]:
    """Reads the file as somebody would who knows only the types of the columns."""
    with path.open(newline="", encoding="utf-8") as stream:
        head, *lines = csv.reader(stream)
    assert head == [column.name for column in table.columns]
    read: dict[str, Callable[[str], Value]] = {"text": str, "integer": int, "number": float, "yes or no": "true".__eq__}
    return [tuple(None if text == "" else read[column.kind](text) for column, text in zip(table.columns, line, strict=True))
            for line in lines]


@given(rows=ROWS)
def test_every_value_comes_back(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    table, folder = table_of(rows), tmp_path_factory.getbasetemp()
    assert len(table.rows) == len(rows)
    write_csv(table, folder / CSV)
    assert read_csv(table, folder / CSV) == [tuple(None if value == "" else value for value in row) for row in table.rows]


@given(rows=ROWS)
def test_every_value_comes_back_from_parquet(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table, path = table_of(rows), tmp_path_factory.getbasetemp() / PARQUET
    write_parquet(table, path)
    found = parquet.read_table(path)
    assert [tuple(row.values()) for row in found.to_pylist()] == list(table.rows)
    assert found.schema.field("seed").metadata == {b"description": BEFORE[7].about.encode()}


def test_the_columns_say_who_answered_and_what_is_unknown() -> None:
    figures = dict.fromkeys(MEASURES, 1.0)
    names = ("oracle", "llm-policy", "of-another-package")
    table = table_of([Row(name, "seen Simple", 3, figures) for name in names])
    assert table.values("replies") == ("none", "rules", "unknown")
    assert table.values("evaluation") == ("results",) * 3
    assert all(table.values(column.name) == (None,) * 3 for column in AFTER[:-2])
    other = Results(Path("two"), {**SETTINGS, "provider": "openai"}, None,
                    ReadRows((Row("llm-policy", "seen Simple", 3, figures),)))
    assert dataset([other]).values("replies") == ("language model",)


def results_folder(folder: Path, rows: int) -> Path:
    folder.mkdir()
    (folder / "sweep.json").write_text(json.dumps(SETTINGS))
    line = {"contestant": "llm-policy", "cell": "seen Simple", "figures": dict.fromkeys(MEASURES, 0.5)}
    (folder / "runs.jsonl").write_text("".join(json.dumps({**line, "seed": seed}) + "\n" for seed in range(rows)))
    return folder


def test_folders_become_one_table_with_a_card(tmp_path: Path) -> None:
    folders, said = [results_folder(tmp_path / name, rows) for name, rows in (("first", 2), ("second", 3))], list[str]()
    table = write_dataset(folders, tmp_path / "out", said.append)
    assert table.values("evaluation") == ("first",) * 2 + ("second",) * 3
    card = (tmp_path / "out" / CARD).read_text(encoding="utf-8")
    assert card.startswith("---\npretty_name: ")
    assert "**No language model took part in them.**" in card
    assert "| rules | 5 |" in card
    assert f"`first`: {OLD}." in card, "what is not known of them"
    assert all(f"| `{column.name}` | {column.kind} | " in card for column in table.columns)
    assert "5 episodes" in said[0]


def test_nothing_is_overwritten_and_wrong_folders_are_named(tmp_path: Path) -> None:
    folder = results_folder(tmp_path / "results", 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / CARD).write_text("my own card")
    with pytest.raises(UsageError, match=r"already holds a file README\.md"):
        write_dataset([folder], tmp_path / "out", print)
    assert (tmp_path / "out" / CARD).read_text() == "my own card"
    with pytest.raises(UsageError, match="two folders are named results"):
        write_dataset([folder, folder], tmp_path / "new", print)
    with pytest.raises(UsageError, match="no episode"):
        write_dataset([results_folder(tmp_path / "empty", 0)], tmp_path / "new", print)
    with pytest.raises(DataError, match=r"cannot read .*sweep\.json"):
        write_dataset([tmp_path / "nowhere"], tmp_path / "new", print)
    with pytest.raises(DataError, match="choose another folder"):
        write_dataset([folder], folder / "runs.jsonl" / "below", print)
