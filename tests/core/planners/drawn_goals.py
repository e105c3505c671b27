"""Draws goals from literals that hold or do not hold at the start, plays planners on them, and compares them with the oracle.

    python -m tests.core.planners.drawn_goals --first 0 --number 250 --planners bcr,greedy,llm-mcts --out goals.jsonl

A goal has one to three literals, often two about one thing, of every kind: where a thing is, whether it is open, on, clean,
cooked, sliced or filled, what is held, how the robot stands, and acts. The number of a goal is its seed: it decides the scene,
what the scene holds, and the literals. Only possible goals that do not hold already are drawn.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from core.common.errors import MissingPart
from core.evaluation.episode import drive
from core.goals.formal_text import formal
from core.goals.literals import Goal, Literal
from core.goals.progress import reached
from core.planners.registry import make_planner
from core.search.compilation import compile
from core.simulator.base import Saved, Simulator
from core.suites.contestant import Drive
from core.world.vocabulary import (
    ACTS,
    BREWS,
    CONTAINER,
    COOKABLE,
    CUTS,
    GRABBABLE,
    HEATS,
    LIEABLE,
    OPENABLE,
    RINSES,
    SITTABLE,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    WASHABLE,
    Entity,
    Observation,
)
from sim.changes import FILLABLE
from sim.registry import simulator_class
from tests.core.planners.by_hand import PROVIDER

T = TypeVar("T")
GRAPH = str(Path(__file__).parents[3] / "resources/scenes/graphs/apartment-721.json.gz")
SCENES: tuple[tuple[str, str], ...] = (
    *(("household", f"four-rooms-{k}") for k in (1, 2, 3, 4)),
    *(("household", f"FloorPlan{k}") for k in (3, 7, 12, 20, 28, 201, 209, 218, 225, 303, 311, 320, 402, 418,
                                           427)),
    ("household", GRAPH), ("virtualhome-graph", GRAPH))
"""(simulator, scene): homes, iTHOR's kitchens, living rooms, bedrooms and bathrooms, and an apartment of VirtualHome; as number
21 the same apartment with the executor of VirtualHome's package, which not everybody has installed."""
PLANNERS = ("bcr", "greedy", "llm-mcts")
SETTINGS: Mapping[str, Mapping[str, str]] = {"llm-mcts": {"simulations": "25"}, "uct": {"simulations": "25"}}
ORACLE_STEPS, MOST_STEPS = 40, 80
"""A goal counts if the oracle needs no more steps; the planners are given more."""
MOST_DRAWS = 200
TREATED = {"sliced": (SLICEABLE, CUTS), "cooked": (COOKABLE, HEATS), "clean": (WASHABLE, RINSES), "filled": ("", BREWS)}
"""State -> the property that a thing needs for it (empty: none), and the property of what gives it."""


class Case(NamedTuple):
    """A drawn goal, with the world at its start.

    Attributes:
        number: the seed it was drawn with.
        world: the simulator; `start` is its saved state.
        scene: name of the scene.
        goal: what is asked.
    """

    number: int
    world: Simulator
    start: Saved
    scene: str
    goal: Goal


@lru_cache(maxsize=1)
def _opened(name: str, scene: str) -> Simulator:
    simulator = simulator_class(name)
    if simulator.missing():
        raise MissingPart(simulator.missing())
    return simulator.open(scene, {})


