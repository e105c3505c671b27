"""The annotations on the timeline: those with a track are found by the time they span, the others by turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from core.session.annotation import Annotation
from gui.recordings.labelling import Labelling
from gui.timeline.layout import BlockLayout, seconds_at, x_at
from gui.timeline.model import Blocks, ByTurn
from gui.timeline.tracks import Bar

PixelRange = tuple[float, float]
"""First and last visible pixel of the content."""


class Tracked:
    """Annotations whose labels have a track, in the order they were made.

    Args:
        labels: the labels of the tracks, from top to bottom.
        annotations: all annotations.
    """

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
        if not blocks:
            return ()
        branches, found = blocks.branches(), []
        for k in self._spanning(blocks, layout, visible, moved):
            a, track = self._items[k]
            a = moved if moved is not None and moved.id == a.id else a
            if a.branch in branches or not a.turn:
                found.append(Bar(a, track, x_at(a.at, blocks, layout), x_at(end_of(a, max(a.at, now)), blocks, layout)))
        return tuple(found)

    def _spanning(self, blocks: Blocks, layout: BlockLayout, visible: PixelRange, moved: Annotation | None) -> list[int]:
        """Returns the indices of annotations that may be visible, with a margin of one pixel on both sides for rounding.

        Annotations before the first turn are drawn at its left edge, those after the last turn at its right edge.
        """
        low, high = visible[0] - 1, visible[1] + 1
        since = seconds_at(low, blocks, layout) if low > 0 else -math.inf
        until = seconds_at(high, blocks, layout) if high < layout.end else math.inf
        found = self._places_between(since, until)
        if moved is not None and moved.id in self._place:
            found = sorted({*found, self._place[moved.id]})
        return found

    def _places_between(self, since: float, until: float) -> list[int]:
        places: list[int] = np.flatnonzero((self._starts <= until) & (self._ends >= since)).tolist()
        return places


def end_of(a: Annotation, now: float) -> float:
    """Returns the end of an annotation in seconds: of a point its time, of an open state `now`."""
    return a.at if not a.state else a.until if a.until is not None else now


class Labels:
    """The labels of the run or recording shown. They are indexed again only when labels or tracks change."""

    def __init__(self, labelling: Labelling):
        self._labelling, self._of = labelling, (object(), object())
        self._tracked, self._untracked = Tracked((), ()), ByTurn[Annotation]()

    @property
    def tracked(self) -> Tracked:
        """The labels with a track."""
        self._look()
        return self._tracked

    @property
    def untracked(self) -> ByTurn[Annotation]:
        """Bookmarks, and other labels that have no track."""
        self._look()
        return self._untracked

    def _look(self) -> None:
        annotations, tracks = self._labelling.annotations, self._labelling.set
        if self._of[0] is annotations and self._of[1] is tracks:
            return
        self._of = annotations, tracks
        names = [label.name for label in tracks.labels]
        self._tracked = Tracked(names, annotations.values())
        self._untracked = ByTurn(a for a in annotations.values() if a.label not in names)
