"""Annotation tracks: a row for each label, its points and states in time, edges that can be dragged, the visible range."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from core.recording.labels import Label
from core.session.annotation import Annotation
from gui.recordings.labelling import Labelling

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


class TrackWindow:
    """The visible range of the label set's tracks."""

    def __init__(self, labelling: Labelling):
        self._labelling = labelling
        self._room, self._newest = MOST_TRACKS, ""
        self.first = 0
        """The uppermost visible track."""

    @property
    def count(self) -> int:
        """Number of visible tracks."""
        return min(self._room, len(self._labelling.set.labels))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The visible labels."""
        return self._labelling.set.labels[self.first:self.first + self.count]

    def fit(self, high: float) -> None:
        """Adapts to the height of the window, in pixels at 100 % text size."""
        self._room = least_tracks(high)

    def settle(self, annotations: Collection[Annotation]) -> None:
        """Keeps the range within the set after a change, with the label that was just set in view."""
        labels = self._labelling.set.labels
        self.first = min(max(0, self.first), max(0, len(labels) - self.count))
        newest = next(reversed(list(annotations)), None)
        if newest is not None and newest.id != self._newest:
            self._newest = newest.id
            row = next((k for k, label in enumerate(labels) if label.name == newest.label), None)
            if row is not None:
                self.show(row)

    def show(self, k: int) -> int:
        """Scrolls a track into view. Returns its index among the visible tracks."""
        self.first = min(max(self.first, k - self.count + 1), k)
        return k - self.first

    def scroll(self, by: int) -> bool:
        """Scrolls up or down. Returns False if all tracks are visible."""
        most = len(self._labelling.set.labels) - self.count
        self.first = min(max(0, most), max(0, self.first + by))
        return most > 0
