from __future__ import annotations

import copy
import gzip
import itertools
import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.common.errors import DataError
from sim.geometry import rects
from sim.geometry.grid import free_space
from sim.geometry.model import Thing
from sim.geometry.rects import walls_of
from sim.rendering.graph import Graph, Layout, check_graph, lay_out, read_graph
from sim.rendering.graph.classes import CLASSES, class_of
from sim.rendering.graph.furnishing import place_in_the_open
from sim.rendering.graph.graph_reader import relations_of
from sim.rendering.graph.site import Site, plan
from sim.rendering.shapes.registry import known
from tests.sim.rendering.common import small_graph

GRAPHS = Path(__file__).parent / "graphs"
FILES = sorted(GRAPHS.glob("*.json.gz"))
SEEDS = (0, 1, 2, 3, 7)


@cache
def graph_of(name: str) -> Graph:
    return read_graph(GRAPHS / name) if name != "small" else small_graph()


@cache
def laid(name: str, seed: int) -> Layout:
    return lay_out(graph_of(name), seed)


CASES = [(name, seed) for name in ("small", *(f.name for f in FILES)) for seed in SEEDS]


def standing(name: str, layout: Layout) -> list[Thing]:
    entries = relations_of(graph_of(name)).entries
    return [t for t in layout.house.things if t.parent is None and entries[int(t.id)].place in ("wall", "tall", "centre")]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_nothing_is_dropped_and_no_furniture_overlaps(name: str, seed: int) -> None:
    layout = laid(name, seed)
    assert layout.dropped == ()
    for a, b in itertools.combinations(standing(name, layout), 2):
        assert a.room != b.room or not rects.overlap(a.footprint(), b.footprint(), -0.01), (a.kind, b.kind)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_furniture_is_in_its_room_and_floor_can_be_reached(name: str, seed: int) -> None:
    layout = laid(name, seed)
    for t in standing(name, layout):
        x0, y0, x1, y1 = t.footprint()
        room = layout.house.rooms[t.room]
        assert room.contains(x0, y0), t.kind
        assert room.contains(x1, y1), t.kind
    assert free_space(layout.house).reachable_share >= 0.9


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_every_node_of_the_content_is_drawn(name: str, seed: int) -> None:
    layout = laid(name, seed)
    assert {int(t.id) for t in layout.house.things} == set(relations_of(graph_of(name)).entries)
    assert all(known(t.kind) for t in layout.house.things if t.kind != "whatsit")
    assert all(math.isfinite(v) for t in layout.house.things for v in (*t.base, *t.size, t.yaw))


def test_equal_seeds_give_equal_houses_and_others_do_not() -> None:
    for name in {name for name, _ in CASES}:
        assert lay_out(copy.deepcopy(graph_of(name)), 3) == laid(name, 3)
        assert laid(name, 3).house != laid(name, 2).house


def test_the_graph_is_left_as_it_was() -> None:
    graph = small_graph()
    lay_out(graph)
    assert graph == small_graph()


def test_what_is_inside_a_closed_door_is_hidden() -> None:
    things = {t.id: t for t in laid("small", 0).house.things}
    assert things["22"].parent == "21"
    assert things["22"].inside
    assert things["22"].hidden
    assert not things["23"].hidden
    assert things["23"].parent == "20"
    assert things["23"].base[2] > 0.8
    graph = small_graph()
    graph["nodes"][6]["states"] = ["OPEN"]
    assert not {t.id: t for t in lay_out(graph).house.things}["22"].hidden


def test_couch_and_television_look_at_each_other() -> None:
    for seed in SEEDS:
        things = {t.id: t for t in laid("small", seed).house.things}
        couch, stand = things["10"], things["11"]
        dx, dy = stand.base[0] - couch.base[0], stand.base[1] - couch.base[1]
        assert -math.sin(couch.yaw) * dx + math.cos(couch.yaw) * dy > 0.8


def test_faced_furniture() -> None:
    graph = small_graph()
    graph["nodes"].append({"id": 13, "class_name": "bookshelf", "category": "Furniture"})
    graph["edges"] += [
        {"from_id": 13, "to_id": 1, "relation_type": "INSIDE"},
        {"from_id": 13, "to_id": 12, "relation_type": "FACING"},
    ]
    relations = relations_of(graph)
    assert relations.faced_by(13) == {11}
    assert relations.faced_by(11) == {10, 13}
    assert relations.faced_by(20) == set()
    assert lay_out(graph).dropped == ()


