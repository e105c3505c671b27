"""Checks of a plan: no furniture in other furniture, in walls, outside its room or in front of doors."""

from __future__ import annotations

from core.common.errors import DataError
from sim.geometry import rects
from sim.geometry.model import Rect, Room, Thing, Wall
from sim.household.homes.furnish import Piece
from sim.household.homes.plan import DOOR_ZONE, span_rect

FLAT = frozenset({"rug"})
"""Classes that may lie under other furniture."""
TOUCH = 0.005
"""Overlaps thinner than this count as rounding, metres."""
WALL_HALF = 0.055
"""Half the thickness of a wall, metres."""
DOOR_HEAD = 2.0
"""Furniture that hangs higher than this does not block a door, metres."""


def check_pieces(pieces: list[Piece], rooms: tuple[Room, ...], walls: tuple[Wall, ...]) -> None:
    """Checks every piece by itself and against the pieces before it.

    Raises:
        DataError: names the entry, what it collides with, and the remedy.
    """
    zones = [span_rect(w, o, DOOR_ZONE) for w in walls for o in w.openings if o.kind != "window"]
    for k, piece in enumerate(pieces):
        _check_room(piece, rooms)
        _check_walls(piece, walls)
        if any(_blocks(piece.item.thing, zone) for zone in zones):
            _fail(piece, f"stands in a door's {DOOR_ZONE:g} m of free floor; move it along the wall")
        for other in pieces[:k]:
            if _collide(piece, other):
                _fail(piece, f"overlaps {other.item.id}; move one of them")


def _fail(piece: Piece, problem: str) -> None:
    raise DataError(f"{piece.where}: {piece.item.id} {problem}")


def _check_room(piece: Piece, rooms: tuple[Room, ...]) -> None:
    thing = piece.item.thing
    rest = [_shrunk(thing.footprint())]
    for floor in rooms[thing.room].pieces:
        rest = rects.subtract(rest, floor)
    if rest:
        _fail(piece, "reaches outside its room; move it or make it smaller")


def _check_walls(piece: Piece, walls: tuple[Wall, ...]) -> None:
    box = _shrunk(piece.item.thing.footprint())
    for wall in walls:
        (x0, y0), (x1, y1) = wall.start, wall.end
        body = rects.grow((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), WALL_HALF)
        if rects.overlap(box, body):
            _fail(piece, f"reaches into a wall; keep it {WALL_HALF + TOUCH:g} m from the room's edges")


def _blocks(thing: Thing, zone: Rect) -> bool:
    return thing.kind not in FLAT and thing.base[2] < DOOR_HEAD and rects.overlap(_shrunk(thing.footprint()), zone)


def _collide(a: Piece, b: Piece) -> bool:
    """Returns True if two boxes overlap. Flat pieces lie under others, and a piece may touch its holder."""
    if FLAT & {a.item.thing.kind, b.item.thing.kind}:
        return False
    return any(_overlap(s, t) for s in (a.item.thing, *a.decoration) for t in (b.item.thing, *b.decoration))


def _overlap(a: Thing, b: Thing) -> bool:
    apart = a.base[2] + a.size[2] <= b.base[2] + TOUCH or b.base[2] + b.size[2] <= a.base[2] + TOUCH
    return not apart and rects.overlap(_shrunk(a.footprint()), _shrunk(b.footprint()))


def _shrunk(rect: Rect) -> Rect:
    return rects.grow(rect, -min(TOUCH, (rect[2] - rect[0]) / 4, (rect[3] - rect[1]) / 4))
