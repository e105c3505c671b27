"""An episode is laid out once and begun often. What happens in one of them changes no other."""

from __future__ import annotations

import random

import pytest

from core.goals.kinds import LIGHT, is_a
from sim.geometry.grid import free_space
from sim.household import initial_state
from sim.household.geometry import house_of
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator


def play(simulator: HouseholdSimulator, seed: int, steps: int = 60) -> None:
    """Plays random admissible actions."""
    dice = random.Random(seed)
    for _ in range(steps):
        simulator.step(dice.choice(simulator.admissible()))


@pytest.mark.parametrize("scene", ["four-rooms-1", "FloorPlan1"])
@pytest.mark.parametrize("seed", [0, 7])
def test_an_episode_begins_the_same_after_others_were_played(scene: str, seed: int) -> None:
    with HouseholdSimulator.open(scene, {}) as one, HouseholdSimulator.open(scene, {}) as two:
        one.reset(seed)
        began = one.save()
        two.reset(seed)
        play(two, seed)
        assert two.save() != began
        assert one.save() == began
        two.reset(seed)
        assert two.save() == began


def test_options_of_one_episode_are_not_those_of_another() -> None:
    with HouseholdSimulator.open("four-rooms-1", {"lit": "yes"}) as lit, HouseholdSimulator.open("four-rooms-1", {}) as dark:
        lit.reset(3)
        dark.reset(3)
        states = [[entity.states for entity in world.reveal().entities if is_a(entity, LIGHT)] for world in (lit, dark)]
        assert all("on" in found for found in states[0])
        assert not all("on" in found for found in states[1])


def test_the_same_episode_is_laid_out_once() -> None:
    with HouseholdSimulator.open("four-rooms-2", {}) as first:
        first.reset(11)
        before = initial_state._laid_out.cache_info()
    with HouseholdSimulator.open("four-rooms-2", {}) as again:
        again.reset(11)
    after = initial_state._laid_out.cache_info()
    assert after.misses == before.misses
    assert after.hits > before.hits


@pytest.mark.parametrize("scene", ["four-rooms-1", "four-rooms-4", "FloorPlan1", "FloorPlan212", "FloorPlan414"])
def test_the_robot_can_stand_at_the_same_points_in_each_episode(scene: str) -> None:
    loaded = load_scene(scene)
    for seed in range(4):
        free = free_space(house_of(initial_state.laid_out(loaded, seed, ()))).free
        assert (free == initial_state.free_grid(loaded, ()).free).all()
