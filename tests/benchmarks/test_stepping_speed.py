"""Headless stepping: the bar is 5,000 actions a second in a four-room home in one process. Prints, asserts nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.world.vocabulary import Action
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator
from tests.benchmarks.reference import PYTHON, in_units

STEPS = 1000


def recorded(world: HouseholdSimulator, steps: int) -> list[Action]:
    """Random admissible actions."""
    rng = np.random.default_rng(0)
    world.reset(0)
    actions = []
    for _ in range(steps):
        options = world.admissible()
        actions.append(options[int(rng.integers(len(options)))])
        world.step(actions[-1])
    return actions


@pytest.mark.parametrize("scene", ["four-rooms-1", "FloorPlan1"])
def test_step(benchmark: Any, scene: str) -> None:
    world = HouseholdSimulator(load_scene(scene))
    actions = recorded(world, STEPS if benchmark.enabled else STEPS // 10)

    def play() -> None:
        for action in actions:
            world.step(action)

    in_units(benchmark, PYTHON, play, f"{STEPS:,} actions in {scene}", setup=lambda: world.reset(0), rounds=11)


def test_list_admissible(benchmark: Any) -> None:
    world = HouseholdSimulator(load_scene("four-rooms-1"))
    world.reset(0)
    assert in_units(benchmark, PYTHON, world.admissible, "list of admissible actions", repeats=40)


def test_reset(benchmark: Any) -> None:
    world = HouseholdSimulator(load_scene("four-rooms-1"))
    assert in_units(benchmark, PYTHON, lambda: world.reset(1), "reset of a scene", repeats=4).step == 0
