"""Cookers. iTHOR lists burners and knobs but no cooker, so neighbouring burners get one body."""

from __future__ import annotations

import math
import statistics
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Rect, Thing

from .boxes import Box
from .outline import Outline
from .poses import sideways
from .scene import Scene

REACH: Final = 0.6
"""Burners closer than this to each other, and knobs closer to a burner, belong together, metres."""
RIM: Final = 0.07
"""Width of the plate around the burners, metres."""


def cookers(scene: Scene, outline: Outline) -> list[Thing]:
    """Returns a free-standing body for each group of burners, or a glass plate above drawers or cupboards."""
    knobs = [b.centre for b in scene.boxes_of("StoveKnob")]
    cupboards = scene.boxes_of("Cabinet", "Drawer")
    things = []
    for group in _groups(scene.boxes_of("StoveBurner")):
        r = rects.grow(rects.hull(b.rect for b in group), RIM)
        top = min(b.z0 for b in group)
        below = any(rects.contains(r, b.centre) and b.z1 < top for b in cupboards)
        kind, z0 = ("HobPlate", top - 0.02) if below else ("CookerBody", 0.0)
        yaw = _front(rects.centre(r), knobs, outline.hull)
        sides = (r[2] - r[0], r[3] - r[1])
        size = (sides[1], sides[0]) if sideways(yaw) else sides
        things.append(Thing("", kind, 0, (*rects.centre(r), z0), (*size, max(top - z0, 0.02)), yaw))
    return things


def _groups(boxes: list[Box]) -> list[list[Box]]:
    """Returns the groups of neighbouring burners."""
    groups: list[list[Box]] = []
    for box in boxes:
        near = [g for g in groups if any(math.dist(box.centre, b.centre) < REACH for b in g)]
        groups = [g for g in groups if g not in near] + [[box, *(b for g in near for b in g)]]
    return groups


def _front(middle: tuple[float, float], knobs: list[tuple[float, float]], hull: Rect) -> float:
    """Returns the yaw of a cooker: towards the knobs if they lie to one side, otherwise away from the nearest wall."""
    cx, cy = middle
    near = [k for k in knobs if math.dist(k, middle) < REACH]
    if near:
        kx, ky = statistics.mean(k[0] for k in near) - cx, statistics.mean(k[1] for k in near) - cy
        if math.hypot(kx, ky) > 0.12:
            return round((math.atan2(ky, kx) - math.pi / 2) / (math.pi / 2)) * math.pi / 2
    x0, y0, x1, y1 = hull
    away = ((y1 - cy, 0.0), (cx - x0, math.pi / 2), (cy - y0, math.pi), (x1 - cx, -math.pi / 2))
    return min(away)[1] + math.pi
