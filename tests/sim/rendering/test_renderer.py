import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.common.errors import RendererError
from core.simulator.orbit import LOWEST, STEEPEST, fitted
from sim.geometry.model import House, Opening, Robot, Room, Thing, Vector, Wall
from sim.rendering.cameras import Camera, Picture, boxes, check_request, dollhouse, extent_of, first_person, orbiting
from sim.rendering.gl import scene
from sim.rendering.gl.context import source
from sim.rendering.gl.renderer import Renderer
from tests.long_tests import some_pairs
from tests.sim.rendering.small_house import ell, one_room

FRONT = first_person(2.0, 1.2, 0.0)  # before the fridge
CORNER = Camera((0.6, 0.6, 1.5), (3.0, 2.2, 0.7))


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    renderer = Renderer()
    yield renderer
    renderer.close()


def names_in(picture: Picture) -> set[str]:
    return {picture.names[n] for n in np.unique(picture.ids)} - {""}


@pytest.mark.gl
def test_frame_has_the_expected_entities(renderer: Renderer) -> None:
    picture = renderer.frame(one_room(), CORNER)
    assert picture.pixels.shape == (480, 640, 3)
    assert picture.pixels.dtype == np.uint8
    assert picture.ids.shape == (480, 640)
    assert picture.ids.dtype == np.uint16
    assert names_in(picture) == {"fridge", "table", "mug"}
    found = boxes(picture)
    assert found["fridge"][0] < found["table"][2]
    assert found["mug"][3] <= found["table"][3]


@pytest.mark.gl
def test_closed_door_hides_the_contents_and_open_shows_them(renderer: Renderer) -> None:
    assert "apple" not in names_in(renderer.frame(one_room(), FRONT))
    assert "apple" in names_in(renderer.frame(one_room(fridge_open=True), FRONT))


@pytest.mark.gl
@pytest.mark.parametrize("samples", [1, 2])
def test_same_question_same_pixels(renderer: Renderer, samples: int) -> None:
    first = renderer.frame(one_room(), CORNER, samples=samples)
    renderer.frame(ell(), dollhouse(ell(), 1.0), (100, 100))  # something else in between
    again = renderer.frame(one_room(), CORNER, samples=samples)
    assert (first.pixels == again.pixels).all()
    assert (first.ids == again.ids).all()


@pytest.mark.gl
@pytest.mark.parametrize(("size", "samples"),
                         some_pairs([(640, 480), (641, 479), (64, 64), (333, 97), (1280, 960), (65, 200)], [1, 2], 1))
def test_any_size(renderer: Renderer, size: tuple[int, int], samples: int) -> None:
    picture = renderer.frame(one_room(), CORNER, size, samples=samples)
    assert picture.pixels.shape == (size[1], size[0], 3)
    assert picture.ids.shape == (size[1], size[0])
    assert "table" in names_in(picture)
    assert picture.pixels.std() > 10


@pytest.mark.gl
def test_stills_are_smooth_but_their_numbers_are_not_mixed(renderer: Renderer) -> None:
    live, still = renderer.frame(one_room(), CORNER), renderer.frame(one_room(), CORNER, samples=2)
    assert names_in(still) == names_in(live)
    assert (live.ids == still.ids).mean() > 0.98
    assert abs(live.pixels.astype(float).mean() - still.pixels.astype(float).mean()) < 3


@pytest.mark.gl
def test_top_row_comes_first(renderer: Renderer) -> None:
    picture = renderer.frame(one_room(), FRONT)
    y0, y1 = boxes(picture)["fridge"][1::2]
    looking_up = renderer.frame(one_room(), first_person(2.0, 1.2, 0.0, pitch=0.3))
    assert boxes(looking_up)["fridge"][1] > y0
    assert y1 > y0


@pytest.mark.gl
def test_ell_shaped_room_has_floor_and_ceiling_everywhere(renderer: Renderer) -> None:
    house = ell()
    bare = replace(house, things=())
    down = [Camera((x, y, 1.5), (x, y + 0.01, 0.0)) for x, y in ((1.5, 4.0), (4.5, 1.5), (1.5, 1.5))]
    planks = [renderer.frame(bare, c, (64, 64)).pixels.reshape(-1, 3).mean(axis=0) for c in down]
    for mean in planks:
        assert mean[0] > mean[2] + 25  # warm wood, not the lawn and not the sky
    up = renderer.frame(bare, Camera((1.5, 4.0, 1.0), (1.5, 4.01, 2.6)), (64, 64)).pixels.reshape(-1, 3).mean(axis=0)
    assert up[0] > up[2]  # not the sky
    assert {"sofa", "plant", "toilet", "book"} == names_in(renderer.frame(house, dollhouse(house, 4 / 3)))


