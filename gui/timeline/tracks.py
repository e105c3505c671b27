"""Annotation tracks: a row for each label, its points and states in time, and edges that can be dragged. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from core.session.annotation import Annotation

MOST_TRACKS = 5
"""Greatest number of visible tracks; more are scrolled."""
REACH = 5.0
"""Distance in pixels from an edge or point within which it is taken."""
Part = Literal["start", "end", "body"]


def least_tracks(high: float) -> int:
    """Returns how many tracks fit a window of this height, in pixels at 100 % text size.

    One under 600 px, two up to 900 px, one more for each further 20 px.
    """
    return 1 if high < 600 else min(MOST_TRACKS, max(2, 2 + int((high - 900) // 20)))


@dataclass(frozen=True, slots=True)
class Bar:
    """One annotation on its track, in pixels of the content. A point has no width."""

    annotation: Annotation
    track: int
    left: float
    right: float

    @property
    def is_point(self) -> bool:
        """Whether it is a point rather than a state."""
        return not self.annotation.state


@dataclass(frozen=True, slots=True)
class Grip:
    """The part of a bar that the pointer has taken."""

    bar: Bar
    part: Part


def grip_at(bars: Iterable[Bar], track: int, x: float) -> Grip | None:
    """Returns the part of a bar at a pixel of a track: edges before bodies, newer annotations before those they cover."""
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
    """Returns the annotation with its edge or point at another moment. Edges do not pass each other."""
    a = grip.bar.annotation
    if grip.bar.is_point:
        return replace(a, at=seconds)
    if grip.part == "start":
        return replace(a, at=min(seconds, a.until) if a.until is not None else seconds)
    if grip.part == "end":
        return replace(a, until=max(a.at, seconds))
    return a
