"""A house as rows for the graphics card. One row is one box, cylinder or ball with its place in the house.

The rows of an object are cached while it stays the same, so changing one object is cheap. Floors, ceilings and walls have the
number 0. In a dollhouse view walls are cut low or left out so that they do not hide the rooms behind them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.simulator.orbit import USUAL_TILT
from sim.geometry.model import Colour, House, Opening, Rect, Thing, Vector, Wall
from sim.rendering.shapes.kit import Prim
from sim.rendering.shapes.registry import shape_of

Rows = NDArray[np.void]

ROW = np.dtype([("pos", "3f4"), ("half", "3f4"), ("turn", "4f4"), ("colour", "4f4"), ("meta", "4i4"), ("mesh", "i4")])
"""Centre in the house, half extents, rotation as a quaternion x y z w, colour with alpha, (number, bend, texture, room), mesh.

`bend` tells how normals run: 0 a box with bevelled edges, 1 a curved mesh, 2 a flat box with invisible edges.
"""

MESHES = ("box", "cylinder", "ball")
TEXTURES = {"plain": 0, "wood": 1, "cloth": 2, "stone": 3, "rug": 4, "wall": 5, "glass": 6, "glow": 7, "metal": 8, "plank": 9,
            "tile": 10, "bathtile": 11, "carpet": 12, "ground": 13, "mirror": 14, "glass_dark": 8}
GLASS = TEXTURES["glass"]
FLAT = frozenset(TEXTURES[name] for name in ("wall", "plank", "tile", "bathtile", "carpet", "ground"))
GLASS_ALPHA = 0.30
KEPT = 16384  # objects whose rows are cached: several hundred bytes each
STEP = 0.0001  # metres; well above the resolution of the depth buffer, well below a pixel


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of `ROW`, in the order they were added."""

    rows: Rows

    def arrays(self, *, glass: bool = False) -> dict[str, Rows]:
        """Returns the opaque rows, or those to blend, by mesh ("box", "cylinder", "ball"). Meshes without rows are left out."""
        wanted = (self.rows["meta"][:, 2] == GLASS) == glass
        chosen = {name: self.rows[wanted & (self.rows["mesh"] == k)] for k, name in enumerate(MESHES)}
        return {name: rows for name, rows in chosen.items() if len(rows)}


def concatenate(parts: Iterable[Rows]) -> Rows:
    """Returns one array of all rows; an empty one for no parts."""
    return np.concatenate([np.empty(0, ROW), *parts])


