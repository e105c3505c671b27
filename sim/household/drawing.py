"""Converts a household into the geometry that the cameras, the free-space grid and the visibility test read."""

from __future__ import annotations

import math
from dataclasses import replace

from sim.geometry.model import House, Robot, Thing
from sim.household import spots
from sim.household.household import Household
from sim.household.scene import FLOOR, HELD, Item


def house_of(home: Household) -> House:
    """Returns the house in its present state, without what the robot holds."""
    things = list(home.scene.house.things)
    for item in home.items.values():
        if item.category == "furniture":
            things += [_stated(home, item, part) for part in (item.thing, *item.more)]
        elif not home.is_held(item.id):
            things.append(placed(home, item.id))
    return replace(home.scene.house, things=tuple(things))


def robot_of(home: Household) -> Robot | None:
    """Returns the robot with what it holds, or None before it has a pose."""
    pose = home.state.pose
    if pose is None:
        return None
    held = tuple(thing for h in home.state.held for thing in _carried(home, h))
    return Robot(pose.x, pose.y, pose.yaw, pose.pitch, held)


def placed(home: Household, thing_id: str) -> Thing:
    """Returns an object where it lies, hidden or not."""
    item, place = home.items[thing_id], home.state.places[thing_id]
    base = _stated(home, item, item.thing)
    if place.relation == FLOOR:
        return replace(base, base=place.spot[:3], yaw=place.spot.turn, hidden=False)
    if place.relation == HELD:
        return replace(base, base=(0.0, 0.0, 0.0), yaw=0.0, hidden=False)
    holder_item = home.items[place.holder]
    holder = placed(home, place.holder) if holder_item.category == "object" else holder_item.thing
    dx, dy, dz = spots.slide(holder_item, place.spot.surface, is_open="open" in home.states(place.holder))
    where = holder.to_world((place.spot.x + dx, place.spot.y + dy, place.spot.z + dz))
    return replace(base, base=where, yaw=holder.yaw + place.spot.turn, room=home.room_of(thing_id), parent=place.holder,
                   inside=place.relation == "inside", hidden=home.is_hidden(thing_id))


def _carried(home: Household, held_id: str) -> list[Thing]:
    """Returns a held object and everything on and in it, in the frame of the hand."""
    return [placed(home, t) for t in (held_id, *home.within(held_id))]


def _stated(home: Household, item: Item, part: Thing) -> Thing:
    """Returns a part in the item's present state: sliced, open, on."""
    states = home.states(item.id)
    kind = part.kind
    if "sliced" in states:
        kind += "Sliced" if kind[:1].isupper() else "_sliced"
    is_open, is_on = "open" in states or (part.open and "closed" not in states), home.is_running(item.id)
    if (kind, is_open, is_on) == (part.kind, part.open, part.on):
        return part
    return replace(part, kind=kind, open=is_open, on=is_on)


def middle_of(home: Household, entity_id: str) -> tuple[float, float, float]:
    """Returns the middle of an entity's box in the frame of the house."""
    item = home.items[entity_id]
    thing = item.thing if item.category == "furniture" else placed(home, entity_id)
    return thing.to_world((0.0, 0.0, thing.size[2] / 2))


def distance_to(home: Household, entity_id: str, x: float, y: float) -> float:
    """Returns the distance from a point on the floor to the nearest side of an entity, seen from above, metres."""
    item = home.items[entity_id]
    if item.category == "object":
        parts: tuple[Thing, ...] = (placed(home, entity_id),)
    else:
        parts = (item.thing, *item.more)
    return min(_flat_distance(part, x, y) for part in parts)


def _flat_distance(thing: Thing, x: float, y: float) -> float:
    c, s = math.cos(thing.yaw), math.sin(thing.yaw)
    dx, dy = x - thing.base[0], y - thing.base[1]
    u, v = abs(c * dx + s * dy) - thing.size[0] / 2, abs(-s * dx + c * dy) - thing.size[1] / 2
    return math.hypot(max(u, 0.0), max(v, 0.0))