def drawn(number: int, scenes: tuple[tuple[str, str], ...] = SCENES) -> Case:
    """Returns the goal with a number. Numbers of one scene follow each other in blocks of 50, because opening takes long."""
    name, scene = scenes[number // 50 % len(scenes)]
    world = _opened(name, scene)
    world.reset(number)
    rng = np.random.default_rng((number, 331))
    everything = world.reveal()
    verbs = frozenset(schema.verb for schema in world.schemas)
    for _ in range(MOST_DRAWS):
        goal = _Drawing(everything, verbs, rng).goal()
        if world.possible(goal) and not reached(goal, everything):
            return Case(number, world, world.save(), f"{name}:{Path(scene).name}", goal)
    raise AssertionError(f"{scene}: no possible goal in {MOST_DRAWS} draws")


def played(case: Case, name: str, most: int = MOST_STEPS) -> Drive:
    """Returns how a planner does from the start."""
    case.world.restore(case.start)
    return drive(make_planner(name, "", dict(SETTINGS.get(name, {}))), case.world, case.goal, PROVIDER, case.number, most)


class _Drawing:
    """The drawing of one goal from all that a world holds."""

    def __init__(self, world: Observation, verbs: frozenset[str], rng: np.random.Generator):
        self._world, self._verbs, self._rng = world, verbs, rng
        self._holders = [e for e in world.entities if e.category != "room" and e.properties & {SURFACE, CONTAINER}]
        self._flags = frozenset(flag for e in world.entities for flag in e.properties)

    def goal(self) -> Goal:
        """Returns one to three literals; those about things named once may name a class instead of an id."""
        literals: list[Literal] = []
        for _ in range(1 + int(self._rng.choice(3, p=(0.35, 0.45, 0.2)))):
            about = [e for x in literals for e in self._entities(x)]
            same = about and self._rng.random() < 0.5
            found = list(self._about(self._one(about))) if same else self._of_a_kind()
            if found:
                literals.append(self._one(found))
        named = [e.id for x in literals for e in self._entities(x)]
        return Goal(tuple(dict.fromkeys(self._by_class(x, named) for x in literals)))

    def _one(self, items: list[T]) -> T:
        return items[int(self._rng.integers(len(items)))]

    def _entities(self, literal: Literal) -> list[Entity]:
        return [self._world.by_id[i] for i in (literal.subject, literal.target) if i in self._world.by_id]

    def _by_class(self, literal: Literal, named: list[str]) -> Literal:
        def one(name: str | None) -> str | None:
            by_class = named.count(name or "") == 1 and self._rng.random() < 0.6
            return self._world.by_id[name or ""].cls if by_class else name

        return replace(literal, subject=one(literal.subject) or "", target=one(literal.target))

    def _of_a_kind(self) -> list[Literal]:
        """Returns the literals of one kind about one entity, so that frequent kinds do not crowd out the others."""
        kinds: dict[str, list[Entity]] = {}
        for entity in self._world.entities:
            for kind in {_kind(x) for x in self._about(entity)}:
                kinds.setdefault(kind, []).append(entity)
        kind = self._one(sorted(kinds))
        return [x for x in self._about(self._one(kinds[kind])) if _kind(x) == kind]

    def _about(self, entity: Entity) -> Iterator[Literal]:
        """Yields literals about an entity, whether or not they hold."""
        if entity.category == "room":
            yield Literal("robot_in", entity.id)
            return
        yield Literal("robot_near", entity.id)
        if "turn_to" in self._verbs:
            yield Literal("robot_facing", entity.id)
        yield from (Literal("is", entity.id, states=frozenset({state})) for state in self._states(entity))
        yield from self._acts(entity)
        if entity.category == "object" and GRABBABLE in entity.properties:
            yield Literal("holds", entity.id)
            yield from self._places(entity)

    def _states(self, entity: Entity) -> Iterator[str]:
        if OPENABLE in entity.properties:
            yield from ("open", "closed")
        if SWITCHABLE in entity.properties:
            yield from ("on", "off")
        for state, (need, tool) in TREATED.items():
            suits = need in entity.properties if need else entity.cls in FILLABLE
            if suits and tool in self._flags:
                yield state

    def _acts(self, entity: Entity) -> Iterator[Literal]:
        if SITTABLE in entity.properties and "sit" in self._verbs:
            yield Literal("sitting", entity.id)
        if LIEABLE in entity.properties and "lie" in self._verbs:
            yield Literal("lying", entity.id)
        yield from (Literal("done", entity.id, act=act) for act, flag in ACTS.items()
                    if act in self._verbs and (not flag or flag in entity.properties))

    def _places(self, entity: Entity) -> Iterator[Literal]:
        """Yields that an object is where it is now, and that it is somewhere else."""
        link = self._world.holder.get(entity.id)
        if link is not None and link.kind in ("inside", "on") and self._world.by_id[link.object].category != "room":
            yield Literal("inside" if link.kind == "inside" else "on", entity.id, link.object)
        place = self._one([e for e in self._holders if e.id != entity.id])
        yield Literal("on" if SURFACE in place.properties else "inside", entity.id, place.id)


def _kind(literal: Literal) -> str:
    """Returns what a literal is drawn as: each kind is as frequent as the others."""
    return literal.act or "".join(sorted(literal.states)) or literal.predicate


def _row(case: Case, planners: list[str]) -> dict[str, object]:
    oracle = played(case, "oracle", ORACLE_STEPS)
    row: dict[str, object] = {"number": case.number, "scene": case.scene, "goal": formal(case.goal),
                              "oracle": [oracle.success, oracle.steps, oracle.ended]}
    for name in planners if oracle.success else ():
        since = time.monotonic()
        run = played(case, name)
        row[name] = [run.success, run.steps, run.ended, round(time.monotonic() - since, 1)]
    return row


def main() -> None:
    """Draws goals and writes one line of JSON for each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--planners", default=",".join(PLANNERS))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    compile.load()
    with given.out.open("a", encoding="utf-8") as out:
        for number in range(given.first, given.first + given.number):
            row = _row(drawn(number), given.planners.split(","))
            print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    main()
