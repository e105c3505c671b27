import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.geometry.model import House
from sim.rendering.cameras import Camera, dollhouse, first_person, look_at, orthographic
from tests.sim.rendering.small_house import ell, one_room

angles = st.floats(-3.0, 3.0)
places = st.floats(-20, 20)


def seen_at(camera: Camera, point: tuple[float, float, float], aspect: float = 1.0) -> tuple[float, float, float]:
    x, y, z, w = camera.projection(aspect) @ camera.view() @ np.array((*point, 1.0))
    return float(x / w), float(y / w), float(z / w)


@settings(deadline=None)
@given(places, places, angles, st.floats(-1.4, 1.4))
def test_view_is_a_rigid_motion_that_puts_the_target_ahead(x: float, y: float, yaw: float, pitch: float) -> None:
    camera = first_person(x, y, yaw, pitch)
    view = camera.view()
    assert np.allclose(view[:3, :3] @ view[:3, :3].T, np.eye(3), atol=1e-9)
    assert np.isclose(np.linalg.det(view[:3, :3]), 1.0)
    assert np.allclose(view @ (*camera.target, 1.0), (0, 0, -1, 1), atol=1e-9)
    assert seen_at(camera, camera.target)[:2] == pytest.approx((0, 0), abs=1e-6)


def test_first_person_turns_counter_clockwise_from_plus_y() -> None:
    assert first_person(1, 2, 0.0, 0.0).target == pytest.approx((1, 3, 1.5))
    assert first_person(1, 2, math.pi / 2, 0.0).target == pytest.approx((0, 2, 1.5))
    assert seen_at(first_person(0, 0, 0.0, 0.0), (1, 3, 1.5))[0] > 0  # what is east is on the right
    assert seen_at(first_person(0, 0, 0.0, 0.0), (0, 3, 2.5))[1] > 0  # what is high is above


@pytest.mark.parametrize("aspect", [1.0, 4 / 3, 16 / 9])
def test_field_of_view_is_vertical(aspect: float) -> None:
    camera = Camera((0, 0, 0), (0, 1, 0), fov=90.0)
    assert seen_at(camera, (0, 2, 2), aspect)[1] == pytest.approx(1.0)
    assert seen_at(camera, (2 * aspect, 2, 0), aspect)[0] == pytest.approx(1.0)


def test_depth_runs_from_near_to_far() -> None:
    camera = Camera((0, 0, 0), (0, 1, 0), near=0.5, far=20.0)
    assert seen_at(camera, (0, 0.5, 0))[2] == pytest.approx(-1)
    assert seen_at(camera, (0, 20.0, 0))[2] == pytest.approx(1)


def test_looking_straight_down_keeps_north_up() -> None:
    view = look_at((1.0, 1.0, 9.0), (1.0, 1.0, 0.0))
    assert (view @ (1.0, 2.0, 0.0, 1.0))[1] > 0


def test_orthographic_maps_its_radius_to_the_edge() -> None:
    assert np.allclose(orthographic(5, 1, 9) @ (5, -5, -1, 1), (1, -1, -1, 1))


@pytest.mark.parametrize("house", [one_room(), ell()])
@pytest.mark.parametrize("aspect", [0.6, 4 / 3, 2.4])
def test_dollhouse_shows_every_corner_and_wastes_little(house: House, aspect: float) -> None:
    camera = dollhouse(house, aspect)
    x0, y0, x1, y1 = house.bounds()
    points = itertools.product((x0, x1), ((y0, 0), (y1, 0), (y1, house.height)))
    corners = [seen_at(camera, (x, y, z), aspect) for x, (y, z) in points]
    spread = np.abs(np.array(corners)[:, :2])
    assert spread.max() <= 1.0
    assert spread.max() > 0.85
    assert not camera.indoors
