"""How often a second planner that only thinks agrees with the one that acts: measures and tables of a sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from core.suites.suite import SUCCESS, Measure, Row, Suite
from core.suites.table import figure, grid

DECISIONS = Measure("beside_decisions", "Decisions of the planner that only thinks, per episode")
AGREED = Measure("beside_agreed", "Equal decisions of these, per episode")
DIVERGED = Measure("beside_diverged", "Turn of the first different decision (0: none)")
CALLS = Measure("beside_calls", "Its model calls per episode, which are not counted above")
FAILED = Measure("beside_failed", "Turns in which it could not decide, per episode")
MEASURES = (DECISIONS, AGREED, DIVERGED, CALLS, FAILED)


def markdown(suite: Suite, rows: Sequence[Row], beside: str) -> str:
    """Returns the tables of agreement with a planner that only thinks, and who reaches the goal where both also play alone.

    Args:
        suite: the suite.
        rows: its episodes; those of `beside` itself are what it reaches alone.
        beside: the planner that only thinks.
    """
    names = list(dict.fromkeys(row.contestant for row in rows if row.contestant != beside))
    parts = [f"## Decisions compared with {beside}, which only thinks",
             f"{beside} observes the same turns and is told what was done. It never acts.",
             "Equal decisions, in per cent of all decisions of a cell:",
             grid(["", *suite.cells], [[name, *(_share(_of(rows, name, cell)) for cell in suite.cells)] for name in names]),
             "First different decision (turn, mean over the episodes that have one) and episodes without any:",
             grid(["", *suite.cells], [[name, *(_first(_of(rows, name, cell)) for cell in suite.cells)] for name in names])]
    alone = {(row.cell, row.seed): row for row in rows if row.contestant == beside}
    if alone and SUCCESS in suite.measures:
        lines = [[name, *_outcomes([row for row in rows if row.contestant == name], alone)] for name in names]
        parts += [f"Who reaches the goal of an episode, if {beside} plays it alone:",
                  grid(["", "both", "only this planner", f"only {beside}", "neither"], lines)]
    return "\n\n".join(parts) + "\n"


def _of(rows: Sequence[Row], name: str, cell: str) -> list[Row]:
    return [row for row in rows if row.contestant == name and row.cell == cell
            and {DECISIONS.key, AGREED.key, DIVERGED.key} <= row.figures.keys()]


def _share(rows: Sequence[Row]) -> str:
    decisions = int(sum(row.figures[DECISIONS.key] for row in rows))
    agreed = int(sum(row.figures[AGREED.key] for row in rows))
    return f"{100 * agreed / decisions:.1f} ({agreed} of {decisions})" if decisions else "–"


def _first(rows: Sequence[Row]) -> str:
    turns = [turn for row in rows if (turn := row.figures[DIVERGED.key])]
    found = figure(turns, DIVERGED)
    return f"{'–' if found is None else found}; none in {len(rows) - len(turns)} of {len(rows)}" if rows else "–"


def _outcomes(rows: Sequence[Row], alone: Mapping[tuple[str, int], Row]) -> list[str]:
    """Returns in how many episodes that both played both, only one, only the other, or neither reached the goal."""
    pairs = [(row, alone[row.cell, row.seed]) for row in rows if (row.cell, row.seed) in alone]
    counts = Counter((not one.has_failed, not other.has_failed) for one, other in pairs)
    return [f"{counts[ours, theirs]}" for ours, theirs in ((True, True), (True, False), (False, True), (False, False))]
