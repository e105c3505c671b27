"""Annotation tracks: a row a label, its points and states in time, and edges that can be dragged. Pure: no widget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from core.session.annotation import Annotation

MOST_TRACKS = 5
"""More scroll."""
REACH = 5.0
"""Pixels from an edge, or from a point, within which it is meant."""
Part = Literal["start", "end", "body"]


def least_tracks(high: float) -> int:
    """How many tracks a window of so many pixels at 100 % text size has room for.

    One under 600 px, two up to 900 px, one more for each further 20.
    """
    return 1 if high < 600 else min(MOST_TRACKS, max(2, 2 + int((high - 900) // 20)))


@dataclass(frozen=True, slots=True)
class Bar:
    """One annotation on its track, in pixels of the content: a point has no width."""

    annotation: Annotation
    track: int
    left: float
    right: float

    @property
    def is_point(self) -> bool:
        """Whether it is a moment, not a stretch."""
        return not self.annotation.state


@dataclass(frozen=True, slots=True)
class Grip:
    """What of a bar the pointer has."""

    bar: Bar
    part: Part


def grip_at(bars: Iterable[Bar], track: int, x: float) -> Grip | None:
    """What lies under a pixel of a track: edges before bodies, what was made last before what it covers."""
    mine = [bar for bar in bars if bar.track == track]
    for bar in reversed(mine):
        if bar.is_point:
            if abs(x - bar.left) <= REACH + 2:
                return Grip(bar, "body")
            continue
        if abs(x - bar.right) <= REACH:
            return Grip(bar, "end")
        if abs(x - bar.left) <= REACH:
            return Grip(bar, "start")
    return next((Grip(bar, "body") for bar in reversed(mine) if not bar.is_point and bar.left <= x <= bar.right), None)


def dragged(grip: Grip, seconds: float) -> Annotation:
    """The annotation with the edge (or the point) at another moment; edges do not pass each other."""
    a = grip.bar.annotation
    if grip.bar.is_point:
        return replace(a, at=seconds)
    if grip.part == "start":
        return replace(a, at=min(seconds, a.until) if a.until is not None else seconds)
    if grip.part == "end":
        return replace(a, until=max(a.at, seconds))
    return a
