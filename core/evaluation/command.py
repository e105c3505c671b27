"""`evaluate`: a suite over many seeds, and what comes of it as a table, a CSV file and a plot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from core.errors import UsageError
from core.evaluation import sweep, table
from core.evaluation.contestant import contestant
from core.evaluation.sweep import OpenWorld


def evaluate(args: argparse.Namespace, contestants: Sequence[str], open_world: OpenWorld, say: Callable[[str], None]) -> None:
    """Play what is missing, then write the table, the episodes as CSV, and a plot.

    Raises:
        UsageError: no such contestant, or numbers that make no sense.
    """
    if args.trials < 1 or args.max_steps < 1:
        raise UsageError("--trials and --max-steps: give at least 1")
    names = args.planner or list(contestants)
    plan = sweep.Sweep(tuple(contestant(name) for name in dict.fromkeys(names)), args.trials, args.max_steps, args.provider)
    rows = sweep.play(plan, open_world, args.out, args.jobs)
    text = table.markdown(rows, args.max_steps)
    (args.out / "table.md").write_text(text, encoding="utf-8")
    table.write_csv(rows, args.out / "episodes.csv")
    table.plot(rows, args.max_steps, args.out / "success.png")
    sys.stdout.write(text)
    say(f"wrote table.md, episodes.csv and success.png to {args.out}")
