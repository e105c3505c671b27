"""The parts to choose from: planners, providers, simulators, scenes, and the content of a scene. Worded for people."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.app.goal_reading import reads_back
from core.common.docstrings import first_line
from core.common.errors import MissingPart
from core.common.parameters import described
from core.common.registry import Registry
from core.goals.formal_text import formal
from core.llm.model import PROVIDERS, provider_class
from core.planners.registry import PLANNERS, planner_class
from core.simulator.base import Simulator
from core.suites.tasks import draw_task

MOST_TASKS = 20
"""Number of tasks listed at once."""
Row = tuple[str, str]
"""A name and a description."""


@dataclass(frozen=True, slots=True)
class Part:
    """A planner or simulator: its name, its description, its scenes, and what is missing for it (then it has no scenes)."""

    name: str
    about: str
    scenes: tuple[Row, ...] = ()
    missing: str = ""

    @property
    def row(self) -> Row:
        """The part as a row of a list."""
        return self.name, f"missing: {self.missing}" if self.missing else self.about


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All parts.

    Attributes:
        simulators: their names.
        simulator_class: returns a simulator's class by name; raises MissingPart if its package is not installed.
    """

    simulators: Registry
    simulator_class: Callable[[str], type[Simulator]]

    def planner(self, name: str) -> Part:
        """Returns a planner by name."""
        if problem := PLANNERS.problem(name):
            return Part(name, name, missing=problem)
        cls = planner_class(name)
        return Part(name, first_line(cls), missing=cls.missing())

    def provider(self, name: str) -> Part:
        """Returns a provider by name."""
        problem = PROVIDERS.problem(name)
        return Part(name, name, missing=problem) if problem else Part(name, provider_class(name).notes)

    def simulator(self, name: str) -> Part:
        """Returns a simulator by name, whether its package is installed or not."""
        try:
            cls = self.simulator_class(name)
            missing = cls.missing()
            return Part(name, first_line(cls), () if missing else cls.scenes(), missing)
        except MissingPart as error:
            return Part(name, name, missing=str(error))

    def rows(self, args: argparse.Namespace, open_world: Callable[[], Simulator]) -> list[Row]:
        """Returns the rows that the command `list` prints.

        `open_world` opens the simulator the flags name, reset to their seed.
        """
        match args.what:
            case "planners":
                return [self.planner(name).row for name in PLANNERS]
            case "providers":
                return [self.provider(name).row for name in PROVIDERS]
            case "parameters":
                return [(f"{name}: {p.name}", f"{p.value}  {p.limits.help}") for name in PLANNERS.usable()
                        for p in described(next(iter(planner_class(name).presets.values())))]
            case "simulators":
                return [self.simulator(name).row for name in self.simulators]
            case "scenes":
                return list(self.simulator_class(args.sim).scenes())
        with open_world() as world:
            return _of_scene(world, args.what, args.seed)


def lines(rows: Sequence[Row]) -> list[str]:
    """Returns the rows as lines of two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name:{width}}  {about}".rstrip() + "\n" for name, about in rows]


def _of_scene(world: Simulator, what: str, seed: int) -> list[Row]:
    if what == "verbs":
        return [(s.verb, f"{s.template.format(*(f'‹{r}›' for r in s.roles))}: {s.help}") for s in world.schemas]
    if what == "tasks":
        return [(str(k), _task(world, k)) for k in range(seed, seed + MOST_TASKS)]
    return [(e.id, ", ".join(sorted(e.properties))) for e in world.reveal().entities if e.category != "room"]


def _task(world: Simulator, seed: int) -> str:
    """Returns a task of a seed in words; as formal text if its words would be read otherwise."""
    world.reset(seed)
    goal = draw_task(world, seed)
    return goal.text if reads_back(world, goal) else formal(goal)
