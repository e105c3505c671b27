"""The hand-made homes: what a planner meets in them, what an architect would check, and what a bad file says."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.common.errors import DataError
from core.world.vocabulary import CONTAINER, GRABBABLE, OPENABLE, SURFACE
from sim.geometry import grid, rects
from sim.geometry.model import House, Opening, Rect, Thing, Wall
from sim.geometry.sizes import SIZES
from sim.household.catalogue import furniture_properties, initial_states, object_properties
from sim.household.homes import home_names, load_home
from sim.household.homes.reader import ANYWHERE, FEWEST, HOMES, MOST, HomeStock, placings
from sim.household.scene import Item, Scene
from sim.rendering.shapes.registry import known

NAMES = home_names()
each_home = pytest.mark.parametrize("name", NAMES)
LAYOUT_A = {
    "kitchen": {"fridge": 1, "kitchen_cabinet": 5, "stove": 1, "dishwasher": 1, "microwave": 1, "kitchen_counter": 2,
                "kitchen_table": 1},
    "living_room": {"sofa": 2, "coffee_table": 1, "bookshelf": 2, "cabinet": 2, "tv_stand": 1, "desk": 1},
    "bedroom": {"bed": 1, "nightstand": 2, "cabinet": 2, "desk": 1, "bookshelf": 1},
    "bathroom": {"bathroom_cabinet": 3, "bathroom_counter": 1},
}
PASSED_OVER = {"sink", "coffee_machine", "toaster"}
NEEDED = {"sink", "faucet", "toilet", "television", "chair", "rug", "picture", "plant", "mirror", "towel_rack", "radiator",
          "trash_can", "clock", "floor_lamp", "table_lamp", "curtain"}


@pytest.fixture(params=NAMES)
def home(request: pytest.FixtureRequest) -> Scene:
    return load_home(str(request.param))


def places(scene: Scene) -> list[Item]:
    return [i for i in scene.items if {SURFACE, CONTAINER} & i.properties]


def furnished(scene: Scene) -> House:
    return replace(scene.house, things=(*scene.house.things, *(i.thing for i in scene.items)))


def stock_of(scene: Scene) -> HomeStock:
    assert isinstance(scene.stock, HomeStock)
    return scene.stock


# --- what is there ---------------------------------------------------------------------------------------------------------


def test_names_and_titles() -> None:
    assert NAMES == ("four-rooms-1", "four-rooms-2", "four-rooms-3", "four-rooms-4")
    assert [load_home(n).familiar for n in NAMES] == [True, True, False, False]
    assert [load_home(n).title for n in NAMES] == [f"Four rooms {k}" for k in range(1, 5)]
    read, named = load_home(HOMES / "four-rooms-2.json"), load_home("four-rooms-2")
    assert (read.house, read.rooms, read.items) == (named.house, named.rooms, named.items)


def test_rooms_and_counts(home: Scene) -> None:
    assert sorted(cls for _, cls in home.rooms) == ["bathroom", "bedroom", "kitchen", "living_room"]
    assert [name for name, _ in home.rooms] == [f"{room.name}_1" for room in home.house.rooms]
    assert 60 <= len(home.items) <= 75
    assert 30 <= len(places(home)) <= 36
    assert 13 <= sum(OPENABLE in i.properties for i in home.items) <= 18
    classes = {i.cls for i in home.items}
    assert classes >= NEEDED
    assert classes & {"bathtub", "shower"}


def test_first_home_is_layout_a() -> None:
    scene = load_home("four-rooms-1")
    found = {room: Counter[str]() for _, room in scene.rooms}
    for item in places(scene):
        if item.cls not in PASSED_OVER:
            found[scene.rooms[item.thing.room][1]][item.cls] += 1
    assert found == LAYOUT_A


def test_ids_properties_and_states(home: Scene) -> None:
    ids = [i.id for i in home.items]
    assert len(set(ids)) == len(ids)
    numbers = Counter[str]()
    for item in home.items:
        numbers[item.cls] += 1
        assert item.id == f"{item.cls}_{numbers[item.cls]}"
        assert item.properties == furniture_properties(item.cls)
        assert item.states == initial_states(item.properties)
        assert item.thing.openable == (OPENABLE in item.properties)
        assert known(item.thing.kind), item.thing.kind
    assert all(known(t.kind) and not t.id for t in home.house.things)


def test_taps_switch_a_sink_of_their_room(home: Scene) -> None:
    by_id = {i.id: i for i in home.items}
    taps = [i for i in home.items if i.cls == "faucet"]
    rooms = {home.rooms[t.thing.room][1] for t in taps}
    assert rooms == {"kitchen", "bathroom"}
    for tap in taps:
        sink = by_id[tap.controls or ""]
        assert sink.cls == "sink"
        assert sink.thing.room == tap.thing.room
        assert np.hypot(sink.thing.base[0] - tap.thing.base[0], sink.thing.base[1] - tap.thing.base[1]) < 0.45


def test_floor_plans_differ_and_one_is_an_l() -> None:
    plans = [load_home(n).house for n in NAMES]
    assert len({tuple(sorted(p for r in h.rooms for p in r.pieces)) for h in plans}) == len(NAMES)
    assert any(len(r.pieces) > 1 for h in plans for r in h.rooms)


# --- what an architect checks ----------------------------------------------------------------------------------------------


def inner(rect: Rect) -> Rect:
    return rects.grow(rect, -0.003)


def top(thing: Thing) -> float:
    return thing.base[2] + thing.size[2] - 0.006


def test_no_two_pieces_share_room(home: Scene) -> None:
    solid = [i for i in home.items if i.cls != "rug"]
    for a, b in combinations(solid, 2):
        level = a.thing.base[2] < top(b.thing) and b.thing.base[2] < top(a.thing)
        assert not (level and rects.overlap(inner(a.thing.footprint()), inner(b.thing.footprint()))), (a.id, b.id)


def test_everything_is_inside_its_room(home: Scene) -> None:
    for thing in (*home.house.things, *(i.thing for i in home.items)):
        rest = [inner(thing.footprint())]
        for piece in home.house.rooms[thing.room].pieces:
            rest = rects.subtract(rest, piece)
        assert not rest, thing


def test_what_stands_on_something_rests_on_it(home: Scene) -> None:
    by_id = {i.id: i.thing for i in home.items}
    held = [i for i in home.items if i.holder]
    assert len(held) >= 6
    for item in held:
        assert item.holder is not None
        below = by_id[item.holder.id]
        assert item.thing.base[2] == pytest.approx(below.base[2] + below.size[2])
        assert rects.contains(below.footprint(), item.thing.base[:2])


def zones(house: House, kinds: tuple[str, ...], depth: float) -> list[Rect]:
    return [zone(w, o, depth) for w in house.walls for o in w.openings if o.kind in kinds]


def zone(wall: Wall, opening: Opening, depth: float) -> Rect:
    (x, y), upright = wall.start, wall.start[0] == wall.end[0]
    if upright:
        return x - depth, y + opening.begin, x + depth, y + opening.end
    return x + opening.begin, y - depth, x + opening.end, y + depth


def test_doors_are_free(home: Scene) -> None:
    low = [i for i in home.items if i.cls != "rug" and i.thing.base[2] < 2]
    for area in zones(home.house, ("door", "leaf"), 0.7):
        assert not [i.id for i in low if rects.overlap(inner(i.thing.footprint()), area)]


def test_nothing_tall_stands_before_a_window(home: Scene) -> None:
    for wall in home.house.walls:
        for window in (o for o in wall.openings if o.kind == "window"):
            area = zone(wall, window, 0.45)
            for item in home.items:
                hides = item.thing.base[2] + item.thing.size[2] > window.sill + 0.25 and item.thing.base[2] < window.head
                if hides and min(item.thing.size[:2]) > 0.25 and item.cls not in {"plant", "floor_lamp", "computer"}:
                    assert not rects.overlap(inner(item.thing.footprint()), rects.grow(area, -0.02)), (item.id, window)


def test_walls_are_shared_once(home: Scene) -> None:
    assert sum(o.kind == "leaf" for w in home.house.walls for o in w.openings) == 1
    for wall in home.house.walls:
        assert wall.left != wall.right
        x, y = (wall.start[0] + wall.end[0]) / 2, (wall.start[1] + wall.end[1]) / 2
        ux, uy = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
        beside = [(x - s * uy, y + s * ux) for s in (0.05, -0.05)]
        rooms = [next((k for k, r in enumerate(home.house.rooms) if r.contains(*point)), -1) for point in beside]
        assert rooms == [wall.left, wall.right]
        inside = wall.left >= 0 and wall.right >= 0
        assert all((o.kind == "door") == inside for o in wall.openings)


def test_robot_reaches_every_piece_that_matters(home: Scene) -> None:
    free = grid.free_space(furnished(home))
    assert free.reachable_share >= 0.95
    cells = free.centres(free.reachable)
    rooms = home.house.rooms
    for item in (i for i in home.items if i.properties):
        mine = cells[[rooms[item.thing.room].contains(float(x), float(y)) for x, y in cells]]
        assert _distance(item.thing, mine) <= 1.0, item.id


def _distance(thing: Thing, cells: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    x0, y0, x1, y1 = thing.footprint()
    beside = np.maximum(0, np.maximum(x0 - cells[:, 0], cells[:, 0] - x1))
    before = np.maximum(0, np.maximum(y0 - cells[:, 1], cells[:, 1] - y1))
    return float(np.hypot(beside, before).min())


def test_furniture_against_a_wall_looks_into_the_room(home: Scene) -> None:
    """Half a metre before the middle of a wardrobe, a sofa, a stove … there is floor of the same room."""
    for item in (i for i in places(home) if i.holder is None):
        x, y, _ = item.thing.to_world((0, item.thing.size[1] / 2 + 0.3, 0))
        assert home.house.rooms[item.thing.room].contains(x, y), item.id


# --- the stock -------------------------------------------------------------------------------------------------------------


def test_placings_speak_of_known_classes() -> None:
    table = placings()
    assert 66 <= len(table) <= 74
    assert list(table) == sorted(table)
    for name, usual in table.items():
        assert name in SIZES
        assert GRABBABLE in object_properties(name)
        assert usual
        assert all({SURFACE, CONTAINER} & furniture_properties(place) for place in usual)


def test_stock_size_and_places(home: Scene) -> None:
    usable = {i.id for i in places(home) if i.cls not in PASSED_OVER}
    for seed in range(8):
        draws = stock_of(home)(np.random.default_rng(seed))
        counts = Counter(d.cls for d in draws)
        assert FEWEST <= len(draws) <= MOST
        assert max(counts.values()) <= 3
        assert len(counts) >= 60
        for draw in draws:
            assert set(draw.places) <= usable
            assert len(draw.places) == len(draw.weights) == len(set(draw.places))
            assert min(draw.weights) > 0
            assert sum(draw.weights) == pytest.approx(1)


def test_equal_generators_give_equal_draws(home: Scene) -> None:
    again = load_home(home.name)
    assert stock_of(home)(np.random.default_rng(7)) == stock_of(again)(np.random.default_rng(7))
    assert stock_of(home)(np.random.default_rng(7)) != stock_of(home)(np.random.default_rng(8))


def test_share_in_closed_things(home: Scene) -> None:
    closed = {i.id for i in home.items if OPENABLE in i.properties}
    shares = [w for seed in range(10) for d in stock_of(home)(np.random.default_rng(seed))
              for w in [sum(w for p, w in zip(d.places, d.weights, strict=True) if p in closed)]]
    assert 0.35 <= np.mean(shares) <= 0.5


def test_seen_homes_are_even_and_unseen_ones_are_not() -> None:
    seen, unseen = load_home("four-rooms-1"), load_home("four-rooms-3")
    book = next(d for d in stock_of(seen).draws if d.cls == "book")
    cls = {i.id: i.cls for i in (*seen.items,)}
    shares = Counter[str]()
    for place, weight in zip(book.places, book.weights, strict=True):
        shares[cls[place]] += weight  # type: ignore[assignment]
    assert set(shares) == set(placings()["book"])
    assert list(shares.values()) == pytest.approx([1 / len(shares)] * len(shares))
    strange = next(d for d in stock_of(unseen).draws if d.cls == "book")
    assert len(strange.places) > len(book.places)
    assert min(strange.weights) == pytest.approx(ANYWHERE / len(strange.places))


def test_what_does_not_fit_is_not_proposed(home: Scene) -> None:
    cls = {i.id: i.cls for i in home.items}
    for draw in stock_of(home).draws:
        found = {cls[p] for p in draw.places}
        if draw.cls in {"pillow", "towel", "box"}:
            assert "microwave" not in found
        assert not found & PASSED_OVER


# --- bad files -------------------------------------------------------------------------------------------------------------

Change = Callable[[dict[str, Any]], object]


def kitchen(home: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = home["rooms"][0]["furniture"]
    return found


def living(home: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = home["rooms"][1]["furniture"]
    return found


BAD: dict[str, tuple[Change, str]] = {
    "title missing": (lambda h: h.pop("title"), '"title" is missing'),
    "rooms missing": (lambda h: h.pop("rooms"), '"rooms" is missing'),
    "no entrance": (lambda h: h.pop("entrance"), '"entrance" is missing'),
    "misspelt key": (lambda h: h.update(familar=True), 'unknown key "familar"'),
    "familiar is no truth": (lambda h: h.update(familiar="yes"), "true or false"),
    "rooms are no list": (lambda h: h.update(rooms={}), "write a list"),
    "room is no object": (lambda h: h["rooms"].append(3), "write an object"),
    "unknown room class": (lambda h: h["rooms"][0].update({"class": "hall"}), "kitchen, living_room"),
    "room without floor": (lambda h: h["rooms"][0].update(pieces=[]), '"pieces" is missing or empty'),
    "room inside out": (lambda h: h["rooms"][0].update(pieces=[[5, 4.4, 0, 8.4]]), "x0 < x1"),
    "rooms overlap": (lambda h: h["rooms"][1].update(pieces=[[0, 0, 6.6, 5]]), "overlaps kitchen_1"),
    "short rectangle": (lambda h: h["rooms"][0].update(pieces=[[0, 4.4, 5]]), "list of 4 numbers"),
    "bad paint": (lambda h: h["rooms"][0].update(paint="white"), "write a colour"),
    "unknown floor": (lambda h: h["rooms"][0].update(floor="grass"), "plank"),
    "cut off": (lambda h: h["doors"].pop(0), "no door leads to living_room_1"),
    "door in an outer wall": (lambda h: h["doors"][0].update(at=[0, 2]), "between two rooms"),
    "window between rooms": (lambda h: h["windows"][0].update(at=[1, 4.4]), "to the outside"),
    "door in the air": (lambda h: h["doors"][0].update(at=[2, 2]), "no wall at [2, 2]"),
    "door too wide": (lambda h: h["doors"][2].update(width=3.9), "does not fit"),
    "window on a window": (lambda h: h["windows"].append({"at": [3.93, 8.4]}), "does not fit"),
    "unknown class": (lambda h: kitchen(h)[0].update({"class": "frigde"}), "write one of fridge"),
    "unknown kind": (lambda h: kitchen(h)[0].update(kind="icebox"), '"kind" is "icebox"'),
    "unknown wall": (lambda h: kitchen(h)[0].update(wall="up"), "south, north"),
    "no offset": (lambda h: kitchen(h)[0].pop("offset"), '"offset" is missing'),
    "offset in words": (lambda h: kitchen(h)[0].update(offset="far"), "plain number"),
    "offset is true": (lambda h: kitchen(h)[0].update(offset=True), "plain number"),
    "not a number": (lambda h: kitchen(h)[0].update(offset=float("nan")), '"offset" is NaN'),
    "endless": (lambda h: kitchen(h)[0].update(size=[1, 1, float("inf")]), "plain number"),
    "no size": (lambda h: kitchen(h)[0].update(size=[0, 0.6, 0.9]), "below 5 mm"),
    "two ways to stand": (lambda h: kitchen(h)[0].update(at=[1, 1]), "by one of"),
    "no way to stand": (lambda h: kitchen(h)[0].pop("wall"), "by one of"),
    "no such piece": (lambda h: kitchen(h)[0].update(piece=2), "whole number"),
    "outside": (lambda h: kitchen(h)[0].update(offset=4.9), "outside its room"),
    "in the wall": (lambda h: kitchen(h)[0].update(offset=0.0), "into a wall"),
    "overlap": (lambda h: kitchen(h)[1].update(offset=0.5), "overlaps fridge_1"),
    "before a door": (lambda h: kitchen(h)[12].update(wall="south", offset=1.0), "free floor"),
    "unknown holder": (lambda h: kitchen(h)[13].update(holder="kitchen_counter_9"), 'holder "kitchen_counter_9"'),
    "holder elsewhere": (lambda h: living(h).append({"class": "toaster", "holder": "fridge_1"}), "not in this room"),
    "holder that holds nothing": (lambda h: kitchen(h)[13].update(holder="faucet_1"), "holds nothing"),
    "unknown controls": (lambda h: kitchen(h)[5].update(controls="sink_7"), 'controls "sink_7"'),
    "unknown facing": (lambda h: kitchen(h)[17].update(facing="up"), "facing"),
    "unknown hinge": (lambda h: kitchen(h)[0].update(hinge="top"), "left, right"),
    "misspelt furniture key": (lambda h: kitchen(h)[0].update(offsett=1), 'unknown key "offsett"'),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_say_what_and_where(case: str, tmp_path: Path) -> None:
    change, words = BAD[case]
    home = copy.deepcopy(json.loads((HOMES / "four-rooms-1.json").read_text()))
    change(home)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(home))
    with pytest.raises(DataError) as caught:
        load_home(path)
    message = str(caught.value)
    assert message.startswith("mine.json: ")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe\x00", b"null", b'{"title": 1}', b"[" * 100_000])
def test_broken_files(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"mine\.json[^\n]+$"):
        load_home(path)


def test_missing_file_names_the_homes() -> None:
    with pytest.raises(DataError, match="four-rooms-1"):
        load_home("four-rooms-9")


def test_a_home_of_ones_own_needs_no_mark(tmp_path: Path) -> None:
    home = json.loads((HOMES / "four-rooms-3.json").read_text())
    del home["familiar"]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(home))
    scene = load_home(path)
    assert scene.familiar is None
    assert scene.name == "mine"
    assert sum(next(d for d in stock_of(scene).draws if d.cls == "apple").weights) == pytest.approx(1)


SLIPS: tuple[object, ...] = (None, True, -1, 0, 1e308, 10**400, "", [], {}, [[]], "north", [1, 2], [0, 0, 0, 0], "sink_1")


def spots_in(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of nested JSON."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [spot for key in keys for spot in [(value, key), *spots_in(value[key])]]


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_slip_anywhere_gives_a_home_or_one_line(data: st.DataObject, tmp_path: Path) -> None:
    home = json.loads((HOMES / "four-rooms-2.json").read_text())
    holder, key = data.draw(st.sampled_from(spots_in(home)))
    holder[key] = data.draw(st.sampled_from(SLIPS))
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(home))
    message = ""
    try:
        load_home(path)
    except DataError as error:
        message = str(error)
    assert re.fullmatch(r"(mine\.json: [^\n]+)?", message)
