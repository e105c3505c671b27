from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.geometry.grid import free_space, is_obstacle, largest_component
from sim.geometry.model import House, Opening, Room, Thing, Wall


def box_room(*things: Thing) -> House:
    corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)]
    walls = tuple(Wall(corners[k], corners[(k + 1) % 4], left=0) for k in range(4))
    return House((Room("room", ((0, 0, 4, 3),)),), walls, things)


def block(x: float, y: float, w: float, d: float, z: float = 0.0, h: float = 1.0) -> Thing:
    return Thing(f"{x}{y}", "cabinet", 0, (x, y, z), (w, d, h))


def test_an_empty_room_is_free_and_hangs_together() -> None:
    grid = free_space(box_room())
    assert grid.reachable_share == 1.0
    centres = grid.centres(grid.free)
    assert centres.min() >= 0.28
    assert centres[:, 0].max() <= 4 - 0.28
    assert centres[:, 1].max() <= 3 - 0.28


def test_things_keep_their_distance() -> None:
    grid = free_space(box_room(block(2, 1.5, 0.6, 0.6)))
    gaps = np.maximum(np.abs(grid.centres(grid.free) - (2, 1.5)) - 0.3, 0)
    assert np.hypot(*gaps.T).min() >= 0.22


def test_a_barrier_parts_the_room() -> None:
    grid = free_space(box_room(block(1.5, 1.5, 0.4, 3.0)))
    assert 0.4 < grid.reachable_share < 1
    assert grid.centres(grid.reachable)[:, 0].min() > 1.5


def test_turned_things() -> None:
    turned = Thing("t", "cabinet", 0, (2, 1.5, 0), (2.0, 0.2, 1.0), np.pi / 4)
    grid = free_space(box_room(turned))
    free = {tuple(c) for c in grid.centres(grid.free).round(3).tolist()}
    assert (2.5, 2.0) not in free
    assert (2.5, 1.0) in free


def test_what_is_no_obstacle() -> None:
    assert not is_obstacle(block(1, 1, 1, 1, z=1.4))
    assert not is_obstacle(block(1, 1, 1, 1, h=0.1))
    assert not is_obstacle(Thing("r", "rug", 0, (1, 1, 0), (1, 1, 0.3)))
    assert not is_obstacle(Thing("h", "cabinet", 0, (1, 1, 0), (1, 1, 1), hidden=True))
    assert is_obstacle(block(1, 1, 1, 1))


def two_rooms(*openings: Opening) -> House:
    rooms = (Room("a", ((0, 0, 2, 3),)), Room("b", ((2, 0, 4, 3),)))
    return House(rooms, (Wall((2, 0), (2, 3), 0, 1, openings),), ())


def test_only_free_doors_connect() -> None:
    assert free_space(two_rooms(Opening("door", 1.0, 2.0))).reachable_share == 1.0
    assert free_space(two_rooms(Opening("leaf", 1.0, 2.0))).reachable_share < 0.7
    assert free_space(two_rooms(Opening("window", 1.0, 2.0, 0.9))).reachable_share < 0.7


def test_the_missing_corner_of_an_l_is_not_floor() -> None:
    house = House((Room("l", ((0, 0, 2, 4), (2, 0, 4, 2))),), (), ())
    grid = free_space(house)
    centres = grid.centres(grid.free)
    assert not ((centres[:, 0] > 2) & (centres[:, 1] > 2)).any()
    assert grid.reachable_share == 1.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=5, max_size=5))
def test_largest_component_is_connected_and_largest(cells: list[list[bool]]) -> None:
    free = np.array(cells)
    part = largest_component(free)
    assert not (part & ~free).any()
    rest = largest_component(free & ~part)
    assert rest.sum() <= part.sum()
    grown = part.copy()
    grown[1:] |= part[:-1]
    grown[:-1] |= part[1:]
    grown[:, 1:] |= part[:, :-1]
    grown[:, :-1] |= part[:, 1:]
    assert not (grown & free & ~part).any()


def test_no_floor_at_all() -> None:
    grid = free_space(box_room(block(2, 1.5, 4, 3)))
    assert grid.reachable_share == 0.0
    assert not grid.reachable.any()
