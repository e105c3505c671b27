"""Turns objects of the metadata into placed things."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Thing
from sim.rendering.ithor.kitchen import slab, worktop, worktop_plan
from sim.rendering.ithor.metadata import DRAWN_BY_ROOM, Scene
from sim.rendering.ithor.outline import Outline
from sim.rendering.ithor.poses import pose_of

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
