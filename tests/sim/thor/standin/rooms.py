"""Real iTHOR rooms as the player would report them, and where a robot can stand in them."""

from __future__ import annotations

import gzip
import itertools
import json
import math
from pathlib import Path
from typing import Any

SCENES = Path(__file__).parents[4] / "resources" / "scenes" / "ithor_scenes.json.gz"
FIRST = {"kitchens": 1, "living_rooms": 201, "bedrooms": 301, "bathrooms": 401}
DEFAULTS: dict[str, Any] = {
    "visible": False, "isInteractable": False, "openness": 0.0, "isPickedUp": False, "isBroken": False,
    "canFillWithLiquid": False, "isFilledWithLiquid": False, "fillLiquid": None, "isCooked": False, "isSliced": False,
    "canBeUsedUp": False, "isUsedUp": False, "moveable": False, "isMoving": False, "temperature": "RoomTemp",
    "isHeatSource": False, "isColdSource": False, "salientMaterials": None, "controlledObjects": None,
    "objectOrientedBoundingBox": None,
}
GRID, BODY, KNEE, HEAD = 0.25, 0.2, 0.15, 1.3
SOFT = frozenset({"Floor", "Window", "CounterTop", "Rug", "Curtains", "Blinds", "RoomDecor"})
"""Boxes that say nothing about where one can stand: L-shaped worktops fill whole rooms."""

Object = dict[str, Any]
Cell = tuple[float, float]


def scene_names() -> list[str]:
    return [f"FloorPlan{first + k}_physics" for first in FIRST.values() for k in range(30)]


def load(scene: str) -> dict[str, Object]:
    number = int(scene.removeprefix("FloorPlan").removesuffix("_physics"))
    kind = max((k for k in FIRST if FIRST[k] <= number), key=FIRST.__getitem__)
    rooms = json.loads(gzip.decompress(SCENES.read_bytes()))
    objects = (complete(o) for o in rooms[kind][number - FIRST[kind]])
    return {o["objectId"]: o for o in objects}


def complete(meta: Object) -> Object:
    """The file keeps only what differs between objects."""
    whole = {**DEFAULTS, **meta}
    whole["receptacleObjectIds"] = list(meta["receptacleObjectIds"] or ()) if meta["receptacle"] else None
    whole["parentReceptacles"] = list(meta["parentReceptacles"] or ())
    return whole


def span(meta: Object, axis: str) -> tuple[float, float]:
    box = meta["axisAlignedBoundingBox"]
    half = box["size"][axis] / 2
    return box["center"][axis] - half, box["center"][axis] + half


def away(meta: Object, x: float, z: float) -> float:
    """Metres over the floor from a point to an object's box."""
    (x0, x1), (z0, z1) = span(meta, "x"), span(meta, "z")
    return math.hypot(max(x0 - x, 0, x - x1), max(z0 - z, 0, z - z1))


def cells(objects: dict[str, Object]) -> tuple[list[Cell], float]:
    """The largest connected set of free grid points, and the floor's height."""
    floor = next(o for o in objects.values() if o["objectType"] == "Floor")
    level = span(floor, "y")[1]
    solid = [o for o in objects.values() if o["objectType"] not in SOFT and not o["pickupable"]
             and span(o, "y")[0] < level + HEAD and span(o, "y")[1] > level + KNEE]
    (x0, x1), (z0, z1) = span(floor, "x"), span(floor, "z")
    lines = (range(math.ceil(low / GRID), math.floor(high / GRID) + 1) for low, high in ((x0, x1), (z0, z1)))
    steps = itertools.product(*lines)
    free = {(i, j) for i, j in steps if all(away(o, i * GRID, j * GRID) > BODY for o in solid)}
    return sorted((i * GRID, j * GRID) for i, j in largest(free)), level


def largest(free: set[tuple[int, int]]) -> set[tuple[int, int]]:
    best: set[tuple[int, int]] = set()
    left = set(free)
    while left:
        part, queue = set(), [left.pop()]
        while queue:
            i, j = queue.pop()
            part.add((i, j))
            around = {(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)} & left
            left -= around
            queue.extend(around)
        best = max(best, part, key=len)
    return best
