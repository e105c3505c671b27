"""Results of evaluations as one tidy table: one row per episode, as CSV and Parquet, with a data card that describes it.

Tidy as in H. Wickham, Tidy Data, Journal of Statistical Software 59 (2014): each variable is a column, each observation a row.
"""

from __future__ import annotations

import csv
import importlib.util
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from core.common.errors import UsageError
from core.common.files import replace_file, replacing
from core.common.installation import needs, version
from core.common.visible import readable
from core.evaluation import agreement
from core.evaluation.contestants import named
from core.evaluation.results import Results, read_results
from core.evaluation.suites import suite
from core.llm.model import OFFLINE
from core.planners.registry import parted, planner_class
from core.suites.suite import Measure, Row

Value = str | int | float | bool | None
Kind = Literal["text", "integer", "number", "yes or no"]
Replies = Literal["language model", "rules", "none", "unknown"]
CSV, PARQUET, CARD = "episodes.csv", "episodes.parquet", "README.md"
SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
"""The classes of size in the metadata of data cards."""
RULES_NOTE = "Rows with `replies` = `rules` were answered by hand-written rules. **No language model took part in them.**"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table.

    Attributes:
        name: its name.
        kind: the type of its values. Each may be missing: empty in CSV, null in Parquet.
        about: what it means, with its unit.
    """

    name: str
    kind: Kind
    about: str


BEFORE: Final = (
    Column("evaluation", "text", "name of the folder that holds the results"),
    Column("suite", "text", "name of the suite"),
    Column("edition", "integer", "number of the suite's definition; figures of different editions are not comparable"),
    Column("contestant", "text", "planner, preset and changed parameters: `planner:preset+name=value`"),
    Column("planner", "text", "name of the planner"),
    Column("preset", "text", "its preset; missing: its default parameters"),
    Column("cell", "text", "cell of the suite: the kind of task, and of home"),
    Column("seed", "integer", "the episode's number; with suite, cell and contestant it is unique within a folder"),
    Column("provider", "text", "source of replies that was chosen for the evaluation"),
    Column("model", "text", "the model, as its source names it"),
    Column("replies", "text", "who answers this planner's requests: language model, rules, none (it makes none), unknown"),
)
AFTER: Final = (
    Column("scene", "text", "the home or room"),
    Column("world_seed", "integer", "seed that the simulator was reset with"),
    Column("planner_seed", "integer", "seed that the planner began with"),
    Column("task", "text", "the goal in words"),
    Column("goal", "text", "the goal in the formal language"),
    Column("max_steps", "integer", "number of actions after which the episode is given up"),
    Column("goal_reached", "yes or no", "whether the simulator holds the goal for reached at the end"),
    Column("ended", "text", "why the episode ended"),
    Column("turns", "integer", "number of executed actions"),
    Column("actions_digest", "text", "digest of the actions and of which of them succeeded; equal for equal episodes"),
    Column("total_seconds", "number", "duration of the episode in seconds, with waiting for replies"),
    Column("new_replies", "integer", "number of replies that were not from the cache"),
    Column("tokens_in", "integer", "tokens of their prompts"),
    Column("tokens_out", "integer", "tokens of these replies"),
    Column("failure_label", "text", "class of the failure, proposed by a program; missing: the goal was reached, or unknown"),
    Column("failure_turn", "integer", "turn in which it went wrong"),
    Column("failure_reason", "text", "why this class, in one sentence"),
    Column("first_played", "text", "date in UTC on which the first episode of the folder was played: YYYY-MM-DD"),
    Column("last_played", "text", "date of the last run of the evaluation in this folder"),
)


@dataclass(frozen=True, slots=True)
class Dataset:
    """The table.

    Attributes:
        results: the folders that it is made from.
        columns: its columns.
        rows: one tuple per episode, with one value per column.
    """

    results: tuple[Results, ...]
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]

    def values(self, name: str) -> tuple[Value, ...]:
        """Returns the values of a column, in the order of the rows."""
        place = [column.name for column in self.columns].index(name)
        return tuple(row[place] for row in self.rows)


def dataset(results: Sequence[Results]) -> Dataset:
    """Returns the episodes of results folders as one table. A measure is a column if one of the suites has it.

    Raises:
        UsageError: two folders have the same name.
    """
    names = [readable(one.folder.resolve().name) for one in results]
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise UsageError(f"two folders are named {twice[0]}: rename one, because the column `evaluation` holds the name")
    measures = _measures(results)
    columns = (*BEFORE, *(Column(m.key, "number", _about(m)) for m in measures), *AFTER)
    rows = [
        (*_before(one, name, row), *(_number(row.figures.get(m.key)) for m in measures), *_after(one, row))
        for one, name in zip(results, names, strict=True) for row in one.rows]
    return Dataset(tuple(results), columns, tuple(rows))


def _measures(results: Sequence[Results]) -> tuple[Measure, ...]:
    """Returns the measures of the suites; those of a second planner only where it took part."""
    played = {key for one in results for row in one.rows for key in row.figures}
    own = {m.key: m for one in results for m in suite(one.suite).measures}
    beside = {m.key: m for m in agreement.MEASURES if m.key in played}
    return tuple({**own, **beside}.values())


def _about(measure: Measure) -> str:
    text = measure.title[:1].lower() + measure.title[1:]
    return f"{text.removesuffix(', %')}: 1 or 0" if measure.rate else text.replace(" per episode", "")


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _before(results: Results, name: str, row: Row) -> tuple[Value, ...]:
    choice = parted(row.contestant)
    settings = results.settings
    return (name, results.suite, int(settings.get("edition", 1)), row.contestant, choice.planner, choice.preset or None,
            row.cell, row.seed, str(settings.get("provider", "")) or None, results.model or None,
            _replies(row.contestant, results))


def _replies(text: str, results: Results) -> Replies:
    try:
        asks = planner_class(named(text)).asks
    except UsageError:
        return "unknown"  # a planner of a package that is not installed here
    return "none" if not asks else "rules" if results.settings.get("provider") == OFFLINE else "language model"


def _after(results: Results, row: Row) -> tuple[Value, ...]:
    dates = tuple(str(results.settings.get(key, "")) or None for key in ("begun", "last"))
    o = row.origin
    if o is None:
        return (*(None for _ in AFTER[:-len(dates)]), *dates)
    return (o.scene, o.world_seed, o.seed, o.task, o.goal, o.max_steps, o.success, o.ended, o.turns, o.actions, o.seconds,
            o.calls, o.tokens_in, o.tokens_out, o.label or None, o.turn or None, o.because or None, *dates)


# --- files -------------------------------------------------------------------
def write_csv(table: Dataset, draft: Path) -> None:
    """Writes the table to a new file as CSV in UTF-8. Missing values are empty; yes and no are `true` and `false`."""
    with draft.open("w", newline="", encoding="utf-8", errors="backslashreplace") as stream:
        writer = csv.writer(stream)
        writer.writerow([column.name for column in table.columns])
        writer.writerows([_cell(value) for value in row] for row in table.rows)


def _cell(value: Value) -> str | int | float:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def lacks_parquet() -> str:
    """Returns which package Parquet needs and how to install it; empty if it can be written."""
    return "" if importlib.util.find_spec("pyarrow") is not None else needs(PARQUET, ["pyarrow"], "export")


def write_parquet(table: Dataset, draft: Path) -> None:
    """Writes the table to a new file as Parquet. The metadata of each field hold its `description`."""
    import pyarrow as pa  # type: ignore[import-not-found,import-untyped,unused-ignore]
    from pyarrow import parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]

    types = {"text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "yes or no": pa.bool_()}
    schema = pa.schema([pa.field(c.name, types[c.kind], metadata={"description": c.about}) for c in table.columns])
    arrays = [pa.array(values, field.type) for values, field in zip(zip(*table.rows, strict=True), schema, strict=True)]
    with draft.open("wb") as file:  # by its name, pyarrow opens only what is UTF-8
        parquet.write_table(pa.Table.from_arrays(arrays, schema=schema), file)


def card(table: Dataset, *, parquet: bool) -> str:
    """Returns the data card: metadata as data hubs read them, then what the table holds and how it came about."""
    rows, replies = len(table.rows), Counter(table.values("replies"))
    size = next((name for most, name in SIZES if rows < most), "n>1M")
    lines = [
        "---", f"pretty_name: {json.dumps('Evaluation of household planners: ' + ', '.join(_suites(table)))}",
        "language: [en]", "task_categories: [robotics]", "tags: [planning, household, belvedere]", f"size_categories: [{size}]",
        "configs:", "- config_name: episodes", f"  data_files: {PARQUET if parquet else CSV}", "---", "",
        "# Evaluation of household planners", "",
        f"{rows:,} episodes of {', '.join(_suites(table))}, played by Belvedere. "
        f"One row per episode, {len(table.columns)} columns.",
        "", "## How the episodes were played", ""]
    for one in table.results:
        lines += _origin(one)
    answered = [[str(who), f"{count:,}"] for who, count in replies.items()]
    lines += ["", "The command `episode` of Belvedere plays an episode again from its seeds, and compares it with its row.", "",
              "## Who answered", "", *_markdown(["replies", "episodes"], answered)]
    if replies["rules"]:
        lines += ["", RULES_NOTE]
    lines += ["", "## Columns", "", *_markdown(["column", "type", "missing", "meaning"], [
        [f"`{column.name}`", column.kind, f"{sum(value is None for value in table.values(column.name)):,}", column.about]
        for column in table.columns])]
    lines += ["", "## Limits", "", *(f"- {limit}" for limit in _limits(table)),
              "", "## Licence", "", "Not chosen. Add `license:` to the metadata above before you publish this table.", ""]
    return "\n".join(lines)


def _suites(table: Dataset) -> list[str]:
    return list(dict.fromkeys(one.suite for one in table.results))


def _origin(results: Results) -> list[str]:
    settings = results.settings
    begun, last = settings.get("begun", ""), settings.get("last", "")
    dates = begun if begun == last else f"{begun} to {last}"
    head = (f"- `{readable(results.folder.resolve().name)}`: suite {results.suite}, edition {settings.get('edition', 1)}; "
            f"{len(results.rows):,} episodes, at most {settings.get('max_steps', '?')} actions each; "
            f"model {results.model or 'none'}{f'; played {dates}' if dates else ''}")
    parameters: Mapping[str, Mapping[str, object]] = settings.get("contestants", {})
    names = dict.fromkeys(row.contestant for row in results.rows)
    return [head, *(f"  - `{name}`: {json.dumps(parameters[name].get('parameters', {}))}" if name in parameters
                    else f"  - `{name}`" for name in names)]


def _limits(table: Dataset) -> list[str]:
    found = []
    for one in table.results:
        left = sum(one.plan.left(one.rows).values()) if one.plan is not None else 0
        name = readable(one.folder.resolve().name)
        found += [f"`{name}` is not complete: {left:,} planned episodes have no result."] if left else []
        found += [f"`{name}`: {one.note}."] if one.note else []
        found += [f"{one.suite}: {' '.join(suite(one.suite).note.split())}"]
    return [*dict.fromkeys(found), "Failure labels are proposals of a program, not of a person.",
            "Seconds depend on the machine and on what else it did.",
            f"Version {version()} of Belvedere wrote the table; the episodes may have been played by earlier ones."]


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[text.replace("|", "\\|") for text in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells)]


def write_dataset(folders: Sequence[Path], out: Path, say: Callable[[str], None]) -> Dataset:
    """Writes results folders as one table to a folder: CSV, Parquet where pyarrow is installed, and the data card.

    Args:
        folders: folders of `evaluate`. They are only read.
        out: the folder to write to; it is made if it is missing.
        say: receives one line on what was written.

    Raises:
        UsageError: a folder is given twice, there is no episode, or `out` holds such files already.
        DataError: a folder cannot be read, or `out` cannot be written.
    """
    if there := [name for name in (CSV, PARQUET, CARD) if (out / name).exists()]:
        raise UsageError(f"{out} already holds a file {there[0]}: choose another folder")
    table, lacks = dataset([read_results(folder) for folder in folders]), lacks_parquet()
    if not table.rows:
        raise UsageError("there is no episode in these folders: play some with `evaluate`")
    with replacing(out / CSV, makes_folder=True) as draft:
        write_csv(table, draft)
    if not lacks:
        with replacing(out / PARQUET) as draft:
            write_parquet(table, draft)
    replace_file(out / CARD, card(table, parquet=not lacks).encode())
    files = f"{CSV} and {CARD}" if lacks else f"{CSV}, {PARQUET} and {CARD}"
    say(f"wrote {len(table.rows):,} episodes to {out}: {files}{f'; {lacks}' if lacks else ''}")
    return table
