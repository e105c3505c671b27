"""Where the robot stands: free cells of the floor, and the best one to use a thing from."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from core.world.vocabulary import Pose
from sim.geometry.grid import Grid, free_space
from sim.geometry.model import EYE_HEIGHT, Room, Thing
from sim.household.drawing import house_of, middle_of, placed
from sim.household.household import Household

if TYPE_CHECKING:
    from sim.household.ways import Ways

COMFORT = 0.9
"""Metres from a thing's side at which it is seen well and still within reach."""
NEARER, ASIDE = 0.3, 0.4
"""What a metre further from the middle counts, and one beside the front, to a metre off the comfortable distance."""
LOOK_DOWN, LOOK_UP = -1.0, 0.5


class Floor:
    """The free cells of one scene. Furniture does not move, so this is worked out once."""

    def __init__(self, home: Household):
        self.grid: Grid = free_space(house_of(home))
        cells = self.grid.centres(self.grid.reachable)
        if not len(cells):
            cells = np.array([r.centre for r in home.scene.house.rooms])
        self.cells: npt.NDArray[np.float64] = cells
        self._in_room = [_on_floor(room, cells) for room in home.scene.house.rooms[:len(home.scene.rooms)]]
        self._known: dict[str, Pose] = {}

    @cached_property
    def ways(self) -> Ways:
        """How to get about. Made when it is first asked for: its package takes longer to load than most episodes."""
        from sim.household.ways import Ways
        return Ways(self.grid)

    def of_room(self, room: int) -> npt.NDArray[np.float64]:
        """(n, 2) free cells of a room; all free cells when the room has none."""
        mine = self.cells[self._in_room[room]]
        return mine if len(mine) else self.cells

    def room_at(self, x: float, y: float, home: Household, default: int) -> int:
        """The room a point is in."""
        return next((k for k, r in enumerate(home.scene.house.rooms) if r.contains(x, y)), default)

    def enter(self, home: Household, room: int) -> Pose:
        """Where one arrives in a room: the free cell nearest its middle, looking at most of its things."""
        key = home.room_ids[room]
        if key not in self._known:
            x, y = _nearest(self.of_room(room), home.scene.house.rooms[room].centre)
            self._known[key] = self.overlooking(home, room, x, y)
        return self._known[key]

    def overlooking(self, home: Household, room: int, x: float, y: float, aside: float = 0.0) -> Pose:
        """Stand at (x, y) and look at the middle of the room's furniture, `aside` radians off."""
        bases = [home.items[f].thing.base for f in home.furniture_in[room]] or [(x, y + 1.0, 0.0)]
        dx, dy = (sum(base[k] for base in bases) / len(bases) - (x, y)[k] for k in (0, 1))
        return Pose(x, y, heading(dx, dy) + aside, -0.25)

    def beside(self, home: Household, target: str) -> Pose:
        """Where to stand to use a thing: near, before its front, facing it."""
        item = home.items[target]
        if item.category == "furniture":
            if target not in self._known:
                self._known[target] = self._pose(home, target, item.thing, item.thing)
            return self._known[target]
        root = home.items[home.root(target)]
        thing = placed(home, target)
        return self._pose(home, target, thing, root.thing if root.category == "furniture" else thing)

    def _pose(self, home: Household, target: str, thing: Thing, front_of: Thing) -> Pose:
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
    """Which of the (n, 2) cells are on a room's floor, edges included, as `Room.contains` has it."""
    x, y = cells[:, 0], cells[:, 1]
    found = np.zeros(len(cells), np.bool_)
    for x0, y0, x1, y1 in room.pieces:
        found |= (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
    return found


def heading(dx: float, dy: float) -> float:
    """The yaw that looks along (dx, dy)."""
    return math.atan2(-dx, dy) if (dx or dy) else 0.0


def _nearest(cells: npt.NDArray[np.float64], point: tuple[float, float]) -> tuple[float, float]:
    best = int(np.argmin(np.hypot(cells[:, 0] - point[0], cells[:, 1] - point[1])))
    return float(cells[best, 0]), float(cells[best, 1])
