"""Worktops and cookers, which the metadata lists only in parts.

A worktop has one box even if it is an L or a U, 2 cm thick and floating. A cooker is listed as burners and knobs, so
neighbouring burners get one body.
"""

from __future__ import annotations

import math
import statistics
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Rect, Thing
from sim.rendering.ithor.metadata import Box, Scene
from sim.rendering.ithor.outline import Outline
from sim.rendering.ithor.poses import sideways

THICK: Final = 0.04
RUN: Final = 0.95
"""A worktop narrower than this on one side is a straight run or an island, metres."""
BELOW: Final = ("Cabinet", "Drawer", "Sink", "SinkBasin", "StoveBurner")
STANDING: Final = ("Cabinet", "Drawer", "SinkBasin", "Fridge", "GarbageCan", "StoveBurner")
REACH: Final = 0.6
"""Burners closer than this to each other, and knobs closer to a burner, belong together, metres."""
RIM: Final = 0.07
"""Width of the plate around the burners, metres."""


def worktop(scene: Scene, outline: Outline, counter_id: str) -> list[Thing]:
    """Returns the slabs of one worktop, and what fills the gaps below it."""
    box = scene.boxes[counter_id]
    plan = worktop_plan(scene, outline, counter_id)
    top = plan
    for hole in scene.boxes_of("SinkBasin", "StoveBurner"):
        if abs(hole.z1 - box.z1) < 0.2 and hole.height > 0.05:
            top = rects.subtract(top, hole.rect)
    things = [slab(counter_id, "CounterTop", r, box.z1 - THICK, box.z1) for r in top]
    if box.z0 < 0.6:
        return things
    recess = 0.04 if len(plan) > 1 or min(box.sides) < RUN else 0.22
    base = [rects.grow(r, -recess) for r in plan]
    for standing in scene.boxes_of(*STANDING):
        if standing.z0 < box.z0:
            base = rects.subtract(base, standing.rect)
    things += [slab("", "BaseFill", r, 0.0, box.z1 - THICK) for r in base if min(r[2] - r[0], r[3] - r[1]) > 0.05]
    return things + _risers(scene, box)


def worktop_plan(scene: Scene, outline: Outline, counter_id: str) -> list[Rect]:
    """Returns the true outline of a worktop as disjoint rectangles.

    The strips along the walls that the box touches are kept, and the parts that something stands on or supports. An island,
    which touches no wall, and a narrow run stay whole.
    """
    box = scene.boxes[counter_id]
    touching = [s for s in outline.sides if s.depth(box.rect) < 0.3 and s.faces(box.rect)]
    if min(box.sides) < RUN or not touching:
        return [box.rect]
    depth = _run_depth(scene, box)
    strips = [s for side in touching if (s := rects.intersect(side.strip(depth), box.rect))]
    evidence = [scene.boxes[i] for i in scene.objects if _bears_on(scene, i, counter_id)]
    kept = [s for s in strips if any(rects.contains(s, b.centre) for b in evidence)]
    strays = [b.rect for b in evidence if not any(rects.contains(s, b.centre, 0.05) for s in kept)]
    kept += [rects.intersect(box.rect, rects.grow(r, 0.12)) or r for r in strays]
    if strays:
        arm = rects.grow(rects.hull(strays), 0.12)
        if min(arm[2] - arm[0], arm[3] - arm[1]) < 1.0:
            kept.append(rects.intersect(box.rect, arm) or arm)
    return rects.disjoint(kept or [box.rect])


def _bears_on(scene: Scene, object_id: str, counter_id: str) -> bool:
    """Returns True if an object stands on the worktop or carries it from below."""
    if counter_id in scene.parents_of(object_id):
        return True
    top, box = scene.boxes[counter_id], scene.boxes[object_id]
    below = scene.type_of(object_id) in BELOW and box.z1 < top.z1 + 0.1 and box.z0 > top.z0 - 1.0
    return below and rects.contains(top.rect, box.centre)


def _run_depth(scene: Scene, counter: Box) -> float:
    """Returns the depth of the low cupboards with their overhang, metres."""
    depths = [min(b.sides) for b in scene.boxes_of("Cabinet") if b.z1 < counter.z1 and min(b.sides) > 0.3]
    return max(0.62, min(0.75, statistics.median(depths) + 0.22)) if depths else 0.65


def _risers(scene: Scene, counter: Box) -> list[Thing]:
    """Returns fillers between the top of low cupboards and a worktop that would float above them."""
    low = [
        b for b in scene.boxes_of("Cabinet", "Drawer") if b.z1 < counter.z0 + 0.02 and rects.contains(counter.rect, b.centre)
    ]
    basins, things = scene.boxes_of("SinkBasin"), []
    for box in low:
        higher = any(rects.overlap(box.rect, o.rect) and o.z0 > box.z1 - 0.03 for o in low if o is not box)
        piece = rects.intersect(rects.grow(box.rect, -0.012), counter.rect)
        if higher or piece is None or counter.z1 - THICK - box.z1 < 0.03:
            continue
        pieces = [piece]
        for basin in basins:
            pieces = rects.subtract(pieces, basin.rect)
        things += [slab("", "BaseFill", p, box.z1 - 0.01, counter.z1 - THICK) for p in pieces]
    return things


def toe_kicks(scene: Scene) -> list[Thing]:
    """Returns plinths below low cupboards and drawers, which start 12 cm above the floor."""
    floating = [b for b in scene.boxes_of("Cabinet", "Drawer") if 0.03 < b.z0 < 0.2 and min(b.sides) > 0.1]
    return [slab("", "BaseFill", rects.grow(b.rect, -0.03), 0.0, b.z0) for b in floating]


def slab(thing_id: str, kind: str, r: Rect, z0: float, z1: float) -> Thing:
    """Returns a thing that fills a rectangle of the plan between two levels."""
    return Thing(thing_id, kind, 0, (*rects.centre(r), z0), (r[2] - r[0], r[3] - r[1], z1 - z0))


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
