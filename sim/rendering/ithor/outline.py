"""The floor of a room, its sides and its walls: a rectangle, or an L if the evidence shows one.

Floor boxes extend 0.1-0.5 m behind the walls, or into a neighbouring room. The boxes of everything that stands or hangs in the
room touch the walls from inside. Their hull, clipped to the floor box, is therefore the room.

L-shaped rooms: the metadata has no inner walls. But an object that hangs flat, well inside the hull, must hang on a wall. If
the corner of the hull behind it is empty from wall to wall, that corner belongs to another room. Three things must hold:
something hangs on the border of the corner, nothing is inside it, and its size is worth cutting. Objects that would hang in
mid-air otherwise get a short wall behind them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sim.geometry import rects
from sim.geometry.model import Opening, Rect, Wall
from sim.rendering.ithor.metadata import DRAWN_BY_ROOM, FLAT, Box, Scene

NO_WITNESS: Final = frozenset({"Floor", "Window", "Curtains", "Blinds", "ShowerCurtain", "Faucet"})
"""Types whose boxes may extend into or behind a wall."""
WALL_HALF: Final = 0.06
"""Half the thickness of a wall, metres."""
NEIGHBOUR: Final = 1.0
"""If the floor extends this much further than the last object, metres, the room goes on there unless something hangs
there.
"""
BEHIND: Final = 0.25
"""How far floor boxes usually extend behind a wall, metres."""
HUNG: Final = ("LightSwitch", "Painting", "Mirror", "Poster", "TowelHolder", "HandTowelHolder", "ToiletPaperHanger", "Window")
IGNORED: Final = frozenset({"Floor"})
INSIDE: Final = 0.35
"""What hangs closer than this to the hull hangs on the hull, metres."""
SMALLEST, LARGEST = 0.7, 0.6
"""Shortest side of a cut in metres, and longest side as a share of the hull's."""
AIR: Final = 0.012
"""Gap between an object and the wall it touches, metres."""


@dataclass(frozen=True, slots=True)
class Side:
    """One straight piece of the floor's edge. The floor is on the left from start to end."""

    start: tuple[float, float]
    end: tuple[float, float]

    @property
    def axis(self) -> int:
        """Returns 0 if it runs along x, 1 along y."""
        return 0 if abs(self.end[0] - self.start[0]) > abs(self.end[1] - self.start[1]) else 1

    @property
    def sign(self) -> int:
        """Returns 1 if it runs towards larger coordinates, otherwise -1."""
        return 1 if self.end[self.axis] > self.start[self.axis] else -1

    @property
    def length(self) -> float:
        """Returns its length, metres."""
        return abs(self.end[self.axis] - self.start[self.axis])

    @property
    def inward(self) -> tuple[int, int]:
        """Returns the unit normal towards the floor."""
        return (0, self.sign) if self.axis == 0 else (-self.sign, 0)

    def depth(self, rect: Rect) -> float:
        """Returns the free distance between the side and a rectangle in front of it, metres; negative if it crosses."""
        across = 1 - self.axis
        at = self.start[across]
        return rect[across] - at if self.inward[across] > 0 else at - rect[across + 2]

    def span(self, rect: Rect) -> tuple[float, float]:
        """Returns the interval that a rectangle covers along the side, in metres from its start."""
        a, b = rect[self.axis] - self.start[self.axis], rect[self.axis + 2] - self.start[self.axis]
        return (a, b) if self.sign > 0 else (-b, -a)

    def faces(self, rect: Rect) -> bool:
        """Returns True if the middle of the rectangle lies in front of this side."""
        a, b = self.span(rect)
        return 0.0 <= (a + b) / 2 <= self.length

    def strip(self, depth: float) -> Rect:
        """Returns the floor along the side, `depth` metres deep."""
        nx, ny = self.inward
        (ax, ay), (bx, by) = self.start, self.end
        xs, ys = (ax, bx, ax + nx * depth, bx + nx * depth), (ay, by, ay + ny * depth, by + ny * depth)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True, slots=True)
