"""A plot of a sweep's first measure: bars by cell, intervals, and the published figure beside them."""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Collection, Sequence
from pathlib import Path

from core.common.installation import needs
from core.evaluation.suite import Row, Suite
from core.evaluation.table import figures, titled

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C")
"""Colours safe for colour-blind readers (Okabe and Ito, 2008). From the ninth contestant on they repeat, hatched."""
HATCHES = ("", "///", "...")
LABEL = 13
"""Number of letters in a line under a cell."""
WIDEST = 18.0
"""Maximum width in inches."""
SHARE = 0.82
"""Share of a cell's width that is filled with bars."""


def missing() -> str:
    """Returns which package plots need and how to install it; empty if they can be drawn."""
    return "" if importlib.util.find_spec("matplotlib") is not None else needs("plot.png", ["matplotlib"], "plots")


def plot(suite: Suite, rows: Sequence[Row], path: Path, offline: Collection[str] = ()) -> None:
    """Writes the first measure by cell as PNG: a bar per contestant with its 95 % interval, a diamond for the paper's figure.

    Args:
        suite: the suite.
        rows: its episodes.
        path: the file to write.
        offline: contestants whose requests no language model answered; the key marks them.
    """
    import matplotlib as mpl  # imported here: it takes a second, and only sweeps draw

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    measure = suite.measures[0]
    ours = figures(suite, rows, measure)
    chart, axes = plt.subplots(figsize=(min(WIDEST, max(7.0, 1.2 * len(suite.cells))), 5.0), layout="constrained")
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
    plt.close(chart)


def _wrapped(cell: str) -> str:
    return textwrap.fill(cell.replace("-", "- "), LABEL, break_long_words=False).replace("- ", "-")
