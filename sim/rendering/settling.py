"""Brings every drawn object to what must hold it: nothing floats in a picture.

Boxes of metadata leave gaps: a wall cabinet is as deep as its door, a vase stands on a shelf that is not listed, a room's floor
lies 10 cm too low. What an object rests on is also drawn in our way. Only the picture changes: rules, visibility and free space
use the objects where they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from sim.geometry.model import House, Room, Thing, Wall
from sim.rendering.contact import Blocks, Floats, Indices, Mask, flat_gaps, near_pairs, separation, upright_gaps
from sim.rendering.fitting import BOARD, RAILS, fitted, moved
from sim.rendering.instances import numbering, walls_batch

TOUCH: Final = 0.012
"""Parts closer than this touch, metres."""
OVERLAP: Final = 0.005
"""What stands on something overlaps it on the plan by more than this, metres. What only leans on its side slides down."""
LIMIT: Final = 0.35
"""An object is not moved down further than this. It gets a board at the wall, or a post, metres."""
TO_WALL: Final = 0.65
"""What may be fixed to a wall is moved there from at most this distance, metres."""
SMALL: Final = 0.6
"""Objects with no side longer than this are moved out of what they overlap, metres."""
FREED: Final = 0.15
"""By at most this distance at a time, metres."""
FREEINGS: Final = 3
"""How often that is tried: out of one thing, it may get into another."""
SOFT: Final = frozenset({"Cloth", "Pillow", "pillow"})
"""Classes that give way to what they lie against."""
POLE: Final = 0.05
"""Thickness of a post below what would hang on a wall, metres."""
ROUNDS: Final = 8
"""What rests on an object that moves is moved in a later round."""
MOST_PARTS: Final = 4000
"""Most parts of a house that is searched for what floats. 1,000 parts take 30 ms; the largest homes have some 3,000."""
_FLAT = """
Blinds Curtains HandTowel LightSwitch Mirror Painting Poster ShowerCurtain ShowerDoor ShowerGlass ShowerHead StoveKnob Towel
bathroom_cabinet curtain drawing light mirror photoframe picture powersocket radiator towel wall_clock wall_phone walllamp
"""
FIXTURES: Final = RAILS | frozenset(_FLAT.split())
"""Classes that are fixed to a wall, or to the side of something."""
STRETCHED: Final = frozenset(
    {"Cabinet", "Drawer", "Microwave", "Shelf", "ShowerHead", "microwave", "wall_cabinet", "wallshelf"}
)
"""Classes that are drawn longer until they reach the wall."""
MOUNTED: Final = FIXTURES | STRETCHED | frozenset({"Television", "hood", "shower", "stovefan", "television"})
"""Classes that may be fixed like this, but throw a shadow."""
COLUMNS: Final = frozenset({"Faucet", "Sink", "faucet"})
"""Classes whose foot is drawn longer until it stands."""
ON_SIDES: Final = frozenset({"ShowerCurtain", "ShowerDoor", "ShowerGlass", "StoveKnob"})
"""Classes that are fixed to a wall only if nothing else is nearer."""
EITHER: Final = frozenset({"Television", "television"})
"""Classes that may be fixed to a wall, but stand if there is something to stand on."""


def settled(house: House, things: Sequence[Thing]) -> tuple[Thing, ...]:
    """Returns objects of a house as they are drawn, in their order, and after them the boards and posts that some need.

    Args:
        house: its walls and height are used.
        things: the objects to draw.
    """
    walls, drawn = walls_of(house), [fitted(t, things) for t in things]
    if len(Blocks.of(drawn).owner) > MOST_PARTS:
        return tuple(drawn)
    for _ in range(FREEINGS):
        _free(drawn)
    for last in [False] * ROUNDS + [True]:
        blocks = Blocks.of(drawn)
        held, touching = held_things(blocks, drawn, walls, house.height)
        if held.all():
            break
        site = _Site(drawn, blocks, held, walls, house.height)
        for group in _groups(touching, ~held):
            site.settle(group, last)
    return tuple(drawn)


def _free(drawn: list[Thing]) -> None:
    """Moves small objects that lie somewhere out of what they overlap: up or aside, whichever is less, if that is little."""
    loose = np.array([t.parent is not None and max(t.size) < SMALL and t.kind not in MOUNTED | SOFT for t in drawn], bool)
    volume = np.array([math.prod(t.size) if free else np.inf for t, free in zip(drawn, loose, strict=True)])
    blocks = Blocks.of(drawn)
    mine = blocks.taken(loose[blocks.owner])
    first, second = near_pairs(mine, blocks, -TOUCH, -TOUCH)
    keep = volume[mine.owner[first]] < volume[blocks.owner[second]]
    a, b = mine.taken(first[keep]), blocks.taken(second[keep])
    gaps, along = separation(a, b)
    up = b.high - a.low
    for k in np.unique(a.owner[gaps < -TOUCH]).tolist():
        own = (a.owner == k) & (gaps < -TOUCH)
        least = int(np.argmax(np.where(own, np.minimum(up, -gaps), -np.inf)))
        if up[least] <= min(-gaps[least], FREED):
            drawn[k] = moved(drawn[k], 0.0, 0.0, float(up[least]))
        elif -gaps[least] <= FREED:
            dx, dy = (gaps[least] * along[least]).tolist()
            drawn[k] = moved(drawn[k], dx, dy, 0.0)


def walls_of(house: House) -> Blocks:
    """Returns the walls with their doors, frames and panes."""
    return _walls(house.walls, house.rooms, house.height)


@lru_cache(maxsize=4)
def _walls(walls: tuple[Wall, ...], rooms: tuple[Room, ...], height: float) -> Blocks:
    return Blocks.of_rows(walls_batch(House(rooms, walls, (), height)).rows)


def held_things(blocks: Blocks, things: Sequence[Thing], walls: Blocks, height: float) -> tuple[Mask, Mask]:
    """Returns which objects (n,) rest on floor, ceiling or walls, if only through others, and which (n, n) touch each other."""
    mounted = np.array([t.parent is None or t.kind in MOUNTED for t in things], bool)
    held = np.zeros(len(things), bool)
    held[blocks.owner[(blocks.low <= TOUCH) | (blocks.high >= height - TOUCH)]] = True
    held[blocks.owner[_touching(blocks, walls, mounted[blocks.owner], np.zeros(len(walls.owner), bool))[0]]] = True
    first, second = _touching(blocks, blocks, mounted[blocks.owner], mounted[blocks.owner])
    touching = np.zeros((len(things), len(things)), bool)
    touching[blocks.owner[first], blocks.owner[second]] = True
    numbers = numbering(House((), (), tuple(things)))
    number = np.array([numbers[t.id] for t in things])
    touching |= (number[:, None] == number) & (number > 0)  # parts of one entity are one body
    new = held
    while new.any():
        new = touching[new].any(0) & ~held
        held = held | new
    return held, touching


def _touching(a: Blocks, b: Blocks, mounted_a: Mask, mounted_b: Mask) -> tuple[Indices, Indices]:
    """Returns the pairs of parts that hold each other. A side holds only what may be mounted on it."""
    first, second = near_pairs(a, b, TOUCH, TOUCH)
    flat, upright = flat_gaps(a.taken(first), b.taken(second)), upright_gaps(a.taken(first), b.taken(second))
    side = (flat > -OVERLAP) & ~mounted_a[first] & ~mounted_b[second]
    keep = (flat <= TOUCH) & (upright <= TOUCH) & ~side
    return first[keep], second[keep]


def _groups(touching: Mask, chosen: Mask) -> Iterator[Indices]:
    """Yields the connected groups of the chosen objects."""
    left = chosen.copy()
    while left.any():
        group = np.zeros(len(left), bool)
        new = np.arange(len(left)) == int(np.argmax(left))
        while new.any():
            group |= new
            new = touching[new].any(0) & left & ~group
        left &= ~group
        yield np.flatnonzero(group)


class _Pairs(NamedTuple):
    """Pairs of a part that nothing holds and another part near it on the plan, n in all.

    Attributes:
        first, second: (n,) the objects they belong to; -1 for a wall.
        flat, along: (n,) gaps on the plan in metres, and (n, 2) unit vectors of the way.
        drop: (n,) how far the first is above the second, metres.
        level: (n,) whether they are at the same height, so that one may be fixed to the other's side.
    """

    first: Indices
    second: Indices
    flat: Floats
    along: Floats
    drop: Floats
    level: Mask

    @classmethod
    def of(cls, free: Blocks, others: Blocks, walls: bool = False) -> _Pairs:
        """Returns all pairs at most TO_WALL apart on the plan."""
        first, second = near_pairs(free, others, TO_WALL)
        a, b = free.taken(first), others.taken(second)
        owner = np.full(len(second), -1) if walls else b.owner
        return cls(a.owner, owner, *separation(a, b), a.low - b.high, upright_gaps(a, b) < -OVERLAP)


class _Gap(NamedTuple):
    """The way from a group to what may hold it: length in metres, unit vector, and the object of the group at its start."""

    length: float = np.inf
    along: tuple[float, float] = (0.0, 0.0)
    thing: int = -1


class _Site:
    """The objects of one round. Changes are made in `drawn`; the parts stay those of the round's beginning."""

    def __init__(self, drawn: list[Thing], blocks: Blocks, held: Mask, walls: Blocks, height: float) -> None:
        self._drawn, self._height = drawn, height
        self._held = np.append(held, True)  # the last one stands for a wall
        self._free = blocks.taken(~held[blocks.owner])
        self._kinds = np.array([t.kind in MOUNTED for t in drawn], bool)
        self._pairs, self._at_walls = _Pairs.of(self._free, blocks), _Pairs.of(self._free, walls, walls=True)

    def settle(self, group: Indices, last: bool) -> None:
        """Brings one group of objects that touch each other to what holds it, unless that must be settled first."""
        down, below = self._down(group, held=True)
        if not last and self._down(group, held=False)[0] < down:
            return
        main = max(group, key=lambda k: math.prod(self._drawn[k].size))
        kind = self._drawn[main].kind
        if kind in MOUNTED and not (kind in EITHER and down <= LIMIT):
            fixed = group[self._kinds[group]]
            wall, side = self._beside(fixed, self._at_walls), self._beside(fixed, self._pairs, group)
            way = side if wall.length > TO_WALL or (kind in ON_SIDES and side.length < wall.length) else wall
            if way.length <= TO_WALL:
                self._reach(group, way)
                return
        if down <= LIMIT and kind in COLUMNS:
            self._drawn[main] = _raised(self._drawn[main], -down, 0.0)
        elif down <= LIMIT or (below >= 0 and self._drawn[main].parent == self._drawn[below].id):
            self._move(group, 0.0, 0.0, -down)
        else:
            self._support(group, kind in MOUNTED, down)

    def _down(self, group: Indices, held: bool) -> tuple[float, int]:
        """Returns how far a group can sink before it lies on something, metres, and what that is: -1 for the floor.

        Only what is held counts, or only what is not.
        """
        pairs, mine = self._pairs, np.isin(self._free.owner, group)
        floor = float(self._free.low[mine].min()) if held else np.inf
        keep = np.isin(pairs.first, group) & ~np.isin(pairs.second, group) & (self._held[pairs.second] == held)
        keep &= (pairs.flat < -OVERLAP) & (pairs.drop >= -TOUCH)
        way = np.where(keep, pairs.drop, np.inf)
        best = int(np.argmin(way)) if len(way) else -1
        return (float(way[best]), int(pairs.second[best])) if best >= 0 and way[best] < floor else (floor, -1)

    def _beside(self, fixed: Indices, pairs: _Pairs, group: Indices | tuple[()] = ()) -> _Gap:
        """Returns the shortest way on the plan from some of a group to what is held at the same height."""
        keep = np.isin(pairs.first, fixed) & ~np.isin(pairs.second, group) & self._held[pairs.second] & pairs.level
        if not keep.any():
            return _Gap()
        best = int(np.argmin(np.where(keep, pairs.flat, np.inf)))
        return _Gap(max(float(pairs.flat[best]), 0.0), tuple(pairs.along[best].tolist()), int(pairs.first[best]))

    def _reach(self, group: Indices, way: _Gap) -> None:
        thing = self._drawn[way.thing]
        dx, dy = way.along[0] * way.length, way.along[1] * way.length
        x, y, _ = replace(thing, base=(0.0, 0.0, 0.0)).to_local((dx, dy, 0.0))
        if thing.kind in STRETCHED and (thing.kind != "ShowerHead" or y < -abs(x)):
            self._drawn[way.thing] = _stretched(thing, x, y)
        else:
            self._move(group, dx, dy, 0.0)

    def _move(self, group: Indices, dx: float, dy: float, dz: float) -> None:
        for k in group:
            self._drawn[k] = moved(self._drawn[k], dx, dy, dz)

    def _support(self, group: Indices, hangs: bool, down: float) -> None:
        """Adds a board at the wall below a group, or a post; a box below the ceiling if it hangs."""
        mine = self._free.taken(np.isin(self._free.owner, group))
        level, top, wall = float(mine.low.min()), float(mine.high.max()), self._beside(group, self._at_walls)
        parts = mine if wall.length <= LIMIT else mine.taken(mine.low <= level + TOUCH)
        low, high = (parts.centre[:, :2] - parts.extent).min(0), (parts.centre[:, :2] + parts.extent).max(0)
        room = self._drawn[group[0]].room
        if wall.length <= LIMIT:
            shift = np.array(wall.along) * wall.length
            self._add("Shelf", room, np.minimum(low, low + shift), np.maximum(high, high + shift), level - BOARD, level)
        elif hangs and self._height - top < down:
            self._add("BaseFill", room, low, high, top, self._height)
        else:
            thin = np.minimum((high - low) / 2, POLE / 2) if hangs else (high - low) / 2
            self._add("BaseFill", room, (low + high) / 2 - thin, (low + high) / 2 + thin, level - down, level)

    def _add(self, kind: str, room: int, low: Floats, high: Floats, z0: float, z1: float) -> None:
        (x, y), (w, d) = ((low + high) / 2).tolist(), (high - low).tolist()
        self._drawn.append(Thing("", kind, room, (x, y, z0), (w, d, z1 - z0)))


def _stretched(thing: Thing, x: float, y: float) -> Thing:
    """Returns an object whose side that faces along (x, y) in its own frame is moved by that much."""
    w, d, h = thing.size
    if abs(x) > abs(y):
        return replace(thing, size=(w + abs(x), d, h), base=thing.to_world((x / 2, 0.0, 0.0)))
    return replace(thing, size=(w, d + abs(y), h), base=thing.to_world((0.0, y / 2, 0.0)))


def _raised(thing: Thing, foot: float, top: float) -> Thing:
    """Returns an object whose lower and upper ends are moved up by so much, metres."""
    (x, y, z), (w, d, h) = thing.base, thing.size
    return replace(thing, base=(x, y, z + foot), size=(w, d, h + top - foot))
