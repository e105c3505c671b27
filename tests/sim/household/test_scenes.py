"""Every scene loads, can be played, and damaged files say what is wrong with them."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import DataError, UsageError
from core.suites.tasks import draw_task
from core.world.vocabulary import CONTAINER, SURFACE
from sim.household.scenes import load_scene, scene_names
from sim.household.simulator import HouseholdSimulator
from tests.long_tests import either


def graph() -> dict[str, Any]:
    """A flat of two rooms in VirtualHome's form."""

    def node(n: int, cls: str, category: str, *properties: str, states: tuple[str, ...] = ()) -> dict[str, Any]:
        return {
            "id": n,
            "class_name": cls,
            "category": category,
            "properties": list(properties),
            "states": list(states),
            "prefab_name": None,
            "bounding_box": None,
        }

    def edge(a: int, relation: str, b: int) -> dict[str, Any]:
        return {"from_id": a, "relation_type": relation, "to_id": b}

    nodes = [
        node(1, "kitchen", "Rooms"),
        node(2, "bedroom", "Rooms"),
        node(3, "freezer", "Appliances", "CAN_OPEN", "CONTAINERS", states=("CLOSED",)),
        node(4, "table", "Furniture", "SURFACES", "MOVABLE"),
        node(5, "food_apple", "Food", "GRABBABLE", "EATABLE"),
        node(6, "bed", "Furniture", "SURFACES"),
        node(7, "book", "Props", "GRABBABLE"),
        node(8, "nightstand", "Furniture", "SURFACES", "CAN_OPEN", "CONTAINERS"),
    ]
    edges = [
        edge(3, "INSIDE", 1),
        edge(4, "INSIDE", 1),
        edge(5, "INSIDE", 1),
        edge(5, "INSIDE", 3),
        edge(6, "INSIDE", 2),
        edge(7, "INSIDE", 2),
        edge(7, "ON", 6),
        edge(8, "INSIDE", 2),
    ]
    return {"nodes": nodes, "edges": edges}


def write(folder: Path, value: object, name: str = "flat.json") -> str:
    path = folder / name
    text = value if isinstance(value, str) else json.dumps(value)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return str(path)


@pytest.mark.parametrize("name", scene_names())
def test_every_scene_can_be_played(name: str) -> None:
    world = HouseholdSimulator(load_scene(name))
    for seed in range(either(1, 2)):
        seen = world.reset(seed)
        everything = world.reveal()
        assert draw_task(world, seed).literals
        assert seen.agent.pose is not None
        assert any(e.category == "object" for e in everything.entities)
        assert any(e.properties & {CONTAINER, SURFACE} for e in everything.entities)
        for relation in everything.relations:
            holder = everything.by_id[relation.object]
            if relation.kind == "inside" and everything.by_id[relation.subject].category == "object":
                assert CONTAINER in holder.properties, relation


def test_a_graph_file_becomes_a_scene(tmp_path: Path) -> None:
    for name in ("flat.json", "flat.json.gz"):
        world = HouseholdSimulator(load_scene(write(tmp_path, graph(), name)))
        everything = world.reveal()
        assert {e.id for e in everything.entities if e.category == "object"} == {"food_apple_5", "book_7"}
        assert everything.holder["food_apple_5"][:] == ("inside", "food_apple_5", "freezer_3")
        assert everything.holder["book_7"].object == "bed_6"
        assert everything.by_id["freezer_3"].states == {"closed"}
        assert draw_task(world, 0).literals


def broken(change: Any) -> dict[str, Any]:
    value = graph()
    change(value)
    return value


def box(value: float) -> dict[str, Any]:
    return {"center": [value, 0.5, 1.0], "size": [1.0, 1.0, 1.0]}


DAMAGED: dict[str, tuple[object, str]] = {
    "no json": ("{nodes", "json"),
    "no graph": ({"rooms": []}, "nodes"),
    "list": ([1, 2], "nodes"),
    "missing node": (broken(lambda g: g["edges"].append({"from_id": 5, "relation_type": "ON", "to_id": 99})), "99"),
    "cycle": (
        broken(
            lambda g: g["edges"].extend(
                [{"from_id": 3, "relation_type": "INSIDE", "to_id": 8}, {"from_id": 8, "relation_type": "INSIDE", "to_id": 3}]
            )
        ),
        "inside",
    ),
    "nan": (broken(lambda g: [n.update(bounding_box=box(math.nan)) for n in g["nodes"]]), "box"),
    "no class": (broken(lambda g: g["nodes"][4].pop("class_name")), "class_name"),
    "same id": (broken(lambda g: g["nodes"][4].update(id=3)), "3"),
    "no rooms": (broken(lambda g: g.update(nodes=g["nodes"][2:], edges=[])), "room"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_graphs_are_named_in_one_line(tmp_path: Path, case: str) -> None:
    value, named = DAMAGED[case]
    path = write(tmp_path, value)
    with pytest.raises(DataError) as caught:
        load_scene(path)
    assert "\n" not in str(caught.value)
    assert named in str(caught.value).lower()
    assert "flat.json" in str(caught.value)


def test_damaged_gzip_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "flat.json.gz"
    path.write_bytes(gzip.compress(json.dumps(graph()).encode())[:80])
    with pytest.raises(DataError, match="flat"):
        load_scene(str(path))
    with pytest.raises(UsageError, match=r"nowhere\.json"):
        load_scene(str(tmp_path / "nowhere.json"))
    with pytest.raises(UsageError, match="four-rooms-1"):
        load_scene("four-room-1")
