"""The stand-in's pictures: every object's box as a rectangle, far ones first, what is carried after what carries it."""

from __future__ import annotations

import itertools
import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.sim.thor.standin.rooms import Object, span
from tests.sim.thor.standin.world import EYES, Room

Pixels = npt.NDArray[np.uint8]
WALL, GROUND = (205, 200, 190), (150, 120, 95)


def colour_of(object_id: str) -> tuple[int, int, int]:
    """The segmentation colour; never that of another object in the same room, and never black."""
    number = zlib.crc32(object_id.encode()) % 0xFFFFFE + 1
    return number >> 16, number >> 8 & 255, number & 255


def first_person(room: Room, width: int, height: int) -> tuple[Pixels, Pixels]:
    """RGB and segmentation, rows from the top."""
    middle = height // 2 - round(math.tan(math.radians(room.agent.horizon)) * height / 2)
    image, segments = blank(width, height, middle)
    a, t = room.agent, math.radians(room.agent.horizon)
    yaw = math.radians(a.rotation)

    def project(x: float, y: float, z: float) -> tuple[float, float] | None:
        dx, dy, dz = x - a.x, y - room.level - 0.9 - EYES, z - a.z
        right, ahead = dx * math.cos(yaw) - dz * math.sin(yaw), dx * math.sin(yaw) + dz * math.cos(yaw)
        depth, up = ahead * math.cos(t) - dy * math.sin(t), ahead * math.sin(t) + dy * math.cos(t)
        if depth < 0.1:
            return None
        return width / 2 + right / depth * height / 2, height / 2 - up / depth * height / 2

    def far(meta: Object) -> float:
        return math.dist((meta["position"]["x"], meta["position"]["z"]), (a.x, a.z))

    seen = [m for m in room.objects.values() if drawn(room, m)]
    for meta in sorted(seen, key=lambda m: (len(m["parentReceptacles"]), -far(m))):
        points = [project(*corner) for corner in itertools.product(*(span(meta, k) for k in "xyz"))]
        paint(image, segments, meta, [p for p in points if p is not None] if None not in points else [])
    return image, segments


def drawn(room: Room, meta: Object) -> bool:
    """What is in pictures: nothing behind a closed door, and nothing that was cut to pieces."""
    return not (room.shut_in(meta) or meta["isSliced"] or meta["objectType"] == "Floor")


def from_above(room: Room, camera: dict[str, Any], width: int, height: int) -> tuple[Pixels, Pixels]:
    image, segments = blank(width, height, 0)
    scale = height / 2 / camera["orthographicSize"]
    at = camera["position"]
    seen = [m for m in room.objects.values() if drawn(room, m)]
    for meta in sorted(seen, key=lambda m: span(m, "y")[1]):
        (x0, x1), (z0, z1) = span(meta, "x"), span(meta, "z")
        paint(image, segments, meta, [(width / 2 + (x - at["x"]) * scale, height / 2 - (z - at["z"]) * scale)
                                      for x, z in ((x0, z0), (x1, z1))])
    return image, segments


def blank(width: int, height: int, horizon: int) -> tuple[Pixels, Pixels]:
    image = np.full((height, width, 3), WALL, np.uint8)
    image[min(max(horizon, 0), height):] = GROUND
    return image, np.zeros((height, width, 3), np.uint8)


def paint(image: Pixels, segments: Pixels, meta: Object, points: list[tuple[float, float]]) -> None:
    if not points:
        return
    columns, rows = zip(*points, strict=True)
    box = tuple(slice(max(0, int(min(side))), max(0, int(max(side)) + 1)) for side in (rows, columns))
    colour = colour_of(meta["objectId"])
    image[box] = np.array(colour) // 2 + 90
    segments[box] = colour
