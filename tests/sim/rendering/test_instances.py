import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.simulator.orbit import LOWEST, STEEPEST, fitted
from sim.geometry.model import Robot, Thing
from sim.rendering.cameras import dollhouse, extent_of, first_person, orbiting
from sim.rendering.instances import (
    ROW,
    ceilings_batch,
    cut_heights,
    floors_batch,
    numbering,
    rows_of,
    shown_when_cut,
    things_batch,
    walls_batch,
)
from sim.rendering.robot import (
    BASE_RADIUS,
    IN_HAND,
    before_eyes,
    carried,
    held_rows,
    reaches_into,
    robot_prims,
    shown_scale,
)
from sim.rendering.shapes.kit import Prim
from tests.sim.rendering.small_house import ell, one_room


def test_numbers_follow_the_things_and_decoration_is_nobody() -> None:
    house = one_room()
    decorated = replace(house, things=(*house.things, Thing("", "BaseFill", 0, (1, 1, 0), (1, 1, 1))))
    assert numbering(decorated) == {"": 0, "fridge": 1, "apple": 2, "table": 3, "mug": 4}
    assert numbering(house, (replace(house.things[0], id="cup"),))["cup"] == 5


def test_things_batch_leaves_out_what_is_hidden_or_unwanted() -> None:
    house = one_room()
    assert set(things_batch(house).rows["meta"][:, 0]) == {1, 3, 4}
    assert set(things_batch(house, lambda t: t.kind == "Mug").rows["meta"][:, 0]) == {4}
    assert set(things_batch(one_room(fridge_open=True)).rows["meta"][:, 0]) == {1, 2, 3, 4}


def test_arrays_part_rows_by_mesh_and_glass() -> None:
    batch = walls_batch(one_room())
    opaque, glass = batch.arrays(), batch.arrays(glass=True)
    assert set(opaque) == set(glass) == {"box"}
    assert opaque["box"].dtype == ROW
    assert len(opaque["box"]) + len(glass["box"]) == len(batch.rows)
    assert (glass["box"]["colour"][:, 3] < 1).all()


def test_rows_turn_about_the_base() -> None:
    rows = rows_of([Prim("box", (1, 0, 0.5), (0.1, 0.2, 0.3), (1, 0, 0))], 3, (10, 20, 0), math.pi / 2)
    assert rows["pos"][0] == pytest.approx((10, 21, 0.5), abs=1e-5)
    assert rows["turn"][0] == pytest.approx((0, 0, math.sqrt(0.5), math.sqrt(0.5)))
    assert rows["meta"][0].tolist() == [0, 0, 0, 3]


def test_a_lying_cylinder_has_its_axis_along_y() -> None:
    x, y, z, w = rows_of([Prim("cylinder", (0, 0, 0), (0.1, 0.1, 1), (1, 1, 1), axis="y")], 0)["turn"][0]
    axis = np.array((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))  # where the mesh's own z points
    assert np.abs(axis) == pytest.approx((0, 1, 0), abs=1e-6)


def test_changing_one_thing_changes_only_its_rows() -> None:
    house = one_room()
    moved = replace(house, things=(*house.things[:3], replace(house.things[3], base=(3.0, 1.4, 0.7))))
    a, b = things_batch(house).rows, things_batch(moved).rows
    mine = a["meta"][:, 0] == 4
    assert (a[~mine] == b[~mine]).all()
    assert not (a[mine]["pos"] == b[mine]["pos"]).all()


def test_floors_and_ceilings_cover_each_piece_in_its_rooms_light() -> None:
    house = ell()
    floors = floors_batch(house, lawn=False).rows
    assert floors["meta"][:, 3].tolist() == [0, 0, 1]
    assert (floors["half"][:, 0] * floors["half"][:, 1] * 4).sum() == pytest.approx(30.0)
    assert len(ceilings_batch(house).rows) == 3
    assert len(floors_batch(house).rows) == 4


def test_walls_stop_at_their_cut_and_openings_stay_open() -> None:
    house = ell()
    rows = walls_batch(house, lambda wall: 1.0).rows
    assert (rows["pos"][:, 2] + rows["half"][:, 2]).max() < 1.02
    door = np.array((4.475, 3.0, 1.0))
    whole = walls_batch(house).rows
    inside = (np.abs(whole["pos"] - door) < whole["half"]).all(axis=1)
    assert not inside.any()


