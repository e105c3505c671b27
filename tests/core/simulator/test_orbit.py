"""The free viewpoint of a house: its arithmetic agrees with the matrix of the camera that draws it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.simulator.orbit import FARTHEST, LOWEST, NEAREST, STEEPEST, Extent, Orbit, fitted, orbit_of
from sim.rendering.cameras import Camera, first_person, orbiting

ASPECT = 4 / 3
orbits = st.builds(Orbit, st.floats(-9, 9), st.floats(-9, 9), st.floats(NEAREST, 30), st.floats(-3.1, 3.1),
                   st.floats(LOWEST, STEEPEST))
extents = st.builds(lambda x, y, w, d: Extent(x, y, x + w, y + d, 2.6), st.floats(-9, 9), st.floats(-9, 9), st.floats(2, 16),
                    st.floats(2, 16))
shares = st.floats(-0.9, 0.9)


def matrix_of(camera: Camera) -> npt.NDArray[np.float64]:
    return camera.projection(ASPECT) @ camera.view()


def on_picture(orbit: Orbit, x: float, y: float, z: float = 0.0) -> tuple[float, float]:
    clip = matrix_of(orbiting(orbit)) @ (x, y, z, 1.0)
    return float(clip[0] / clip[3]), float(clip[1] / clip[3])


@given(orbits)
def test_a_picture_tells_its_viewpoint(orbit: Orbit) -> None:
    found = orbit_of(matrix_of(orbiting(orbit)).ravel().tolist())
    assert found is not None
    assert (found.x, found.y, found.distance, found.turn, found.tilt) == pytest.approx(
        (orbit.x, orbit.y, orbit.distance, orbit.turn, orbit.tilt), abs=1e-5)


@given(orbits, shares, shares)
def test_the_floor_under_the_pointer_is_drawn_under_the_pointer(orbit: Orbit, x: float, y: float) -> None:
    spot = orbit.point_at((x, y), ASPECT)
    assert spot is not None, "the horizon is never in the picture"
    assert on_picture(orbit, *spot) == pytest.approx((x, y), abs=1e-5)


@given(orbits, shares, shares, st.floats(0, 2.5))
def test_a_point_at_a_height_is_drawn_under_the_pointer(orbit: Orbit, x: float, y: float, height: float) -> None:
    spot = orbit.point_at((x, y), ASPECT, height)
    if orbit.eye[2] > height + 1e-3:
        assert spot is not None
        assert on_picture(orbit, *spot, height) == pytest.approx((x, y), abs=1e-4)
    elif orbit.eye[2] < height:
        assert spot is None, "it is above the camera"


def test_a_plan_shows_every_height_at_one_point() -> None:
    plan = Orbit(1.0, 2.0, 8.0)
    assert plan.point_at((0.3, -0.2), ASPECT, 1.5) == plan.point_at((0.3, -0.2), ASPECT)


@given(orbits, extents, shares, shares, st.floats(0.3, 3))
def test_zooming_keeps_what_is_under_the_pointer(orbit: Orbit, extent: Extent, x: float, y: float, factor: float) -> None:
    home = fitted(extent, ASPECT)
    orbit = Orbit(home.x, home.y, min(orbit.distance, home.distance), orbit.turn, orbit.tilt)
    spot = orbit.point_at((x, y), ASPECT)
    assert spot is not None
    nearer = orbit.nearer(factor, spot, home)
    assert NEAREST - 1e-6 <= nearer.distance <= FARTHEST * home.distance + 1e-6
    if math.hypot(nearer.x - home.x, nearer.y - home.y) < 0.7 * home.distance:  # not held back
        assert on_picture(nearer, *spot) == pytest.approx((x, y), abs=1e-5)


@given(extents, st.floats(-3.1, 3.1), st.floats(LOWEST, STEEPEST), st.floats(0.5, 2.5))
def test_the_whole_floor_is_in_the_picture_from_every_side(extent: Extent, turn: float, tilt: float, aspect: float) -> None:
    view = orbiting(fitted(extent, aspect, turn, tilt))
    matrix = view.projection(aspect) @ view.view()
    for x, y in ((extent.x0, extent.y0), (extent.x1, extent.y0), (extent.x0, extent.y1), (extent.x1, extent.y1)):
        clip = matrix @ (x, y, 0.0, 1.0)
        assert abs(clip[0] / clip[3]) <= 1
        assert abs(clip[1] / clip[3]) <= 1


@given(extents, st.lists(st.tuples(st.floats(-2, 2), st.floats(-1, 1)), max_size=12))
def test_turning_a_house_that_is_in_the_picture_keeps_it_there(extent: Extent, moves: list[tuple[float, float]]) -> None:
    orbit = fitted(extent, ASPECT)
    for left, down in moves:
        orbit = orbit.turned(left, down, extent, ASPECT)
    expected = fitted(extent, ASPECT, orbit.turn, orbit.tilt)
    assert (orbit.x, orbit.y, orbit.distance) == pytest.approx((expected.x, expected.y, expected.distance), rel=1e-6, abs=1e-6)


@given(extents, st.floats(-3, 3), st.floats(-1, 1))
def test_turning_nearby_keeps_the_middle(extent: Extent, left: float, down: float) -> None:
    home = fitted(extent, ASPECT)
    near = Orbit(home.x + 0.5, home.y, home.distance * 0.2, 0.0, home.tilt)
    turned = near.turned(left, down, extent, ASPECT)
    assert (turned.x, turned.y, turned.distance) == pytest.approx((near.x, near.y, near.distance))


def test_a_plan_is_moved_and_zoomed_but_not_turned() -> None:
    plan = Orbit(1.0, 2.0, 5.0)
    assert plan.is_plan
    assert plan.turned(1.0, -1.0, None, ASPECT) == plan
    assert plan.shifted(0.1, 0.0, plan).x > plan.x
    assert plan.shifted(0.0, 0.1, plan).y > plan.y
    assert plan.nearer(2, (1.0, 2.0), plan) == Orbit(1.0, 2.0, 2.5)
    assert math.dist(plan.point_at((0.0, 0.0), ASPECT) or (0, 0), (1.0, 2.0)) < 1e-9


def test_other_cameras_and_pictures_without_a_matrix_have_no_viewpoint() -> None:
    assert orbit_of(()) is None
    assert orbit_of(matrix_of(first_person(1.0, 1.0, 0.0)).ravel().tolist()) is None
