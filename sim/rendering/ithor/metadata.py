"""Reads and checks the metadata of iTHOR rooms: objects by id and type, boxes in our axes, true sides of turned objects.

AI2-THOR is left-handed with y up and turns clockwise seen from above. (x, y, z) -> (x, z, y) makes it right-handed with z up,
and the yaw becomes -rotation.y. The front of an asset, +z there, is then +y here, as the builders expect.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from core.common.errors import DataError
from core.common.json_fields import FARTHEST, LARGEST_SIDE, MOST_THINGS, MOST_WORDS, SMALLEST_FLOOR, Field, read_json, shown
from sim.geometry import rects
from sim.geometry.model import Rect

Metadata = dict[str, Any]
"""One object of a scene, as AI2-THOR describes it."""
Sides = tuple[float, float]
"""Width and depth, metres."""
AssetSides = dict[str, Sides]
"""Width and depth of each asset in its own frame, learnt from all rooms it stands in."""

MIN_SIDE = 0.004
"""Shortest side of a box, metres."""
SAME_EQUATION = 0.3
"""The two equations of `unturn` are not solved below this determinant. Near 45 degrees they are almost the same."""
FLAT: Final = frozenset({
    "Painting", "Poster", "Mirror", "LightSwitch", "Curtains", "Blinds", "Towel", "HandTowel", "ShowerDoor", "TowelHolder",
    "HandTowelHolder", "ToiletPaperHanger", "Window",
})  # fmt: skip
"""Types of thin boxes that hang on a wall. The thin axis is the normal."""
DRAWN_BY_ROOM: Final = frozenset({"Floor", "Window", "BathtubBasin"})
"""Types drawn by the room itself or as a part of another object."""


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned box.

    Attributes:
        rect: on the plan, metres.
        z0, z1: bottom and top, metres.
    """

    rect: Rect
    z0: float
    z1: float

    @classmethod
    def of(cls, obj: Metadata) -> Box:
        """Returns the box of one object's metadata."""
        c, s = obj["axisAlignedBoundingBox"]["center"], obj["axisAlignedBoundingBox"]["size"]
        rect = (c["x"] - s["x"] / 2, c["z"] - s["z"] / 2, c["x"] + s["x"] / 2, c["z"] + s["z"] / 2)
        return cls(rect, c["y"] - s["y"] / 2, c["y"] + s["y"] / 2)

    @property
    def centre(self) -> tuple[float, float]:
        """Returns the middle on the plan."""
        return rects.centre(self.rect)

    @property
    def sides(self) -> Sides:
        """Returns the extents along x and y, at least MIN_SIDE."""
        return max(self.rect[2] - self.rect[0], MIN_SIDE), max(self.rect[3] - self.rect[1], MIN_SIDE)

    @property
    def height(self) -> float:
        """Returns the extent along z, at least MIN_SIDE."""
        return max(self.z1 - self.z0, MIN_SIDE)

    @property
    def thin_axis(self) -> int:
        """Returns 0 if the box is thinner along x, 1 along y. This is the normal of what hangs flat."""
        return 0 if self.sides[0] < self.sides[1] else 1


def unturn(sides: Sides, angle: float) -> Sides | None:
    """Returns width and depth of a box turned by `angle`, from its axis-aligned sides; None if they cannot be derived.

    The sides are A = w|cos| + d|sin| and D = w|sin| + d|cos|.
    """
    c, s = abs(math.cos(angle)), abs(math.sin(angle))
    det = c * c - s * s
    if abs(det) < SAME_EQUATION:
        return None
    w, d = (sides[0] * c - sides[1] * s) / det, (sides[1] * c - sides[0] * s) / det
    return (max(w, MIN_SIDE), max(d, MIN_SIDE)) if w > -0.02 and d > -0.02 else None


def asset_sides(scenes: Iterable[list[Metadata]]) -> AssetSides:
    """Returns width and depth of every asset, learnt from the rooms where it is not turned by about 45 degrees."""
    seen: dict[str, list[Sides]] = {}
    for obj in (o for scene in scenes for o in scene if o.get("assetId")):
        sides = unturn(Box.of(obj).sides, math.radians(obj["rotation"]["y"]))
        if sides:
            seen.setdefault(obj["assetId"], []).append(sides)
    return {a: (statistics.median(w for w, _ in v), statistics.median(d for _, d in v)) for a, v in seen.items()}


def fitted(sides: Sides, angle: float, asset: Sides) -> Sides:
    """Returns the asset's own proportions scaled to the box. Used near 45 degrees."""
    w, d = asset
    scale = (sides[0] + sides[1]) / ((w + d) * (abs(math.cos(angle)) + abs(math.sin(angle))))
    return w * scale, d * scale


@dataclass(frozen=True)
class Scene:
    """All objects of a room.

    Attributes:
        kind: kitchens, living_rooms, bedrooms or bathrooms.
        objects: objectId -> metadata.
        assets: what `asset_sides` learnt from all rooms.
        boxes: objectId -> box.
    """

    kind: str
    objects: dict[str, Metadata]
    assets: AssetSides
    boxes: dict[str, Box] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "boxes", {i: Box.of(o) for i, o in self.objects.items()})

    @classmethod
    def of(cls, objects: Iterable[Metadata], kind: str, assets: AssetSides) -> Scene:
        """Returns the scene of a list of objects."""
        return cls(kind, {o["objectId"]: o for o in objects}, assets)

    def of_type(self, *types: str) -> list[str]:
        """Returns the ids of all objects of these types, in the order of the metadata."""
        return [i for i, o in self.objects.items() if o["objectType"] in types]

    def boxes_of(self, *types: str) -> list[Box]:
        """Returns the boxes of all objects of these types."""
        return [self.boxes[i] for i in self.of_type(*types)]

    def type_of(self, object_id: str) -> str:
        """Returns an object's type."""
        return str(self.objects[object_id]["objectType"])

    def parents_of(self, object_id: str) -> list[str]:
        """Returns what it stands on or in according to the metadata, the nearest last."""
        return list(self.objects[object_id]["parentReceptacles"] or ())

    def children_of(self, object_id: str) -> list[str]:
        """Returns what stands on or in it."""
        return [i for i in self.objects if object_id in self.parents_of(i)]


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
