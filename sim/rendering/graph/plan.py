"""The floor plan: rooms as rectangles of the area their content needs, in two rows, with doors and windows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sim.geometry.model import Colour, Opening, Rect, Room, Wall

DOOR: Final = 0.95
INSET: Final = 0.06
"""Half the thickness of a wall, metres."""
ASPECT: Final = 1.35
"""Width of a house over its depth."""
FEW: Final = 2
"""Up to this number rooms lie side by side, because two rows would make them corridors."""
MANY: Final = 12
"""With more rooms than this, rows are not chosen among all combinations."""
Look = tuple[str, Colour]
LOOKS: Final[dict[str, Look]] = {
    "bathroom": ("bathtile", (0.86, 0.92, 0.93)),
    "bedroom": ("carpet", (0.88, 0.89, 0.94)),
    "dining_room": ("tile", (0.94, 0.91, 0.85)),
    "home_office": ("plank", (0.90, 0.92, 0.87)),
    "kitchen": ("tile", (0.94, 0.92, 0.86)),
    "living_room": ("plank", (0.94, 0.91, 0.87)),
}
JOINED: Final = {name.replace("_", ""): name for name in LOOKS}
"""Newer versions of VirtualHome write names without underscores."""
PLAIN: Final[Look] = ("plank", (0.93, 0.91, 0.88))


def room(name: str, *pieces: Rect) -> Room:
    """Returns a room in the colours of its name."""
    floor, paint = LOOKS.get(name) or LOOKS.get(JOINED.get(name, ""), PLAIN)
    return Room(name, pieces, floor, paint)


def plan(names: Sequence[str], areas: Sequence[float]) -> tuple[Room, ...]:
    """Returns two rows of similar area, each as wide as the house. Rooms keep their order within a row."""
    front = _front_row(areas)
    width, rooms, y = math.sqrt(sum(areas) * ASPECT), dict[int, Room](), 0.0
    back = [i for i in range(len(names)) if i not in front]
    for row in (front, back) if back else (front,):
        height, x = sum(areas[i] for i in row) / width, 0.0
        for i in row:
            w = areas[i] / height
            rooms[i] = room(names[i], (x, y, x + w, y + height))
            x += w
        y += height
    return tuple(rooms[i] for i in range(len(names)))


def _front_row(areas: Sequence[float]) -> list[int]:
    """Returns the rooms whose areas add up to nearly half of the house."""
    order, half = range(len(areas)), sum(areas) / 2
    if len(areas) <= FEW:
        return list(order)
    if len(areas) > MANY:
        sums = list(itertools.accumulate(areas))
        return list(order[: 1 + min(range(len(sums) - 1), key=lambda k: abs(sums[k] - half))])
    rows = (c for n in range(1, len(areas) // 2 + 1) for c in itertools.combinations(order, n))
    return list(min(rows, key=lambda c: abs(sum(areas[i] for i in c) - half)))


def walls_of(rooms: Sequence[Room]) -> list[Wall]:
    """Returns one wall for each stretch of boundary, shared where two rooms meet.

    Edges between pieces of one room have no wall.
    """
    lines: dict[tuple[str, float], list[tuple[float, float, int, int]]] = {}
    for k, piece in ((k, p) for k, r in enumerate(rooms) for p in r.pieces):
        x0, y0, x1, y1 = piece
        for axis, at, a, b, side in (("x", y0, x0, x1, 0), ("x", y1, x0, x1, 1), ("y", x0, y0, y1, 1), ("y", x1, y0, y1, 0)):
            lines.setdefault((axis, round(at, 4)), []).append((a, b, k, side))
    return [wall for (axis, at), spans in lines.items() for wall in _stretches(axis, at, spans)]


def _stretches(axis: str, at: float, spans: list[tuple[float, float, int, int]]) -> list[Wall]:
    cuts = sorted({round(v, 4) for a, b, _, _ in spans for v in (a, b)})
    walls = []
    for a, b in itertools.pairwise(cuts):
        sides = {side: k for s, e, k, side in spans if s < (a + b) / 2 < e}
        left, right = sides.get(0, -1), sides.get(1, -1)
        if left != right:
            start, end = ((a, at), (b, at)) if axis == "x" else ((at, a), (at, b))
            walls.append(Wall(start, end, left, right))
    return walls


def with_opening(wall: Wall, opening: Opening) -> Wall:
    """Returns the wall with one more hole."""
    return replace(wall, openings=(*wall.openings, opening))


def add_doors(walls: list[Wall], count: int) -> list[Wall]:
    """Returns the walls with doors: in the longest shared walls until all rooms connect, then a closed one to the outside."""
    walls, group = list(walls), list(range(count))
    for wall in walls:
        if min(wall.left, wall.right) >= 0 and any(o.kind == "door" for o in wall.openings):
            group = _joined(group, wall)
    shared = (k for k, w in enumerate(walls) if min(w.left, w.right) >= 0)
    for k in sorted(shared, key=lambda k: -walls[k].length):
        wall = walls[k]
        if group[wall.left] != group[wall.right] and wall.length > DOOR + 0.3:
            group = _joined(group, wall)
            begin = 0.25 if wall.length > 2.6 else (wall.length - DOOR) / 2
            walls[k] = with_opening(wall, Opening("door", begin, begin + DOOR))
    outer = [k for k, w in enumerate(walls) if min(w.left, w.right) < 0 and w.length > 2]
    if outer and not any(o.kind == "leaf" for w in walls for o in w.openings):
        k = min(outer, key=lambda k: (walls[k].start[1] + walls[k].end[1], walls[k].start[0]))
        walls[k] = with_opening(walls[k], Opening("leaf", walls[k].length - 1.25, walls[k].length - 0.3))
    return walls


def _joined(group: list[int], wall: Wall) -> list[int]:
    a, b = group[wall.left], group[wall.right]
    return [a if g == b else g for g in group]


def add_window(walls: list[Wall], number: int) -> list[Wall]:
    """Returns the walls with a window in the longest free stretch of the room's outer walls, if one is long enough."""
    stretches = []
    for k, wall in enumerate(walls):
        if number in (wall.left, wall.right) and min(wall.left, wall.right) < 0:
            edges = [0.0, *(v for o in sorted(wall.openings, key=lambda o: o.begin) for v in (o.begin, o.end)), wall.length]
            stretches += [(b - a, -k, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    length, k, a, b = max(stretches, default=(0.0, 0, 0.0, 0.0))
    if length < 1.1:
        return walls
    half, middle = min(0.75, length / 2 - 0.3), (a + b) / 2
    opened = with_opening(walls[-k], Opening("window", middle - half, middle + half, 0.95, 2.1))
    return [opened if n == -k else w for n, w in enumerate(walls)]
