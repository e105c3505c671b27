"""Where a robot can stand: cells of the floor that keep clear of walls and things, and the part of them that hangs together."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.geometry.model import House, Thing, Wall

WALKABLE = frozenset({"DogBed", "Floor", "TargetCircle", "mat", "rug"})
BODY = (0.12, 1.3)
"""The heights between which the robot bumps into things: it rolls over lower ones and passes below higher ones."""
WALL_HALF = 0.06
JAMB = 0.1
"""How far a robot's middle keeps from a door's sides."""

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grid:
    """`free[i, j]` is the cell centred at (x0 + i * step, y0 + j * step)."""

    x0: float
    y0: float
    step: float
    free: Mask
    reachable: Mask
    """The largest connected part of `free`."""

    def centres(self, mask: Mask) -> Floats:
        """The middles of the chosen cells, one row (x, y) each."""
        centres: Floats = np.argwhere(mask) * self.step + np.array((self.x0, self.y0))
        return centres

    @property
    def reachable_share(self) -> float:
        """Share of the free cells that can be reached; 0 without any."""
        return float(self.reachable.sum() / max(1, self.free.sum()))


def is_obstacle(thing: Thing) -> bool:
    """Whether the thing's box crosses the robot's body; what is behind a closed door counts with its holder."""
    low, high = BODY
    return not thing.hidden and thing.kind not in WALKABLE and thing.base[2] < high and thing.base[2] + thing.size[2] > low


def free_space(house: House, step: float = 0.25, radius: float = 0.22) -> Grid:
    """Cells whose middle keeps `radius` from every obstacle and wall, and the largest connected set of them."""
    x0, y0, x1, y1 = house.bounds()
    xs, ys = np.arange(np.ceil(x0 / step) * step, x1, step), np.arange(np.ceil(y0 / step) * step, y1, step)
    px, py = np.meshgrid(xs, ys, indexing="ij")
    free = np.zeros(px.shape, np.bool_)
    for a, b, c, d in (piece for room in house.rooms for piece in room.pieces):
        free |= (px >= a) & (px <= c) & (py >= b) & (py <= d)
    for thing in filter(is_obstacle, house.things):
        near = _near(thing, xs, ys, radius)
        free[near] &= _distance_to(thing, px[near], py[near]) >= radius
    for wall in house.walls:
        free &= ~_blocked_by(wall, px, py, radius)
    return Grid(float(xs[0]), float(ys[0]), step, free, largest_component(free))


def _near(thing: Thing, xs: Floats, ys: Floats, radius: float) -> tuple[slice, slice]:
    """The cells that the thing could block. Elsewhere no distance is computed: scenes may hold thousands of things."""
    reach = math.hypot(thing.size[0], thing.size[1]) / 2 + radius
    (i, j), (k, n) = (np.searchsorted(axis, (at - reach, at + reach)).tolist()
                      for axis, at in ((xs, thing.base[0]), (ys, thing.base[1])))
    return slice(max(i - 1, 0), j + 1), slice(max(k - 1, 0), n + 1)


def _distance_to(thing: Thing, px: Floats, py: Floats) -> Floats:
    c, s = np.cos(thing.yaw), np.sin(thing.yaw)
    dx, dy = px - thing.base[0], py - thing.base[1]
    beside = np.abs(c * dx + s * dy) - thing.size[0] / 2
    before = np.abs(-s * dx + c * dy) - thing.size[1] / 2
    distance: Floats = np.hypot(np.maximum(beside, 0), np.maximum(before, 0))
    return distance


def _blocked_by(wall: Wall, px: Floats, py: Floats, radius: float) -> Mask:
    """Cells too near to the wall, its free doors excepted."""
    ux, uy = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
    dx, dy = px - wall.start[0], py - wall.start[1]
    along, across = dx * ux + dy * uy, np.abs(dy * ux - dx * uy)
    near = (across < radius + WALL_HALF) & (along > -radius) & (along < wall.length + radius)
    for opening in (o for o in wall.openings if o.kind == "door"):
        near &= ~((along > opening.begin + JAMB) & (along < opening.end - JAMB))
    return near


def largest_component(free: Mask) -> Mask:
    """The biggest set of free cells that hang together by their sides; the first found among equals."""
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
    """Take the cells connected to `seed` out of `left`."""
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
