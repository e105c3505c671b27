"""Tables I and III of the LLM-State paper as it prints them, with our episodes beside table I, task by task.

Table I gives successes of five episodes and average steps per task, one episode in each of five homes. A failed episode counts
as all its steps, in the paper as here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from core.suites.suite import Row
from core.suites.table import grid, titled


class PrintedTask(NamedTuple):
    """A row of table I.

    Attributes:
        text: the task in the paper's words; an asterisk marks tasks with an extra challenge, such as objects that cannot be
            grasped.
        cell: the cell of our suite that it belongs to.
        results: successes of five and average steps, for each of `METHODS`.
    """

    text: str
    cell: str
    results: tuple[tuple[int, float], ...]


METHODS = ("InnerM-W", "ProgPrompt", "w/o States", "Ours")
"""The columns of table I."""
OF_FIVE = 5
TABLE_I = (
    PrintedTask("Switch off the light in bedroom.", "simple", ((5, 4.0), (5, 7.0), (5, 6.2), (5, 6.2))),
    PrintedTask("Open the fridge.", "simple", ((5, 4.2), (5, 3.0), (5, 4.0), (5, 4.4))),
    PrintedTask("Put a book on the desk.", "simple", ((3, 19.4), (5, 5.2), (5, 4.8), (5, 5.0))),
    PrintedTask("Switch off all lights in the house.", "simple", ((1, 29.6), (5, 15.0), (3, 24.4), (5, 18.8))),
    PrintedTask("Use computer.", "simple", ((4, 8.8), (4, 9.4), (4, 8.4), (4, 8.4))),
    PrintedTask("Find a magazine, put it on a bed.", "simple", ((4, 13.4), (5, 15.0), (3, 16.6), (4, 14.8))),
    PrintedTask("Make toast.", "simple", ((4, 13.4), (5, 12.4), (5, 8.0), (5, 8.6))),
    PrintedTask("Heat milk with microwave.", "simple", ((0, 30.0), (0, 30.0), (4, 14.6), (4, 17.6))),
    PrintedTask("Put toothbrush and face cream in the bathroom cabinet.", "hard", ((0, 60.0), (0, 60.0), (0, 60.0), (4, 36.8))),
    PrintedTask("Empty the surface of kitchen table, and place them in kitchen cabinets.", "hard",
                ((0, 150.0), (0, 150.0), (0, 150.0), (2, 131.0))),
    PrintedTask("Get wine glass and juice, place them on desk.", "hard", ((0, 50.0), (0, 50.0), (0, 50.0), (3, 41.4))),
    PrintedTask("Make 3 slices of toasts using toaster and place them on kitchen table.", "hard",
                ((0, 60.0), (0, 60.0), (2, 55.8), (5, 40.0))),
    PrintedTask("Make 6 slices of toasts using toaster and place them on kitchen table.", "hard",
                ((0, 120.0), (0, 120.0), (0, 120.0), (4, 92.6))),
    PrintedTask("Make 2 slices of toasts using toaster and place them on kitchen table.*", "hard",
                ((0, 100.0), (0, 100.0), (0, 100.0), (4, 66.8))),
    PrintedTask("Take away three objects from the kitchen table.*", "hard", ((0, 100.0), (0, 100.0), (1, 86.8), (5, 38.2))),
)
"""Table I, in the order of the paper and of the suite's tasks."""

TABLE_III = ("Heat some food from fridge and bring it to the sofa.", (("ProgPrompt", "0/3 30.0"), ("w/o States", "0/3 30.0"),
                                                                       ("Ours", "3/3 21.0")))
"""Table III: the task of the real robot; successes of three and average steps, for each method."""


def table_iii() -> str:
    """Returns table III as Markdown. It has no column of ours, because no real robot is played here."""
    task, results = TABLE_III
    table = grid(["", *(f"*published: {name}*" for name, _ in results)], [[task, *(text for _, text in results)]])
    return f"Table III, a real robot, which is not played here:\n\n{table}"


def table_i(rows: Sequence[Row], homes: int, offline: Collection[str]) -> str:
    """Returns table I as Markdown: the paper's columns, then one for each contestant. A cell is successes, then mean steps.

    Args:
        rows: the episodes; those of varied cells are left out.
        homes: the number of homes, which the seeds take in turn.
        offline: contestants whose requests no language model answered.
    """
    ours = tuple(dict.fromkeys(row.contestant for row in rows))
    lines = [[task.text, *(f"{won}/{OF_FIVE} {steps:.1f}" for won, steps in task.results),
              *(_cell(row for row in rows if row.contestant == name and row.cell == task.cell and _is_of(row, task, homes))
                for name in ours)] for task in TABLE_I]
    head = ["", *(f"*published: {name}*" for name in METHODS), *(titled(name, offline) for name in ours)]
    return "\n\n".join(["Table I, successes and mean steps by task, in the paper's words:", grid(head, lines)])


def _is_of(row: Row, task: PrintedTask, homes: int) -> bool:
    tasks = [t for t in TABLE_I if t.cell == row.cell]
    return tasks[row.seed // homes % len(tasks)] is task


def _cell(rows: Iterable[Row]) -> str:
    found = [row.figures for row in rows]
    if not found:
        return "–"
    return f"{sum(f['success'] for f in found):.0f}/{len(found)} {sum(f['steps'] for f in found) / len(found):.1f}"