class Outline:
    """The floor inside the walls.

    Attributes:
        hull: rectangle inside the walls.
        cut: corner of the hull that is not part of the room, or None.
    """

    hull: Rect
    cut: Rect | None = None

    @property
    def pieces(self) -> tuple[Rect, ...]:
        """Returns the disjoint rectangles that form the floor."""
        return (self.hull,) if self.cut is None else tuple(rects.subtract([self.hull], self.cut))

    @property
    def sides(self) -> tuple[Side, ...]:
        """Returns the edge, counter-clockwise."""
        corners = self.corners
        return tuple(Side(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True))

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Returns the four or six corners of the floor, counter-clockwise."""
        x0, y0, x1, y1 = self.hull
        plain = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        if self.cut is None:
            return plain
        a, b, c, d = self.cut
        notch = {
            (x0, y0): ((x0, d), (c, d), (c, y0)),
            (x1, y0): ((a, y0), (a, d), (x1, d)),
            (x1, y1): ((x1, b), (a, b), (a, y1)),
            (x0, y1): ((c, y1), (c, b), (x0, b)),
        }
        taken = next(p for p in plain if p in {(a, b), (c, b), (c, d), (a, d)})
        return tuple(q for p in plain for q in (notch[p] if p == taken else (p,)))

    def nearest(self, box: Box) -> tuple[Side, float]:
        """Returns the side a flat object hangs on and the distance to it, metres.

        It is the nearest of the parallel sides in front of which the object lies.
        """
        parallel = [s for s in self.sides if s.axis != box.thin_axis]
        before = [s for s in parallel if s.faces(box.rect)] or parallel
        at = 1 - before[0].axis
        side = min(before, key=lambda s: abs(box.centre[at] - s.start[at]))
        return side, abs(box.centre[at] - side.start[at]) - min(box.sides) / 2


def hull_of(scene: Scene) -> Rect:
    """Returns the inner wall planes, as if the room were a rectangle."""
    floor = scene.boxes_of("Floor")[0].rect
    witnesses = [scene.boxes[i].rect for i in scene.objects if scene.type_of(i) not in NO_WITNESS]
    around = rects.hull(witnesses) if witnesses else floor
    x0, y0, x1, y1 = (_plane(scene, k, floor, around) for k in range(4))
    return x0, y0, x1, y1


def _plane(scene: Scene, k: int, floor: Rect, around: Rect) -> float:
    """Returns one coordinate of the hull: 0 and 1 are the low x and y, 2 and 3 the high ones."""
    outward, axis = (-1 if k < 2 else 1), k % 2
    gap = (floor[k] - around[k]) * outward
    windows = [b.centre[axis] for b in scene.boxes_of("Window") if abs(b.centre[axis] - floor[k]) < 0.6]
    flat = (scene.boxes[i] for i in scene.objects if scene.type_of(i) in FLAT)
    hung = any(b.thin_axis == axis and abs(b.rect[k] - around[k]) < 0.15 for b in flat)
    side = around[k] if gap < NEIGHBOUR or hung else floor[k] - outward * BEHIND
    reach = [*windows, side] if windows else [side]
    return (max(reach) if outward > 0 else min(reach)) + outward * 0.01


def empty_corner(scene: Scene, hull: Rect) -> Rect | None:
    """Returns the largest corner of the hull that wall-hung objects show to be outside the room, or None."""
    obstacles = [scene.boxes[i].rect for i in scene.objects if scene.type_of(i) not in IGNORED]
    hung = [b for b in scene.boxes_of(*HUNG) if _well_inside(b, hull)]
    found = (c for b in hung for c in _corners_behind(b, hull, obstacles))
    fitting = [c for c in found if _worth(c, hull) and not any(rects.overlap(c, o, -AIR) for o in obstacles)]
    return max(fitting, key=lambda c: (_witnesses(c, hung), rects.area(c)), default=None)


def _well_inside(box: Box, hull: Rect) -> bool:
    k = box.thin_axis
    flat = min(box.sides) < 0.3 and max(box.sides) > 1.5 * min(box.sides)
    return flat and box.z0 > 0.3 and min(box.rect[k] - hull[k], hull[k + 2] - box.rect[k + 2]) > INSIDE


def _corners_behind(box: Box, hull: Rect, obstacles: list[Rect]) -> Iterator[Rect]:
    """Yields up to four corner regions with the object on their border, each as deep as the obstacles allow."""
    k = box.thin_axis
    other = 1 - k
    for behind_is_low, corner_is_low in itertools.product((True, False), repeat=2):
        plane = box.rect[k] - AIR if behind_is_low else box.rect[k + 2] + AIR
        band = (hull[k], plane) if behind_is_low else (plane, hull[k + 2])
        edge = box.rect[other + 2] if corner_is_low else box.rect[other]
        limit = _limit(obstacles, k, band, edge, hull, corner_is_low)
        span = (hull[other], limit) if corner_is_low else (limit, hull[other + 2])
        if (limit >= edge) if corner_is_low else (limit <= edge):
            yield _rect(k, band, span)


def _limit(obstacles: list[Rect], k: int, band: tuple[float, float], edge: float, hull: Rect, corner_is_low: bool) -> float:
    """Returns how far the region can extend along the wall: to the first obstacle beyond the hung object."""
    other = 1 - k
    in_band = [o for o in obstacles if o[k] < band[1] - 2 * AIR and o[k + 2] > band[0] + 2 * AIR]
    if corner_is_low:
        return min((o[other] - AIR for o in in_band if o[other + 2] > edge - AIR), default=hull[other + 2])
    return max((o[other + 2] + AIR for o in in_band if o[other] < edge + AIR), default=hull[other])


def _rect(k: int, band: tuple[float, float], span: tuple[float, float]) -> Rect:
    return (band[0], span[0], band[1], span[1]) if k == 0 else (span[0], band[0], span[1], band[1])


def _worth(cut: Rect, hull: Rect) -> bool:
    sides = (cut[2] - cut[0], cut[3] - cut[1])
    whole = (hull[2] - hull[0], hull[3] - hull[1])
    return min(sides) >= SMALLEST and all(s <= LARGEST * w for s, w in zip(sides, whole, strict=True))


def _witnesses(cut: Rect, hung: list[Box]) -> int:
    """Returns the number of wall-hung objects on the border of the corner."""
    return sum(rects.overlap(rects.grow(cut, 0.1), b.rect) for b in hung)


ON_WALL: Final = ("LightSwitch", "Painting", "Mirror", "Poster", "TowelHolder", "HandTowelHolder")
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
    pieces += [p for box in (*scene.boxes_of(*ON_WALL), *_boards(scene)) if (p := _piece_behind(box, outline))]
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
