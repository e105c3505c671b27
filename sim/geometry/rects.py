"""Geometry of axis-aligned rectangles on the plan."""

from __future__ import annotations

from collections.abc import Iterable

from sim.geometry.model import Rect

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
