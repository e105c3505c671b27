"""Floors, ceilings, walls and their openings, as rows with number 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from sim.geometry.model import Colour, House, Opening, Rect, Wall
from sim.rendering.instances.rows import Batch, rows_of
from sim.rendering.shapes.kit import Prim

THICKNESS = 0.06  # of one of a wall's two skins
TUCK = THICKNESS - 0.002  # how far a skin extends past a corner: just inside the other wall, so that no two faces coincide
FLOOR_COLOURS: dict[str, Colour] = {"plank": (0.66, 0.47, 0.30), "tile": (0.86, 0.85, 0.82), "bathtile": (0.74, 0.82, 0.84),
                                    "carpet": (0.72, 0.67, 0.60)}
OUTSIDE, FRAME, CUT = (0.84, 0.81, 0.76), (0.96, 0.95, 0.92), (0.30, 0.31, 0.34)
CEILING, LAWN, LEAF, GLASS = (0.97, 0.965, 0.95), (0.54, 0.63, 0.45), (0.80, 0.70, 0.56), (0.80, 0.90, 0.97)


@dataclass
class _Builder:
    """Collects blocks and the room that lights each of them."""

    prims: list[Prim] = field(default_factory=list)
    rooms: list[int] = field(default_factory=list)

    def slab(self, area: Rect, z0: float, z1: float, colour: Colour, texture: str, room: int) -> None:
        """Adds an upright, axis-aligned block over `area`."""
        x0, y0, x1, y1 = area
        half = ((x1 - x0) / 2, (y1 - y0) / 2, (z1 - z0) / 2)
        self._add(Prim("box", ((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2), half, colour, texture), room)

    def along(self, wall: Wall, span: Rect, offset: float, half: float, colour: Colour, texture: str, room: int) -> None:
        """Adds a block along a wall.

        Args:
            wall: the wall.
            span: begin, bottom, end, top, metres.
            offset: how far the middle of the block is to the left of the wall, metres.
            half: half its thickness, metres.
            colour: of the block.
            texture: of the block.
            room: index of the room that lights it.
        """
        begin, z0, end, z1 = span
        if end - begin < 0.001 or z1 - z0 < 0.001:
            return
        ux, uy = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
        m = (begin + end) / 2
        centre = (wall.start[0] + ux * m - uy * offset, wall.start[1] + uy * m + ux * offset, (z0 + z1) / 2)
        self._add(Prim("box", centre, ((end - begin) / 2, half, (z1 - z0) / 2), colour, texture, math.atan2(uy, ux)), room)

    def _add(self, prim: Prim, room: int) -> None:
        self.prims.append(prim)
        self.rooms.append(max(room, 0))

    def batch(self) -> Batch:
        return Batch(rows_of(self.prims, self.rooms))


def floors_batch(house: House, lawn: bool = True) -> Batch:
    """Returns one slab for each piece of each room, with its top at z = 0. `lawn` adds the ground outdoors."""
    builder = _Builder()
    x0, y0, x1, y1 = house.bounds()
    if lawn:
        builder.slab((x0 - 60, y0 - 60, x1 + 60, y1 + 60), -0.3, -0.05, LAWN, "ground", 0)
    for k, room in enumerate(house.rooms):
        for piece in room.pieces:
            builder.slab(piece, -0.04, 0.0, FLOOR_COLOURS.get(room.floor, FLOOR_COLOURS["plank"]), room.floor, k)
    return builder.batch()


def ceilings_batch(house: House) -> Batch:
    """Returns one slab for each piece of each room, with its underside at the height of the house."""
    builder, t = _Builder(), THICKNESS
    for k, room in enumerate(house.rooms):
        for x0, y0, x1, y1 in room.pieces:
            builder.slab((x0 - t, y0 - t, x1 + t, y1 + t), house.height, house.height + 0.05, CEILING, "wall", k)
    return builder.batch()


def walls_batch(house: House, top_of: Callable[[Wall], float] | None = None) -> Batch:
    """Returns all walls as two skins, each painted and lit as the room it faces, with frames, panes and doors.

    `top_of(wall)` gives the height in metres where a wall is cut off and gets a dark edge. None leaves walls whole.
    """
    builder = _Builder()
    for wall in house.walls:
        if wall.length < 0.01:
            continue
        top = house.height if top_of is None else min(house.height, top_of(wall))
        for side, room in ((1, wall.left), (-1, wall.right)):
            _skin(builder, house, wall, side, room, top, edged=top_of is not None)
        for opening in wall.openings:
            _fill(builder, wall, opening, top)
    return builder.batch()


def _skin(builder: _Builder, house: House, wall: Wall, side: int, room: int, top: float, edged: bool) -> None:
    paint, foot = (house.rooms[room].paint, 0.0) if room >= 0 else (OUTSIDE, -0.06)
    middle, half = side * THICKNESS / 2, THICKNESS / 2
    at, spans = -TUCK, list[Rect]()
    for o in sorted(wall.openings, key=lambda o: o.begin):
        spans += [(at, foot, o.begin, top), (o.begin, foot, o.end, min(o.sill, top)), (o.begin, min(o.head, top), o.end, top)]
        at = o.end
    spans.append((at, foot, wall.length + TUCK, top))
    for begin, z0, end, z1 in spans:
        builder.along(wall, (begin, z0, end, z1), middle, half, paint, "wall", room)
        if edged and z1 > top - 0.001 and z1 - z0 > 0.001:
            builder.along(wall, (begin, top, end, top + 0.012), middle, half, CUT, "wall", room)


def _fill(builder: _Builder, wall: Wall, o: Opening, top: float) -> None:
    """Adds frame, sill, glass or door of an opening. Each half of the frame is lit by the room it faces."""
    if o.sill >= top:
        return
    head, within = min(o.head, top), wall.left if wall.left >= 0 else wall.right
    for side, room in ((1, wall.left), (-1, wall.right)):
        _frame(builder, wall, o, top, side, room if room >= 0 else within)
    if o.kind == "window":
        _pane(builder, wall, o, head, within)
        return
    builder.along(wall, (o.begin, -0.04, o.end, 0.006), 0, THICKNESS, FLOOR_COLOURS["plank"], "wood", within)
    if o.kind == "leaf":
        builder.along(wall, (o.begin + 0.05, 0.006, o.end - 0.05, head - 0.05), 0, 0.022, LEAF, "wood", within)
        builder.along(wall, (o.end - 0.16, 0.98, o.end - 0.06, min(1.01, head)), 0, 0.05, (0.6, 0.6, 0.6), "metal", within)


def _frame(builder: _Builder, wall: Wall, o: Opening, top: float, side: int, room: int) -> None:
    half = (THICKNESS + 0.012) / 2
    for begin in (o.begin, o.end - 0.05):
        builder.along(wall, (begin, o.sill, begin + 0.05, min(o.head, top)), side * half, half, FRAME, "plain", room)
    if o.head <= top:
        builder.along(wall, (o.begin + 0.05, o.head - 0.05, o.end - 0.05, o.head), side * half, half, FRAME, "plain", room)


def _pane(builder: _Builder, wall: Wall, o: Opening, head: float, room: int) -> None:
    board = (o.begin - 0.03, o.sill - 0.01, o.end + 0.03, o.sill + 0.03)
    builder.along(wall, board, 0, THICKNESS + 0.042, FRAME, "plain", room)
    middle = (o.begin + o.end) / 2
    if o.end - o.begin > 0.7:
        builder.along(wall, (middle - 0.02, o.sill, middle + 0.02, head), 0, 0.02, FRAME, "plain", room)
    builder.along(wall, (o.begin, o.sill, o.end, head), 0, 0.004, GLASS, "glass", room)
