"""Ways of the robot: they begin and end where they should, and keep to where a robot can be."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from core.world.vocabulary import FloorPoint, Pose
from sim.geometry.model import House, Wall
from sim.household.geometry import house_of
from sim.household.scenes import load_scene
from sim.household.simulator import HouseholdSimulator


def crosses(wall: Wall, a: FloorPoint, b: FloorPoint) -> bool:
    """Whether a straight line goes through the wall elsewhere than through one of its doors."""
    ux, uy = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
    away = [(x - wall.start[0]) * -uy + (y - wall.start[1]) * ux for x, y in (a, b)]
    if away[0] * away[1] >= 0:
        return False
    t = away[0] / (away[0] - away[1])
    along = (a[0] + t * (b[0] - a[0]) - wall.start[0]) * ux + (a[1] + t * (b[1] - a[1]) - wall.start[1]) * uy
    doors = [o for o in wall.openings if o.kind == "door"]
    return 0 < along < wall.length and not any(o.begin < along < o.end for o in doors)


def poses(simulator: HouseholdSimulator) -> tuple[House, list[Pose]]:
    home = simulator._home
    floor = simulator._floor
    return house_of(home), [floor.beside(home, f) for f, item in home.items.items() if item.category == "furniture"]


@pytest.mark.parametrize("scene", ["four-rooms-1", "four-rooms-3", "FloorPlan1", "FloorPlan212"])
def test_a_way_goes_through_doors_and_not_through_walls(scene: str) -> None:
    simulator = HouseholdSimulator(load_scene(scene))
    simulator.reset(3)
    house, places = poses(simulator)
    rng = np.random.default_rng(0)
    straight = 0
    for start, end in (rng.choice(len(places), 2, replace=False) for _ in range(40)):
        a, b = places[start], places[end]
        way = simulator.way(a, b)
        assert way[0] == pytest.approx((a.x, a.y))
        assert way[-1] == pytest.approx((b.x, b.y))
        straight += any(crosses(wall, (a.x, a.y), (b.x, b.y)) for wall in house.walls)
        assert not any(crosses(wall, *leg) for wall in house.walls for leg in pairwise(way)), (scene, a, b)
        assert sum(math.dist(*leg) for leg in pairwise(way)) >= math.dist((a.x, a.y), (b.x, b.y)) - 1e-9
    assert straight or not scene.startswith("four"), "a test of walls needs some in the way"


def test_standing_still_is_no_way() -> None:
    simulator = HouseholdSimulator(load_scene("four-rooms-1"))
    simulator.reset(0)
    pose = poses(simulator)[1][0]
    assert set(simulator.way(pose, pose)) == {(pose.x, pose.y)}


@pytest.mark.parametrize("scene", ["four-rooms-1", "FloorPlan1"])
def test_a_picture_of_the_house_knows_the_ways_from_where_the_robot_stands(scene: str) -> None:
    with HouseholdSimulator(load_scene(scene)) as simulator:
        simulator.reset(3)
        house, _ = poses(simulator)
        start = simulator._home.state.pose
        assert start is not None
        frame = simulator.render("dollhouse", 64, 64)
        furniture = {f for f, item in simulator._home.items.items() if item.category == "furniture"}
        assert {name for name, _ in frame.ways} == furniture | set(simulator._home.room_ids)
        for name, way in frame.ways:
            assert way[0] == pytest.approx((start.x, start.y), abs=0.01)
            assert not any(crosses(wall, *leg) for wall in house.walls for leg in pairwise(way)), (scene, name)
        assert simulator.render("first person", 64, 64).ways == ()