def test_a_table_stands_in_front_of_other_furniture_rather_than_nowhere() -> None:
    graph = small_graph()
    graph["nodes"].append({**graph["nodes"][2], "id": 30, "class_name": "table"})
    graph["edges"].append({"from_id": 30, "to_id": 2, "relation_type": "INSIDE"})
    site = Site(relations_of(graph), np.random.default_rng(0), plan(("living_room", "kitchen"), (12.0, 9.0)), ())
    site.clear[1].append(site.inner(1))
    place_in_the_open(site, 30)
    assert (list(site.things), site.dropped) == ([30], [])


def test_missing_lists_of_properties_and_states() -> None:
    graph = small_graph()
    for node in graph["nodes"]:
        node["properties"] = None
        del node["states"]
    assert lay_out(graph).dropped == ()


def test_rooms_share_walls_and_all_connect() -> None:
    rooms = plan(["bedroom", "kitchen", "bathroom", "living_room", "home_office"], [14, 12, 7, 20, 11])
    assert sum(rects.area(r.bounds) for r in rooms) == pytest.approx(64)
    x1, y1 = max(r.bounds[2] for r in rooms), max(r.bounds[3] for r in rooms)
    assert sum(w.length for w in walls_of(rooms) if min(w.left, w.right) < 0) == pytest.approx(2 * (x1 + y1), abs=0.001)
    for name, seed in CASES[:3]:
        house = laid(name, seed).house
        joined = {(w.left, w.right) for w in house.walls if any(o.kind == "door" for o in w.openings)}
        assert len(joined) >= len(house.rooms) - 1


def measured_graph() -> Graph:
    """The small graph with boxes in Unity's axes, as a newer VirtualHome exports it; the plate has none."""
    graph = small_graph()
    boxes: dict[int, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
        1: ((0, 1.25, 0), (5, 2.5, 4)),
        2: ((4.1, 1.25, 0), (3, 2.5, 4.1)),
        10: ((0, 0.45, -1.4), (2, 0.9, 0.9)),
        11: ((0, 0.25, 1.7), (1.4, 0.5, 0.4)),
        12: ((0, 0.85, 1.7), (1, 0.6, 0.2)),
        20: ((5.2, 0.45, 0), (0.6, 0.9, 2.4)),
        21: ((5.15, 0.9, 1.6), (0.7, 1.8, 0.7)),
        22: ((5.15, 0.7, 1.6), (0.08, 0.2, 0.08)),
    }
    for node in graph["nodes"]:
        if node["id"] in boxes:
            centre, size = boxes[node["id"]]
            node["bounding_box"] = {"center": list(centre), "size": list(size)}
    graph["nodes"][5]["class_name"] = "kitchencounter"
    return graph


def test_measured_graphs_keep_their_places() -> None:
    layout = lay_out(measured_graph())
    things = {t.id: t for t in layout.house.things}
    assert layout.dropped == ()
    assert things["10"].base == pytest.approx((0, -1.4, 0))
    assert things["10"].size == pytest.approx((2, 0.9, 0.9))
    assert math.cos(things["10"].yaw) == pytest.approx(1)
    assert math.cos(things["11"].yaw) == pytest.approx(-1)
    assert things["20"].kind == "kitchen_counter"
    assert things["20"].size == pytest.approx((2.4, 0.6, 0.9))
    assert things["22"].hidden
    assert things["23"].parent == "20"
    assert len(layout.house.rooms) == 2
    assert any(w.left >= 0 and w.right >= 0 and w.openings for w in layout.house.walls)
    assert free_space(layout.house).reachable_share >= 0.9


def test_a_few_boxes_are_not_enough() -> None:
    graph = measured_graph()
    for node in graph["nodes"][2:6]:
        del node["bounding_box"]
    assert lay_out(graph).house.rooms[0].bounds != lay_out(measured_graph()).house.rooms[0].bounds


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("kitchencounter", "kitchen_counter"),
        ("sofa", "couch"),
        ("bed", "bed"),
        ("bathroomcabinet", "bathroom_cabinet"),
        ("plum", "plum"),
        ("odd", "odd"),
    ],
)
def test_names_of_newer_versions(name: str, known_as: str) -> None:
    assert class_of({"class_name": name}) == known_as


def test_all_classes_have_a_shape() -> None:
    assert {name for name, entry in CLASSES.items() if entry.place not in ("part", "skip") and not known(name)} == set()


