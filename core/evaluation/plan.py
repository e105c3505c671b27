"""The plan of an evaluation: what the command `evaluate` is asked to play, kept in its folder; and an estimate of its costs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from core.common.docstrings import first_line
from core.evaluation.contestants import named
from core.evaluation.suites import SUITES, suite
from core.llm.budget import FREE, Limits, Price, price_of
from core.llm.model import OFFLINE
from core.planners.registry import planner_class
from core.suites.suite import Row


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """The flags of `evaluate`, all as given or as the suite's defaults. It never holds a key.

    Attributes:
        planners: as `planner[:preset][+name=value …]`.
        trials: the number of seeds of each cell, beginning with `first_seed`.
        options: the provider's settings.
        world: the simulator's settings, in addition to the suite's own.
        beside: a second planner that only thinks; empty: none.
        cache: use and keep a language model's replies.
        jobs: the number of processes; -1: one per core.
        limits: of calls, tokens and cost.
        prices: of models, per million tokens.
        cells: the cells that are played; empty: all.
    """

    suite: str
    planners: tuple[str, ...]
    trials: int
    max_steps: int
    first_seed: int = 0
    provider: str = OFFLINE
    options: Mapping[str, str] = field(default_factory=dict)
    world: Mapping[str, str] = field(default_factory=dict)
    beside: str = ""
    cache: bool = True
    jobs: int = -1
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Price] = field(default_factory=dict)
    cells: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Returns the plan as JSON data."""
        return asdict(self)

    def arguments(self, folder: Path) -> list[str]:
        """Returns the command that plays what the folder does not hold yet: the words after the program's name."""
        flags: list[tuple[str, object]] = [("--suite", self.suite), *(("--planner", name) for name in self.planners)]
        flags += [("--cell", name) for name in self.cells]
        flags += [("--trials", self.trials), ("--first-seed", self.first_seed), ("--max-steps", self.max_steps),
                  ("--jobs", self.jobs), ("--provider", self.provider)]
        flags += [("--ask", f"{name}={value}") for name, value in self.options.items()]
        flags += [("--world", f"{name}={value}") for name, value in self.world.items()]
        flags += [("--beside", self.beside)] if self.beside else []
        flags += [("--limit", f"{name}={value:g}") for name, value in asdict(self.limits).items() if value is not None]
        prices = ",".join(f"{name}={p.tokens_in:g}/{p.tokens_out:g}" for name, p in self.prices.items())
        flags += [("--prices", prices)] if prices else []
        words = ["evaluate", *(str(word) for flag in flags for word in flag)]
        return [*words, *([] if self.cache else ["--no-cache"]), "--out", str(folder)]

    def left(self, rows: Iterable[Row]) -> dict[tuple[str, str], int]:
        """Returns how many episodes of each contestant and cell have no result yet; those of which none is left are absent."""
        seeds = range(self.first_seed, self.first_seed + self.trials)
        done: dict[tuple[str, str], int] = {}
        for row in rows:
            if row.seed in seeds:
                done[row.contestant, row.cell] = done.get((row.contestant, row.cell), 0) + 1
        wanted = ((name, cell) for name in self.planners for cell in self.cells or suite(self.suite).cells)
        return {key: self.trials - done.get(key, 0) for key in wanted if done.get(key, 0) < self.trials}

    @property
    def episodes(self) -> int:
        """The number of episodes in all."""
        return len(self.planners) * len(self.cells or suite(self.suite).cells) * self.trials


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the rest of a plan may take, from the mean of episodes that were played.

    Attributes:
        episodes: the number of episodes to be played.
        measured: the number of episodes it is estimated from.
        seconds: of wall-clock time with the plan's number of processes; None: unknown.
        tokens: tokens in and out of model calls; None: unknown.
        cost: in the currency of the prices; None: unknown, or there is no price.
        unknown: the planners of which no episode was played.
    """

    episodes: int
    measured: int
    seconds: float | None
    tokens: tuple[float, float] | None
    cost: float | None
    unknown: tuple[str, ...]


def estimate(plan: EvaluationPlan, rows: Iterable[Row], known: Iterable[Row]) -> Estimate:
    """Returns what the rest of a plan may take.

    Args:
        plan: the plan.
        rows: the episodes of its folder.
        known: episodes of this suite and model, of this folder and others.

    Every planner counts with the mean of its own episodes of the same cell, otherwise of all cells. If one has none, the
    whole is unknown. Tokens are those of replies that were not in the cache.
    """
    left = plan.left(rows)
    sums: dict[tuple[str, str], list[float]] = {}
    for row in known:
        if (origin := row.origin) is not None:
            for key in ((row.contestant, row.cell), (row.contestant, "")):
                total = sums.setdefault(key, [0.0] * 4)
                for k, value in enumerate((1, origin.seconds, origin.tokens_in, origin.tokens_out)):
                    total[k] += value
    unknown = tuple(name for name in plan.planners if any(key[0] == name for key in left) and (name, "") not in sums)
    measured = int(sum(sums[name, ""][0] for name in plan.planners if (name, "") in sums))
    episodes = sum(left.values())
    if unknown:
        return Estimate(episodes, measured, None, None, None, unknown)
    seconds, tokens_in, tokens_out = (
        sum(count * mean[k] / mean[0] for (name, cell), count in left.items()
            for mean in (sums.get((name, cell)) or sums[name, ""],)) for k in (1, 2, 3))
    jobs = min(plan.jobs if plan.jobs > 0 else os.cpu_count() or 1, max(1, episodes))
    source = f"{plan.provider} {plan.options.get('model', '')}"
    price = FREE if plan.provider == OFFLINE else price_of(plan.prices, source)
    cost = None if price is None else price.of(round(tokens_in), round(tokens_out))
    return Estimate(episodes, measured, seconds / jobs, (tokens_in, tokens_out), cost, ())


@dataclass(frozen=True, slots=True)
class SuiteChoice:
    """A suite that can be chosen.

    Attributes:
        cells: the number of its cells.
        planners: its own planners that can take part here.
        trials, max_steps: its defaults.
        missing: why it cannot be played; empty if it can.
    """

    name: str
    about: str
    cells: int
    planners: tuple[str, ...]
    trials: int
    max_steps: int
    missing: str = ""


def suite_choices() -> tuple[SuiteChoice, ...]:
    """Returns all suites. Loading them takes a second."""
    return tuple(map(_choice, SUITES))


def _choice(name: str) -> SuiteChoice:
    if problem := SUITES.problem(name):
        return SuiteChoice(name, "", 0, (), 1, 1, problem)
    one = suite(name)
    able = tuple(text for text in one.contestants if not planner_class(named(text)).missing())
    return SuiteChoice(name, first_line(type(one)), len(one.cells), able, one.trials, one.max_steps)
