"""Reads the folder of an evaluation while it fills up or later, without its lock, and counts why episodes failed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.common.errors import DataError
from core.evaluation.folder import ROWS, SETTINGS, row_of
from core.evaluation.plan import EvaluationPlan
from core.evaluation.suite import SUITES, Row, suite

OLD = "an earlier version played these episodes: they can be played again from their seeds, but nothing says how they went"


@dataclass(frozen=True, slots=True)
class Results:
    """The content of a folder at one moment.

    Attributes:
        settings: its `sweep.json`.
        plan: what was asked for last; None: an earlier version played it.
        rows: its episodes in the order in which they were finished.
        size: how many bytes of `runs.jsonl` were read.
    """

    folder: Path
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    plan: EvaluationPlan | None = None
    rows: tuple[Row, ...] = ()
    size: int = 0

    @property
    def suite(self) -> str:
        """The suite's name."""
        return str(self.settings.get("suite", ""))

    @property
    def note(self) -> str:
        """What an earlier version did not keep, in one line; empty if nothing is missing."""
        return OLD if any(row.origin is None for row in self.rows) else ""

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
        DataError: it is not a folder of results, or a line is damaged.
    """
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        if not isinstance(settings, dict) or settings.get("suite") not in SUITES:
            raise DataError(f"{folder / SETTINGS} names no known suite")
        plan = EvaluationPlan.of(settings["plan"]) if "plan" in settings else None
        now = replace(before or Results(folder), settings=settings, plan=plan)
        path = folder / ROWS
        size = path.stat().st_size if path.exists() else 0
        if size < now.size:
            now = replace(now, rows=(), size=0)
        if size == now.size:
            return now
        with path.open("rb") as stream:
            stream.seek(now.size)
            added = stream.read()
        added = added[:added.rfind(b"\n") + 1]
        rows = tuple(row_of(line) for line in added.decode("utf-8").splitlines())
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataError(f"cannot read results in {folder}: {error}") from error
    return replace(now, rows=(*now.rows, *rows), size=now.size + len(added))


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