def broken(**changes: Any) -> Graph:
    graph = small_graph()
    graph["nodes"][2].update(changes)
    return graph


def with_edges(*edges: tuple[int, int, str]) -> Graph:
    graph = small_graph()
    graph["edges"] += [{"from_id": a, "to_id": b, "relation_type": r} for a, b, r in edges]
    return graph


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        ([], "no graph with a list of nodes"),
        ({"nodes": []}, "no graph with a list of nodes"),
        ({"nodes": [3], "edges": []}, "is no node"),
        ({"nodes": [], "edges": []}, "category Rooms"),
        (broken(id="ten"), r"nodes\[2\]\.id is “ten”, not a whole number"),
        (broken(class_name=None), "lacks an id, a class_name"),
        (broken(id=11), "two nodes have the id 11"),
        (broken(states="OPEN"), r"nodes\[2\]\.states is “OPEN”, not a list"),
        (broken(bounding_box={"center": [0, math.nan, 0], "size": [1, 1, 1]}),
         r"nodes\[2\]\.bounding_box\.center\[1\] is not finite"),
        (broken(bounding_box={"center": [0, 0, 0], "size": [1, -1, 1]}), r"size\[1\] is -1, not a number from 0 to 50"),
        (broken(bounding_box={"center": [0, 0, 0]}), "bounding_box lacks size"),
        (broken(bounding_box={"center": ["0", "0", "0"], "size": [1, 1, 1]}), r"center\[0\] is “0”, not a number"),
        (broken(bounding_box={"center": [1e300, 0, 0], "size": [1, 1, 1]}), r"center\[0\] is 1e\+300, not a number"),
        (broken(properties=[{}]), r"properties\[0\] is an object, not a name"),
        (broken(states=[[]]), r"states\[0\] is a list, not a name"),
        (broken(class_name="a\nb"), "class_name holds characters"),
        (with_edges((10, 99, "CLOSE")), "names node 99, which does not exist"),
        (with_edges((99, 10, "CLOSE")), "names node 99"),
        (with_edges((23, 21, "INSIDE"), (21, 23, "INSIDE")), "INSIDE itself"),
        (with_edges((21, 21, "INSIDE")), "INSIDE itself"),
        (with_edges((21, 23, {})), r"edges\[\d+\]\.relation_type is an object"),  # type: ignore[arg-type]
        ({**small_graph(), "edges": [{"from_id": 10}]}, "lacks from_id, to_id or relation_type"),
    ],
)
def test_faults_are_named(graph: Any, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        lay_out(graph)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("count", [2, 3, 40])
def test_things_on_each_other_in_a_circle_have_an_end(count: int) -> None:
    graph, plates = small_graph(), range(100, 100 + count)
    graph["nodes"] += [{"id": n, "class_name": "plate", "category": "Props", "properties": ["GRABBABLE"]} for n in plates]
    graph["edges"] += [{"from_id": n, "to_id": 100 + (n - 99) % count, "relation_type": "ON"} for n in plates]
    things = {t.id: t for t in lay_out(graph).house.things}
    for thing in things.values():
        seen = [thing.id]
        while (parent := things[seen[-1]].parent) is not None and parent in things:
            assert parent not in seen
            seen.append(parent)


def test_curtains_may_be_inside_each_other() -> None:
    graph = small_graph()
    graph["nodes"] += [{"id": n, "class_name": "curtain", "category": "Decor"} for n in (30, 31)]
    pairs = ((30, 31), (31, 30), (30, 1), (31, 1))
    graph["edges"] += [{"from_id": a, "to_id": b, "relation_type": "INSIDE"} for a, b in pairs]
    check_graph(graph, "curtains")
    assert lay_out(graph).dropped == ()


def test_files_of_both_forms(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(small_graph()))
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(json.dumps({"init_graph": small_graph(), "final_graph": {}}).encode()))
    assert read_graph(tmp_path / "a.json") == read_graph(str(tmp_path / "b.json.gz")) == small_graph()


def test_damaged_files(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(small_graph()).encode())
    for name, content in {
        "a.json.gz": whole[:200],
        "b.json.gz": b"text",
        "c.json": b'{"nodes": [',
        "d.json": b"\xff\xfe\x00",
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=name):
            read_graph(tmp_path / name)
    with pytest.raises(DataError, match="cannot be read"):
        read_graph(tmp_path / "none.json")
