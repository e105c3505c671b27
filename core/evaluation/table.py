"""A sweep's rows as a table like the paper's, a CSV and a plot."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from core.evaluation.rearrangement import CELLS, Cell
from core.evaluation.sweep import Row

PUBLISHED: dict[str, tuple[float, ...]] = {
    "UCT": (0.0,) * 10,
    "GPT-2 policy": (81.3, 59.0, 41.2, 30.9, 2.3, 65.5, 39.9, 33.4, 12.8, 1.1),
    "GPT-3.5 policy": (83.4, 47.0, 74.3, 48.2, 5.4, 74.3, 43.3, 67.8, 54.0, 6.9),
    "LLM-MCTS": (91.4, 71.2, 88.1, 72.6, 33.6, 82.9, 71.9, 79.3, 70.4, 38.8),
    "no heuristic policy": (0.0,) * 10,
    "uniform state prior": (3.2, 0.0, 1.1, 0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 0.0),
    "fully observable": (94.0, 80.7, 94.3, 78.5, 34.0, 85.1, 77.5, 82.2, 76.6, 37.9),
}
"""Success in per cent as published (LLM-MCTS, tables 1 and 2), in the order of CELLS; their homes and models, not ours."""
NOTE = ("Mean ± standard error of the success rate in per cent. The published figures were measured in other homes with other "
        "models (VirtualHome, GPT-3.5); they are not comparable to ours. No language model took part in rows answered by "
        "`commonsense`.")


@dataclass(frozen=True, slots=True)
class Figure:
    """One entry: success in per cent with its standard error, mean steps (a failure counts as all), requests and seconds."""

    episodes: int
    success: float
    error: float
    steps: float
    requests: float
    seconds: float

    def __str__(self) -> str:
        return f"{self.success:.1f}±{self.error:.1f}"


def figure(rows: Sequence[Row], max_steps: int) -> Figure | None:
    """A cell's figures; None without episodes."""
    n = len(rows)
    if not n:
        return None
    p = sum(r.success for r in rows) / n
    steps = sum(r.steps if r.success else max_steps for r in rows) / n
    return Figure(n, 100 * p, 100 * math.sqrt(p * (1 - p) / n), steps, sum(r.requests for r in rows) / n,
                  sum(r.seconds for r in rows) / n)


def figures(rows: Sequence[Row], max_steps: int) -> dict[str, dict[Cell, Figure | None]]:
    """Contestant -> cell -> figures, in order of appearance."""
    names = list(dict.fromkeys(r.contestant for r in rows))
    return {name: {cell: figure([r for r in rows if (r.contestant, r.cell, r.seen) == (name, cell.name, cell.seen)], max_steps)
                   for cell in CELLS} for name in names}


def markdown(rows: Sequence[Row], max_steps: int) -> str:
    """The table with published figures beside ours, and steps and requests below."""
    ours = figures(rows, max_steps)
    head = ["", *(f"{'seen' if c.seen else 'unseen'} {c.name}" for c in CELLS)]
    success = [[name, *(str(f) if f else "–" for f in cells.values())] for name, cells in ours.items()]
    published = [[f"*published: {name}*", *(f"{v:.1f}" for v in values)] for name, values in PUBLISHED.items()]
    steps = [[name, *(f"{f.steps:.1f}" if f else "–" for f in cells.values())] for name, cells in ours.items()]
    asked = [[name, *(f"{f.requests:.1f}" if f else "–" for f in cells.values())] for name, cells in ours.items()]
    parts = [NOTE, _table(head, [*success, *published]),
             "Mean steps (a failed episode counts as all of them):", _table(head, steps),
             "Policy requests per decision:", _table(head, asked)]
    return "\n\n".join(parts) + "\n"


def _table(head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(r[k]) for r in [head, *rows]) for k in range(len(head))]
    lines = [" | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in [head, *rows]]
    lines.insert(1, "-|-".join("-" * w for w in widths))
    return "\n".join(f"| {line} |" for line in lines)


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """One line an episode."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [f.name for f in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def plot(rows: Sequence[Row], max_steps: int, path: Path) -> None:
    """Success by cell, a bar a contestant with its standard error, as PNG."""
    import matplotlib as mpl  # imported here: it takes a second, and only sweeps draw

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    ours = figures(rows, max_steps)
    chart, axes = plt.subplots(figsize=(12, 4.5), layout="constrained")
    width = 0.8 / max(1, len(ours))
    for k, (name, cells) in enumerate(ours.items()):
        shown = [(i, f) for i, f in enumerate(cells.values()) if f is not None]
        axes.bar([i + (k - (len(ours) - 1) / 2) * width for i, _ in shown], [f.success for _, f in shown], width * 0.92,
                 yerr=[f.error for _, f in shown], capsize=2, label=name)
    axes.set_xticks(range(len(CELLS)), [f"{c.name}\n{'seen' if c.seen else 'unseen'}" for c in CELLS])
    axes.set_ylabel(f"success within {max_steps} steps, %")
    axes.set_ylim(0, 104)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(ncols=4, fontsize=8, loc="lower left", frameon=True)
    chart.savefig(path, dpi=130)
    plt.close(chart)
