from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.simulator.orbit import Orbit, orbit_of
from sim.geometry.model import House, Robot
from sim.rendering.cameras import boxes, dollhouse, first_person, orbiting
from sim.rendering.top_view import draw_top_view
from tests.sim.rendering.small_house import ell, one_room


@pytest.mark.parametrize("size", [(640, 480), (641, 479), (64, 64), (90, 400)])
def test_plan_has_the_pixels_and_numbers_of_a_picture(size: tuple[int, int]) -> None:
    house = ell()
    picture = draw_top_view(house, dollhouse(house, 1.0), size)
    assert picture.pixels.shape == (size[1], size[0], 3)
    assert picture.pixels.dtype == np.uint8
    assert picture.ids.dtype == np.uint16
    found = boxes(picture, least=1)
    assert set(found) == {"sofa", "plant", "toilet", "book"}
    assert found["sofa"][0] < found["toilet"][0]  # west is left
    assert found["sofa"][1] < found["plant"][1]  # north is up


def test_what_is_hidden_is_not_drawn_and_small_things_lie_on_large_ones() -> None:
    shut, opened = (draw_top_view(one_room(fridge_open=o), first_person(1, 1, 0), (400, 400)) for o in (False, True))
    assert "apple" not in boxes(shut, least=1)
    assert {"apple", "mug", "table", "fridge"} == set(boxes(opened, least=1))


def test_robot_and_camera_are_drawn_where_they_stand() -> None:
    house = one_room()
    empty = draw_top_view(house, dollhouse(house, 1.0), (400, 400)).pixels
    for robot, camera in ((Robot(1.0, 1.0), dollhouse(house, 1.0)), (None, first_person(1.0, 1.0, 0.0))):
        changed = (draw_top_view(house, camera, (400, 400), robot).pixels != empty).any(axis=2)
        ys, xs = np.nonzero(changed)
        assert xs.mean() == pytest.approx(200 - 400 / 4.8, abs=8)
        assert ys.mean() == pytest.approx(200 + 400 / 4.8, abs=8)


def test_held_things_go_with_the_robot() -> None:
    house = one_room()
    picture = draw_top_view(house, dollhouse(house, 1.0), (400, 400), Robot(1.0, 1.0, held=(house.things[3],)))
    assert boxes(picture, least=1)["mug"][2] < 200


def test_an_empty_house_is_an_empty_sheet() -> None:
    picture = draw_top_view(House((), (), ()), first_person(0, 0, 0), (80, 80))
    assert picture.names == ("",)
    assert not picture.ids.any()


def test_plans_repeat() -> None:
    house = replace(ell(), height=2.4)
    first, again = (draw_top_view(house, dollhouse(house, 1.0), (300, 200)) for _ in range(2))
    assert (first.pixels == again.pixels).all()


@given(st.floats(0, 6), st.floats(0, 5), st.floats(1.6, 20))
def test_the_matrix_of_a_plan_hits_what_it_draws_and_tells_its_viewpoint(x: float, y: float, distance: float) -> None:
    house, orbit = ell(), Orbit(x, y, distance)
    picture = draw_top_view(house, orbiting(orbit), (320, 240))
    found = orbit_of(picture.matrix.ravel().tolist())
    assert found is not None
    assert (found.x, found.y, found.distance) == pytest.approx((x, y, distance))
    for thing in house.things:
        across, up = (picture.matrix @ (*thing.base, 1.0))[:2].tolist()
        column, row = int((across + 1) / 2 * 320), int((1 - up) / 2 * 240)
        if 1 < column < 319 and 1 < row < 239:
            assert picture.names[picture.ids[row, column]] == thing.id


def test_a_picture_of_the_whole_house_is_the_whole_plan() -> None:
    picture = draw_top_view(ell(), dollhouse(ell(), 4 / 3), (320, 240))
    found = orbit_of(picture.matrix.ravel().tolist())
    assert found is not None
    assert found.is_plan
    assert (found.x, found.y) == pytest.approx((3.0, 2.5))
