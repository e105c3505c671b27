"""The pose of an object: width and depth in its own frame, yaw, and the side of its hinge.

Fronts were measured against the nearest wall. Sofas, fridges, televisions and most other assets face their +z. Beds have their
head there. The rotations of paintings, mirrors, shelves and cabinets carry no information.
"""

from __future__ import annotations

import math
from typing import Final, Literal, NamedTuple

from sim.rendering.ithor.metadata import FLAT, Box, Metadata, Scene, Sides, fitted, unturn
from sim.rendering.ithor.outline import Outline

HINGED: Final = frozenset({"Cabinet", "Drawer"})
"""Types whose pivot lies on the front face."""
PLAIN: Final = frozenset({
    "CounterTop", "Floor", "SinkBasin", "BathtubBasin", "Shelf", "ShowerGlass", "ShowerCurtain", "StoveBurner", "StoveKnob",
})  # fmt: skip
"""Types drawn along the axes, whatever their rotation is."""
REVERSED: Final = frozenset({"Bed"})
"""Types modelled with the head towards +z."""
SAME_FACE: Final = 0.04
"""Faces whose distances to the pivot differ by less than this are both candidates, metres."""


class Pose(NamedTuple):
    """Width and depth in metres, yaw in radians, and hinge."""

    sides: Sides
    yaw: float
    hinge: Literal["left", "right"] = "left"


def pose_of(scene: Scene, outline: Outline, object_id: str) -> Pose:
    """Returns the pose of one object."""
    obj, box, kind = scene.objects[object_id], scene.boxes[object_id], scene.type_of(object_id)
    if kind in FLAT:
        return _flat(box, outline)
    if kind in HINGED:
        return _hinged(obj, box, outline)
    if kind == "ShowerCurtain" and box.thin_axis == 0:
        return Pose((box.sides[1], box.sides[0]), math.pi / 2)
    if kind in PLAIN:
        return Pose(box.sides, 0.0)
    angle = math.radians(obj["rotation"]["y"])
    sides = unturn(box.sides, angle) or fitted(box.sides, angle, scene.assets.get(obj.get("assetId") or "", (1.0, 1.0)))
    return Pose(sides, -angle + (math.pi if kind in REVERSED else 0.0))


def _flat(box: Box, outline: Outline) -> Pose:
    """Returns the pose that faces away from the wall the object hangs on."""
    side, _ = outline.nearest(box)
    nx, ny = side.inward
    sides = (box.sides[1], box.sides[0]) if box.thin_axis == 0 else box.sides
    return Pose(sides, math.atan2(-nx, ny))


def _hinged(obj: Metadata, box: Box, outline: Outline) -> Pose:
    """Returns the pose of a cabinet or drawer. Its front is the face next to the pivot.

    The pivot of a cabinet is its hinge, that of a drawer is the middle of its front. In a corner two faces qualify, and the one
    that faces further into the room is chosen.
    """
    px, py = float(obj["position"]["x"]), float(obj["position"]["z"])
    x0, y0, x1, y1 = outline.hull
    (cx, cy), r = box.centre, box.rect
    faces = (
        (abs(r[3] - py), 0.0, y1 - r[3]),
        (abs(px - r[0]), math.pi / 2, r[0] - x0),
        (abs(py - r[1]), math.pi, r[1] - y0),
        (abs(r[2] - px), -math.pi / 2, x1 - r[2]),
    )
    nearest = min(f[0] for f in faces)
    _, yaw, _ = max((f for f in faces if f[0] < nearest + SAME_FACE), key=lambda f: f[2])
    right = math.cos(yaw) * (px - cx) + math.sin(yaw) * (py - cy)
    return Pose((box.sides[1], box.sides[0]) if sideways(yaw) else box.sides, yaw, "right" if right > 0 else "left")


def sideways(yaw: float) -> bool:
    """Returns True if an object turned by a multiple of 90 degrees faces along x."""
    return abs(math.sin(yaw)) > 0.5