@pytest.mark.gl
def test_robot_is_seen_from_above_but_not_by_itself(renderer: Renderer) -> None:
    house, robot = one_room(), Robot(1.2, 1.5)
    above = dollhouse(house, 4 / 3)
    assert (renderer.frame(house, above).pixels != renderer.frame(house, above, robot=robot).pixels).any()
    assert (renderer.frame(house, FRONT).pixels == renderer.frame(house, FRONT, robot=robot).pixels).all()
    turned = renderer.frame(house, above, robot=replace(robot, yaw=math.pi / 2))
    assert (renderer.frame(house, above, robot=robot).pixels != turned.pixels).any()


@pytest.mark.gl
@pytest.mark.parametrize("eye", [(2.0, 1.2, 0.0), (2.0, 3.05, 0.0), (0.15, 0.15, 2.4)])  # also close to things and walls
def test_what_is_held_is_always_before_the_eyes(renderer: Renderer, eye: tuple[float, float, float]) -> None:
    house = one_room()
    robot = Robot(*eye, held=(house.things[3],))
    picture = renderer.frame(house, first_person(*eye), robot=robot)
    x0, y0, x1, y1 = boxes(picture)["mug"]
    assert (x0 + x1) / 2 > 320
    assert (y0 + y1) / 2 > 240
    assert x1 < 640
    assert y1 < 480
    counted = int((picture.ids == picture.names.index("mug")).sum())
    assert counted > 2000


@pytest.mark.gl
def test_what_is_held_is_in_the_hand_and_no_longer_on_the_table(renderer: Renderer) -> None:
    house = one_room()
    above = dollhouse(house, 4 / 3)
    before = boxes(renderer.frame(house, above), least=1)["mug"]
    after = boxes(renderer.frame(house, above, robot=Robot(1.0, 1.5, held=(house.things[3],))), least=1)["mug"]
    assert after[2] < before[0]
    grown = replace(house, things=(replace(house.things[0], id="second fridge", base=(0.6, 3.5, 0.0)), *house.things))
    robot = Robot(1.0, 1.5, held=(house.things[3],))
    renderer.frame(house, above, robot=robot)
    later = boxes(renderer.frame(grown, above, robot=robot), least=1)["mug"]  # its number has changed, its place has not
    assert later == after
    foreign = replace(house.things[3], id="new mug")
    assert "new mug" in names_in(renderer.frame(house, above, robot=Robot(1.0, 1.5, held=(foreign,))))


@pytest.mark.gl
def test_walls_that_face_the_viewer_do_not_hide_the_room(renderer: Renderer) -> None:
    house = one_room()
    for eye in ((2.0, -6.0, 8.0), (2.0, 10.0, 8.0), (-6.0, 2.0, 8.0), (10.0, 2.0, 8.0)):
        camera = Camera(eye, (2.0, 2.0, 0.3), 38.0, 1.0, 60.0, indoors=False)
        assert "table" in names_in(renderer.frame(house, camera))


@pytest.mark.gl
def test_a_house_without_rooms_is_refused(renderer: Renderer) -> None:
    with pytest.raises(RendererError, match="no rooms"):
        renderer.frame(House((), (), ()), FRONT)


@pytest.mark.parametrize(("size", "samples"), [
    ((63, 100), 1), ((100, 5000), 1), ((3000, 100), 2), ((100, 100), 3), ((100, 100), 0)])
def test_impossible_requests_are_refused(size: tuple[int, int], samples: int) -> None:
    with pytest.raises(RendererError, match="Cannot draw"):
        check_request(one_room(), size, samples)


def brute_boxes(picture: Picture, least: int) -> dict[str, tuple[int, int, int, int]]:
    found = {}
    for number, name in enumerate(picture.names):
        ys, xs = np.nonzero(picture.ids == number)
        if number and len(xs) >= max(least, 1):
            found[name] = (int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1)
    return found


@settings(deadline=None)
@given(arrays(np.uint16, st.tuples(st.integers(1, 12), st.integers(1, 12)), elements=st.integers(0, 5)), st.integers(0, 4))
def test_boxes_agree_with_looking_at_every_pixel(ids: np.ndarray[tuple[int, int], np.dtype[np.uint16]], least: int) -> None:
    picture = Picture(np.zeros((*ids.shape, 3), np.uint8), ids, ("", "a", "b", "c", "d", "e"), FRONT)
    assert boxes(picture, least) == brute_boxes(picture, least)