def rows_of(prims: Sequence[Prim], room: int | Sequence[int], base: Vector = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Rows:
    """Returns primitives of a frame at `base`, turned by `yaw`, as rows with number 0.

    `room` is the index of the room that lights them: one for all, or one for each.
    """
    rows = np.zeros(len(prims), ROW)
    if not prims:
        return rows
    c, s = np.cos(yaw), np.sin(yaw)
    rows["pos"] = np.array([p.centre for p in prims]) @ np.array([(c, s, 0), (-s, c, 0), (0, 0, 1)]) + base
    rows["half"] = [p.half for p in prims]
    rows["turn"] = _quaternions(np.array([p.yaw for p in prims]) + yaw, np.array([p.axis == "y" for p in prims]))
    textures = [TEXTURES[p.texture] for p in prims]
    rows["colour"] = [(*p.colour, GLASS_ALPHA if p.texture == "glass" else 1.0) for p in prims]
    rows["meta"][:, 1] = [_bend(p, t) for p, t in zip(prims, textures, strict=True)]
    rows["meta"][:, 2], rows["meta"][:, 3] = textures, room
    rows["mesh"] = [MESHES.index(p.shape) for p in prims]
    return rows


def _bend(prim: Prim, texture: int) -> int:
    if prim.shape != "box":
        return 1
    return 2 if texture in FLAT else 0


def _quaternions(yaw: NDArray[np.float64], lying: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Returns (n, 4) rotations about z. A lying cylinder first turns its own z to y."""
    s, c, zero, half = np.sin(yaw / 2), np.cos(yaw / 2), np.zeros(len(yaw)), np.sqrt(0.5)
    upright = np.column_stack((zero, zero, s, c))
    return np.where(lying[:, None], np.column_stack((c, s, s, c)) * half, upright)


def everything(thing: Thing) -> bool:
    """Accepts any object."""
    return True


def numbering(house: House, held: Sequence[Thing] = ()) -> dict[str, int]:
    """Returns the number of each entity in a picture's ids, in the order of `house.things`, then of `held`.

    Parts of one entity share a number. Decoration (the empty id) is 0.
    """
    numbers: dict[str, int] = {"": 0}
    for thing in (*house.things, *held):
        numbers.setdefault(thing.id, len(numbers))
    return numbers


def things_batch(house: House, keep: Callable[[Thing], bool] = everything) -> Batch:
    """Returns all objects that are not hidden and that `keep` accepts, numbered as by `numbering(house)`."""
    return batch_of((t for t in house.things if not t.hidden and keep(t)), numbering(house))


def batch_of(things: Iterable[Thing], numbers: dict[str, int]) -> Batch:
    """Returns these objects as rows with the given numbers."""
    chosen = list(things)
    parts = [thing_rows(thing) for thing in chosen]
    rows = concatenate(parts)
    rows["meta"][:, 0] = np.repeat([numbers[t.id] for t in chosen], [len(p) for p in parts]) if chosen else 0
    return Batch(rows)


@lru_cache(maxsize=KEPT)
def thing_rows(thing: Thing) -> Rows:
    """Returns the rows of one object with number 0. They are shared between callers and therefore read-only."""
    prims = [_shrunk(prim, STEP * (k % 6)) for k, prim in enumerate(shape_of(thing))]
    rows = rows_of(prims, max(thing.room, 0), thing.base, thing.yaw)
    rows.setflags(write=False)
    return rows


def _shrunk(prim: Prim, by: float) -> Prim:
    """Returns a primitive a fraction of a millimetre smaller, so that coplanar faces of neighbours do not flicker."""
    x, y, z = (h - min(by, h / 4) for h in prim.half)
    return prim._replace(half=(x, y, z))


THICKNESS = 0.06  # of one of a wall's two skins
RELIEF = 0.0005  # of a frame before its wall: seen from the side, a few millimetres would be a row of dots
TUCK = THICKNESS - 0.002  # how far a skin extends past a corner: just inside the other wall, so that no two faces coincide
FLOOR_COLOURS: dict[str, Colour] = {"plank": (0.66, 0.47, 0.30), "tile": (0.86, 0.85, 0.82), "bathtile": (0.74, 0.82, 0.84),
                                    "carpet": (0.72, 0.67, 0.60)}
OUTSIDE, FRAME, CUT = (0.84, 0.81, 0.76), (0.96, 0.95, 0.92), (0.30, 0.31, 0.34)
CEILING, LAWN, LEAF, PANE = (0.97, 0.965, 0.95), (0.54, 0.63, 0.45), (0.80, 0.70, 0.56), (0.80, 0.90, 0.97)
INNER, FRONT = (1.15, 0.8, 0.5, 0.3), 0.14  # heights in metres of walls between rooms, and of outer walls seen from outdoors
HIDDEN = 0.78  # metres of floor that a wall between rooms may hide, seen from the usual angle or from a lower one
BEHIND, INDOORS = 0.25, 0.1  # metres: between points that are looked at behind a wall, and how far in a room they count
HANGING, OVERHEAD = 1.2, 1.95  # objects that start above these hang on a wall, under the ceiling
ON_WALL, SHALLOW = 0.25, 0.25  # objects this close to a wall hang on it; flatter ones are panels, such as curtains


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
        ux, uy = wall.direction
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
    half = (THICKNESS + RELIEF) / 2
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
    builder.along(wall, (o.begin, o.sill, o.end, head), 0, 0.004, PANE, "glass", room)


def cut_heights(house: House, eye: Vector, tilt: float = USUAL_TILT) -> tuple[float, ...]:
    """Returns the height at which each wall of `house.walls` is drawn, metres.

    Outer walls are cut low if the camera looks at their outer side. They are whole if it looks at their inner side and no room
    lies hidden behind them. All others are as high as walls between rooms, which are lower the flatter the camera looks.

    Args:
        house: the house.
        eye: where the camera is.
        tilt: how far it looks down, radians.
    """
    inner = min(next((h for h in INNER if h <= 1.02 * HIDDEN * math.tan(tilt)), INNER[-1]), house.height)
    return tuple(_cut(house, wall, eye, inner) for wall in house.walls)


def _cut(house: House, wall: Wall, eye: Vector, inner: float) -> float:
    if (wall.left >= 0) == (wall.right >= 0):
        return inner
    (x0, y0), (x1, y1) = wall.start, wall.end
    on_left = (x1 - x0) * (eye[1] - y0) - (y1 - y0) * (eye[0] - x0) > 0
    if on_left != (wall.left >= 0):
        return min(FRONT, house.height)
    return inner if _hides_room(house, wall, eye) else house.height


def _hides_room(house: House, wall: Wall, eye: Vector) -> bool:
    """Returns True if a wall of full height hides the floor of a room on its outer side."""
    if eye[2] <= house.height:
        return True
    reach = house.height / (eye[2] - house.height)  # length of the hidden floor as a share of the way from the eye to the wall
    for along in (0.1, 0.5, 0.9):
        x, y = (wall.start[k] + (wall.end[k] - wall.start[k]) * along for k in (0, 1))
        dx, dy = (x - eye[0]) * reach, (y - eye[1]) * reach
        steps = max(1, int(math.hypot(dx, dy) / BEHIND))
        if any(room.contains(x + dx * k / steps, y + dy * k / steps, INDOORS)
               for k in range(1, steps + 1) for room in house.rooms):
            return True
    return False


def shown_when_cut(house: House, thing: Thing, heights: Sequence[float]) -> bool:
    """Returns False for objects that hang overhead or on a wall that is cut away."""
    if thing.base[2] > OVERHEAD:
        return False
    panel = thing.base[2] + thing.size[2] > HANGING + 0.2 and min(thing.size[:2]) < SHALLOW and thing.parent is None
    if thing.base[2] < HANGING and not panel:
        return True
    x0, y0, x1, y1 = thing.footprint()
    for wall, height in zip(house.walls, heights, strict=True):
        if height < house.height:
            (left, right), (low, high) = sorted((wall.start[0], wall.end[0])), sorted((wall.start[1], wall.end[1]))
            if x0 < right + ON_WALL and left - ON_WALL < x1 and y0 < high + ON_WALL and low - ON_WALL < y1:
                return False
    return True
