"""The plot of the suite: accuracy by size as in figure 2 of LLM-MCTS, and the description lengths of section 4 below."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from core.planners.decision_lab.description_length import Lengths, journey, multiplication, rearrangement
from core.suites.suite import Row, Suite
from core.suites.table import COLOURS, empty_figure, figures, titled

CITIES, OBJECTS = range(5, 101, 5), range(5, 101, 5)
CONTAINERS, ROOMS = 10, 4
"""The house of the plot of rearrangement lengths."""
APART = 0.06
"""Distance between the points of two contestants, as a share of a step in size."""
COLUMNS, MULTIPLICATION = 3, "multiplication"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def draw(suite: Suite, cells: Sequence[tuple[str, str, int]], rows: Sequence[Row], path: Path,
         offline: Collection[str]) -> None:
    """Writes the plot as PNG.

    Args:
        suite: the suite.
        cells: (cell, panel, size) of each cell, in the order of the panels.
        rows: its episodes.
        path: the file to write.
        offline: contestants whose requests no language model answered; the key marks them.
    """
    panels = tuple(dict.fromkeys(panel for _, panel, _ in cells))
    chart = empty_figure(4.2 * COLUMNS, 7.6)
    axes = chart.subplots(2, COLUMNS)
    for spare in axes[0][len(panels):]:
        spare.set_axis_off()
    for k, panel in enumerate(panels):
        sizes = {cell: size for cell, of, size in cells if of == panel}
        _accuracy(axes[0][k], suite, sizes, rows, offline)
        axes[0][k].set_title(f"{panel[0].upper()}{panel[1:]}", fontsize=10)
        axes[0][k].set_xlabel("Digits of each factor" if panel == MULTIPLICATION else "Flights of the shortest path",
                              fontsize=9)
    axes[0][0].set_ylabel("Correct, %")
    _lengths(axes[1][0], "Multiplication", "Digits of each factor", [(n, multiplication(n)) for n in range(1, 10)])
    _lengths(axes[1][1], "Journeys", "Cities", [(n, journey(n, n - 1 + n // 2)) for n in CITIES])
    _lengths(axes[1][2], f"Rearrangement, {CONTAINERS} containers, {ROOMS} rooms", "Objects",
             [(n, rearrangement(n, CONTAINERS, ROOMS)) for n in OBJECTS])
    axes[1][0].set_ylabel("Description length, bits")
    chart.suptitle(f"Suite {suite.name}: correct answers by size, with 95 % intervals; description lengths", fontsize=11)
    handles, labels = axes[0][0].get_legend_handles_labels()
    if handles:
        chart.legend(handles, labels, ncols=3, fontsize=8, loc="outside lower center", frameon=False)
    chart.savefig(path, dpi=130)


def _accuracy(axes: Any, suite: Suite, sizes: dict[str, int], rows: Sequence[Row], offline: Collection[str]) -> None:
    """Draws a line for each contestant, and the paper's figures as diamonds."""
    ours = figures(suite, rows, suite.measures[0])
    for k, (name, found) in enumerate(ours.items()):
        aside = (k - (len(ours) - 1) / 2) * APART
        shown = [(size, figure) for cell, size in sizes.items() if (figure := found[cell]) is not None]
        spans = [[f.mean - f.low for _, f in shown], [f.high - f.mean for _, f in shown]]
        axes.errorbar([size + aside for size, _ in shown], [f.mean for _, f in shown], yerr=spans, capsize=2, linewidth=1.5,
                      marker=MARKERS[k % len(MARKERS)], color=COLOURS[k % len(COLOURS)], label=titled(name, offline),
                      linestyle="--" if name.startswith("lab-policy") else "-")
    published = dict(zip(suite.cells, suite.published[suite.method], strict=True))
    marks = [(size, value) for cell, size in sizes.items() if (value := published[cell]) is not None]
    if marks:
        axes.scatter([x for x, _ in marks], [y for _, y in marks], marker="D", s=30, color="black", edgecolors="white",
                     zorder=3, label=f"published: {suite.method}")
    axes.set_xticks(list(sizes.values()))
    axes.set_ylim(-4, 104)
    axes.grid(color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)


def _lengths(axes: Any, title: str, size: str, values: Iterable[tuple[int, Lengths]]) -> None:
    """Draws the description lengths of both methods by size."""
    points = tuple(values)
    axes.plot([n for n, _ in points], [x.policy for _, x in points], "--", color=COLOURS[1], label="policy")
    axes.plot([n for n, _ in points], [x.model for _, x in points], "-", color=COLOURS[0], label="world model")
    axes.set_yscale("log")
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(size, fontsize=9)
    axes.legend(fontsize=8, frameon=False)
    axes.grid(color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
