"""Builds the house of one iTHOR room: the poses of its objects, worktops and cookers, tables and desks.

Fronts were measured against the nearest wall. Sofas, fridges, televisions and most other assets face their +z. Beds have their
head there. The rotations of paintings, mirrors, shelves and cabinets carry no information.

The metadata lists worktops and cookers only in parts. A worktop has one box even if it is an L or a U, 2 cm thick and floating.
A cooker is listed as burners and knobs, so neighbouring burners get one body.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from core.common.errors import DataError
from sim.geometry import rects
from sim.geometry.grid import free_space
from sim.geometry.model import Colour, House, Rect, Room, Thing
from sim.rendering.ithor.metadata import DRAWN_BY_ROOM, FLAT, KINDS, AssetSides, Box, Metadata, Scene, Sides, fitted, unturn
from sim.rendering.ithor.outline import Outline, empty_corner, hull_of, walls_of

FLOORS: Final = {"kitchens": "tile", "living_rooms": "plank", "bedrooms": "carpet", "bathrooms": "bathtile"}
PAINTS: Final[dict[str, Colour]] = {
    "kitchens": (0.93, 0.92, 0.86),
    "living_rooms": (0.93, 0.90, 0.86),
    "bedrooms": (0.88, 0.90, 0.93),
    "bathrooms": (0.87, 0.93, 0.93),
}
LOWEST, HIGHEST = 2.5, 3.0
"""Limits of the ceiling height, metres."""


def read_house(objects: Sequence[Metadata], kind: str, assets: AssetSides) -> House:
    """Returns the house of one room's metadata. `Thing.id` is the objectId.

    Args:
        objects: the room's objects, as `load_rooms` returns them.
        kind: kitchens, living_rooms, bedrooms or bathrooms.
        assets: what `asset_sides` learnt from all rooms.

    Raises:
        DataError: the kind of room is unknown.
    """
    if kind not in KINDS:
        raise DataError(f"Unknown kind of iTHOR room {kind!r}: use one of {', '.join(KINDS)}.")
    scene = Scene.of(objects, kind, assets)
    hull = hull_of(scene)
    plain = _house(scene, Outline(hull))
    cut = empty_corner(scene, hull)
    if cut is None:
        return plain
    shaped = _house(scene, Outline(hull, cut))
    return shaped if free_space(shaped).reachable_share >= free_space(plain).reachable_share else plain


def _house(scene: Scene, outline: Outline) -> House:
    room = Room(scene.kind, outline.pieces, FLOORS[scene.kind], PAINTS[scene.kind])
    things = [t for i in scene.objects for t in things_of(scene, outline, i)]
    things += cookers(scene, outline) + toe_kicks(scene)
    height = max(LOWEST, min(HIGHEST, max(b.z1 for b in scene.boxes.values()) + 0.06))
    return House((room,), walls_of(scene, outline), tuple(things), height)


TABLES: Final = frozenset({"Desk", "DiningTable", "SideTable", "TVStand", "Dresser"})
CORNER_DESK: Final = 1.1
"""A desk with no side shorter than this runs around a corner, metres. Its box does not show the floor it leaves free."""
NARROWEST_ARM: Final = 0.3
"""Shortest side of an arm of such a desk, metres."""
WASH_STAND: Final = 0.5
"""A Sink at least this high is a wash-stand with its own bowl, metres. A lower one is the rim of a SinkBasin."""


def things_of(scene: Scene, outline: Outline, object_id: str) -> list[Thing]:
    """Returns what is drawn of one object: usually one thing, for worktops several, for some parts none."""
    kind = scene.type_of(object_id)
    if kind in DRAWN_BY_ROOM or (kind == "SinkBasin" and _in_wash_stand(scene, object_id)):
        return []
    if kind == "CounterTop":
        return worktop(scene, outline, object_id)
    thing, box = _plain(scene, outline, object_id), scene.boxes[object_id]
    if kind in TABLES:
        return _corner_desk(scene, outline, thing) or _table(scene, thing)
    if kind == "Curtains":  # They cannot be opened in AI2-THOR and would cover every window: drawn open.
        return [replace(thing, open=True)]
    if kind == "Sink" and box.height < WASH_STAND:
        return [replace(thing, kind="SinkRim", base=(*box.centre, box.z1 - 0.012), size=(*thing.size[:2], 0.02))]
    return [thing]


def _plain(scene: Scene, outline: Outline, object_id: str) -> Thing:
    obj, box = scene.objects[object_id], scene.boxes[object_id]
    pose, parents = pose_of(scene, outline, object_id), scene.parents_of(object_id)
    closed = any(scene.objects[p]["openable"] and not scene.objects[p]["isOpen"] for p in parents if p in scene.objects)
    return Thing(
        id=object_id,
        kind=scene.type_of(object_id),
        room=0,
        base=(*box.centre, box.z0),
        size=(*pose.sides, box.height),
        yaw=pose.yaw,
        open=bool(obj["isOpen"]),
        on=bool(obj["isToggled"]),
        openable=bool(obj["openable"]),
        hinge=pose.hinge,
        parent=parents[-1] if parents else None,
        inside=closed,
        hidden=closed,
    )


def _in_wash_stand(scene: Scene, basin_id: str) -> bool:
    centre = scene.boxes[basin_id].centre
    return any(b.height >= WASH_STAND and rects.contains(b.rect, centre) for b in scene.boxes_of("Sink"))


def _table(scene: Scene, thing: Thing) -> list[Thing]:
    """Returns a table as drawn. A desk whose box is far higher than its top gets a hutch, another table shelves."""
    level = _top_level(scene, thing.id)
    if level is None:
        return [thing]
    if thing.kind != "Desk":
        return [replace(thing, kind="ShelvedTable")]
    x, y, z = thing.base
    w, d, h = thing.size
    hutch = replace(thing, kind="Hutch", base=(x, y, level), size=(w, d, z + h - level))
    return [replace(thing, size=(w, d, level - z)), hutch]


def _corner_desk(scene: Scene, outline: Outline, thing: Thing) -> list[Thing]:
    """Returns one table for each arm of a desk that runs around a corner; nothing for a plain desk."""
    box = scene.boxes[thing.id]
    plan = worktop_plan(scene, outline, thing.id) if thing.kind == "Desk" and min(box.sides) > CORNER_DESK else []
    if len(plan) < 2 or any(min(r[2] - r[0], r[3] - r[1]) < NARROWEST_ARM for r in plan):
        return []
    level = _top_level(scene, thing.id) or box.z1
    return [slab(thing.id, "DiningTable", r, box.z0, level) for r in plan]


def _top_level(scene: Scene, table_id: str) -> float | None:
    """Returns the height objects lie on if it is well below the top of the box, otherwise None. Metres."""
    box = scene.boxes[table_id]
    bottoms = sorted(scene.boxes[i].z0 for i in scene.children_of(table_id))
    if not bottoms:
        return None
    level = bottoms[len(bottoms) // 2]
    return level if box.z0 + 0.3 < level < box.z1 - 0.2 else None


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
    for hole in scene.boxes_of("SinkBasin", "StoveBurner", "BathtubBasin"):
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
