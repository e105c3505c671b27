"""The household as geometry: the house in its present state, distances, and where the robot stands to use an object."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from core.world.vocabulary import Pose
from sim.geometry.grid import Grid
from sim.geometry.model import EYE_HEIGHT, House, Robot, Room, Thing, heading
from sim.geometry.seats import seat_height
from sim.household import spots
from sim.household.household import Household
from sim.household.scene import FLOOR, HELD, Item, Scene

if TYPE_CHECKING:
    from sim.household.paths import Ways


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
    height = seat_height(home.items[home.state.seat].thing) if home.state.seat else 0.0
    return Robot(pose.x, pose.y, pose.yaw, pose.pitch, held, home.state.posture, height)


def eye_height(home: Household) -> float:
    """Returns the height of the robot's camera above the floor, metres."""
    robot = robot_of(home)
    return EYE_HEIGHT if robot is None else robot.eye_height


def facing_pose(home: Household, target: str, pose: Pose) -> Pose:
    """Returns the pose with the robot turned to an entity."""
    x, y, z = middle_of(home, target)
    away = math.hypot(x - pose.x, y - pose.y)
    tilt = math.atan2(z - eye_height(home), max(away, 0.05))
    yaw = heading(x - pose.x, y - pose.y) if away > 0.01 else pose.yaw
    return Pose(pose.x, pose.y, yaw, min(max(tilt, LOOK_DOWN), LOOK_UP))


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
    u, v, _ = thing.to_local((x, y, 0.0))
    return math.hypot(max(abs(u) - thing.size[0] / 2, 0.0), max(abs(v) - thing.size[1] / 2, 0.0))


COMFORT = 0.9
"""Distance from an object's side at which it is seen well and still within reach, metres."""
NEARER, ASIDE = 0.3, 0.4
"""Cost of a metre further from the middle and of a metre beside the front, relative to a metre off the comfortable distance."""
LOOK_DOWN, LOOK_UP = -1.0, 0.5
"""Limits of the tilt chosen for a pose, radians."""


class Floor:
    """The free cells of one scene. Furniture does not move, so they do not change.

    Args:
        scene: the scene.
        grid: its free space.
    """

    def __init__(self, scene: Scene, grid: Grid):
        self.grid = grid
        cells = grid.centres(grid.reachable)
        if not len(cells):
            cells = np.array([r.centre for r in scene.house.rooms])
        self.cells: npt.NDArray[np.float64] = cells
        self._in_room = [_on_floor(room, cells) for room in scene.house.rooms[:len(scene.rooms)]]
        self._known: dict[str, Pose] = {}

    @cached_property
    def ways(self) -> Ways:
        """Returns the path finder. It is made on first use, because its package takes longer to load than most episodes."""
        from sim.household.paths import Ways
        return Ways(self.grid)

    def prepare_ways(self) -> None:
        """Makes the path finder on a thread: loading its package takes 0.1 s, in which a run could not obey a command."""
        threading.Thread(target=lambda: self.ways.prepare(), name="path finder", daemon=True).start()

    def of_room(self, room: int) -> npt.NDArray[np.float64]:
        """Returns the (n, 2) free cells of a room in metres; all free cells if the room has none."""
        mine = self.cells[self._in_room[room]]
        return mine if len(mine) else self.cells

    def room_at(self, x: float, y: float, home: Household, default: int) -> int:
        """Returns the index of the room that contains a point, or `default`."""
        return next((k for k, r in enumerate(home.scene.house.rooms) if r.contains(x, y)), default)

    def enter(self, home: Household, room: int) -> Pose:
        """Returns the arrival pose in a room: the free cell nearest its middle, facing most of its furniture."""
        key = home.room_ids[room]
        if key not in self._known:
            x, y = _nearest(self.of_room(room), home.scene.house.rooms[room].centre)
            self._known[key] = self.overlooking(home, room, x, y)
        return self._known[key]

    def overlooking(self, home: Household, room: int, x: float, y: float, aside: float = 0.0) -> Pose:
        """Returns the pose at (x, y) that faces the middle of the room's furniture, turned by `aside` radians."""
        bases = [home.items[f].thing.base for f in home.furniture_in[room]] or [(x, y + 1.0, 0.0)]
        dx, dy = (sum(base[k] for base in bases) / len(bases) - (x, y)[k] for k in (0, 1))
        return Pose(x, y, heading(dx, dy) + aside, -0.25)

    def beside(self, home: Household, target: str) -> Pose:
        """Returns the pose to use an entity from: near, in front of it, facing it."""
        item = home.items[target]
        if item.category == "furniture":
            if target not in self._known:
                self._known[target] = self._pose(home, target, item.thing, item.thing)
            return self._known[target]
        root = home.items[home.root(target)]
        thing = placed(home, target)
        return self._pose(home, target, thing, root.thing if root.category == "furniture" else thing)

    def _pose(self, home: Household, target: str, thing: Thing, front_of: Thing) -> Pose:
        """Returns the pose at the cell with the lowest cost for using `thing`, in front of `front_of`."""
        cells = self.of_room(home.room_of(target))
        x, y, z = middle_of(home, target)
        away = np.hypot(cells[:, 0] - x, cells[:, 1] - y)
        c, s = math.cos(front_of.yaw), math.sin(front_of.yaw)
        dx, dy = cells[:, 0] - front_of.base[0], cells[:, 1] - front_of.base[1]
        u, v = c * dx + s * dy, -s * dx + c * dy
        side = np.hypot(np.maximum(np.abs(u) - front_of.size[0] / 2, 0), np.maximum(np.abs(v) - front_of.size[1] / 2, 0))
        behind = np.where(v > 0, 0.0, 0.6) if front_of.size[2] > 0.6 else 0.0
        aside = np.maximum(np.abs(u) - front_of.size[0] / 2, 0)
        best = int(np.argmin(NEARER * away + ASIDE * aside + np.abs(side - COMFORT) + behind))
        bx, by = float(cells[best, 0]), float(cells[best, 1])
        tilt = math.atan2(z - EYE_HEIGHT, max(math.hypot(x - bx, y - by), 0.05))
        return Pose(bx, by, heading(x - bx, y - by), min(max(tilt, LOOK_DOWN), LOOK_UP))


def _on_floor(room: Room, cells: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Returns which of the (n, 2) cells are on a room's floor. Edges are included, as in `Room.contains`."""
    x, y = cells[:, 0], cells[:, 1]
    found = np.zeros(len(cells), np.bool_)
    for x0, y0, x1, y1 in room.pieces:
        found |= (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
    return found


def _nearest(cells: npt.NDArray[np.float64], point: tuple[float, float]) -> tuple[float, float]:
    """Returns the cell nearest to a point."""
    best = int(np.argmin(np.hypot(cells[:, 0] - point[0], cells[:, 1] - point[1])))
    return float(cells[best, 0]), float(cells[best, 1])
