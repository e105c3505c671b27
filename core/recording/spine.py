"""Snapshots of a recording at any event: a fold over all that is not shown, with keyframes; what is shown is looked up.

Most facets only replace each other, so a seek need not read those in between; and keyframes hold none, so they cost little.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType

from core.errors import BelvedereError, DataError
from core.events import Decided, Event, Shown
from core.facets import Facet, Frame, Ranking, View
from core.recording.catalogue import Catalogue
from core.snapshot import Snapshot, fold

EVERY = 24
MOST_KEYFRAMES = 4096
Read = Callable[[int], Event]
BLANK_FACETS: MappingProxyType[type[Facet], tuple[Facet, int]] = MappingProxyType({})


class Spine:
    """Folds forward only as far as was asked for, and remembers the way.

    Args:
        read: an event by its row.
    """

    def __init__(self, catalogue: Catalogue, read: Read, every: int = EVERY, most_keyframes: int = MOST_KEYFRAMES):
        self._catalogue, self._read = catalogue, read
        self._every, self._most = every, most_keyframes
        self.keyframes: list[tuple[int, Snapshot]] = [(-1, Snapshot())]
        self._last = self.keyframes[0]
        self._count = 0

    def at(self, row: int) -> Snapshot:
        """Everything known after an event; -1: before the first."""
        if row < 0:
            return Snapshot()
        self._reach(row)
        place = bisect_right(self.keyframes, row, key=lambda pair: pair[0]) - 1
        start, snapshot = self._last if self._last[0] <= row else self.keyframes[place]
        for k in range(start + 1, row + 1):
            if not self._catalogue.is_shown(k):
                snapshot = self._folded(snapshot, k)
        return self._dressed(snapshot, row)

    def _reach(self, row: int) -> None:
        """Fold on to a row that was never reached before."""
        at, snapshot = self._last
        for k in range(at + 1, row + 1):
            if not self._catalogue.is_shown(k):
                snapshot = self._folded(snapshot, k)
                self._count += 1
                if self._count % self._every == 0:
                    self._keep(k, snapshot)
        if row > at:
            self._last = (row, snapshot)

    def _folded(self, snapshot: Snapshot, row: int) -> Snapshot:
        """After one more event. What a decision lost is judged by what was ranked then, so that is looked up for it.

        Raises:
            DataError: it is damaged, or speaks of what was never recorded.
        """
        event = self._read(row)
        try:
            if not isinstance(event.what, Decided):
                return fold(snapshot, event)
            facets = {type(facet): (facet, turn) for facet, turn in self._newest(Ranking.__name__, row)}
            return replace(fold(replace(snapshot, facets=MappingProxyType(facets)), event), facets=snapshot.facets)
        except DataError:
            raise
        except (BelvedereError, LookupError, TypeError, ValueError) as error:
            raise DataError(f"event {event.number} does not follow from those before it: {error}") from error

    def _newest(self, kind: str, row: int) -> Iterator[tuple[Facet, int]]:
        """The newest facet of a kind up to a row, and its turn; nothing where none was shown by then."""
        rows = self._catalogue.shown.get(kind, ())
        place = bisect_right(rows, row) - 1
        if place >= 0:
            event = self._read(rows[place])
            if isinstance(event.what, Shown):
                yield event.what.facet, event.turn

    def _keep(self, row: int, snapshot: Snapshot) -> None:
        self.keyframes.append((row, snapshot))
        if len(self.keyframes) > self._most:
            self._every *= 2
            self.keyframes = self.keyframes[::2]

    def _dressed(self, snapshot: Snapshot, row: int) -> Snapshot:
        """With the newest facets and frames of that moment."""
        facets: dict[type[Facet], tuple[Facet, int]] = {}
        frames: dict[View, Frame] = {}
        for kind in self._catalogue.shown:
            for facet, turn in self._newest(kind, row):
                if isinstance(facet, Frame):
                    frames[facet.view] = facet
                else:
                    facets[type(facet)] = facet, turn
        dressed = replace(snapshot, facets=MappingProxyType(facets), frames=MappingProxyType(frames))
        c = self._catalogue
        if not c.is_shown(row):
            return dressed
        return replace(dressed, event=c.numbers[row], at=c.times[row], turn=c.turns[row], branch=c.branches[row])
