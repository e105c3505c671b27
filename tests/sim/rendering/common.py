from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from sim.geometry.model import House
from sim.rendering.graph import Graph
from sim.rendering.ithor import AssetSides, Metadata, asset_sides, load_rooms, read_house
from sim.rendering.shapes.kit import Prim

SCENES = Path(__file__).parents[3] / "resources" / "scenes" / "ithor_scenes.json.gz"
KINDS = ("kitchens", "living_rooms", "bedrooms", "bathrooms")


@cache
def rooms() -> dict[str, list[list[Metadata]]]:
    return load_rooms(SCENES)


@cache
def assets() -> AssetSides:
    return asset_sides(scene for kind in KINDS for scene in rooms()[kind])


@cache
def house_of(kind: str, number: int) -> House:
    return read_house(rooms()[kind][number], kind, assets())


def all_houses() -> list[tuple[str, House]]:
    return [(f"{kind} {n}", house_of(kind, n)) for kind in KINDS for n in range(len(rooms()[kind]))]


def extent(prim: Prim) -> tuple[float, float, float]:
    """Half extents of the box around a part, in its thing's frame."""
    hx, hy, hz = prim.half if prim.axis == "z" else (prim.half[0], prim.half[2], prim.half[1])
    c, s = abs(math.cos(prim.yaw)), abs(math.sin(prim.yaw))
    return hx * c + hy * s, hx * s + hy * c, hz


def bounds(shape: Sequence[Prim]) -> tuple[list[float], list[float]]:
    low = [min(p.centre[k] - extent(p)[k] for p in shape) for k in range(3)]
    high = [max(p.centre[k] + extent(p)[k] for p in shape) for k in range(3)]
    return low, high


def small_graph() -> Graph:
    """Two rooms, a little of everything: tests change a copy of it."""

    def node(number: int, name: str, category: str = "Furniture", *properties: str) -> dict[str, object]:
        return {"id": number, "class_name": name, "category": category, "properties": list(properties), "states": []}

    nodes = [
        node(1, "living_room", "Rooms"),
        node(2, "kitchen", "Rooms"),
        node(10, "couch"),
        node(11, "tvstand"),
        node(12, "television", "Electronics"),
        node(20, "kitchen_counter"),
        node(21, "freezer", "Appliances", "CAN_OPEN"),
        node(22, "milk", "Food", "GRABBABLE"),
        node(23, "plate", "Props", "GRABBABLE"),
        node(24, "whatsit", "Props", "GRABBABLE"),
    ]
    inside = [(10, 1), (11, 1), (12, 1), (20, 2), (21, 2), (22, 2), (22, 21), (23, 2), (24, 2)]
    edges = [{"from_id": a, "to_id": b, "relation_type": "INSIDE"} for a, b in inside]
    edges += [{"from_id": 12, "to_id": 11, "relation_type": "ON"}, {"from_id": 23, "to_id": 20, "relation_type": "ON"}]
    edges += [{"from_id": 10, "to_id": 12, "relation_type": "FACING"}]
    return {"nodes": nodes, "edges": edges}
