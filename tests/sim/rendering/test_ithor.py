from __future__ import annotations

import copy
import gzip
import itertools
import json
import math
import statistics
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import DataError
from sim.geometry import rects
from sim.geometry.grid import free_space
from sim.geometry.model import House
from sim.rendering.ithor import asset_sides, load_rooms, read_house
from sim.rendering.ithor.metadata import Box, Scene, unturn
from sim.rendering.ithor.outline import Outline, hull_of
from tests.sim.rendering.common import KINDS, SCENES, all_houses, assets, house_of, rooms

STICKS_OUT = 0.35
"""Taps, curtains and what leans against a wall may reach into it; their middles are on the floor."""
MAY_BE_OUTSIDE = frozenset({"Curtains", "Blinds", "ShowerCurtain", "Faucet"})
L_SHAPED = {
    "kitchens 6", "living_rooms 3", "living_rooms 10", "living_rooms 17",
    "bedrooms 22", "bedrooms 23", "bedrooms 24", "bathrooms 5", "bathrooms 22",
}  # fmt: skip


def numbers(house: House) -> list[float]:
    things = [v for t in house.things for v in (*t.base, *t.size, t.yaw)]
    walls = [
        v for w in house.walls for v in (*w.start, *w.end, *(x for o in w.openings for x in (o.begin, o.end, o.sill, o.head)))
    ]
    return things + walls + [v for r in house.rooms for p in r.pieces for v in p]


def test_all_rooms_convert_to_finite_numbers() -> None:
    assert len(all_houses()) == 120
    for name, house in all_houses():
        assert all(map(math.isfinite, numbers(house))), name
        assert all(min(t.size) > 0 for t in house.things), name
        assert 2.5 <= house.height <= 3.0


def test_things_stand_in_their_room() -> None:
    for name, house in all_houses():
        x0, y0, x1, y1 = rects.grow(house.rooms[0].bounds, STICKS_OUT)
        for t in (t for t in house.things if t.kind not in MAY_BE_OUTSIDE):
            assert x0 <= t.base[0] <= x1, (name, t.id)
            assert y0 <= t.base[1] <= y1, (name, t.id)


def test_every_object_is_drawn_once_unless_the_room_draws_it() -> None:
    for kind in KINDS:
        for number, scene in enumerate(rooms()[kind]):
            drawn = {t.id for t in house_of(kind, number).things} - {""}
            listed = {o["objectId"] for o in scene}
            left_out = {o["objectType"] for o in scene if o["objectId"] not in drawn}
            assert drawn <= listed
            assert left_out <= {"Floor", "Window", "BathtubBasin", "SinkBasin"}


def test_most_floor_can_be_reached() -> None:
    shares = [free_space(house).reachable_share for _, house in all_houses()]
    assert min(shares) >= 0.5
    assert statistics.median(shares) >= 0.95


def test_conversion_is_deterministic() -> None:
    for kind in KINDS:
        assert read_house(copy.deepcopy(rooms()[kind][4]), kind, assets()) == house_of(kind, 4)


def test_ids_are_object_ids_and_hidden_follows_closed_holders() -> None:
    scene, house = rooms()["kitchens"][0], house_of("kitchens", 0)
    shut = {o["objectId"] for o in scene if o["openable"] and not o["isOpen"]}
    kept = {o["objectId"] for o in scene if set(o["parentReceptacles"] or ()) & shut}
    assert {t.id for t in house.things if t.hidden} == kept
    assert kept


def test_l_shaped_rooms() -> None:
    found = {name for name, house in all_houses() if len(house.rooms[0].pieces) > 1}
    assert found == L_SHAPED


@pytest.mark.parametrize("name", sorted(L_SHAPED))
def test_cut_corners_are_empty_walled_and_no_worse_to_walk(name: str) -> None:
    kind, number = name.split()
    house = house_of(kind, int(number))
    room = house.rooms[0]
    (missing,) = rects.subtract(rects.subtract([room.bounds], room.pieces[0]), room.pieces[1])
    objects = [Box.of(o) for o in rooms()[kind][int(number)] if o["objectType"] != "Floor"]
    assert not any(rects.overlap(missing, b.rect, -0.015) for b in objects)
    outer = [w for w in house.walls if w.left == 0 and w.right == -1]
    assert len(outer) == 6
    for a, b in zip(outer, [*outer[1:], outer[0]], strict=True):
        assert a.end == pytest.approx(b.start)
    assert rects.area(room.pieces[0]) + rects.area(room.pieces[1]) == pytest.approx(
        rects.area(room.bounds) - rects.area(missing)
    )


def test_walls_surround_plain_rooms_and_have_doors() -> None:
    with_door = sum(any(o.kind == "leaf" for w in house.walls for o in w.openings) for _, house in all_houses())
    assert with_door >= 118
    for name, house in all_houses():
        for wall in house.walls:
            spans = sorted((o.begin, o.end) for o in wall.openings)
            assert all(0 <= a < b <= wall.length for a, b in spans), name
            assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans)), name


def test_hung_things_look_into_the_room() -> None:
    for name, house in all_houses():
        for t in (t for t in house.things if t.kind == "LightSwitch"):
            ahead = t.to_world((0, 0.3, 0))
            assert rects.contains(rects.grow(house.rooms[0].bounds, -0.05), ahead[:2]), name


@given(st.floats(0.05, 3), st.floats(0.05, 3), st.floats(-3.2, 3.2))
def test_unturn_finds_the_sides(w: float, d: float, angle: float) -> None:
    c, s = abs(math.cos(angle)), abs(math.sin(angle))
    found = unturn((w * c + d * s, w * s + d * c), angle)
    assert (found is None) == (abs(c * c - s * s) < 0.3)
    if found:
        assert found == pytest.approx((w, d), abs=0.005)


