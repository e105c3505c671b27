"""The file with all rooms' metadata, checked where it enters."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

from core.errors import DataError
from sim.rendering.files import read_json

from .boxes import Metadata

KINDS: Final = ("kitchens", "living_rooms", "bedrooms", "bathrooms")
FIELDS: Final = (
    "objectId",
    "objectType",
    "position",
    "rotation",
    "axisAlignedBoundingBox",
    "parentReceptacles",
    "openable",
    "isOpen",
    "isToggled",
)
CURE: Final = "fetch the file of iTHOR scenes again"


def load_rooms(path: Path | str) -> dict[str, list[list[Metadata]]]:
    """All rooms by kind, in FloorPlan order.

    Raises:
        DataError: the file is missing, broken, or an object lacks a field or has an impossible box.
    """
    path = Path(path)
    table = read_json(path, CURE)
    if not isinstance(table, dict) or any(kind not in table for kind in KINDS):
        raise DataError(f"{path.name} does not hold the room kinds {', '.join(KINDS)}: {CURE}.")
    for kind in KINDS:
        for number, scene in enumerate(table[kind]):
            check_room(scene, f"{path.name}, {kind} {number}")
    return {kind: table[kind] for kind in KINDS}


def check_room(scene: Any, name: str) -> None:
    """Raise a DataError unless `scene` is a list of objects with all fields, finite boxes, unlike ids and a floor."""
    if not isinstance(scene, list) or not all(isinstance(o, dict) for o in scene):
        raise DataError(f"{name} is no list of objects: {CURE}.")
    for obj in scene:
        _check_object(obj, name)
    ids = [o["objectId"] for o in scene]
    if len(set(ids)) < len(ids):
        raise DataError(f"{name} lists two objects with one objectId: {CURE}.")
    if not any(o["objectType"] == "Floor" for o in scene):
        raise DataError(f"{name} has no Floor object, so its extent is unknown: {CURE}.")


def _check_object(obj: Metadata, name: str) -> None:
    missing = [f for f in FIELDS if f not in obj]
    if missing:
        raise DataError(f"{name}: object {obj.get('objectId', '?')} lacks {', '.join(missing)}: {CURE}.")
    box = obj["axisAlignedBoundingBox"]
    try:
        centre, size = ([float(box[part][axis]) for axis in "xyz"] for part in ("center", "size"))
        turn = [float(obj["rotation"]["y"]), float(obj["position"]["x"]), float(obj["position"]["z"])]
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{name}: object {obj['objectId']} has no whole box, position or rotation: {CURE}.") from error
    if not all(map(math.isfinite, (*centre, *size, *turn))) or min(size) < 0:
        raise DataError(f"{name}: object {obj['objectId']} has a box that is not finite or has a negative side: {CURE}.")
