"""The suite of BCR: coffee, apple, mug and toast in AI2-THOR's kitchens, observed through the robot's camera."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from core.common.errors import DataError
from core.goals.literals import Goal, Literal
from core.goals.progress import progress
from core.planning.facets import Facet
from core.planning.search_facets import Ranking
from core.simulator.base import Simulator
from core.suites.contestant import Contestant
from core.suites.suite import SECONDS, STEPS, SUCCESS, Measure, Models, Suite, Worlds
from core.suites.tasks import sentence

CAMERA: Mapping[str, str] = MappingProxyType({"seeing": "camera"})
KITCHENS = tuple(f"FloorPlan{k}" for k in range(1, 31))
TASKS: Mapping[str, tuple[Literal, ...]] = MappingProxyType({
    "coffee": (Literal("inside", "mug", "coffee_machine"), Literal("is", "coffee_machine", None, 1, frozenset({"on"}))),
    "apple": (Literal("inside", "apple", "fridge"),),
    "mug": (Literal("is", "mug", None, 1, frozenset({"clean"})),),
    "toast": (Literal("is", "bread", None, 1, frozenset({"sliced", "cooked"})),),
})
"""Cell -> its goal; all its literals must hold at once."""
TRIES = 40
"""Number of rooms and placements tried for a trial."""
CALLS = Measure("calls", "Model calls per episode")
CONSIDERED = Measure("considered", "Actions considered per decision")
DECISIONS = Measure("decisions", "Decisions per episode")
PUBLISHED: Mapping[str, tuple[float | None, ...]] = MappingProxyType({
    "BCR": (100.0, 78.0, 78.0, 98.0), "ProgPrompt": (38.0, 80.0, 36.0, 0.0), "FF-Replan": (28.0, 26.0, 22.0, 0.0),
    "ProgPrompt-no-find": (28.0, 24.0, 0.0, 0.0), "FF-Replan-limited": (0.0, 0.0, 0.0, 0.0),
})
"""Success in per cent of 50 trials (paper, table 1), in the order of TASKS."""
PRINTED: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "seconds": MappingProxyType({
        "BCR": ("10.6±16", "46.8±50", "46.4±44", "11.6±16"),
        "ProgPrompt": ("20.3±6.7", "8.77±8.4", "73.8±75", "24.1±3.1"),
        "FF-Replan": ("0.52±0.3", "0.97±0.4", "6.90±5", "2.74±5.6"),
        "ProgPrompt-no-find": ("20.2±5.5", "20.7±9.2", "117±59", "27.9±41"),
        "FF-Replan-limited": ("4.23±0.55", "7.81±1.7", "8.8±2.6", "5.4±1.8"),
    }),
    "considered": MappingProxyType({
        "BCR": ("11.2±7.6", "12.0±4.5", "13.6±4.5", "11.0±5.4"),
        "FF-Replan": ("49±56", "117±118", "139±135", "135±117"),
        "FF-Replan-limited": ("661±74", "649±112", "721±213", "669±106"),
    }),
})
"""Seconds per trial (table 2) and actions considered per decision (table 3): means ± standard deviations, as printed."""


def goal_of(task: str) -> Goal:
    """Returns a cell's goal, in words and literals."""
    return Goal(TASKS[task], sentence(TASKS[task]))


def draw(task: str, seed: int, worlds: Worlds) -> tuple[str, Simulator, int]:
    """Returns the kitchen of a trial, its simulator in the initial state, and the seed of that state.

    No literal holds there, and the goal is possible.

    Raises:
        DataError: no kitchen allows the task.
    """
    rng = np.random.default_rng((seed, sorted(TASKS).index(task), 17))
    goal = goal_of(task)
    for _ in range(TRIES):
        scene = KITCHENS[int(rng.integers(len(KITCHENS)))]
        simulator = worlds(scene, CAMERA)
        world_seed = int(rng.integers(2**31))
        simulator.reset(world_seed)
        if not any(p.have for p in progress(goal, simulator.reveal())) and simulator.possible(goal):
            return scene, simulator, world_seed
    raise DataError(f"no kitchen allows the task {task}: are the iTHOR rooms complete?")


class Considered:
    """Counts a planner's decisions, and the actions it ranks in them: one ranking each."""

    def __init__(self) -> None:
        self.decisions, self.actions = 0, 0

    def __call__(self, facet: Facet) -> None:
        """Takes a facet that the planner shows."""
        if isinstance(facet, Ranking):
            self.decisions += 1
            self.actions += len(facet.actions)

    @property
    def mean(self) -> float:
        """Actions per decision; 0 for a planner that ranks none."""
        return self.actions / max(1, self.decisions)


class Blocking(Suite):
    """Four tasks: a mug under the running coffee machine, an apple into the fridge, a mug washed, bread sliced and toasted."""

    name: ClassVar[str] = "blocking"
    cells: ClassVar[tuple[str, ...]] = tuple(TASKS)
    contestants: ClassVar[tuple[str, ...]] = (
        "bcr", "bcr:paper", "progprompt+programs=1", "progprompt:no-find+programs=1", "inner-monologue", "ff-replan",
        "ff-replan:limited", "oracle",
    )
    max_steps: ClassVar[int] = 100
    trials: ClassVar[int] = 50
    measures: ClassVar[tuple[Measure, ...]] = (SUCCESS, SECONDS, CONSIDERED, DECISIONS, CALLS, STEPS)
    method: ClassVar[str] = "BCR"
    published: ClassVar[Mapping[str, tuple[float | None, ...]]] = PUBLISHED
    printed: ClassVar[Mapping[str, Mapping[str, tuple[str, ...]]]] = PRINTED
    note: ClassVar[str] = (
        "The published figures (BCR, tables 1 to 3) are of 50 trials of each task in AI2-THOR itself, with GPT-3.5 Turbo; the "
        "paper does not say in which rooms. Ours are played in AI2-THOR's thirty kitchens as our household plays them, with "
        "things moved about by the seed. In the published rows of seconds and of actions considered, ± is the standard "
        "deviation. The paper counts no actions considered for ProgPrompt; here a planner that ranks no actions has 0.0. "
        "Its ProgPrompt writes one program and no further one, as ours does with programs=1.")

    def play(self, contestant: Contestant, cell: str, seed: int, worlds: Worlds, models: Models,
             max_steps: int) -> Mapping[str, float]:
        """Plays one episode."""
        (scene, simulator, world_seed), considered = draw(cell, seed, worlds), Considered()
        run = contestant.drive(contestant.make(), simulator, goal_of(cell), models(scene), seed, max_steps, considered,
                               world_seed=world_seed)
        return {"success": run.success, "seconds": run.seconds + run.waiting, "considered": considered.mean,
                "decisions": considered.decisions, "calls": sum(n for _, n in run.asks),
                "steps": run.steps if run.success else max_steps}
