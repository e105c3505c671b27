"""The visible annotation tracks: as many as fit, scrolled to the label set last."""

from __future__ import annotations

from collections.abc import Collection

from core.recording.labels import Label
from core.session.annotation import Annotation
from gui.recordings.labelling import Labelling
from gui.timeline.tracks import MOST_TRACKS, least_tracks


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
