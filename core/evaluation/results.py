"""Reads the folder of an evaluation while it fills up or later, without its lock, and counts why episodes failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.common.errors import DataError
from core.evaluation.folder import SETTINGS, read_note
from core.evaluation.plan import EvaluationPlan
from core.evaluation.rows import NONE_READ, ROWS, Played, ReadRows, read_rows
from core.evaluation.suites import SUITES, suite
from core.suites.suite import Row

OLD = "an earlier version played these episodes: they can be played again from their seeds, but nothing says how they went"


@dataclass(frozen=True, slots=True)
class Results:
    """The content of a folder at one moment.

    Attributes:
        settings: its `sweep.json`.
        plan: what was asked for last; None: an earlier version played it.
        read: what was read of `runs.jsonl`.
    """

    folder: Path
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    plan: EvaluationPlan | None = None
    read: ReadRows = NONE_READ

    @property
    def rows(self) -> tuple[Row, ...]:
        """Its episodes in the order in which they were finished."""
        return self.read.rows

    @property
    def suite(self) -> str:
        """The suite's name."""
        return str(self.settings.get("suite", ""))

    @property
    def note(self) -> str:
        """What an earlier version did not keep, and which lines do not count, in one line; empty if nothing is missing."""
        old = OLD if any(row.origin is None for row in self.rows) else ""
        return "; ".join(filter(None, (old, self.read.notice(self.folder / ROWS))))

    @property
    def model(self) -> str:
        """The source of the replies."""
        return str(self.settings.get("model", self.settings.get("provider", "")))



def is_results(folder: Path) -> bool:
    """Returns whether a folder holds results of `evaluate`."""
    return (folder / SETTINGS).is_file()


def read_results(folder: Path, before: Results | None = None) -> Results:
    """Returns the content of a folder. A line that is being written is left for the next time.

    Args:
        folder: the folder.
        before: what was read earlier: only what was added since is read.

    Raises:
        DataError: it is not a folder of results, or cannot be read.
        MissingPart: its suite needs a package that is not installed.
    """
    settings, plan = read_note(folder)
    if settings["suite"] not in SUITES:
        raise DataError(f"{folder / SETTINGS} names no known suite")
    names = settings.get("contestants", {}).keys()
    played = Played(suite(settings["suite"]), names | set(plan.planners) if names and plan is not None else names)
    try:
        return Results(folder, settings, plan, read_rows(folder / ROWS, played, (before or Results(folder)).read))
    except OSError as error:
        raise DataError(f"cannot read {folder / ROWS}: {error.strerror or error}") from error


def classes_of(rows: Iterable[Row]) -> Counter[str]:
    """Returns how many failed episodes have which proposed failure label; `not analysed` for those of earlier versions."""
    return Counter(row.origin.label if row.origin is not None and row.origin.label else "not analysed"
                   for row in rows if row.has_failed)


def class_table(results: Results) -> tuple[list[str], list[list[str]]]:
    """Returns the failure classes with counts per contestant and cell: the head, and a line for each that has failures."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in results.rows:
        groups.setdefault((row.contestant, row.cell), []).append(row)
    counts = {key: classes_of(rows) for key, rows in groups.items()}
    total = sum(counts.values(), Counter())
    labels = [label for label, _ in total.most_common()]
    order = {cell: k for k, cell in enumerate(suite(results.suite).cells)}
    keys = sorted((key for key, count in counts.items() if count), key=lambda key: (key[0], order.get(key[1], len(order))))
    lines = [[*key, str(len(groups[key])), str(counts[key].total()), *(str(counts[key][label]) for label in labels)]
             for key in keys]
    return ["planner", "cell", "episodes", "failed", *labels], lines
