"""What a page shows of an evaluation: figures of each cell, what is left and what that may take, and an earlier one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from core.evaluation.plan import Estimate, estimate
from core.evaluation.results import Results, classes_of
from core.evaluation.suites import suite
from core.suites.suite import Measure, Row
from core.suites.table import Figure, figure

Cell = tuple[str, str]
"""A contestant and a cell of the suite."""


@dataclass(frozen=True, slots=True)
class Overview:
    """An evaluation at one moment.

    Attributes:
        results: the folder's content.
        contestants, cells, measures: the rows and columns of the table, and what it can show.
        episodes: the episodes of each cell, by seed.
        failed: how many of them failed, by proposed failure label.
        figures: by measure, contestant and cell; those without episodes are absent.
        total: the number of episodes of the plan; 0 if there is none.
        left: how many of them have no result.
        estimate: what is left may take this; None: nothing is left, or there is no plan.
        before: the figures of an earlier evaluation to compare with.
        beside: the name of its folder; empty: there is none.
        published: the paper's figures of the first measure for its own method, by cell.
    """

    results: Results
    contestants: tuple[str, ...]
    cells: tuple[str, ...]
    measures: tuple[Measure, ...]
    episodes: Mapping[Cell, tuple[Row, ...]]
    failed: Mapping[Cell, Counter[str]]
    figures: Mapping[tuple[str, Cell], Figure]
    total: int = 0
    left: int = 0
    estimate: Estimate | None = None
    before: Mapping[tuple[str, Cell], Figure] = field(default_factory=lambda: MappingProxyType({}))
    beside: str = ""
    published: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


def overview(results: Results, other: Results | None = None, known: Iterable[Row] = ()) -> Overview:
    """Returns what a page shows of a folder.

    Args:
        results: its content.
        other: an earlier evaluation of the same suite to compare with.
        known: further episodes that the estimate may use, of the same suite and model.
    """
    chosen, plan = suite(results.suite), results.plan
    episodes = _by_cell(results.rows)
    names = dict.fromkeys((*(plan.planners if plan is not None else ()), *(name for name, _ in episodes)))
    left = sum(plan.left(results.rows).values()) if plan is not None else 0
    paper = zip(chosen.cells, chosen.published.get(chosen.method, ()), strict=False)
    return Overview(
        results, tuple(names), chosen.cells, chosen.measures, episodes,
        {key: classes_of(rows) for key, rows in episodes.items()}, _figures(episodes, chosen.measures),
        plan.episodes if plan is not None else 0, left,
        estimate(plan, results.rows, (*results.rows, *known)) if plan is not None and left else None,
        {} if other is None else _figures(_by_cell(other.rows), chosen.measures), "" if other is None else other.folder.name,
        {cell: value for cell, value in paper if value is not None})


def _by_cell(rows: Iterable[Row]) -> dict[Cell, tuple[Row, ...]]:
    found: dict[Cell, list[Row]] = {}
    for row in rows:
        found.setdefault((row.contestant, row.cell), []).append(row)
    return {key: tuple(sorted(group, key=lambda row: (not row.has_failed, row.seed))) for key, group in found.items()}


def _figures(episodes: Mapping[Cell, Iterable[Row]], measures: Iterable[Measure]) -> dict[tuple[str, Cell], Figure]:
    found = {(m.key, key): figure([row.figures[m.key] for row in rows if m.key in row.figures], m)
             for m in measures for key, rows in episodes.items()}
    return {key: one for key, one in found.items() if one is not None}
