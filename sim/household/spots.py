"""Free spots on and in furniture. What a holder takes follows from stated sizes (`sim.geometry.placing`), not from a count."""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from core.world.vocabulary import CONTAINER, SURFACE, TAKES_SLICES
from sim.geometry import placing
from sim.geometry.model import Surface, Thing, Vector
from sim.household.scene import Item, Spot

GAP = 0.006
"""Distance kept between two objects, metres."""
STEP = 0.06
"""Distance between the spots that are tried, metres."""
MOST_TRIES = 120
"""Spots tried on one surface for one heading of the object."""


class Solid(NamedTuple):
    """An upright box in a holder's frame, metres."""

    x0: float
    y0: float
    x1: float
    y1: float
    z0: float
    z1: float


def solid(spot: Spot, size: Vector) -> Solid:
    """Returns the box that an object of that size takes at a spot."""
    hx, hy = _turned(size, spot.turn)
    return Solid(spot.x - hx, spot.y - hy, spot.x + hx, spot.y + hy, spot.z, spot.z + size[2])


def _turned(size: Vector, turn: float) -> tuple[float, float]:
    """Returns half the width and depth of the axis-aligned rectangle around a turned object."""
    c, s = abs(math.cos(turn)), abs(math.sin(turn))
    return (size[0] * c + size[1] * s) / 2, (size[0] * s + size[1] * c) / 2


def surfaces_of(item: Item, relation: str) -> tuple[tuple[int, Surface], ...]:
    """Returns the numbered surfaces where objects lie `inside` or `on` an item, in its own frame.

    A class for which no such surface is stated (a coffee machine has none to lie on) gets one from its box.
    """
    numbered = tuple(enumerate(_all_surfaces((item.thing, *item.more), False)))
    both = CONTAINER in item.properties and SURFACE in item.properties
    wanted = tuple(n for n in numbered if n[1].inside == (relation == "inside"))
    if wanted or (both and numbered):
        return wanted
    return numbered or ((-1, _from_box(item.thing.size, relation)),)


@lru_cache(maxsize=8192)
def _all_surfaces(things: tuple[Thing, ...], is_open: bool) -> tuple[Surface, ...]:
    """Returns the surfaces of all parts of an item, in the frame of the first."""
    found = []
    first = things[0]
    c, s = math.cos(first.yaw), math.sin(first.yaw)
    for thing in things:
        dx, dy, dz = (b - a for a, b in zip(first.base, thing.base, strict=True))
        shift = (c * dx + s * dy, -s * dx + c * dy, dz)
        for surface in placing.surfaces_of(thing.kind, thing.size, is_open):
            x, y, z = surface.centre
            found.append(surface._replace(centre=(x + shift[0], y + shift[1], z + shift[2])))
    return tuple(found)


def _from_box(size: Vector, relation: str) -> Surface:
    """Returns a surface for a box without a stated one."""
    w, d, h = size
    if relation == "inside":
        return Surface((0.0, 0.0, min(0.05, h / 5)), (w * 0.4, d * 0.4), max(h * 0.85, 0.14), True)
    return Surface((0.0, 0.0, h), (w * 0.45, d * 0.45), 1.0, False)


def slide(item: Item, surface: int, *, is_open: bool) -> Vector:
    """Returns how far objects on a surface move along x, y and z when the item opens, metres.

    A drawer carries its contents out.
    """
    if surface < 0 or not is_open:
        return 0.0, 0.0, 0.0
    things = (item.thing, *item.more)
    closed, opened = _all_surfaces(things, False), _all_surfaces(things, True)
    if surface >= min(len(closed), len(opened)):
        return 0.0, 0.0, 0.0
    a, b = closed[surface].centre, opened[surface].centre
    return b[0] - a[0], b[1] - a[1], b[2] - a[2]


