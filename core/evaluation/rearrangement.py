"""The rearrangement suite of LLM-MCTS: Simple, Comp, NovelSimple, NovelComp2 and NovelComp3, in homes marked seen and unseen.

The homes are ours, so the figures are not those of the paper: never show them side by side without saying so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.errors import DataError
from core.evaluation.drive import Drive, drive
from core.evaluation.tasks import sentence
from core.goals import Goal, Literal, progress
from core.language.model import LanguageModel
from core.planner import Planner
from core.simulator import Simulator
from core.world import CONTAINER, GRABBABLE, SURFACE, Observation

PLACINGS = Path(__file__).parents[2] / "resources" / "scenes" / "placings.json"
"""Only tasks are drawn from it, as in the paper; nothing that plans or answers may read it."""
PASSED_OVER = frozenset({"sink", "coffee_machine", "toaster"})
"""Furniture that is no goal: things are there for a moment only."""
DOUBLES = 0.1
"""Share of the further things of a composed task that are a second one of the last class."""
TRIES = 2000
Usual = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of the table: a kind of task in homes of one kind.

    Attributes:
        things: how many things are to be moved.
        novel: to places where such things usually are not.
        seen: in homes marked seen.
    """

    name: str
    things: int
    novel: bool
    seen: bool

    @property
    def title(self) -> str:
        """As the table says it."""
        return f"{self.name}, {'seen' if self.seen else 'unseen'}"


KINDS = (("Simple", 1, False), ("Comp", 2, False), ("NovelSimple", 1, True), ("NovelComp2", 2, True), ("NovelComp3", 3, True))
CELLS: tuple[Cell, ...] = tuple(Cell(name, n, novel, seen) for seen in (True, False) for name, n, novel in KINDS)
HOMES = {True: ("four-rooms-1", "four-rooms-2"), False: ("four-rooms-3", "four-rooms-4")}
"""Scenes marked seen and unseen, taken in turn."""


def scene_of(cell: Cell, seed: int) -> str:
    """The scene an episode is played in."""
    homes = HOMES[cell.seen]
    return homes[seed % len(homes)]


@lru_cache(1)
def _usual() -> Usual:
    table = json.loads(PLACINGS.read_text(encoding="utf-8"))
    return {cls: tuple(places) for cls, places in table.items()}


def draw(cell: Cell, simulator: Simulator, seed: int) -> Goal:
    """The task of an episode, for the simulator's state after `reset(seed)`; the same seed gives the same task.

    No literal is reached at the start, not even by a thing nobody has seen yet, and the goal is possible as things lie.

    Raises:
        DataError: this home allows no such task.
    """
    world = simulator.reveal()
    rng = np.random.default_rng((seed, cell.things, cell.novel, cell.seen, 5))
    for _ in range(TRIES):
        literals = _draw(cell, world, rng)
        goal = Goal(literals, sentence(literals))
        if literals and not any(p.have for p in progress(goal, world)) and simulator.possible(goal, tidy=True):
            return goal
    raise DataError(f"no task of the kind {cell.title} can be drawn here")


def _draw(cell: Cell, world: Observation, rng: np.random.Generator) -> tuple[Literal, ...]:
    """Things of different classes, each to a class of furniture that is here; now and then two of one class."""
    things = sorted(e.cls for e in world.entities if e.category == "object" and GRABBABLE in e.properties)
    have, relations = Counter(things), _places(world)
    found: list[Literal] = []
    while sum(x.count for x in found) < cell.things:
        last = found[-1] if found else None
        if last and last.count == 1 and have[last.subject] > 1 and rng.random() < DOUBLES:
            found[-1] = Literal(last.predicate, last.subject, last.target, 2)
            continue
        cls = things[int(rng.integers(len(things)))]
        usual = _usual().get(cls, ())
        options = [p for p in relations if (p not in usual) == cell.novel]
        if options and all(x.subject != cls for x in found):
            place = options[int(rng.integers(len(options)))]
            found.append(Literal("inside" if relations[place] else "on", cls, place))
        elif not options:
            return ()
    return tuple(found)


def _places(world: Observation) -> dict[str, bool]:
    """Classes of furniture things can be brought to, and whether they go inside."""
    furniture = sorted((e.cls, CONTAINER in e.properties) for e in world.entities
                       if e.category == "furniture" and {SURFACE, CONTAINER} & e.properties and e.cls not in PASSED_OVER)
    return dict(furniture)


@dataclass(frozen=True, slots=True)
class Result:
    """A cell's figures.

    Attributes:
        success: share of episodes that reached the goal.
        steps: mean steps, a failed episode counted as all of them.
        requests: mean questions of the policy per decision that searched.
        seconds: mean seconds in the planner per episode.
    """

    cell: Cell
    episodes: int
    success: float
    steps: float
    requests: float
    seconds: float
    runs: tuple[Drive, ...]


PlannerFactory = Callable[[], Planner]
Worlds = Callable[[str], Simulator]


def run_cell(planner: PlannerFactory, cell: Cell, seeds: Iterable[int], worlds: Worlds, model: LanguageModel | None,
             max_steps: int = 30) -> Result:
    """Play one cell of the table in this process.

    Args:
        planner: makes a fresh planner for each episode.
        cell: what to play.
        seeds: one episode each.
        worlds: opens a scene by name; the caller keeps and closes what it opens.
        model: who answers.
        max_steps: of an episode.
    """
    runs = tuple(run_one(planner, cell, seed, worlds, model, max_steps) for seed in seeds)
    n = max(1, len(runs))
    decisions = sum(r.searches for r in runs)
    return Result(
        cell, len(runs), sum(r.success for r in runs) / n, sum(r.steps if r.success else max_steps for r in runs) / n,
        sum(r.asked("policy") for r in runs) / max(1, decisions), sum(r.seconds for r in runs) / n, runs)


def run_one(planner: PlannerFactory, cell: Cell, seed: int, worlds: Worlds, model: LanguageModel | None,
            max_steps: int = 30) -> Drive:
    """Play one episode."""
    simulator = worlds(scene_of(cell, seed))
    simulator.reset(seed)
    return drive(planner(), simulator, draw(cell, simulator, seed), model, seed, max_steps)
