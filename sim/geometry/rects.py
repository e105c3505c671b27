"""Plan geometry on axis-aligned rectangles."""

from __future__ import annotations

from collections.abc import Iterable

from sim.geometry.model import Rect

SLIVER = 0.01
"""Pieces thinner than this are dropped when something is cut out."""


def overlap(a: Rect, b: Rect, gap: float = 0.0) -> bool:
    """Whether two rectangles overlap, or come closer than `gap`."""
    return a[0] < b[2] + gap and b[0] < a[2] + gap and a[1] < b[3] + gap and b[1] < a[3] + gap


def intersect(a: Rect, b: Rect) -> Rect | None:
    """What two rectangles share, None if nothing."""
    r = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return r if r[2] - r[0] > 1e-6 and r[3] - r[1] > 1e-6 else None


def grow(r: Rect, by: float) -> Rect:
    """The rectangle with every side moved outwards."""
    return r[0] - by, r[1] - by, r[2] + by, r[3] + by


def area(r: Rect) -> float:
    """Square metres; an inverted rectangle has none."""
    return max(0.0, r[2] - r[0]) * max(0.0, r[3] - r[1])


def centre(r: Rect) -> tuple[float, float]:
    """The middle."""
    return (r[0] + r[2]) / 2, (r[1] + r[3]) / 2


def contains(r: Rect, point: tuple[float, float], slack: float = 0.0) -> bool:
    """Whether a point is inside, or within `slack` of it."""
    return r[0] - slack <= point[0] <= r[2] + slack and r[1] - slack <= point[1] <= r[3] + slack


def hull(rects: Iterable[Rect]) -> Rect:
    """The rectangle around all of them (at least one)."""
    x0s, y0s, x1s, y1s = zip(*rects, strict=True)
    return min(x0s), min(y0s), max(x1s), max(y1s)


def subtract(rects: Iterable[Rect], hole: Rect) -> list[Rect]:
    """Cut `hole` out of every rectangle: up to four pieces each, the left and right ones running full height."""
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
    """Rectangles without overlap that cover the same area."""
    done: list[Rect] = []
    for r in rects:
        rest = [r]
        for d in done:
            rest = subtract(rest, d)
        done += rest
    return done
