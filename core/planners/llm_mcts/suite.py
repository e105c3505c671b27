"""The rearrangement suite of LLM-MCTS: Simple, Comp, NovelSimple, NovelComp2 and NovelComp3, in homes marked seen and unseen.

Simple and Comp are kinds of task that the expert set contains. NovelSimple takes an object and furniture that it contains, but
not together. NovelComp composes parts that it contains to a kind that it does not (Zhao et al., section 3.1, appendix A.2).

The homes are ours, so the figures are not those of the paper: never show them side by side without saying so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.common.errors import DataError
from core.goals.literals import Goal
from core.goals.progress import progress
from core.planners.llm_mcts.suite_tables import PUBLISHED, PUBLISHED_ERRORS, table_3
from core.planners.registry import PLANNERS, make_planner, parted, planner_class
from core.simulator.base import Simulator
from core.suites.contestant import Contestant
from core.suites.expert_tasks import (
    SEEN_HOMES,
    Kind,
    Part,
    by_subject,
    composed,
    expert_kinds,
    kind_of_parts,
    literals_of,
    objects_of,
    places_of,
)
from core.suites.suite import SECONDS, STEPS, SUCCESS, Measure, Models, Row, Suite, Worlds
from core.suites.tasks import sentence
from core.world.vocabulary import Observation

TRIES = 2000
POLICY_REQUESTS = Measure("requests", "Requests to the policy per decision")
CALLS = Measure("calls", "Model calls per decision, with those about the world")


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of the table: a kind of task in homes of one kind.

    Attributes:
        things: number of objects to be moved.
        novel: whether the expert set has no task of this kind.
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


KINDS = (("Simple", 1, False), ("Comp", 2, False), ("NovelSimple", 1, True), ("NovelComp2", 2, True), ("NovelComp3", 3, True))
CELLS: tuple[Cell, ...] = tuple(Cell(name, n, novel, seen) for seen in (True, False) for name, n, novel in KINDS)
HOMES = {True: SEEN_HOMES, False: ("four-rooms-3", "four-rooms-4")}
"""Scenes marked seen and unseen, used in turn."""


def scene_of(cell: Cell, seed: int) -> str:
    """Returns the scene an episode is played in."""
    homes = HOMES[cell.seen]
    return homes[seed % len(homes)]


def draw(cell: Cell, simulator: Simulator, seed: int) -> Goal:
    """Returns the task of an episode, for the simulator's state after `reset(seed)`. The same seed gives the same task.

    No literal is reached at the start, not even by an object the robot has not seen yet, and the goal is possible without
    clearing anything away.

    Raises:
        DataError: this home allows no such task.
    """
    world = simulator.reveal()
    rng = np.random.default_rng((seed, cell.things, cell.novel, cell.seen, 5))
    home = _Home.of(world, cell.things)
    for _ in range(TRIES):
        literals = literals_of(_draw(cell, home, rng), home.places)
        if not literals:
            continue
        goal = Goal(literals, sentence(literals))
        if not any(p.have for p in progress(goal, world)) and simulator.possible(goal, tidy=True):
            return goal
    raise DataError(f"no task of the kind {cell.title} can be drawn here")


@dataclass(frozen=True, slots=True)
class _Home:
    """What tasks in a home are drawn from.

    Attributes:
        have: class of object -> number.
        places: class of furniture -> whether objects go inside.
        known: the parts of the expert set that are possible here, by class of object.
        novel: the parts that it does not contain, of objects and furniture that it contains.
        kinds: the kinds of its tasks with the wanted number of objects that are possible here.
    """

    have: Counter[str]
    places: Mapping[str, bool]
    known: Mapping[str, tuple[str, ...]]
    novel: Mapping[str, tuple[str, ...]]
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, world: Observation, size: int) -> _Home:
        """Returns the home of an observation of everything in it, for tasks with `size` objects."""
        have, places, expert = objects_of(world), places_of(world), expert_kinds()
        pairs = [(subject, target) for subject in have for target in places]
        kinds = tuple(kind for kind in expert.of_size(size) if all(target in places for _, target in kind)
                      and not Counter(subject for subject, _ in kind) - have)
        return cls(have, places, by_subject(p for p in pairs if p in expert.parts),
                   by_subject(p for p in pairs if expert.is_novel((p,)) and p not in expert.parts), kinds)


def _draw(cell: Cell, home: _Home, rng: np.random.Generator) -> tuple[Part, ...]:
    """Returns the parts of a task of a cell; () if this draw gives none."""
    if cell.novel:
        parts = composed(home.novel if cell.things == 1 else home.known, home.have, cell.things, rng)
        return parts if expert_kinds().is_novel(kind_of_parts(parts)) else ()
    return home.kinds[int(rng.integers(len(home.kinds)))] if home.kinds else ()


class Rearrangement(Suite):
    """Tasks to bring one to three objects to usual or novel furniture, in seen and unseen homes."""

    name: ClassVar[str] = "rearrangement"
    cells: ClassVar[tuple[str, ...]] = tuple(cell.title for cell in CELLS)
    contestants: ClassVar[tuple[str, ...]] = (
        "llm-mcts", "llm-mcts+wrong_answers=0.2", "llm-mcts+wrong_answers=0.4", "llm-mcts+simulations=25",
        "llm-mcts:paper", "llm-mcts:paper+wrong_answers=0.4", "llm-policy", "llm-policy+wrong_answers=0.2",
        "llm-policy+wrong_answers=0.4", "llm-policy:few-shot", "greedy", "oracle", "uct", "llm-mcts:no-policy",
        "llm-mcts:uniform-prior", "llm-mcts-fully-observable", "llm-mcts:paper+policy_says=uniform+selection=ucb1",
        "llm-mcts:paper+world=uniform", "llm-mcts-fully-observable:paper", "cloned-policy:paper", "cloned-policy",
    )
    """Our planners, the paper's, models with wrong answers, bounds, the ablations of both presets, and the cloned policy."""
    measures: ClassVar[tuple[Measure, ...]] = (SUCCESS, STEPS, POLICY_REQUESTS, CALLS, SECONDS)
    method: ClassVar[str] = "LLM-MCTS"
    published: ClassVar[Mapping[str, tuple[float | None, ...]]] = PUBLISHED
    published_errors: ClassVar[Mapping[str, tuple[float, ...]]] = PUBLISHED_ERRORS
    edition: ClassVar[int] = 3
    note: ClassVar[str] = (
        "The published figures (LLM-MCTS, tables 1 to 3, means ± standard errors) come from other homes and other models "
        "(VirtualHome, GPT-3.5); they are not comparable to ours.")

    def play(self, contestant: Contestant, cell: str, seed: int, worlds: Worlds, models: Models,
             max_steps: int) -> Mapping[str, float]:
        """Plays one episode."""
        kind = next(c for c in CELLS if c.title == cell)
        scene = scene_of(kind, seed)
        simulator = worlds(scene, {})
        simulator.reset(seed)
        run = contestant.drive(contestant.make(), simulator, draw(kind, simulator, seed), models(scene), seed, max_steps)
        return {"success": run.success, "steps": run.steps if run.success else max_steps,
                "requests": run.asked("policy") / max(1, run.searches), "calls": run.calls / max(1, run.searches),
                "seconds": run.seconds}

    def details(self, rows: Sequence[Row], offline: Collection[str]) -> str:
        """Returns the seconds of a decision (table 3), and what each planner with weights of its own was trained on."""
        simple = {cell.title for cell in CELLS if cell.name == "Simple"}
        origins = {name: origin for name in dict.fromkeys(row.contestant for row in rows) if (origin := _origin(name))}
        return "\n\n".join([table_3([row for row in rows if row.cell in simple], offline),
                            *(f"{name}: {origin}." for name, origin in origins.items())])


def _origin(text: str) -> str:
    """Returns what the planner that a text names was trained on; empty: it has no weights, or is not installed here."""
    choice = parted(text)
    known = choice.planner in PLANNERS and not PLANNERS.problem(choice.planner)
    if not known or not planner_class(choice.planner).is_trained:
        return ""
    return make_planner(choice.planner, choice.preset, dict(choice.settings)).origin
