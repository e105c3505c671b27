"""How long pictures take: run with --benchmark-enable -s. Nothing here asserts anything about time."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from sim.geometry.grid import free_space
from sim.geometry.model import House, Robot, Room, Thing, Wall
from sim.rendering.cameras import Camera, boxes, dollhouse, first_person
from sim.rendering.gl.renderer import Renderer
from sim.rendering.instances import things_batch
from sim.rendering.ithor import asset_sides, load_rooms, read_house
from sim.rendering.service import FrameService
from sim.rendering.top_view import draw_top_view
from sim.rendering.wire import house_from_json, house_to_json
from tests.benchmarks.reference import NUMPY, PYTHON, family_time, in_units

SCENES = Path(__file__).parents[2] / "resources" / "scenes" / "ithor_scenes.json.gz"
PATIENCE = 240.0
"""Seconds for the start of the process and for a picture. With the service's own, a busy machine gets plans, not pictures."""

pytestmark = pytest.mark.gl


def moved(house: House, east: float, north: float, first: int) -> House:
    """A one-room house elsewhere, its room numbered `first`."""
    def shifted(p: tuple[float, float]) -> tuple[float, float]:
        return p[0] + east, p[1] + north

    def numbered(room: int) -> int:
        return room + first if room >= 0 else room

    rooms = tuple(replace(r, pieces=tuple((*shifted(p[:2]), *shifted(p[2:])) for p in r.pieces)) for r in house.rooms)
    walls = tuple(replace(w, start=shifted(w.start), end=shifted(w.end), left=numbered(w.left), right=numbered(w.right))
                  for w in house.walls)
    things = tuple(replace(t, id=t.id and f"{first}:{t.id}", room=first, base=(*shifted(t.base[:2]), t.base[2]),
                           parent=t.parent and f"{first}:{t.parent}") for t in house.things)
    return House(rooms, walls, things, house.height)


@pytest.fixture(scope="module")
def house() -> House:
    """A kitchen, a living room, a bedroom and a bathroom in two rows."""
    scenes = load_rooms(SCENES)
    assets = asset_sides([objects for kind in scenes.values() for objects in kind])
    rooms, walls, things = list[Room](), list[Wall](), list[Thing]()
    north = 0.0
    for row in (("kitchens", "living_rooms"), ("bedrooms", "bathrooms")):
        east, deepest = 0.0, 0.0
        for kind in row:
            single = read_house(scenes[kind][0], kind, assets)
            x0, y0, x1, y1 = single.bounds()
            placed = moved(single, east - x0, north - y0, len(rooms))
            rooms += placed.rooms
            walls += placed.walls
            things += placed.things
            east, deepest = east + x1 - x0 + 0.12, max(deepest, y1 - y0)
        north += deepest + 0.12
    return House(tuple(rooms), tuple(walls), tuple(things))


@pytest.fixture(scope="module")
def inside(house: House) -> Camera:
    grid = free_space(house)
    x, y = next((float(x), float(y)) for x, y in grid.centres(grid.reachable)
                if any(room.contains(float(x), float(y), 0.4) for room in house.rooms))
    return first_person(x, y, 0.0)


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    renderer = Renderer()
    yield renderer
    renderer.close()


@pytest.fixture(scope="module")
def service() -> Iterator[FrameService]:
    with FrameService(PATIENCE, PATIENCE) as service:
        yield service


def variants(house: House) -> Iterator[House]:
    """The same house with one thing a little further east each time."""
    last = house.things[-1]
    for k in count():
        yield replace(house, things=(*house.things[:-1], replace(last, base=(last.base[0] + 0.001 * k, *last.base[1:]))))


def test_first_person(benchmark: BenchmarkFixture, renderer: Renderer, house: House, inside: Camera) -> None:
    assert in_units(benchmark, NUMPY, lambda: renderer.frame(house, inside), "first person").ids.any()


def test_dollhouse(benchmark: BenchmarkFixture, renderer: Renderer, house: House) -> None:
    camera, robots = dollhouse(house, 4 / 3), (Robot(2.0, 2.0 + 0.01 * k) for k in count())
    assert in_units(benchmark, NUMPY, lambda: renderer.frame(house, camera, robot=next(robots)), "dollhouse").ids.any()


def test_dollhouse_still(benchmark: BenchmarkFixture, renderer: Renderer, house: House) -> None:
    camera = dollhouse(house, 4 / 3)
    assert in_units(benchmark, NUMPY, lambda: renderer.frame(house, camera, samples=2), "dollhouse, four samples").ids.any()


def test_first_person_after_a_change(benchmark: BenchmarkFixture, renderer: Renderer, house: House, inside: Camera) -> None:
    houses = variants(house)
    picture = in_units(benchmark, NUMPY, lambda: renderer.frame(next(houses), inside), "first person after a change")
    assert picture.ids.any()


def test_rows_after_a_change(benchmark: BenchmarkFixture, house: House) -> None:
    houses = variants(house)
    batch = in_units(benchmark, PYTHON, lambda: things_batch(next(houses)), "rows after a change", repeats=4)
    assert len(batch.rows)


def test_first_person_through_the_process(benchmark: BenchmarkFixture, service: FrameService, house: House,
                                          inside: Camera) -> None:
    service.picture(house, inside)
    picture = in_units(benchmark, NUMPY, lambda: service.picture(house, inside), "first person by a process",
                       clock=family_time)
    assert picture.ids.any()


def test_change_through_the_process(benchmark: BenchmarkFixture, service: FrameService, house: House, inside: Camera) -> None:
    houses = variants(house)
    picture = in_units(benchmark, NUMPY, lambda: service.picture(next(houses), inside), "first person after a change, process",
                       clock=family_time)
    assert picture.ids.any()


def test_process_start(benchmark: BenchmarkFixture, house: House) -> None:
    def start() -> bool:
        with FrameService(PATIENCE, PATIENCE) as service:
            return bool(service.picture(house, dollhouse(house, 1.0), (64, 64)).ids.any())

    assert in_units(benchmark, PYTHON, start, "start of the process", rounds=7, clock=family_time)


def test_boxes(benchmark: BenchmarkFixture, renderer: Renderer, house: House) -> None:
    picture = renderer.frame(house, dollhouse(house, 4 / 3))
    assert in_units(benchmark, NUMPY, lambda: boxes(picture), "boxes of a picture", repeats=4)


def test_plan_without_opengl(benchmark: BenchmarkFixture, house: House) -> None:
    camera = dollhouse(house, 4 / 3)
    assert in_units(benchmark, PYTHON, lambda: draw_top_view(house, camera, (640, 480)), "plan without OpenGL").ids.any()


def test_house_as_json_and_back(benchmark: BenchmarkFixture, house: House) -> None:
    assert in_units(benchmark, PYTHON, lambda: house_from_json(house_to_json(house)), "house as JSON and back") == house
