"""A sweep's rows as tables in the form of the paper's, as CSV, and as a plot."""

from __future__ import annotations

import importlib.util
import logging
import math
import statistics
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.installation import needs
from core.suites.suite import Measure, Row, Suite

NOTE = "Means ± standard errors (none for a single episode); SD: standard deviation over the episodes."
OFFLINE = "No language model took part in rows answered by `commonsense`."
SURE = 1.96
"""Standard normal quantile of a 95 % interval."""


def origin(model: str, dates: str, left_out: str, *, is_model: bool) -> str:
    """Returns a paragraph on the origin of a sweep's rows.

    Args:
        model: the source of the replies, as the provider names it.
        dates: when the episodes were played; empty if unknown.
        left_out: what is missing and why, in sentences.
        is_model: whether a language model answered.
    """
    played = f", played {dates}" if dates else ""
    return " ".join(filter(None, [f"Answered by `{model}`{played}.", "" if is_model else OFFLINE, left_out]))


@dataclass(frozen=True, slots=True)
class Figure:
    """One entry: mean and standard error over the episodes; rates in per cent with their 95 % interval (Wilson).

    `error` is None for a single episode, and for a mean of cells of which one has a single episode. `deviation` is the standard
    deviation over the episodes; None for rates, for means of cells, and for a single episode.
    """

    episodes: int
    mean: float
    error: float | None
    low: float
    high: float
    digits: int
    deviation: float | None = None

    def __str__(self) -> str:
        mean = f"{self.mean:.{self.digits}f}"
        return mean if self.error is None else f"{mean}±{self.error:.{self.digits}f}"


def figure(values: Sequence[float], measure: Measure) -> Figure | None:
    """Returns a cell's figure of one measure; None without episodes."""
    n = len(values)
    if not n:
        return None
    mean = sum(values) / n
    if measure.rate:
        low, high = _wilson(mean, n)
        error = 100 * math.sqrt(mean * (1 - mean) / n) if n > 1 else None
        return Figure(n, 100 * mean, error, 100 * low, 100 * high, measure.digits)
    if n == 1:
        return Figure(n, mean, None, mean, mean, measure.digits)
    deviation = statistics.stdev(values, mean)
    error = deviation / math.sqrt(n)
    return Figure(n, mean, error, mean - SURE * error, mean + SURE * error, measure.digits, deviation)


def _wilson(p: float, n: int) -> tuple[float, float]:
    """Returns the score interval of a proportion (Wilson 1927). It is also valid at 0 and 1, where the standard error is 0."""
    z = SURE * SURE / n
    centre, half = (p + z / 2) / (1 + z), SURE * math.sqrt(p * (1 - p) / n + z / (4 * n)) / (1 + z)
    return max(0.0, centre - half), min(1.0, centre + half)


Figures = Mapping[str, Mapping[str, Figure | None]]


def figures(suite: Suite, rows: Sequence[Row], measure: Measure) -> Figures:
    """Returns contestant -> cell -> figure, contestants in order of appearance."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        values = found.setdefault(row.contestant, {}).setdefault(row.cell, [])
        if measure.key in row.figures:
            values.append(row.figures[measure.key])
    return {name: {cell: figure(cells.get(cell, []), measure) for cell in suite.cells} for name, cells in found.items()}


def mean_of(cells: Mapping[str, Figure | None], names: Sequence[str]) -> Figure | None:
    """Returns the mean of several cells with equal weights; None if one of them has no episodes."""
    found = [f for f in (cells[name] for name in names) if f is not None]
    if not found or len(found) < len(names):
        return None
    mean, errors = sum(f.mean for f in found) / len(found), [f.error for f in found if f.error is not None]
    episodes = sum(f.episodes for f in found)
    if len(errors) < len(found):
        return Figure(episodes, mean, None, mean, mean, found[0].digits)
    error = math.sqrt(sum(e**2 for e in errors)) / len(found)
    return Figure(episodes, mean, error, mean - SURE * error, mean + SURE * error, found[0].digits)


def markdown(suite: Suite, rows: Sequence[Row], offline: Collection[str] = (), origin_text: str = OFFLINE) -> str:
    """Returns one table per measure with the published figures below ours, then the suite's own tables (`Suite.details`).

    Args:
        suite: the suite.
        rows: its episodes.
        offline: contestants whose requests no language model answered; their rows are marked.
        origin_text: the paragraph on the origin (`origin`).
    """
    parts = [f"# Suite {suite.name}", origin_text, f"{NOTE} {suite.note}"]
    for measure in suite.measures:
        ours = figures(suite, rows, measure)
        lines = [[titled(name, offline), *(_cell(f) for f in cells.values()),
                  *(_cell(mean_of(cells, names)) for names in suite.means.values())] for name, cells in ours.items()]
        if measure is suite.measures[0]:
            lines += [[f"*published: {name}*", *_published(suite, name),
                       *(_number(_published_mean(suite, values, names), measure) for names in suite.means.values())]
                      for name, values in suite.published.items()]
        lines += [[f"*published: {name}*", *cells, *("–" for _ in suite.means)]
                  for name, cells in suite.printed.get(measure.key, {}).items()]
        parts += [f"{measure.title}:", grid(["", *suite.cells, *suite.means], lines)]
        if measure.rate:
            spans = [[name, *(f"{f.low:.0f}–{f.high:.0f}, n={f.episodes}" if f else "–" for f in cells.values())]
                     for name, cells in ours.items()]
            parts += [f"{measure.title}, 95 % interval:", grid(["", *suite.cells], spans)]
    return "\n\n".join(filter(None, [*parts, suite.details(rows, offline)])) + "\n"


def titled(name: str, offline: Collection[str]) -> str:
    """Returns a contestant's row title, which says if no language model answered."""
    return f"{name} (no language model)" if name in offline else name