@pytest.mark.parametrize("mesh", [scene.box(), scene.cylinder(), scene.ball()])
def test_meshes_are_closed_and_look_outwards(mesh: scene.Mesh) -> None:
    points = mesh.vertices[:, :3].astype(float)
    a, b, c = (points[mesh.triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    assert ((normals * (a + b + c)).sum(axis=1) > -1e-9).all()
    assert np.abs(normals.sum(axis=0)).max() < 1e-5
    assert np.linalg.norm(mesh.vertices[:, 3:], axis=1) == pytest.approx(1.0, abs=1e-5)


def test_shader_files_include_their_parts_once() -> None:
    text = source("surface.frag")
    assert "#include" not in text
    assert text.count("float noise(") == 1


@pytest.mark.gl
@settings(max_examples=40, deadline=None)
@given(st.floats(-3.1, 3.1), st.floats(LOWEST, STEEPEST), st.floats(0.4, 1.2), st.booleans())
def test_from_every_side_a_thing_is_where_the_matrix_says(renderer: Renderer, turn: float, tilt: float, zoom: float, small: bool
                                                          ) -> None:
    house, size = ell(), (160, 120) if small else (320, 240)
    orbit = fitted(extent_of(house), 4 / 3, turn, tilt)
    picture = renderer.frame(house, orbiting(replace(orbit, distance=orbit.distance * zoom)), size)
    found = boxes(picture, least=1)
    for thing in house.things:
        x, y, z = thing.base
        clip = picture.matrix @ (x, y, z + thing.size[2] / 2, 1.0)
        column, row = (clip[0] / clip[3] + 1) / 2 * size[0], (1 - clip[1] / clip[3]) / 2 * size[1]
        if 3 < column < size[0] - 3 and 3 < row < size[1] - 3 and thing.id in found:
            x0, y0, x1, y1 = found[thing.id]
            assert x0 - 2 <= column <= x1 + 2
            assert y0 - 2 <= row <= y1 + 2


def dots(picture: Picture) -> int:
    """Pixels that are much brighter or darker than the one above and the one below."""
    bright = picture.pixels.astype(float).mean(axis=2)
    above, below = bright[1:-1] - bright[:-2], bright[1:-1] - bright[2:]
    return int(((above * below > 0) & (np.minimum(np.abs(above), np.abs(below)) > 25)).sum())


@pytest.mark.gl
def test_narrow_sides_are_no_rows_of_dots(renderer: Renderer) -> None:
    corners = ((-0.06, 4.06), (4.06, 4.06), (4.06, -0.06), (-0.06, -0.06))
    door = Opening("leaf", 2.6, 3.5, 0, 2.03)
    walls = [Wall(a, b, -1, 0, (door,) if a[0] < b[0] else ()) for a, b in pairwise((*corners, corners[0]))]
    things = (
        Thing("high", "Cabinet", 0, (1.0, 3.85, 1.3), (0.8, 0.3, 0.6)),
        Thing("low", "Cabinet", 0, (0.15, 2.5, 0.1), (0.8, 0.3, 0.7), -math.pi / 2),
        Thing("fridge", "Fridge", 0, (3.6, 2.0, 0.0), (0.7, 0.75, 1.8), math.pi / 2),
    )
    house = House((Room("kitchen", ((0.0, 0.0, 4.0, 4.0),), "tile"),), tuple(walls), things)
    views = [Camera(eye, (1.8, 3.4, 1.0)) for eye in ((3.2, 0.6, 1.6), (1.0, 0.5, 1.6))]
    assert sum(dots(renderer.frame(house, view)) for view in views) < 120


@pytest.mark.gl
@pytest.mark.parametrize(("kind", "z", "size"), [("TowelHolder", 0.8, (0.6, 0.1, 0.05)), ("Shelf", 1.4, (0.6, 0.3, 0.2))])
def test_what_hangs_on_a_wall_leaves_no_patch_on_the_floor(renderer: Renderer, kind: str, z: float, size: Vector) -> None:
    view = Camera((2.0, 3.0, 2.4), (2.0, 0.5, 0.0))
    empty = replace(one_room(), things=())
    hangs = Thing("hangs", kind, 0, (2.0, 0.01 + size[1] / 2, z), size)
    shown = renderer.frame(replace(empty, things=(hangs,)), view)
    changed = (shown.pixels != renderer.frame(empty, view).pixels).any(axis=2)
    rows = np.flatnonzero((shown.ids > 0).any(axis=1))
    assert len(rows)
    assert not changed[rows.max() + 60 :].any()
