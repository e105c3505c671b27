"""Draws goals about the robot and about acts from what is in a scene: one for each predicate and each act that it allows."""

from __future__ import annotations

import random
from collections.abc import Iterator

from core.goals.formal_text import read_formal
from core.goals.literals import Goal
from core.simulator.base import Simulator
from core.world.vocabulary import ACTS, CONTAINER, LIEABLE, SITTABLE, SURFACE, Entity

POSTURES = {"sitting": SITTABLE, "lying": LIEABLE}


def robot_goals(simulator: Simulator, seed: int) -> list[Goal]:
    """Returns goals that are possible in the simulator's present state; single literals, and one that ends by standing up."""
    world, rng = simulator.reveal(), random.Random(seed)
    verbs = {schema.verb for schema in simulator.schemas}

    def pick(entities: Iterator[Entity]) -> Iterator[str]:
        classes = sorted({e.cls for e in entities})
        if classes:
            yield rng.choice(classes)

    def having(flag: str) -> Iterator[Entity]:
        return (e for e in world.entities if e.category != "room" and (not flag or flag in e.properties))

    texts = [f"robot_in({cls})" for cls in pick(e for e in world.entities if e.category == "room" and e.id != world.agent.room)]
    furniture = [e for e in world.entities if e.category == "furniture" and e.properties & {SURFACE, CONTAINER}]
    texts += [f"{predicate}({cls})" for predicate in ("robot_near", "robot_facing") for cls in pick(iter(furniture))]
    for predicate, flag in POSTURES.items():
        texts += [f"{predicate}({cls})" for cls in pick(having(flag))]
    texts += [f"sitting({cls}) then standing()" for cls in pick(having(SITTABLE))]
    texts += [f"done({verb}, {cls})" for verb, flag in ACTS.items() if verb in verbs for cls in pick(having(flag))]
    goals = [read_formal(text, world.entities) for text in texts]
    return [goal for goal in goals if simulator.possible(goal)]
