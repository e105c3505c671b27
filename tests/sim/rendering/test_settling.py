"""Nothing floats in a picture, and nothing that lies somewhere is inside of something else: found by geometry alone."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from sim.geometry.model import House, Room, Thing, Wall
from sim.household.geometry import house_of as house_at_play
from sim.household.scenes import load_scene, scene_names
from sim.household.simulator import HouseholdSimulator
from sim.rendering.contact import Blocks, flat_gaps, near_pairs, upright_gaps
from sim.rendering.fitting import fitted
from sim.rendering.settling import LIMIT, MOUNTED, SOFT, TO_WALL, held_things, settled, walls_of
from tests.long_tests import either
from tests.sim.rendering.common import KINDS, house_of

SUNK = 0.03
"""Small objects may be this deep in others, metres: parts are compared as boxes."""
ROOMS = [(kind, n) for kind in KINDS for n in range(30)]
GRAPHS = sorted(str(path) for path in (Path(__file__).parent / "graphs").glob("*.json.gz"))
HOMES = [name for name in scene_names() if not name.startswith("FloorPlan")]

PLAYED = ("FloorPlan1", "FloorPlan224", "FloorPlan402")


def shown(house: House) -> list[Thing]:
    return [t for t in house.things if not t.hidden]


def floating(house: House, things: tuple[Thing, ...]) -> list[str]:
    """The objects that reach floor, ceiling and walls neither themselves nor through others."""
    held, _ = held_things(Blocks.of(things), things, walls_of(house), house.height)
    return [things[k].id or things[k].kind for k in np.flatnonzero(~held)]


def sunken(things: tuple[Thing, ...]) -> list[tuple[str, str]]:
    """The small objects that lie somewhere, and what they are inside of."""
    blocks = Blocks.of(things)
    small = np.array([t.parent is not None and t.kind not in MOUNTED | SOFT and max(t.size) < 0.6 for t in things], bool)
    mine = blocks.taken(small[blocks.owner])
    first, second = near_pairs(mine, blocks, -SUNK, -SUNK)
    a, b = mine.taken(first), blocks.taken(second)
    deep = (np.maximum(flat_gaps(a, b), upright_gaps(a, b)) < -SUNK) & (a.owner != b.owner)
    return sorted({(things[i].id, things[j].id or things[j].kind) for i, j in zip(a.owner[deep], b.owner[deep], strict=True)})


def test_nothing_floats_in_any_room_of_ithor() -> None:
    rooms = [house_of(*room) for room in either(ROOMS[1::6], ROOMS)]
    assert sum(len(floating(house, tuple(shown(house)))) for house in rooms) > 4 * len(rooms), "the metadata leave gaps"
    for house in rooms:
        assert floating(house, settled(house, shown(house))) == []


def test_small_objects_are_not_inside_of_others() -> None:
    rooms = [house_of(*room) for room in either(ROOMS[1::6], ROOMS)]
    before = sum(len(sunken(tuple(shown(house)))) for house in rooms)
    after = sum(len(sunken(settled(house, shown(house)))) for house in rooms)
    assert after <= before / 5


@pytest.mark.parametrize("scene", [*HOMES[: either(1, 4)], *GRAPHS[: either(1, 2)], *PLAYED])
def test_what_the_robot_puts_down_neither_floats_nor_sinks(scene: str) -> None:
    dice = random.Random(3)
    with HouseholdSimulator(load_scene(scene)) as simulator:
        simulator.reset(5)
        for step in range(either(60, 400)):
            simulator.step(dice.choice(simulator.admissible()))
            if step % 20 == 19:
                house = house_at_play(simulator._home)
                drawn = settled(house, shown(house))
                assert floating(house, drawn) == []
                assert len(sunken(drawn)) <= 1


def room_with(*things: Thing) -> House:
    wall = Wall((-2.0, -2.06), (2.0, -2.06), left=0)
    return House((Room("kitchen", ((-2.0, -2.0, 2.0, 2.0),)),), (wall,), things, 2.6)


def drawn(*things: Thing) -> tuple[Thing, ...]:
    house = room_with(*things)
    found = settled(house, things)
    assert floating(house, found) == []
    return found


def test_objects_move_no_further_than_they_must() -> None:
    table = Thing("table", "DiningTable", 0, (0.0, 0.0, 0.0), (1.0, 1.0, 0.75))
    lies, floats = (Thing(f"mug{z}", "Mug", 0, (0.2 * z, 0.0, z), (0.08, 0.08, 0.1), parent="table") for z in (0.75, 0.85))
    assert drawn(table, lies) == (table, lies)
    assert drawn(table, floats)[1].base == pytest.approx((floats.base[0], 0.0, 0.75), abs=0.001)


def test_a_cupboard_is_drawn_as_deep_as_its_wall_is_far() -> None:
    cupboard = Thing("cupboard", "Cabinet", 0, (0.0, -1.7, 1.4), (0.5, 0.1, 0.6))
    (found,) = drawn(cupboard)
    assert found.base[1] - found.size[1] / 2 == pytest.approx(-2.0, abs=0.01)
    assert found.base[1] + found.size[1] / 2 == pytest.approx(cupboard.base[1] + cupboard.size[1] / 2, abs=0.001)


def test_what_is_far_above_everything_gets_a_board_or_a_post() -> None:
    near, far = (Thing(f"vase{y}", "Vase", 0, (0.0, y, 1.3), (0.15, 0.15, 0.3)) for y in (-1.85, 1.0))
    found = drawn(near, far)
    assert found[:2] == (near, far)
    assert [(t.id, t.kind) for t in found[2:]] == [("", "Shelf"), ("", "BaseFill")]
    assert found[3].size[2] == pytest.approx(1.3)


def test_a_picture_hangs_on_the_wall() -> None:
    (found,) = drawn(Thing("picture", "Painting", 0, (0.0, -1.6, 1.5), (0.8, 0.04, 0.6)))
    assert found.base == pytest.approx((0.0, -1.98, 1.5), abs=0.02)
    assert LIMIT < 0.38 < TO_WALL


def test_a_sponge_in_a_worktop_comes_out_of_it() -> None:
    counter = Thing("counter", "CounterTop", 0, (0.0, 0.0, 0.0), (1.0, 0.6, 0.9))
    sponge = Thing("sponge", "DishSponge", 0, (0.1, 0.0, 0.86), (0.1, 0.07, 0.03), parent="counter")
    assert drawn(counter, sponge)[1].base[2] == pytest.approx(0.9, abs=0.002)


def test_the_rim_of_a_sink_lies_around_its_basin() -> None:
    rim = Thing("sink", "SinkRim", 0, (0.0, 0.0, 1.05), (0.7, 0.5, 0.02))
    basin = Thing("sink|basin", "SinkBasin", 0, (0.0, 0.05, 0.8), (0.5, 0.3, 0.15))
    found = fitted(rim, (rim, basin))
    assert found.base[:2] == basin.base[:2]
    assert found.base[2] < 0.95 < found.base[2] + found.size[2]
    assert (found.size[0] - 0.5, found.size[1] - 0.3) == pytest.approx((0.06, 0.06))
    assert fitted(rim, (rim,)) == rim


def test_a_desk_has_its_pedestal_at_its_drawers_and_not_in_its_chair() -> None:
    desk = Thing("desk", "Desk", 0, (0.0, 0.0, 0.0), (1.4, 0.7, 0.75))
    drawers = [Thing(f"drawer{x}", "Drawer", 0, (x, 0.0, 0.3), (0.4, 0.5, 0.2)) for x in (-0.5, 0.5)]
    chairs = [Thing(f"chair{x}", "Chair", 0, (x, 0.4, 0.0), (0.45, 0.45, 0.9), np.pi) for x in (-0.4, 0.4)]
    assert [fitted(desk, (desk, other)).hinge for other in (*drawers, *chairs)] == ["right", "left", "left", "right"]
    for chair in chairs:
        blocks = Blocks.of([fitted(desk, (desk, chair)), chair])
        first, second = (blocks.taken(blocks.owner == k) for k in (0, 1))
        i, j = near_pairs(first, second, 0.0, 0.0)
        deep = np.maximum(flat_gaps(first.taken(i), second.taken(j)), upright_gaps(first.taken(i), second.taken(j)))
        assert deep.min(initial=0.0) > -SUNK


def test_a_shelving_unit_has_no_boards_beside_those_that_are_listed() -> None:
    unit = Thing("unit", "ShelvingUnit", 0, (0.0, 0.0, 0.0), (1.0, 0.4, 1.8))
    inside, above = (Thing(f"shelf{z}", "Shelf", 0, (0.0, 0.0, z), (0.9, 0.3, 0.3)) for z in (0.6, 2.0))
    assert fitted(unit, (unit, inside)).kind == "ShelfCase"
    assert fitted(unit, (unit, above)) == unit


def test_what_reaches_below_the_floor_stands_on_it() -> None:
    """A bath that sinks into the floor would show its tiles."""
    bath = Thing("bath", "Bathtub", 0, (0.0, 0.0, -0.17), (1.8, 0.8, 0.64))
    (found,) = drawn(bath)
    assert found.base[2] == 0.0
    assert found.base[2] + found.size[2] == pytest.approx(0.47)
