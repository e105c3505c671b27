"""Changes of the household that the robot does not make: where a thing comes to lie."""

from __future__ import annotations

import math

import pytest

from core.simulator.base import WorldChange
from sim.household.geometry import placed
from sim.household.simulator import HouseholdSimulator
from sim.household.spots import surfaces_of


@pytest.mark.parametrize("scene", ["four-rooms-1", "FloorPlan12", "FloorPlan301"])
def test_things_lie_at_the_heights_that_are_told_and_near_the_point(scene: str) -> None:
    with HouseholdSimulator.open(scene, {}) as simulator:
        simulator.reset(0)
        home, tops = simulator._home, simulator.tops()
        start, tried = simulator.save(), 0
        small = min((i for i, item in home.items.items() if item.category == "object"),
                    key=lambda i: math.prod(home.items[i].thing.size))
        for holder, top in tops.items():
            item = home.items[holder]
            change = WorldChange(small, "on", holder, item.thing.base[:2])
            if item.category != "furniture" or is_impossible(simulator, change):
                continue
            simulator.change(change)
            lies = placed(home, small).base
            assert lies[2] <= top + 1e-6
            if len(surfaces_of(item, "on")) == 1:
                assert lies[2] == pytest.approx(top)
            assert math.dist(lies[:2], item.thing.base[:2]) <= math.hypot(*item.thing.size[:2]) / 2 + 1e-6
            simulator.restore(start)
            tried += 1
        assert tried > 3


def is_impossible(simulator: HouseholdSimulator, change: WorldChange) -> bool:
    """Returns True if a change is not possible without its point, so that a point cannot help either."""
    return WorldChange(change.thing, change.kind, change.to) not in simulator.possible_changes(change.thing)