def test_only_walls_seen_from_outdoors_are_cut_low() -> None:
    house = ell()
    heights = cut_heights(house, dollhouse(house, 4 / 3).eye)
    assert heights[0] < 0.3  # south
    assert heights[6:] == (1.15, 1.15)  # between rooms
    assert heights[1:6] == (2.6,) * 5
    assert cut_heights(house, (3.0, 30.0, 10.0))[0] == 2.6  # seen from the north the south wall stands


def test_what_hangs_on_a_cut_wall_or_overhead_is_left_out() -> None:
    house = one_room()
    heights = cut_heights(house, (2.0, -5.0, 8.0))
    picture = Thing("picture", "Painting", 0, (2.0, 0.1, 1.5), (0.5, 0.04, 0.4))
    assert not shown_when_cut(house, picture, heights)
    assert shown_when_cut(house, replace(picture, base=(2.0, 3.9, 1.5)), heights)
    assert not shown_when_cut(house, replace(picture, base=(2.0, 2.0, 2.3)), heights)


def test_robot_is_as_high_as_told_and_stands_on_the_floor() -> None:
    rows = rows_of(robot_prims(), 0)
    assert (rows["pos"][:, 2] + rows["half"][:, 2]).max() == pytest.approx(1.25, abs=0.02)
    assert (rows["pos"][:, 2] - rows["half"][:, 2]).min() == pytest.approx(0.0, abs=1e-6)
    assert BASE_RADIUS < 0.3


def test_held_things_are_in_the_hands_and_before_the_eyes() -> None:
    house = one_room()
    robot = Robot(1.0, 1.0, 0.0, held=(house.things[3], house.things[0]))
    right, left = carried(robot, 0)
    assert right.base[0] > 1.0 > left.base[0]
    assert right.base[1] > 1.2
    camera = first_person(1.0, 1.0, 0.0)
    first, second = before_eyes(robot, camera, 4 / 3, 0)
    assert first.base[0] > second.base[0]
    rows = held_rows((second,), IN_HAND, {"fridge": 7})
    assert set(rows["meta"][:, 0]) == {7}
    assert (rows["half"] * 2).max() <= IN_HAND[1] * 1.01
    assert shown_scale(house.things[3], IN_HAND) == 1.0


@given(st.floats(-3.14, 3.14), st.floats(LOWEST, STEEPEST))
def test_from_every_side_no_wall_hides_a_room(turn: float, tilt: float) -> None:
    house = ell()
    camera = orbiting(fitted(extent_of(house), 4 / 3, turn, tilt))
    heights = cut_heights(house, camera.eye, camera.tilt)
    for wall, height in zip(house.walls, heights, strict=True):
        (x0, y0), (x1, y1) = wall.start, wall.end
        for along in (0.2, 0.4, 0.6, 0.8):
            top = np.array((x0 + (x1 - x0) * along, y0 + (y1 - y0) * along, height))
            ray = top - camera.eye
            behind = top + ray * (top[2] / -ray[2])
            hidden = math.hypot(*(behind - top)[:2])
            middle = (top + behind)[:2] / 2
            if any(room.contains(float(middle[0]), float(middle[1])) for room in house.rooms):
                assert hidden < 1.5, "more floor than a low wall may hide"


def test_walls_between_rooms_are_lower_the_flatter_the_camera_looks() -> None:
    house = ell()
    camera = dollhouse(house, 4 / 3)
    found = [cut_heights(house, camera.eye, math.radians(tilt))[6] for tilt in range(28, 89)]
    assert found == sorted(found)
    assert found[0] < 0.5
    assert found[-1] == 1.15


@pytest.mark.parametrize("held", [(), (Thing("mug", "Mug", 0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1)),)])
def test_the_robots_hands_are_not_in_the_chair_before_it(held: tuple[Thing, ...]) -> None:
    robot = Robot(0.0, 0.0, held=held)
    near, far = (Thing("chair", "Chair", 0, (0.05, y, 0.0), (0.45, 0.45, 0.95)) for y in (0.56, 1.0))
    assert reaches_into(robot, [near])
    assert not reaches_into(robot, [far])
    assert not reaches_into(replace(robot, posture="sitting", seat=0.4), [near])
    assert not reaches_into(robot, [near], tucked=True)
