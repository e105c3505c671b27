"""The command `evaluate`: plays a suite over many seeds, and writes a table, a CSV file and a plot."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence

from core.common.errors import UsageError
from core.common.files import replace_file, replacing
from core.common.parameters import described
from core.common.priority import lower_priority
from core.evaluation import agreement, dataset, sweep
from core.evaluation.contestants import contestant, named, with_settings
from core.evaluation.results import read_results
from core.evaluation.rows import CURE
from core.evaluation.suites import suite
from core.evaluation.worker import OpenWorld
from core.llm.budget import read_prices
from core.llm.embeddings import comparison_words, installed
from core.llm.model import OFFLINE
from core.llm.model_config import ModelConfig
from core.planners.registry import planner_class
from core.search.compilation.preparation import prepare
from core.suites import table
from core.suites.contestant import Contestant
from core.suites.suite import Suite

PAUSED = "paused"


def evaluate(args: argparse.Namespace, model: ModelConfig, opener: Callable[[str], OpenWorld],
             say: Callable[[str], None]) -> bool:
    """Plays what is missing, then writes the table, the episodes as CSV, and a plot of everything in the folder.

    Args:
        args: the flags.
        model: the model's configuration, with its limits.
        opener: returns what opens the scenes of a simulator, by its name.
        say: receives messages on what was written, what it cost, and what is missing.

    Returns:
        True if every episode has a result.

    Raises:
        UsageError: there is no such suite, contestant or cell, or flags contradict each other.
    """
    chosen = suite(args.suite)
    if (args.backend == "dask") != bool(args.scheduler):
        raise UsageError("--backend dask and --scheduler ADDRESS go together: give both, or neither")
    trials, max_steps = args.trials or chosen.trials, args.max_steps or chosen.max_steps
    names = args.planner or [name for name in chosen.contestants if not _left_out(name, say)]
    everyone = tuple(contestant(name) for name in dict.fromkeys(names))
    beside = with_settings(args.beside, args.beside_set)
    thinking = (*everyone, contestant(beside)) if beside else everyone
    plan = sweep.Sweep(chosen.name, everyone, trials, max_steps, model.provider, _cells(chosen, args.cell), args.first_seed,
                       tuple(model.options.items()), not args.no_cache, tuple(args.world), beside)
    resources = sweep.Resources(args.jobs, args.scheduler, model.limits, {**model.prices, **read_prices(args.prices)})
    if installed() is None and any(_tells_shots(c) for c in thinking):
        say(comparison_words())
    if any(planner_class(c.planner).searches for c in thinking):
        prepare(say)
    on_start = _end_with_input if args.while_input else _never
    result = sweep.play(plan, opener(chosen.simulator), args.out, resources, say, on_start)
    offline = [c.text for c in plan.contestants if model.provider == OFFLINE and planner_class(c.planner).asks]
    dates = str(result.dates)
    origin = table.origin(result.model, dates, _missing(result), is_model=result.is_model)
    text = table.markdown(chosen, result.rows, offline, origin)
    text += f"\n{agreement.markdown(chosen, result.rows, beside)}" if beside else ""
    replace_file(args.out / "table.md", text.encode(), CURE)
    with replacing(args.out / dataset.CSV, CURE) as draft:
        dataset.write_csv(dataset.dataset([read_results(args.out)]), draft)
    sys.stdout.write(text)
    if lacks := table.missing_for_plots():
        say(f"wrote table.md and episodes.csv to {args.out}; {lacks}")
    else:
        with replacing(args.out / "plot.png", CURE) as draft:
            if not chosen.plot(result.rows, draft, offline):
                table.plot(chosen, result.rows, draft, offline)
        say(f"wrote table.md, episodes.csv and plot.png to {args.out}")
    for line in result.costs.lines if result.costs is not None else ():
        say(line)
    if why := _why_incomplete(result):
        say(f"{why}; {len(result.rows):,} of {len(result.rows) + result.left:,} episodes are kept in {args.out}: go on with "
            "the same command")
    return not result.left


def _never(end: Callable[[str], None]) -> None:
    """Lets the sweep play to its end."""


def _end_with_input(end: Callable[[str], None]) -> None:
    """Ends the sweep after the episodes under way as soon as standard input ends: it was paused, or the window is gone."""
    def read() -> None:
        while os.read(sys.stdin.fileno(), 1):  # a thread that holds the lock of sys.stdin at the end would abort the process
            pass
        end(PAUSED)

    lower_priority()
    threading.Thread(target=read, name="until input ends", daemon=True).start()


def _why_incomplete(result: sweep.Result) -> str:
    """Returns why there are episodes without a result; empty if all have one."""
    if result.ended == PAUSED:
        return PAUSED
    if result.ended:
        return f"error: stopped early: {result.ended}"
    if result.failures:
        last = result.failures[-1]
        return f"error: the model failed in {len(result.failures):,} episodes, last in {last.contestant}: {last.reason}"
    return ""


def _missing(result: sweep.Result) -> str:
    """Returns the table's note on episodes that it does not count."""
    if not result.left:
        return ""
    sentences = [f"{result.left:,} episodes are not played to their end and not counted."]
    failed = Counter(failure.contestant for failure in result.failures)
    if failed:
        which = ", ".join(f"{name} {count:,}" for name, count in failed.items())
        sentences.append(f"In some of them the model gave no answer, which is no result of the planner ({which}).")
    return " ".join(sentences)


def _tells_shots(one: Contestant) -> bool:
    """Returns True if a contestant's prompts tell trajectories that are chosen by similarity."""
    return any(p.name == "shots" and p.value for p in described(one.make().parameters))


def _cells(chosen: Suite, names: Sequence[str]) -> tuple[str, ...]:
    """Returns the named cells of a suite, in its order; all if none is named.

    Raises:
        UsageError: there is no such cell.
    """
    for name in names:
        if name not in chosen.cells:
            raise UsageError(f"{chosen.name} has no cell '{name}'; it has {', '.join(chosen.cells)}")
    return tuple(cell for cell in chosen.cells if cell in names) or chosen.cells


def _left_out(name: str, say: Callable[[str], None]) -> bool:
    """Returns True if a default contestant cannot take part, and says what it lacks."""
    missing = planner_class(named(name)).missing()
    if missing:
        say(f"without {name}: {missing}")
    return bool(missing)