def _published(suite: Suite, name: str) -> list[str]:
    """Returns the cells of a published row, with their standard errors where the paper prints them."""
    measure, values = suite.measures[0], suite.published[name]
    errors = suite.published_errors.get(name, (None,) * len(values))
    return [_number(v, measure) if e is None else f"{_number(v, measure)}±{_number(e, measure)}"
            for v, e in zip(values, errors, strict=True)]


def _published_mean(suite: Suite, values: Sequence[float | None], names: Sequence[str]) -> float | None:
    found = [v for cell, v in zip(suite.cells, values, strict=True) if cell in names and v is not None]
    return sum(found) / len(found) if len(found) == len(names) else None


def _number(value: float | None, measure: Measure) -> str:
    return "–" if value is None else f"{value:.{measure.digits}f}"


def _cell(figure: Figure | None) -> str:
    if figure is None or figure.deviation is None:
        return "–" if figure is None else str(figure)
    return f"{figure} (SD {figure.deviation:.{figure.digits}f})"


def grid(head: list[str], rows: list[list[str]]) -> str:
    """Returns a table as Markdown, its columns aligned."""
    widths = [max(len(r[k]) for r in [head, *rows]) for k in range(len(head))]
    lines = [" | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in [head, *rows]]
    lines.insert(1, "-|-".join("-" * w for w in widths))
    return "\n".join(f"| {line} |" for line in lines)


COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C")
"""Colours safe for colour-blind readers (Okabe and Ito, 2008). From the ninth contestant on they repeat, hatched."""
HATCHES = ("", "///", "...")
LABEL = 13
"""Number of letters in a line under a cell."""
WIDEST = 18.0
"""Maximum width in inches."""
SHARE = 0.82
"""Share of a cell's width that is filled with bars."""


def missing_for_plots() -> str:
    """Returns which package plots need and how to install it; empty if they can be drawn."""
    return "" if importlib.util.find_spec("matplotlib") is not None else needs("plot.png", ["matplotlib"], "plots")


def empty_figure(width: float, height: float) -> Any:
    """Returns a Matplotlib figure of a size in inches."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it complains of a read-only home folder
    from matplotlib.figure import Figure  # imported here: it takes half a second, and only sweeps draw

    return Figure(figsize=(width, height), layout="constrained")


def plot(suite: Suite, rows: Sequence[Row], path: Path, offline: Collection[str] = ()) -> None:
    """Writes the first measure by cell as PNG: a bar per contestant with its 95 % interval, a diamond for the paper's figure.

    Args:
        suite: the suite.
        rows: its episodes.
        path: the file to write.
        offline: contestants whose requests no language model answered; the key marks them.
    """
    measure = suite.measures[0]
    ours = figures(suite, rows, measure)
    chart = empty_figure(min(WIDEST, max(7.0, 1.2 * len(suite.cells))), 5.0)
    axes = chart.subplots()
    width = SHARE / max(1, len(ours))
    for k, (name, cells) in enumerate(ours.items()):
        shown = [(i + (k - (len(ours) - 1) / 2) * width, f) for i, f in enumerate(cells.values()) if f is not None]
        spans = [[f.mean - max(0.0, f.low) for _, f in shown], [max(f.high, f.mean) - f.mean for _, f in shown]]
        axes.bar([x for x, _ in shown], [f.mean for _, f in shown], width * 0.92, yerr=spans, capsize=2,
                 label=titled(name, offline), color=COLOURS[k % len(COLOURS)], edgecolor="white",
                 hatch=HATCHES[k // len(COLOURS) % len(HATCHES)], zorder=2,
                 error_kw={"elinewidth": 1, "ecolor": "#333333"})
    marks = [(i, v) for i, v in enumerate(suite.published[suite.method]) if v is not None]
    axes.scatter([i for i, _ in marks], [v for _, v in marks], marker="D", s=34, color="black", edgecolors="white", zorder=3,
                 label=f"published: {suite.method}, other worlds and models")
    axes.set_xticks(range(len(suite.cells)), [_wrapped(cell) for cell in suite.cells], fontsize=8)
    axes.set_xlim(-0.6, len(suite.cells) - 0.4)
    axes.set_ylabel(measure.title)
    axes.set_ylim(0, 104 if measure.rate else None)
    axes.grid(axis="y", color="#dddddd", zorder=0)
    axes.spines[["top", "right"]].set_visible(False)
    chart.suptitle(f"Suite {suite.name}: {measure.title.lower()}, bars with 95 % intervals", fontsize=11)
    chart.legend(ncols=max(2, int(chart.get_figwidth() // 3.6)), fontsize=8, loc="outside lower center", frameon=False)
    chart.savefig(path, dpi=130)


def _wrapped(cell: str) -> str:
    return textwrap.fill(cell.replace("-", "- "), LABEL, break_long_words=False).replace("- ", "-")
