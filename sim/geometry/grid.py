"""The free-space grid: the cells of the floor where a robot can stand, and their largest connected part."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.geometry.model import House, Thing, Wall

WALKABLE = frozenset({"DogBed", "Floor", "TargetCircle", "mat", "rug"})
"""Classes that the robot drives over."""
BODY = (0.12, 1.3)
"""Lowest and highest point of the robot's body, metres. It drives over lower objects and below higher ones."""
WALL_HALF = 0.06
"""Half the thickness of a wall, metres."""
STEP = 0.25
"""Distance between neighbouring cells, metres."""
RADIUS = 0.22
"""Distance that the centre of a free cell keeps from every obstacle and wall, metres."""
JAMB = 0.1
"""Distance that the middle of the robot keeps from the sides of a door, metres."""

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grid:
    """The free cells of a house.

    Cell (i, j) is centred at (x0 + i * step, y0 + j * step), in metres.

    Attributes:
        x0, y0: centre of cell (0, 0), metres.
        step: distance between the centres of neighbouring cells, metres.
        free: (nx, ny) booleans, True where the robot can stand.
        reachable: (nx, ny) booleans, the largest connected part of `free`.
    """

    x0: float
    y0: float
    step: float
    free: Mask
    reachable: Mask

    def centres(self, mask: Mask) -> Floats:
        """Returns the (n, 2) centres of the cells chosen by `mask`, metres."""
        centres: Floats = np.argwhere(mask) * self.step + np.array((self.x0, self.y0))
        return centres

    @property
    def reachable_share(self) -> float:
        """Returns the share of the free cells that is reachable, 0..1; 0 without any free cell."""
        return float(self.reachable.sum() / max(1, self.free.sum()))


def is_obstacle(thing: Thing) -> bool:
    """Returns True if the object's box crosses the robot's body. A hidden object does not count: its holder does."""
    low, high = BODY
    return not thing.hidden and thing.kind not in WALKABLE and thing.base[2] < high and thing.base[2] + thing.size[2] > low


def free_space(house: House) -> Grid:
    """Returns the grid of a house with its objects."""
    x0, y0, x1, y1 = house.bounds()
    xs, ys = np.arange(np.ceil(x0 / STEP) * STEP, x1, STEP), np.arange(np.ceil(y0 / STEP) * STEP, y1, STEP)
    px, py = np.meshgrid(xs, ys, indexing="ij")
    free = np.zeros(px.shape, np.bool_)
    for a, b, c, d in (piece for room in house.rooms for piece in room.pieces):
        free |= (px >= a) & (px <= c) & (py >= b) & (py <= d)
    for thing in filter(is_obstacle, house.things):
        near = _near(thing, xs, ys)
        free[near] &= _distance_to(thing, px[near], py[near]) >= RADIUS
    for wall in house.walls:
        free &= ~_blocked_by(wall, px, py)
    return Grid(float(xs[0]), float(ys[0]), STEP, free, largest_component(free))


def _near(thing: Thing, xs: Floats, ys: Floats) -> tuple[slice, slice]:
    """Returns the index ranges of the cells that an object can block.

    Scenes may hold thousands of objects, so no distance is computed elsewhere.
    """
    reach = math.hypot(thing.size[0], thing.size[1]) / 2 + RADIUS
    (i, j), (k, n) = (np.searchsorted(axis, (at - reach, at + reach)).tolist()
                      for axis, at in ((xs, thing.base[0]), (ys, thing.base[1])))
    return slice(max(i - 1, 0), j + 1), slice(max(k - 1, 0), n + 1)


def _distance_to(thing: Thing, px: Floats, py: Floats) -> Floats:
    """Returns the distance from each point to an object's box, seen from above, metres."""
    c, s = np.cos(thing.yaw), np.sin(thing.yaw)
    dx, dy = px - thing.base[0], py - thing.base[1]
    beside = np.abs(c * dx + s * dy) - thing.size[0] / 2
    before = np.abs(-s * dx + c * dy) - thing.size[1] / 2
    distance: Floats = np.hypot(np.maximum(beside, 0), np.maximum(before, 0))
    return distance


def _blocked_by(wall: Wall, px: Floats, py: Floats) -> Mask:
    """Returns the cells that are too close to a wall, except in its open doorways."""
    ux, uy = wall.direction
    dx, dy = px - wall.start[0], py - wall.start[1]
    along, across = dx * ux + dy * uy, np.abs(dy * ux - dx * uy)
    near = (across < RADIUS + WALL_HALF) & (along > -RADIUS) & (along < wall.length + RADIUS)
    for opening in (o for o in wall.openings if o.kind == "door"):
        near &= ~((along > opening.begin + JAMB) & (along < opening.end - JAMB))
    return near


def largest_component(free: Mask) -> Mask:
    """Returns the largest set of free cells that are connected by their sides. Among equals the first one counts."""
    left, best = free.copy(), np.zeros(free.shape, np.bool_)
    size = 0
    for seed in map(tuple, np.argwhere(free).tolist()):
        if left[seed]:
            part = _flood(left, (seed[0], seed[1]))
            if len(part) > size:
                size, best = len(part), np.zeros(free.shape, np.bool_)
                best[tuple(zip(*part, strict=True))] = True
    return best


def _flood(left: Mask, seed: tuple[int, int]) -> list[tuple[int, int]]:
    """Removes the cells connected to `seed` from `left` and returns them."""
    queue, part = deque([seed]), [seed]
    left[seed] = False
    while queue:
        i, j = queue.popleft()
        for n in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
            if 0 <= n[0] < left.shape[0] and 0 <= n[1] < left.shape[1] and left[n]:
                left[n] = False
                queue.append(n)
                part.append(n)
    return part
