"""`evaluate`: a suite over many seeds, and what comes of it as a table, a CSV file and a plot."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from core.evaluation import plots, sweep, table
from core.evaluation.contestant import contestant, named
from core.evaluation.open_worlds import OpenWorld
from core.evaluation.registry import suite
from core.planners.registry import planner_class


def evaluate(args: argparse.Namespace, opener: Callable[[str], OpenWorld], say: Callable[[str], None]) -> None:
    """Play what is missing, then write the table, the episodes as CSV, and a plot.

    Args:
        args: the flags.
        opener: what opens the scenes of a simulator, by its name.
        say: tells what was written.

    Raises:
        UsageError: no such suite or contestant.
    """
    chosen = suite(args.suite)
    trials, max_steps = args.trials or chosen.trials, args.max_steps or chosen.max_steps
    names = args.planner or [name for name in chosen.contestants if not _left_out(name, say)]
    everyone = tuple(contestant(name) for name in dict.fromkeys(names))
    plan = sweep.Sweep(chosen.name, everyone, trials, max_steps, args.provider, chosen.cells, args.first_seed)
    rows = sweep.play(plan, opener(chosen.simulator), args.out, args.jobs)
    unaided = [c.text for c in plan.contestants if args.provider == "commonsense" and planner_class(c.planner).asks]
    text = table.markdown(chosen, rows, unaided)
    (args.out / "table.md").write_text(text, encoding="utf-8")
    table.write_csv(chosen, rows, args.out / "episodes.csv")
    plots.plot(chosen, rows, args.out / "plot.png", unaided)
    sys.stdout.write(text)
    say(f"wrote table.md, episodes.csv and plot.png to {args.out}")


def _left_out(name: str, say: Callable[[str], None]) -> bool:
    """Whether a contestant that nobody named cannot take part; said with what it lacks."""
    missing = planner_class(named(name)).missing()
    if missing:
        say(f"without {name}: {missing}")
    return bool(missing)
