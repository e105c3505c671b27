"""Which annotation tracks are in view: as many as there is room for, scrolled to what was labelled last."""

from __future__ import annotations

from collections.abc import Collection

from core.recording.labels import Label
from core.session.annotation import Annotation
from gui.recordings.labelling import Labelling
from gui.timeline.tracks import MOST_TRACKS, least_tracks


class TrackWindow:
    """A stretch of the label set's tracks."""

    def __init__(self, labelling: Labelling):
        self._labelling = labelling
        self._room, self._newest = MOST_TRACKS, ""
        self.first = 0
        """The track that is shown uppermost."""

    @property
    def count(self) -> int:
        """How many are in view."""
        return min(self._room, len(self._labelling.set.labels))

    @property
    def labels(self) -> tuple[Label, ...]:
        """Those in view."""
        return self._labelling.set.labels[self.first:self.first + self.count]

    def fit(self, high: float) -> None:
        """The window has so many pixels, at 100 % text size."""
        self._room = least_tracks(high)

    def settle(self, annotations: Collection[Annotation]) -> None:
        """After a change: within the set, and with the label that was just given in view."""
        labels = self._labelling.set.labels
        self.first = min(max(0, self.first), max(0, len(labels) - self.count))
        newest = next(reversed(list(annotations)), None)
        if newest is not None and newest.id != self._newest:
            self._newest = newest.id
            row = next((k for k, label in enumerate(labels) if label.name == newest.label), None)
            if row is not None:
                self.show(row)

    def show(self, k: int) -> int:
        """Scroll a track into view; its place among those in view."""
        self.first = min(max(self.first, k - self.count + 1), k)
        return k - self.first

    def scroll(self, by: int) -> bool:
        """Up or down; False where all are in view."""
        most = len(self._labelling.set.labels) - self.count
        self.first = min(max(0, most), max(0, self.first + by))
        return most > 0
