"""L-shaped rooms: finds the corner of the hull that is not part of the room.

The metadata has no inner walls. But an object that hangs flat, well inside the hull, must hang on a wall. If the corner of the
hull behind it is empty from wall to wall, that corner belongs to another room. Three things must hold: something hangs on the
border of the corner, nothing is inside it, and its size is worth cutting.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Rect

from .boxes import Box
from .scene import Scene

HUNG: Final = ("LightSwitch", "Painting", "Mirror", "Poster", "TowelHolder", "HandTowelHolder", "ToiletPaperHanger", "Window")
IGNORED: Final = frozenset({"Floor"})
INSIDE: Final = 0.35
"""What hangs closer than this to the hull hangs on the hull, metres."""
SMALLEST, LARGEST = 0.7, 0.6
"""Shortest side of a cut in metres, and longest side as a share of the hull's."""
AIR: Final = 0.012
"""Gap between an object and the wall it touches, metres."""


def empty_corner(scene: Scene, hull: Rect) -> Rect | None:
    """Returns the largest corner of the hull that wall-hung objects show to be outside the room, or None."""
    obstacles = [scene.boxes[i].rect for i in scene.objects if scene.type_of(i) not in IGNORED]
    hung = [b for b in scene.boxes_of(*HUNG) if _well_inside(b, hull)]
    found = (c for b in hung for c in _corners_behind(b, hull, obstacles))
    fitting = [c for c in found if _worth(c, hull) and not any(rects.overlap(c, o, -AIR) for o in obstacles)]
    return max(fitting, key=lambda c: (_witnesses(c, hung), rects.area(c)), default=None)


def _well_inside(box: Box, hull: Rect) -> bool:
    k = box.thin_axis
    flat = min(box.sides) < 0.3 and max(box.sides) > 1.5 * min(box.sides)
    return flat and box.z0 > 0.3 and min(box.rect[k] - hull[k], hull[k + 2] - box.rect[k + 2]) > INSIDE


def _corners_behind(box: Box, hull: Rect, obstacles: list[Rect]) -> Iterator[Rect]:
    """Yields up to four corner regions with the object on their border, each as deep as the obstacles allow."""
    k = box.thin_axis
    other = 1 - k
    for behind_is_low, corner_is_low in itertools.product((True, False), repeat=2):
        plane = box.rect[k] - AIR if behind_is_low else box.rect[k + 2] + AIR
        band = (hull[k], plane) if behind_is_low else (plane, hull[k + 2])
        edge = box.rect[other + 2] if corner_is_low else box.rect[other]
        limit = _limit(obstacles, k, band, edge, hull, corner_is_low)
        span = (hull[other], limit) if corner_is_low else (limit, hull[other + 2])
        if (limit >= edge) if corner_is_low else (limit <= edge):
            yield _rect(k, band, span)


def _limit(obstacles: list[Rect], k: int, band: tuple[float, float], edge: float, hull: Rect, corner_is_low: bool) -> float:
    """Returns how far the region can extend along the wall: to the first obstacle beyond the hung object."""
    other = 1 - k
    in_band = [o for o in obstacles if o[k] < band[1] - 2 * AIR and o[k + 2] > band[0] + 2 * AIR]
    if corner_is_low:
        return min((o[other] - AIR for o in in_band if o[other + 2] > edge - AIR), default=hull[other + 2])
    return max((o[other + 2] + AIR for o in in_band if o[other] < edge + AIR), default=hull[other])


def _rect(k: int, band: tuple[float, float], span: tuple[float, float]) -> Rect:
    return (band[0], span[0], band[1], span[1]) if k == 0 else (span[0], band[0], span[1], band[1])


def _worth(cut: Rect, hull: Rect) -> bool:
    sides = (cut[2] - cut[0], cut[3] - cut[1])
    whole = (hull[2] - hull[0], hull[3] - hull[1])
    return min(sides) >= SMALLEST and all(s <= LARGEST * w for s, w in zip(sides, whole, strict=True))


def _witnesses(cut: Rect, hung: list[Box]) -> int:
    """Returns the number of wall-hung objects on the border of the corner."""
    return sum(rects.overlap(rects.grow(cut, 0.1), b.rect) for b in hung)
