"""Tasks about the robot itself and about acts, drawn from what is in a scene: one for each predicate and act that it allows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.goals.literals import ROBOT, Goal, Literal
from core.simulator.base import Simulator
from core.world.vocabulary import ACTS, CONTAINER, LIEABLE, SITTABLE, SURFACE, Entity, Observation, spaced

SENTENCES = {
    "robot_in": "Go to the {0}", "robot_near": "Walk to the {0}", "robot_facing": "Turn to the {0}",
    "sitting": "Sit down on the {0}", "lying": "Lie down on the {0}", "drink": "Drink the {0}", "eat": "Eat the {0}",
    "read": "Read the {0}", "watch": "Watch the {0}", "type": "Type on the {0}", "touch": "Touch the {0}",
    "look_at": "Look at the {0}", "wash_hands": "Wash your hands at the {0}",
}
"""Predicate or act -> the task in words."""


def robot_tasks(simulator: Simulator, seed: int) -> tuple[Goal, ...]:
    """Returns tasks that are possible in the simulator's present state: single literals, and one that ends by standing up.

    Args:
        simulator: the world.
        seed: chooses the room, furniture or object of each.
    """
    world, rng = simulator.reveal(), np.random.default_rng((seed, 83))
    verbs = {schema.verb for schema in simulator.schemas}
    found = [Goal((literal,), SENTENCES[literal.act or literal.predicate].format(spaced(literal.subject)))
             for literal in (*_about_places(world, rng), *_acts(world, rng, verbs))]
    found += [Goal((*goal.literals, Literal("standing", ROBOT, stage=1)), f"{goal.text}, then stand up")
              for goal in found if goal.literals[0].predicate == "sitting"]
    return tuple(goal for goal in found if simulator.possible(goal))


def _about_places(world: Observation, rng: np.random.Generator) -> Iterator[Literal]:
    rooms = [e for e in world.entities if e.category == "room" and e.id != world.agent.room]
    yield from (Literal("robot_in", cls) for cls in _one_class(rooms, rng))
    furniture = [e for e in world.entities if e.category == "furniture" and e.properties & {SURFACE, CONTAINER}]
    yield from (Literal("robot_near", cls) for cls in _one_class(furniture, rng))
    yield from (Literal("robot_facing", cls) for cls in _one_class(furniture, rng))
    yield from (Literal("sitting", cls) for cls in _one_class(_having(world, SITTABLE), rng))
    yield from (Literal("lying", cls) for cls in _one_class(_having(world, LIEABLE), rng))


def _acts(world: Observation, rng: np.random.Generator, verbs: set[str]) -> Iterator[Literal]:
    for verb, flag in ACTS.items():
        if verb in verbs:
            yield from (Literal("done", cls, act=verb) for cls in _one_class(_having(world, flag), rng))


def _having(world: Observation, flag: str) -> list[Entity]:
    return [e for e in world.entities if e.category != "room" and (not flag or flag in e.properties)]


def _one_class(entities: list[Entity], rng: np.random.Generator) -> Iterator[str]:
    """Yields one of the classes, or nothing if there is none."""
    classes = sorted({e.cls for e in entities})
    if classes:
        yield classes[int(rng.integers(len(classes)))]