@pytest.mark.parametrize("cut", [(0, 0, 1, 1), (3, 0, 4, 1), (3, 2, 4, 3), (0, 2, 1, 3)])
def test_outlines_with_any_corner_cut(cut: tuple[float, float, float, float]) -> None:
    outline = Outline((0, 0, 4, 3), cut)
    assert len(outline.sides) == 6
    assert sum(rects.area(p) for p in outline.pieces) == pytest.approx(11)
    xs, ys = zip(*outline.corners, strict=True)
    twice = sum(xs[k] * ys[(k + 1) % 6] - xs[(k + 1) % 6] * ys[k] for k in range(6))
    assert twice == pytest.approx(22)


def test_hull_holds_the_furniture() -> None:
    scene = Scene.of(rooms()["bedrooms"][0], "bedrooms", assets())
    hull = hull_of(scene)
    assert all(rects.contains(hull, b.centre, 0.02) for b in scene.boxes_of("Bed", "Desk", "Chair", "Dresser"))


def write(path: Path, table: Any) -> Path:
    path.write_bytes(gzip.compress(json.dumps(table).encode()) if path.suffix == ".gz" else json.dumps(table).encode())
    return path


def one_room(**change: Any) -> dict[str, Any]:
    scene = copy.deepcopy(rooms()["bathrooms"][0])
    scene[0].update(change)
    return {kind: [scene] for kind in KINDS}


def test_plain_json_is_read_too(tmp_path: Path) -> None:
    assert len(load_rooms(write(tmp_path / "rooms.json", one_room()))["kitchens"]) == 1


NAN_BOX = {"center": {"x": 0, "y": 0, "z": math.nan}, "size": {"x": 1, "y": 1, "z": 1}}
NEGATIVE_BOX = {"center": {"x": 0, "y": 0, "z": 0}, "size": {"x": 1, "y": -1, "z": 1}}

FAR_BOX = {"center": {"x": 2000, "y": 0, "z": 0}, "size": {"x": 1, "y": 1, "z": 1}}
FLAT_BOX = {"center": {"x": 0, "y": 0, "z": 0}, "size": {"x": 0, "y": 0, "z": 0}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"axisAlignedBoundingBox": NAN_BOX}, r"kitchens\[0\]\[0\]\.axisAlignedBoundingBox\.center\.z is not finite"),
        ({"axisAlignedBoundingBox": NEGATIVE_BOX}, r"size\.y is -1, not a number from 0 to 50"),
        ({"axisAlignedBoundingBox": None}, "axisAlignedBoundingBox is null, not an object"),
        ({"rotation": {}}, "rotation lacks y"),
        ({"axisAlignedBoundingBox": FAR_BOX}, "reaches over 2,0.. m, at most 50 m"),
        ({"isOpen": "no"}, "isOpen is “no”, not true or false"),
        ({"parentReceptacles": [[]]}, r"parentReceptacles\[0\] is a list, not a name"),
        ({"objectId": []}, "objectId is a list, not a text"),
        ({"objectType": "Floor", "axisAlignedBoundingBox": FLAT_BOX}, "Floor of less than 1 m"),
    ],
)
def test_broken_objects_are_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        load_rooms(write(tmp_path / "rooms.json", one_room(**change)))


def test_an_id_that_two_objects_have_is_refused(tmp_path: Path) -> None:
    table = one_room(objectId=rooms()["bathrooms"][0][1]["objectId"])
    with pytest.raises(DataError, match="one objectId"):
        load_rooms(write(tmp_path / "rooms.json", table))


def test_missing_fields_and_floors_are_refused(tmp_path: Path) -> None:
    table = one_room()
    del table["kitchens"][0][0]["position"]
    with pytest.raises(DataError, match="lacks position"):
        load_rooms(write(tmp_path / "a.json", table))
    bare = {kind: [[o for o in one_room()[kind][0] if o["objectType"] != "Floor"]] for kind in KINDS}
    with pytest.raises(DataError, match="no Floor"):
        load_rooms(write(tmp_path / "b.json", bare))
    with pytest.raises(DataError, match="does not hold the room kinds"):
        load_rooms(write(tmp_path / "c.json", {"kitchens": []}))
    with pytest.raises(DataError, match="is 7, not a list"):
        load_rooms(write(tmp_path / "d.json", {kind: [7] for kind in KINDS}))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load_rooms(tmp_path / "nowhere.json.gz")
    (tmp_path / "text.json.gz").write_text("no gzip")
    with pytest.raises(DataError, match="cannot be read"):
        load_rooms(tmp_path / "text.json.gz")
    (tmp_path / "half.json.gz").write_bytes(SCENES.read_bytes()[:5000])
    with pytest.raises(DataError, match="damaged"):
        load_rooms(tmp_path / "half.json.gz")
    (tmp_path / "half.json").write_text('{"kitchens": [')
    with pytest.raises(DataError, match="damaged"):
        load_rooms(tmp_path / "half.json")


def test_messages_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load_rooms(tmp_path / "nowhere.json.gz")
    assert "\n" not in str(caught.value)


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(DataError, match="Unknown kind"):
        read_house(rooms()["kitchens"][0], "attics", {})


def test_assets_are_learnt_from_all_rooms() -> None:
    assert len(assets()) > 1000
    assert asset_sides([rooms()["kitchens"][0]]).keys() <= assets().keys()
