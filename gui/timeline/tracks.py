"""The annotations on the timeline: tracks, a row for each label, and their editing with pointer and keys."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from core.planning.facets import Moment
from core.recording.labels import Label
from core.session.annotation import Annotation
from core.world.vocabulary import in_words, named
from gui.recordings.labelling import Labelling
from gui.timeline.layout import BlockLayout, is_beside, seconds_at, x_at
from gui.timeline.model import Blocks, ByTurn
from gui.widgets import Names
from gui.widgets.numbers import clock

MOST_TRACKS = 5
"""Greatest number of visible tracks; more are scrolled."""
REACH = 5.0
"""Distance in pixels from an edge or point within which it is taken."""
Part = Literal["start", "end", "body"]


def least_tracks(high: float, *, recording: bool = False) -> int:
    """Returns how many tracks fit a window of this height, in pixels at 100 % text size.

    One under 600 px, two up to 900 px, one more for each further 20 px. While a recording is shown labels matter most: then two
    up to 640 px.
    """
    return 1 if high < 600 else min(MOST_TRACKS, max(2, 2 + int((high - (640 if recording else 900)) // 20)))


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
    """The visible range of the tracks."""

    def __init__(self, labelling: Labelling):
        self._labelling = labelling
        self._room, self._newest = MOST_TRACKS, ""
        self.first = 0
        """The uppermost visible track."""

    @property
    def count(self) -> int:
        """Number of visible tracks."""
        return min(self._room, len(self._labelling.tracks))

    @property
    def labels(self) -> tuple[Label, ...]:
        """The visible labels."""
        return self._labelling.tracks[self.first:self.first + self.count]

    def fit(self, high: float, *, recording: bool) -> None:
        """Adapts to the height of the window, in pixels at 100 % text size."""
        self._room = least_tracks(high, recording=recording)

    def settle(self, annotations: Collection[Annotation]) -> None:
        """Keeps the range within the set after a change, with the label that was just set in view."""
        labels = self._labelling.tracks
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
        most = len(self._labelling.tracks) - self.count
        self.first = min(max(0, most), max(0, self.first + by))
        return most > 0


PixelRange = tuple[float, float]
"""First and last visible pixel of the content."""


class Tracked:
    """Annotations whose labels have a track, in the order they were made. `labels` are those of the tracks, from the top."""

    def __init__(self, labels: Sequence[str], annotations: Iterable[Annotation]):
        rows = {name: k for k, name in enumerate(labels)}
        self._items = [(a, rows[a.label]) for a in annotations if a.label in rows]
        self._place = {a.id: k for k, (a, _) in enumerate(self._items)}
        self._starts = np.array([a.at for a, _ in self._items])
        self._ends = np.array([end_of(a, math.inf) for a, _ in self._items])

    def bars(self, blocks: Blocks, layout: BlockLayout, now: float, visible: PixelRange = (-math.inf, math.inf),
             moved: Annotation | None = None) -> tuple[Bar, ...]:
        """Returns the visible bars on the line of turns that is shown.

        Args:
            blocks: the line of turns.
            layout: positions of the turns.
            now: end of open states, in seconds.
            visible: the visible pixels of the content.
            moved: an annotation that is being dragged, with its changed times; always among the bars.
        """
        branches, found = blocks.branches() if blocks else frozenset(), []
        for k in self._spanning(blocks, layout, visible, moved):
            a, track = self._items[k]
            a = moved if moved is not None and moved.id == a.id else a
            if a.branch in branches or is_beside(Moment(a.branch, a.turn), blocks):
                found.append(Bar(a, track, x_at(a.at, blocks, layout), x_at(end_of(a, max(a.at, now)), blocks, layout)))
        return tuple(found)

    def _spanning(self, blocks: Blocks, layout: BlockLayout, visible: PixelRange, moved: Annotation | None) -> list[int]:
        """Returns the indices of annotations that may be visible, with a margin of one pixel on both sides for rounding.

        Annotations before the first turn are drawn at its left edge, those after the last turn at its right edge. Without
        turns they cannot be dragged.
        """
        low, high = visible[0] - 1, visible[1] + 1
        since = seconds_at(low, blocks, layout) if low > 0 else -math.inf
        until = seconds_at(high, blocks, layout) if high < layout.end else math.inf
        found: list[int] = np.flatnonzero((self._starts <= until) & (self._ends >= since)).tolist()
        if moved is not None and moved.id in self._place:
            found = sorted({*found, self._place[moved.id]})
        return found


def end_of(a: Annotation, now: float) -> float:
    """Returns the end of an annotation in seconds: of a point its time, of an open state `now`."""
    return a.at if not a.state else a.until if a.until is not None else now


class LabelEditor:
    """Handles the annotations on the tracks. A drag is applied on release, as one undo step."""

    def __init__(self, labelling: Labelling, open_label: Callable[[Annotation], object]):
        self._labelling, self._open = labelling, open_label
        self._indexed: tuple[object, object] = (None, None)
        """The labels and the tracks that `_tracked` and `untracked` are of."""
        self._tracked = Tracked((), ())
        self.untracked = ByTurn[Annotation]()
        """Bookmarks, and other labels that have no track."""
        self.bars: tuple[Bar, ...] = ()
        """The visible bars."""
        self.chosen = ""
        """The id of the annotation that Delete and Enter apply to."""
        self._grip: Grip | None = None
        self._moved: Annotation | None = None

    @property
    def dragging(self) -> bool:
        """Whether an annotation is being dragged."""
        return self._grip is not None

    def _index(self) -> None:
        """Indexes the labels again if the labels or their set have changed."""
        annotations, tracks = self._labelling.visible, self._labelling.tracks
        if self._indexed[0] is annotations and self._indexed[1] is tracks:
            return
        self._indexed = annotations, tracks
        names = [label.name for label in tracks]
        self._tracked = Tracked(names, annotations.values())
        self.untracked = ByTurn(a for a in annotations.values() if a.label not in names)

    def show(self, blocks: Blocks, layout: BlockLayout, visible: PixelRange) -> None:
        """Updates the visible bars. An annotation that is dragged is where the pointer has it."""
        self._index()
        self.bars = self._tracked.bars(blocks, layout, self._labelling.horizon(), visible, self._moved)

    def press(self, track: int, x: float) -> bool:
        """Takes the annotation at a pixel. Returns True if there is one."""
        self._grip, self._moved = grip_at(self.bars, track, x), None
        self.chosen = self._grip.bar.annotation.id if self._grip is not None else ""
        return self._grip is not None

    def move(self, seconds: float) -> None:
        """Drags the annotation to another moment, in seconds."""
        if self._grip is not None:
            self._moved = dragged(self._grip, seconds)

    def release(self) -> None:
        """Ends the drag and applies it."""
        grip, moved = self._grip, self._moved
        self._grip = self._moved = None
        if grip is not None and moved is not None:
            what = "Move" if grip.bar.is_point else "Drag an edge of"
            self._labelling.change(grip.bar.annotation, moved, f"{what} {moved.label}")

    def now(self) -> Annotation | None:
        """The chosen annotation, if it still exists."""
        return self._labelling.visible.get(self.chosen)

    def open(self) -> None:
        """Opens the chosen annotation."""
        if (chosen := self.now()) is not None:
            self._open(chosen)

    def delete(self) -> None:
        """Deletes the chosen annotation."""
        if (chosen := self.now()) is not None:
            self._labelling.change(chosen, None, f"Delete {chosen.label}")

    def end_here(self) -> None:
        """Ends the chosen annotation if it is an open state."""
        if (chosen := self.now()) is not None and not chosen.paired:
            self._labelling.end(chosen)

    def edge(self, track: int, x: float) -> bool:
        """Whether there is an edge or point at a pixel, which can be dragged."""
        grip = grip_at(self.bars, track, x)
        return grip is not None and (grip.bar.is_point or grip.part != "body")

    def tip(self, track: int, x: float) -> str:
        """Describes the annotation at a pixel, or returns an empty text."""
        grip = grip_at(self.bars, track, x)
        return words(grip.bar.annotation, self._labelling.worked_at) if grip is not None else ""


def words(a: Annotation, worked_at: Callable[[float], float]) -> str:
    """Describes an annotation, for tooltips and screen readers. `worked_at` returns the seconds of work up to a moment."""
    end = "" if not a.state else f" to {clock(worked_at(a.until))}" if a.until is not None else ", still open"
    span = clock(worked_at(a.at)) + end
    rating = f"rated {a.rating} of 5" if a.rating is not None else ""
    better = f"better: {named(in_words(a.better), Names().full)}" if a.better else ""
    by = f"{'settled ' if a.role == 'settled' else ''}by {a.annotator or 'somebody'}" if a.annotator or a.settles else ""
    return "\n".join(filter(None, (f"{a.label} · {span}", a.note, rating, better, by)))
