"""A replica reaches every moment of a run again, in any order, and notices a world that is another."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import DataError
from core.session.replica import Replica, WorldMoment
from core.simulator.base import Saved
from core.world.vocabulary import Action, Relation
from sim.household.simulator import HouseholdSimulator

SCENE = "four-rooms-1"


def played(seed: int, turns: int) -> list[tuple[WorldMoment, Saved]]:
    """A random walk: each moment with the state of the simulator."""
    rng, steps, found = random.Random(seed), tuple[Action, ...](), list[tuple[WorldMoment, Saved]]()
    with HouseholdSimulator.open(SCENE, {}) as world:
        seen = world.reset(seed)
        for turn in range(1, turns + 1):
            moment = WorldMoment(("household", SCENE, seed), steps, seen.agent, seen.relations, turn, "before", 0)
            found.append((moment, world.save()))
            action = rng.choice(world.admissible())
            steps, seen = (*steps, action), world.step(action).observation
    return found


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 99), st.lists(st.integers(0, 24), min_size=1, max_size=8))
def test_every_moment_is_reached_in_any_order(seed: int, order: list[int]) -> None:
    moments = played(seed, 25)
    replica = Replica(HouseholdSimulator.open(SCENE, {}), seed)
    for k in order:
        moment, saved = moments[k]
        assert replica.bring(moment).save() == saved
    replica.close()


def test_another_branch_is_reached_from_where_it_leaves() -> None:
    one, other = played(3, 20), played(3, 9)
    moment = other[-1][0]
    with HouseholdSimulator.open(SCENE, {}) as world:
        world.reset(3)
        for action in moment.steps:
            world.step(action)  # type: ignore[arg-type]
        last = world.admissible()[-1]
        seen = world.step(last).observation
        saved = world.save()
    replica = Replica(HouseholdSimulator.open(SCENE, {}), 3)
    replica.bring(one[-1][0])
    there = replace(moment, steps=(*moment.steps, last), agent=seen.agent, relations=seen.relations)
    assert replica.bring(there).save() == saved
    assert replica.bring(one[-1][0]).save() == one[-1][1]
    replica.close()


def test_a_world_that_differs_is_not_shown() -> None:
    first = played(0, 1)[0][0]
    replica = Replica(HouseholdSimulator.open(SCENE, {}), 0)
    with pytest.raises(DataError, match="cannot be made again"):
        replica.bring(replace(first, agent=replace(first.agent, room="elsewhere")))
    with pytest.raises(DataError, match="was on"):
        replica.bring(replace(first, relations=(Relation("on", first.relations[0].subject, "nowhere"),)))
    assert replica.bring(first) is replica.bring(first)
    replica.close()
