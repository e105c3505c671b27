"""Walls with windows and a door, and short walls behind objects that would hang in mid-air."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Opening, Wall
from sim.rendering.ithor.metadata import DRAWN_BY_ROOM, Box, Scene
from sim.rendering.ithor.outline import WALL_HALF, Outline, Side

HUNG: Final = ("LightSwitch", "Painting", "Mirror", "Poster", "TowelHolder", "HandTowelHolder")
NO_CARRIER: Final = frozenset({"Shelf", "Floor"})
LEAF: Final = 0.9
LEAF_HEAD: Final = 2.03
STEP: Final = 0.1
OFF_WALL: Final = 0.35
"""What hangs further than this from every wall gets a short wall of its own, metres."""
DEEPEST: Final = 0.36
"""What is deeper than this stands on its own, metres."""
AROUND: Final = 0.25
"""How much such a wall is wider than the object on it, at each end, metres."""


def walls_of(scene: Scene, outline: Outline) -> tuple[Wall, ...]:
    """Returns the walls around the floor, with centre lines half a wall outside it, then the short inner walls."""
    sides = outline.sides
    lines = [_centre_line(side, sides[k - 1], sides[(k + 1) % len(sides)]) for k, side in enumerate(sides)]
    openings: list[list[Opening]] = [[] for _ in sides]
    pieces = [p for box in scene.boxes_of("Window") if (p := _window(box, outline, lines, openings))]
    pieces += [p for box in (*scene.boxes_of(*HUNG), *_boards(scene)) if (p := _piece_behind(box, outline))]
    door = _door(scene, outline, lines, openings)
    if door:
        openings[door[0]].append(door[1])
    return (*(replace(line, openings=tuple(o)) for line, o in zip(lines, openings, strict=True)), *pieces)


def _boards(scene: Scene) -> list[Box]:
    """Returns the boxes of shelves that no piece of furniture carries: they hang on a wall."""
    carriers = [b for i, b in scene.boxes.items() if scene.type_of(i) not in NO_CARRIER and b.z0 < 0.3]

    def carried(board: Box) -> bool:
        return any(rects.contains(c.rect, board.centre, 0.02) and c.z1 > board.z0 for c in carriers)

    return [b for b in scene.boxes_of("Shelf") if not carried(b)]


def _centre_line(side: Side, before: Side, after: Side) -> Wall:
    """Returns a wall whose ends are moved outwards across the side and its neighbours, so that walls meet in corners."""

    def moved(point: tuple[float, float], neighbour: Side) -> tuple[float, float]:
        nx, ny = side.inward[0] + neighbour.inward[0], side.inward[1] + neighbour.inward[1]
        return point[0] - WALL_HALF * nx, point[1] - WALL_HALF * ny

    return Wall(moved(side.start, before), moved(side.end, after), left=0)


def _span(line: Wall, side: Side, box: Box) -> tuple[float, float]:
    """Returns the interval a box covers, in metres from the start of the wall's centre line."""
    shift = (side.start[side.axis] - line.start[side.axis]) * side.sign
    a, b = side.span(box.rect)
    return a + shift, b + shift


def _window(box: Box, outline: Outline, lines: list[Wall], openings: list[list[Opening]]) -> Wall | None:
    """Cuts a window into the wall it lies in. Far from any wall it gets a short wall of its own."""
    side, distance = outline.nearest(box)
    k = outline.sides.index(side)
    if distance > 0.5 or box.height < 0.2:
        return _piece_behind(box, outline)
    begin, end = _span(lines[k], side, box)
    begin, end = max(0.05, begin), min(lines[k].length - 0.05, end)
    clash = any(o.begin < end + 0.05 and begin < o.end + 0.05 for o in openings[k])
    if end - begin > 0.2 and not clash:
        openings[k].append(Opening("window", begin, end, max(0.05, box.z0), min(2.35, box.z1)))
    return None


def _piece_behind(box: Box, outline: Outline) -> Wall | None:
    """Returns a short wall behind what hangs far from every side: an inner wall that the metadata does not list."""
    _, distance = outline.nearest(box)
    if distance < OFF_WALL or box.z0 < 0.3 or min(box.sides) > DEEPEST:
        return None
    k = box.thin_axis
    low, high = outline.hull[1 - k], outline.hull[3 - k]
    half, middle = max(box.sides) / 2 + AROUND, box.centre[1 - k]
    nearer_low = box.centre[k] < (outline.hull[k] + outline.hull[k + 2]) / 2
    at = box.rect[k] - WALL_HALF if nearer_low else box.rect[k + 2] + WALL_HALF
    a, b = max(middle - half, low), min(middle + half, high)
    return Wall((at, a), (at, b), 0, 0) if k == 0 else Wall((a, at), (b, at), 0, 0)


def _door(scene: Scene, outline: Outline, lines: list[Wall], openings: list[list[Opening]]) -> tuple[int, Opening] | None:
    """Returns a closed door in the free stretch of wall nearest to the light switch. iTHOR lists no doors."""
    switches = scene.boxes_of("LightSwitch")
    if not switches:
        return None
    best: tuple[float, int, float] | None = None
    for k, begin in _door_places(scene, outline, lines, openings):
        x, y = _point_on(lines[k], begin + LEAF / 2)
        distance = math.dist((x, y), switches[0].centre)
        if best is None or distance < best[0]:
            best = (distance, k, begin)
    return (best[1], Opening("leaf", best[2], best[2] + LEAF, 0, LEAF_HEAD)) if best else None


def _door_places(
    scene: Scene, outline: Outline, lines: list[Wall], openings: list[list[Opening]]
) -> Iterator[tuple[int, float]]:
    things = [b for i, b in scene.boxes.items() if scene.type_of(i) not in DRAWN_BY_ROOM and b.z0 <= 2.0]
    for k, side in enumerate(outline.sides):
        taken = [_span(lines[k], side, b) for b in things if -0.3 < side.depth(b.rect) < 0.45]
        taken += [(o.begin - 0.1, o.end + 0.1) for o in openings[k]]
        for n in range(max(0, int((lines[k].length - LEAF - 0.2) / STEP) + 1)):
            begin = 0.1 + n * STEP
            if not any(a < begin + LEAF and begin < b for a, b in taken):
                yield k, begin


def _point_on(wall: Wall, at: float) -> tuple[float, float]:
    t = at / wall.length
    return wall.start[0] + (wall.end[0] - wall.start[0]) * t, wall.start[1] + (wall.end[1] - wall.start[1]) * t
