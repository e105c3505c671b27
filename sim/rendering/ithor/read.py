"""Reads and checks the file with the metadata of all rooms."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from core.common.errors import DataError
from core.common.json_fields import FARTHEST, LARGEST_SIDE, MOST_THINGS, MOST_WORDS, SMALLEST_FLOOR, Field, read_json, shown

from .scene import Metadata

KINDS: Final = ("kitchens", "living_rooms", "bedrooms", "bathrooms")
FLAGS: Final = (
    "openable", "isOpen", "isToggled", "pickupable", "toggleable", "receptacle", "sliceable", "dirtyable", "cookable",
)  # fmt: skip
FIELDS: Final = (
    "objectId", "objectType", "assetId", "position", "rotation", "axisAlignedBoundingBox", "parentReceptacles", *FLAGS,
)  # fmt: skip
LINKS: Final = ("parentReceptacles", "controlledObjects")
"""Fields that are lists of objectIds, or null."""
MOST_SCENES: Final = 100
"""Largest number of rooms of one kind."""
TURNS: Final = 3600.0
"""Largest rotation in degrees. AI2-THOR writes 0 to 360."""
CURE: Final = "fetch the file of iTHOR scenes again"


def load_rooms(path: Path | str) -> dict[str, list[list[Metadata]]]:
    """Returns all rooms by kind, in FloorPlan order.

    Raises:
        DataError: the file is missing or damaged, or an object lacks a field or has an impossible box.
    """
    path = Path(path)
    table = read_json(path, CURE)
    if not isinstance(table, dict) or any(kind not in table for kind in KINDS):
        raise DataError(f"{path.name} does not hold the room kinds {', '.join(KINDS)}: {CURE}.")
    top = Field(table, path.name, CURE)
    for kind in KINDS:
        for room in top.field(kind).items(MOST_SCENES):
            check_room(room)
    return {kind: table[kind] for kind in KINDS}


def check_room(room: Field) -> None:
    """Checks a room's objects: types of all fields, limits of boxes, unique ids, and a floor.

    Raises:
        DataError: names the fault and where it is.
    """
    for obj in room.items(MOST_THINGS):
        _check_object(obj)
    scene = room.value
    ids = {o["objectId"] for o in scene}
    if len(ids) < len(scene):
        room.fail("lists two objects with one objectId")
    floors = [o["axisAlignedBoundingBox"]["size"] for o in scene if o["objectType"] == "Floor"]
    if not floors:
        room.fail("has no Floor object, so its extent is unknown")
    if any(min(size["x"], size["z"]) < SMALLEST_FLOOR for size in floors):
        room.fail(f"has a Floor of less than {SMALLEST_FLOOR:g} m")
    _check_extent(room)


def _check_object(obj: Field) -> None:
    if not isinstance(obj.value, dict):
        obj.fail(f"is {shown(obj.value)}: a room is a list of objects")
    missing = [f for f in FIELDS if f not in obj.value]
    if missing:
        obj.fail(f"lacks {', '.join(missing)}")
    for name in ("objectId", "objectType"):
        obj.field(name).text()
    if obj.has("assetId") and obj.value["assetId"] != "":
        obj.field("assetId").text()
    for name in FLAGS:
        obj.field(name).truth()
    for name in LINKS:
        if obj.has(name):
            obj.field(name).texts(MOST_WORDS)
    box = obj.field("axisAlignedBoundingBox")
    centre, size = box.field("center"), box.field("size")
    for axis in "xyz":
        centre.field(axis).number(-FARTHEST, FARTHEST)
        size.field(axis).number(0.0, LARGEST_SIDE)
    obj.field("rotation").field("y").number(-TURNS, TURNS)
    for axis in "xz":
        obj.field("position").field(axis).number(-FARTHEST, FARTHEST)


def _check_extent(room: Field) -> None:
    boxes = [o["axisAlignedBoundingBox"] for o in room.value]
    for axis in "xyz":
        low = min(b["center"][axis] - b["size"][axis] / 2 for b in boxes)
        high = max(b["center"][axis] + b["size"][axis] / 2 for b in boxes)
        if high - low > LARGEST_SIDE:
            room.fail(f"reaches over {high - low:,.0f} m, at most {LARGEST_SIDE:g} m are drawn")
