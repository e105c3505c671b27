"""The rearrangement suite of LLM-MCTS: Simple, Comp, NovelSimple, NovelComp2 and NovelComp3, in homes marked seen and unseen.

The homes are ours, so the figures are not those of the paper: never show them side by side without saying so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.common.errors import DataError
from core.common.installation import RESOURCES
from core.evaluation.episode import drive
from core.evaluation.suite import REQUESTS, SECONDS, STEPS, SUCCESS, Contestant, Measure, Models, Suite, Worlds
from core.evaluation.tasks import sentence
from core.goals.literals import Goal, Literal, progress
from core.simulator.base import Simulator
from core.world.vocabulary import CONTAINER, GRABBABLE, SURFACE, Observation

PLACINGS = RESOURCES / "scenes" / "placings.json"
"""Used only to draw tasks, as in the paper. Planners and providers must not read it."""
PASSED_OVER = frozenset({"sink", "coffee_machine", "toaster"})
"""Furniture that is never a goal, because objects stay there only for a moment."""
DOUBLES = 0.1
"""Probability that a further object of a composed task is a second one of the last class."""
TRIES = 2000
Usual = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of the table: a kind of task in homes of one kind.

    Attributes:
        things: number of objects to be moved.
        novel: whether they go to furniture where such objects usually are not.
        seen: whether the homes are marked seen.
    """

    name: str
    things: int
    novel: bool
    seen: bool

    @property
    def title(self) -> str:
        """Its title in the table."""
        return f"{'seen' if self.seen else 'unseen'} {self.name}"


PUBLISHED: Mapping[str, tuple[float | None, ...]] = MappingProxyType({
    "UCT": (0.0,) * 10,
    "GPT-2 policy": (81.3, 59.0, 41.2, 30.9, 2.3, 65.5, 39.9, 33.4, 12.8, 1.1),
    "GPT-3.5 policy": (83.4, 47.0, 74.3, 48.2, 5.4, 74.3, 43.3, 67.8, 54.0, 6.9),
    "LLM-MCTS": (91.4, 71.2, 88.1, 72.6, 33.6, 82.9, 71.9, 79.3, 70.4, 38.8),
    "no heuristic policy": (0.0,) * 10,
    "uniform state prior": (3.2, 0.0, 1.1, 0.0, 0.0, 1.1, 0.0, 0.0, 0.0, 0.0),
    "fully observable": (94.0, 80.7, 94.3, 78.5, 34.0, 85.1, 77.5, 82.2, 76.6, 37.9),
})
"""Published success in per cent, in the order of CELLS."""
KINDS = (("Simple", 1, False), ("Comp", 2, False), ("NovelSimple", 1, True), ("NovelComp2", 2, True), ("NovelComp3", 3, True))
CELLS: tuple[Cell, ...] = tuple(Cell(name, n, novel, seen) for seen in (True, False) for name, n, novel in KINDS)
HOMES = {True: ("four-rooms-1", "four-rooms-2"), False: ("four-rooms-3", "four-rooms-4")}
"""Scenes marked seen and unseen, used in turn."""


def scene_of(cell: Cell, seed: int) -> str:
    """Returns the scene an episode is played in."""
    homes = HOMES[cell.seen]
    return homes[seed % len(homes)]


@lru_cache(1)
def _usual() -> Usual:
    table = json.loads(PLACINGS.read_text(encoding="utf-8"))
    return {cls: tuple(places) for cls, places in table.items()}


def draw(cell: Cell, simulator: Simulator, seed: int) -> Goal:
    """Returns the task of an episode, for the simulator's state after `reset(seed)`. The same seed gives the same task.

    No literal is reached at the start, not even by an object the robot has not seen yet, and the goal is possible without
    clearing anything away.

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
    """Returns literals for objects of different classes, sometimes two of one class, each to a class of furniture here."""
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
    """Returns the classes of furniture that objects can be brought to, and whether they go inside."""
    furniture = sorted((e.cls, CONTAINER in e.properties) for e in world.entities
                       if e.category == "furniture" and {SURFACE, CONTAINER} & e.properties and e.cls not in PASSED_OVER)
    return dict(furniture)


class Rearrangement(Suite):
    """Tasks to bring one to three objects to usual or novel furniture, in seen and unseen homes."""

    name: ClassVar[str] = "rearrangement"
    cells: ClassVar[tuple[str, ...]] = tuple(cell.title for cell in CELLS)
    contestants: ClassVar[tuple[str, ...]] = (
        "llm-mcts", "llm-mcts+wrong_answers=0.2", "llm-mcts+wrong_answers=0.4", "llm-mcts+simulations=25",
        "llm-mcts:paper", "llm-mcts:paper+wrong_answers=0.4", "llm-policy", "llm-policy+wrong_answers=0.2",
        "llm-policy+wrong_answers=0.4", "greedy", "oracle", "uct", "llm-mcts:no-policy", "llm-mcts:uniform-prior",
        "llm-mcts-fully-observable", "llm-mcts:paper+policy_says=uniform", "llm-mcts:paper+world=uniform",
        "llm-mcts-fully-observable:paper",
    )
    """Our planners, the paper's, models with wrong answers, bounds, and the ablations of both presets."""
    measures: ClassVar[tuple[Measure, ...]] = (SUCCESS, STEPS, REQUESTS, SECONDS)
    method: ClassVar[str] = "LLM-MCTS"
    published: ClassVar[Mapping[str, tuple[float | None, ...]]] = PUBLISHED
    note: ClassVar[str] = (
        "The published figures (LLM-MCTS, tables 1 and 2) come from other homes and other models (VirtualHome, GPT-3.5); "
        "they are not comparable to ours.")

    def play(self, contestant: Contestant, cell: str, seed: int, worlds: Worlds, models: Models,
             max_steps: int) -> Mapping[str, float]:
        """Plays one episode."""
        kind = next(c for c in CELLS if c.title == cell)
        scene = scene_of(kind, seed)
        simulator = worlds(scene, {})
        simulator.reset(seed)
        run = drive(contestant.make(), simulator, draw(kind, simulator, seed), models(scene), seed, max_steps)
        return {"success": run.success, "steps": run.steps if run.success else max_steps,
                "requests": run.asked("policy") / max(1, run.searches), "seconds": run.seconds}
