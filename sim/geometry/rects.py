"""Geometry of axis-aligned rectangles on the plan, and the walls between rooms made of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from sim.geometry.model import Rect, Room, Wall

SLIVER = 0.01
"""Pieces thinner than this are dropped when a hole is cut out, metres."""


def overlap(a: Rect, b: Rect, gap: float = 0.0) -> bool:
    """Returns True if two rectangles overlap or are closer than `gap`."""
    return a[0] < b[2] + gap and b[0] < a[2] + gap and a[1] < b[3] + gap and b[1] < a[3] + gap


def intersect(a: Rect, b: Rect) -> Rect | None:
    """Returns the common part of two rectangles, or None."""
    r = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return r if r[2] - r[0] > 1e-6 and r[3] - r[1] > 1e-6 else None


def grow(r: Rect, by: float) -> Rect:
    """Returns the rectangle with every side moved outwards by `by` metres."""
    return r[0] - by, r[1] - by, r[2] + by, r[3] + by


def area(r: Rect) -> float:
    """Returns the area in square metres; 0 for an inverted rectangle."""
    return max(0.0, r[2] - r[0]) * max(0.0, r[3] - r[1])


def centre(r: Rect) -> tuple[float, float]:
    """Returns the middle of a rectangle."""
    return (r[0] + r[2]) / 2, (r[1] + r[3]) / 2


def contains(r: Rect, point: tuple[float, float], slack: float = 0.0) -> bool:
    """Returns True if a point is inside the rectangle or within `slack` of it."""
    return r[0] - slack <= point[0] <= r[2] + slack and r[1] - slack <= point[1] <= r[3] + slack


def hull(rects: Iterable[Rect]) -> Rect:
    """Returns the rectangle around all of them. There must be at least one."""
    x0s, y0s, x1s, y1s = zip(*rects, strict=True)
    return min(x0s), min(y0s), max(x1s), max(y1s)


def subtract(rects: Iterable[Rect], hole: Rect) -> list[Rect]:
    """Returns what is left of the rectangles without `hole`.

    Up to four pieces remain of each. The left and the right one run the full height.
    """
    pieces = []
    for r in rects:
        cut = intersect(r, hole)
        if cut is None:
            pieces.append(r)
            continue
        candidates = (
            (r[0], r[1], cut[0], r[3]),
            (cut[2], r[1], r[2], r[3]),
            (cut[0], r[1], cut[2], cut[1]),
            (cut[0], cut[3], cut[2], r[3]),
        )
        pieces += [c for c in candidates if c[2] - c[0] > SLIVER and c[3] - c[1] > SLIVER]
    return pieces


def disjoint(rects: Iterable[Rect]) -> list[Rect]:
    """Returns rectangles that do not overlap and cover the same area."""
    done: list[Rect] = []
    for r in rects:
        rest = [r]
        for d in done:
            rest = subtract(rest, d)
        done += rest
    return done


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
