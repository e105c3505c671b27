"""Snapshots of a recording at any event.

A seek folds the events from the beginning of its turn, and the few before that still matter.

State that is only replaced or appended to (facets, turns, calls) is looked up instead of folded. A seek into the last turn of a
long run therefore costs no more than one into the first.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from core.common.errors import BelvedereError, DataError
from core.planning.facets import Facet, Frame, Ranking, View
from core.planning.moment import Moment
from core.recording.catalogue import Catalogue, PictureLookup
from core.recording.run_index import Read, build_run_index
from core.recording.stored_logs import StoredLogs
from core.session.events import Decided, Event, Shown
from core.session.snapshot import Snapshot, fold

EVERY = 24
MOST_KEYFRAMES = 4096


class Keyframes:
    """Snapshots after some rows, at most `most` of them. When there are more, every other one is dropped."""

    def __init__(self, most: int):
        self._most = most
        self.kept: list[tuple[int, Snapshot]] = [(-1, Snapshot())]

    def before(self, row: int) -> tuple[int, Snapshot]:
        """Returns the last keyframe that is not after a row."""
        return self.kept[bisect_right(self.kept, row, key=_row) - 1]

    def keep(self, row: int, snapshot: Snapshot) -> None:
        """Stores a keyframe. It replaces the keyframe of the same row."""
        place = bisect_left(self.kept, row, key=_row)
        self.kept[place:place + (place < len(self.kept) and self.kept[place][0] == row)] = [(row, snapshot)]
        if len(self.kept) > self._most:
            self.kept = self.kept[::2]


def _row(keyframe: tuple[int, Snapshot]) -> int:
    return keyframe[0]


class KeyframeIndex:
    """Computes snapshots on demand and keeps keyframes on the way.

    Args:
        read: returns an event by its row.
        lock: held while the items of a snapshot's logs are read, on any thread.
        every: number of folded events from one keyframe to the next.
        most_keyframes: maximum number of keyframes.
    """

    def __init__(self, catalogue: Catalogue, read: Read, lock: threading.RLock | None = None, every: int = EVERY,
                 most_keyframes: int = MOST_KEYFRAMES):
        self._catalogue, self._read, self._every = catalogue, read, every
        self.pictures = PictureLookup(catalogue)
        self._index = build_run_index(catalogue, read)
        self._logs = StoredLogs(catalogue, self._index, read, self._ranking, lock or threading.RLock())
        self._turns, self._special = Keyframes(most_keyframes // 2), Keyframes(most_keyframes // 2)
        self._last = self._turns.kept[0]

    @property
    def keyframes(self) -> list[tuple[int, Snapshot]]:
        """All keyframes that are kept."""
        return [*self._special.kept, *self._turns.kept]

    def at(self, row: int) -> Snapshot:
        """Returns the snapshot after the event of a row; -1: before the first.

        Raises:
            DataError: an event it depends on is damaged, or does not follow from those before it.
        """
        if row < 0:
            return Snapshot()
        if self._index.broken is not None and row >= self._index.broken:
            self._read(self._index.broken)
        start = self._index.start(row)
        at, snapshot = self._turns.before(row)
        if at < self._last[0] <= row:
            at, snapshot = self._last
        if at < start:
            at, snapshot = start, self._at_turn_start(start)
            self._turns.keep(start, snapshot)
        snapshot = self._fold_rows(snapshot, at, row)
        self._last = row, snapshot
        return self._with_facets(self._logs.fill(snapshot, row), row)

    def read_on(self) -> Iterator[object]:
        """Yields every item of the logs. Each is read unless it was read before."""
        for log in (self._logs.turns, self._logs.calls, self._logs.groundings):
            yield from log

    def _at_turn_start(self, row: int) -> Snapshot:
        """Returns the snapshot after the event that begins a turn."""
        index = self._index
        at, snapshot = self._special.before(row - 1)
        late = index.special[bisect_right(index.special, at):bisect_left(index.special, row)]
        for count, special in enumerate(late, 1):
            if special in index.within:
                snapshot = self._fold(snapshot, index.within[special])
            snapshot = self._fold(snapshot, special)
            if count % self._every == 0:
                self._special.keep(special, snapshot)
        for other in (*index.left.get(row, ()), row):
            snapshot = self._fold(snapshot, other)
        return snapshot

    def _fold_rows(self, snapshot: Snapshot, at: int, row: int) -> Snapshot:
        """Folds the snapshot from one row to another."""
        rows = [k for k in range(at + 1, row + 1) if not self._catalogue.is_shown(k)]
        for count, k in enumerate(rows, 1):
            snapshot = self._fold(snapshot, k)
            if count % self._every == 0:
                self._turns.keep(k, snapshot)
        return snapshot

    def _fold(self, snapshot: Snapshot, row: int) -> Snapshot:
        """Returns the snapshot after one more event.

        A decision's loss depends on the ranking of that moment, which is looked up for it.

        Raises:
            DataError: the event is damaged, or refers to something that was never recorded.
        """
        event = self._read(row)
        try:
            if not isinstance(event.what, Decided):
                return fold(snapshot, event)
            facets = {type(facet): (facet, moment) for facet, moment in self._known(Ranking.__name__, row)}
            return replace(fold(replace(snapshot, facets=MappingProxyType(facets)), event), facets=snapshot.facets)
        except DataError:
            raise
        except (BelvedereError, LookupError, TypeError, ValueError) as error:
            raise DataError(f"event {event.number} does not follow from those before it: {error}") from error

    def _newest(self, kind: str, row: int, since: int = -1) -> Iterator[tuple[Facet, Moment]]:
        """Yields the newest facet of a kind after row `since` and up to `row`, and its moment; nothing if there is none."""
        rows = self._catalogue.shown.get(kind, ())
        place = bisect_right(rows, row) - 1
        if place >= 0 and rows[place] > since:
            event = self._read(rows[place])
            if isinstance(event.what, Shown):
                yield event.what.facet, event.what.of or event.moment

    def _known(self, kind: str, row: int) -> Iterator[tuple[Facet, Moment]]:
        """Yields the same, limited to the present line: after a change of branch, its known facets are recorded again."""
        diverted = self._index.diverted
        place = bisect_right(diverted, row) - 1
        return self._newest(kind, row, diverted[place] if place >= 0 else -1)

    def _ranking(self, row: int) -> Ranking | None:
        """Returns the ranking of the turn of an event, as far as it was shown by then."""
        here = Moment(self._catalogue.branches[row], self._catalogue.turns[row])
        shown = (facet for facet, moment in self._known(Ranking.__name__, row) if moment == here)
        return next((facet for facet in shown if isinstance(facet, Ranking)), None)

    def _with_facets(self, snapshot: Snapshot, row: int) -> Snapshot:
        """Returns the snapshot with the newest facets up to a row, and with the pictures of its turn, even late ones."""
        facets: dict[type[Facet], tuple[Facet, Moment]] = {}
        for kind in self._catalogue.shown:
            if not kind.startswith(Frame.__name__):
                facets |= {type(facet): (facet, moment) for facet, moment in self._known(kind, row)}
        c = self._catalogue
        if c.is_shown(row):
            snapshot = replace(snapshot, event=c.numbers[row], at=c.times[row], worked=c.worked[row], turn=c.turns[row],
                               branch=c.branches[row])
        return replace(snapshot, facets=MappingProxyType(facets), frames=MappingProxyType(self._frames(snapshot)))

    def _frames(self, snapshot: Snapshot) -> dict[View, Frame]:
        acted, found = snapshot.current is None, dict[View, Frame]()
        for view in self.pictures.views:
            row = self.pictures.near(view, snapshot.moment, acted=acted)
            what = None if row is None else self._read(row).what
            if isinstance(what, Shown) and isinstance(what.facet, Frame):
                found[view] = what.facet
        return found