def free_spot(holder: Item, relation: str, thing_id: str, size: Vector, taken: Iterable[Solid],
              near: tuple[float, float] | None = None) -> Spot | None:
    """Returns the first free spot for an object, or None if there is no room.

    The order in which spots are tried depends only on the two ids, and on `near`.

    Args:
        holder: furniture or object that holds it.
        relation: `inside` or `on`.
        thing_id: id of the object.
        size: width, depth and height of the object, metres.
        taken: boxes that are in the way, in the holder's frame.
        near: a point in the holder's frame, metres; spots near it are tried first, and of those the highest.
    """
    obstacles = tuple(taken)
    slots = 2 if TAKES_SLICES in holder.properties else 1 if holder.only else 0
    if slots:                                    # slots of a toaster, a towel rail: counted, sizes ignored
        number, surface = surfaces_of(holder, relation)[0]
        x, y, z = surface.centre if slots == 2 else (0.0, holder.thing.size[1] / 2, -size[2] * 0.9)
        return Spot(x + 0.04 * len(obstacles), y, z, 0.0, number) if len(obstacles) < slots else None
    for spot in _candidates(holder, relation, thing_id, size) if near is None else _nearest(holder, relation, size, near):
        if not _hits(solid(spot, size), obstacles):
            return spot
    return None


def _candidates(holder: Item, relation: str, thing_id: str, size: Vector) -> Iterator[Spot]:
    """Yields the spots on fitting surfaces in random order, unturned before turned."""
    order = random.Random(zlib.crc32(f"{thing_id} {holder.id} {relation}".encode()))
    surfaces = list(surfaces_of(holder, relation))
    order.shuffle(surfaces)
    for number, surface in surfaces:
        for turn in (0.0, math.pi / 2):
            play = _room_on(surface, size, turn)
            if play is None:
                continue
            spots = [(x, y) for x in _lattice(play[0]) for y in _lattice(play[1])]
            order.shuffle(spots)
            for x, y in spots[:MOST_TRIES]:
                yield Spot(surface.centre[0] + x, surface.centre[1] + y, surface.centre[2], turn, number)


def _nearest(holder: Item, relation: str, size: Vector, near: tuple[float, float]) -> list[Spot]:
    """Returns the spots on fitting surfaces, those nearest to a point first; each surface has one as near as it allows."""
    found = []
    for number, surface in surfaces_of(holder, relation):
        for turn in (0.0, math.pi / 2):
            play = _room_on(surface, size, turn)
            if play is None:
                continue
            x, y, z = surface.centre
            at = tuple(min(max(near[k] - surface.centre[k], -play[k]), play[k]) for k in (0, 1))
            found += [Spot(x + dx, y + dy, z, turn, number)
                      for dx in (at[0], *_lattice(play[0])) for dy in (at[1], *_lattice(play[1]))]
    return sorted(found, key=lambda s: (round(math.hypot(s.x - near[0], s.y - near[1]), 6), -s.z, s.turn, s.surface))


def _room_on(surface: Surface, size: Vector, turn: float) -> tuple[float, float] | None:
    """Returns how far the object's middle may be from the surface's, along x and y; None if it does not fit. Metres."""
    hx, hy = _turned(size, turn)
    play_x, play_y = surface.half[0] - hx, surface.half[1] - hy
    if play_x < -0.02 or play_y < -0.02 or size[2] > surface.clearance + 0.02:
        return None
    return max(play_x, 0.0), max(play_y, 0.0)


def _lattice(reach: float) -> list[float]:
    """Returns evenly spaced offsets between -reach and reach, metres."""
    count = int(reach / STEP)
    return [reach * k / count for k in range(-count, count + 1)] if count else [0.0]


def _hits(box: Solid, others: tuple[Solid, ...]) -> bool:
    """Returns True if a box comes closer than GAP to any other at the same height."""
    return any(box.x0 < o.x1 + GAP and o.x0 < box.x1 + GAP and box.y0 < o.y1 + GAP and o.y0 < box.y1 + GAP
               and box.z0 < o.z1 and o.z0 < box.z1 for o in others)


def local(holder: Thing, point: Vector, yaw: float) -> Spot:
    """Returns a point and heading of the house in a holder's own frame."""
    return Spot(*holder.to_local(point), yaw - holder.yaw)
