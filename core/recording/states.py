"""Snapshots of a recording at any event: the keyframe before it is restored, and the events since are folded.

A facet is read only if it is the newest of its kind at that event; calls and groundings when they are first accessed. A seek
therefore costs what its turn costs, however long the run is.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, TypeVar

from core.common.errors import BelvedereError, DataError
from core.common.shared_list import LazyList, SharedList
from core.planning.facets import Facet, Frame, Grounded, Grounding, Moment, View
from core.recording.catalogue import LOST_EVENT, Catalogue, PictureLookup
from core.recording.codec import Codec
from core.recording.keyframes import CallPlace, GroundingPlace, Keyframe, Numbers, References, Restored
from core.recording.losses import EventError
from core.session.events import Acted, Asked, AskedAside, Event, Replied, Shown, Standing, TurnBegan
from core.session.snapshot import FOLDED_FACETS, NO_FACETS, Facets, Snapshot, call_of, fold
from core.session.turns import Call

Read = Callable[[int], Event]
T = TypeVar("T")
EVERY: Final = 24
MOST_KEPT: Final = 512
ASKED: Final = (Asked.__name__, AskedAside.__name__)
REPORTED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "seen": ("TurnBegan", "Acted", "Standing"), "options": ("ActionsListed",), "changes": ("ChangesListed",)}
"""The kinds of event that report these fields of a snapshot."""
READ_BY_FOLD: Final = frozenset(kind.__name__ for kind in FOLDED_FACETS)


@dataclass(frozen=True, slots=True)
class _Kept:
    """A snapshot after a row, and how to go on from it.

    Attributes:
        snapshot: its calls and groundings are those since the keyframe before it.
        point: which events hold what the snapshot refers to.
    """

    row: int
    snapshot: Snapshot
    point: Keyframe


class StateIndex:
    """Computes snapshots on demand.

    Args:
        catalogue: the events of the file, and its keyframes.
        read: returns an event by its row.
        codec: decodes keyframes.
        lock: held while the items of a snapshot's logs are read, on any thread.
        every: number of folded events after which a snapshot within a turn is kept.
        most_kept: maximum number of those that are kept.
    """

    def __init__(self, catalogue: Catalogue, read: Read, codec: Codec, lock: threading.RLock | None = None,
                 every: int = EVERY, most_kept: int = MOST_KEPT):
        self._catalogue, self._read = catalogue, read
        self._every, self._most_kept = every, most_kept
        self.pictures = PictureLookup(catalogue)
        self._restored = Restored(codec)
        self._starts = catalogue.rows("TurnBegan")
        self._rows, self._points = [-1], [Keyframe()]
        """The rows of keyframes, and the keyframes."""
        self._recorded = self._trusted()
        self._ahead: Snapshot | None = None
        """The snapshot at the last keyframe, if it was folded and not restored."""
        self._kept: list[_Kept] = []
        self._last = _Kept(-1, Snapshot(), Keyframe())
        lock = lock or threading.RLock()
        places = self._restored.places
        self._calls = StoredLog(places.calls, self._call, lock)
        self._groundings = StoredLog(places.groundings, self._grounding, lock)
        self._logs: dict[str, SharedList[Any]] = {}

    @property
    def kept(self) -> list[Snapshot]:
        """The snapshots within turns that are kept."""
        return [kept.snapshot for kept in self._kept]

    def at(self, row: int) -> Snapshot:
        """Returns the snapshot after the event of a row; -1: before the first.

        Raises:
            DataError: an event it depends on is damaged, or does not follow from those before it.
        """
        if row < 0:
            return Snapshot()
        following = self._point_from(row)
        found = self._folded(row)
        return self._with_logs(self._filled(found.snapshot, found.point, row), found.point, following)

    def figures(self) -> Snapshot:
        """Returns the snapshot at the end without what it shows: facets, pictures, calls and groundings.

        In a whole file it is the last keyframe, and no event is read.

        Raises:
            DataError: as `at`.
        """
        row = len(self._catalogue.numbers) - 1
        self._point_from(row)
        return self._folded(row).snapshot

    def read_on(self) -> Iterator[object]:
        """Yields every item of the logs that are read on access. Each is read unless it was read before."""
        self._point_from(len(self._catalogue.numbers) - 1)
        yield from self._calls
        yield from self._groundings

    # --- keyframes ------------------------------------------------------------
    def _trusted(self) -> Iterator[tuple[int, bytes]]:
        """Yields the recorded keyframes before which no event is missing, each with its row."""
        c = self._catalogue
        whole = next((row for row, number in enumerate(c.numbers) if row != number or c.is_lost(row)), len(c.numbers))
        yield from ((number, c.keyframes[number]) for number in sorted(c.keyframes) if number < whole)

    def _point_from(self, row: int) -> Keyframe:
        """Returns the first keyframe at a row or after it. Keyframes are restored, or made, up to there."""
        while self._rows[-1] < row:
            recorded = next(self._recorded, None)
            if recorded is None or not self._restore(*recorded):
                self._recorded = iter(())
                self._make_next()
        return self._points[bisect_left(self._rows, row)]

    def _restore(self, row: int, data: bytes) -> bool:
        """Restores the next keyframe. Returns False if it cannot be read: the events are folded instead."""
        places = self._restored.places
        calls, groundings = len(places.calls), len(places.groundings)
        try:
            point = self._restored.restore(data)
        except DataError:
            return False
        if point.number != row or not self._refers_soundly(point, places.calls[calls:], places.groundings[groundings:]):
            del places.calls[calls:], places.groundings[groundings:]
            self._restored.last = self._points[-1]
            return False
        self._points.append(point)
        self._rows.append(row)
        return True

    def _refers_soundly(self, point: Keyframe, calls: Sequence[CallPlace], groundings: Sequence[GroundingPlace]) -> bool:
        """Returns whether the events that a keyframe refers to are of the kinds they should be: a file may be forged."""
        def is_of(number: int, *kinds: str) -> bool:
            return 0 <= number <= point.number and self._catalogue.kind(number) in kinds

        facets = (*point.facets.items(), *point.at_action.items())
        return (all(is_of(number, kind) for kind, number in facets)
                and all(is_of(number, *REPORTED_BY.get(name, ())) for name, number in point.reported.items())
                and all(is_of(number, *ASKED) for _, _, number, _ in point.asked)
                and all(is_of(asked, *ASKED) and is_of(replied, Replied.__name__) for asked, replied, _ in calls)
                and all(is_of(number, Grounded.__name__) and k >= 0 for number, k in groundings))

    def _make_next(self) -> None:
        """Makes the keyframe at the end of the turn after the last keyframe."""
        c, begins, places = self._catalogue, self._rows[-1], self._restored.places
        point = self._points[-1]
        after = bisect_right(self._starts, begins + 1)
        ends = self._starts[after] - 1 if after < len(self._starts) else len(c.numbers) - 1
        if self._ahead is None:
            self._ahead = self._begun(point)
            places.begin(point)
        now = self._ahead
        for row in self._to_fold(begins, ends):
            now = self._fold(now, row, places)
        self._ahead = now = replace(self._dated(now, ends), calls=SharedList(), groundings=SharedList())
        self._points.append(places.keyframe(now))
        self._restored.last = self._points[-1]
        self._rows.append(ends)

    def _begun(self, point: Keyframe) -> Snapshot:
        """Returns the snapshot of a keyframe with what the fold of later events needs."""
        reported: dict[str, Any] = {name: _reported(self._event(number)) for name, number in point.reported.items()}
        needed = {kind: number for kind, number in point.facets.items() if kind in READ_BY_FOLD}
        return replace(point.state, facets=self._facets(needed), **reported)

    # --- folding ------------------------------------------------------------------
    def _folded(self, row: int) -> _Kept:
        """Returns the snapshot after a row, without pictures and facets, folded from the nearest one before it."""
        k = bisect_right(self._rows, row) - 1
        begins = _Kept(self._rows[k], self._points[k].state, self._points[k])
        place = bisect_right(self._kept, row, key=_row)
        nearer = [kept for kept in (self._last, *self._kept[max(0, place - 1):place]) if begins.row < kept.row <= row]
        start = max(nearer, key=_row) if nearer else begins
        if start.row == row:
            return start
        places = References()
        places.begin(start.point)
        now = start.snapshot if nearer else self._begun(start.point)
        for count, folded in enumerate(self._to_fold(start.row, row), 1):
            now = self._fold(now, folded, places)
            if count % self._every == 0 and folded < row:
                self._keep(self._kept_at(folded, now, places, start.point))
        self._last = self._kept_at(row, self._dated(now, row), places, start.point)
        return self._last

    def _kept_at(self, row: int, now: Snapshot, places: References, start: Keyframe) -> _Kept:
        made = places.keyframe(now)
        return _Kept(row, now, replace(made, calls=start.calls + made.calls, groundings=start.groundings + made.groundings))

    def _keep(self, kept: _Kept) -> None:
        place = bisect_left(self._kept, kept.row, key=_row)
        self._kept[place:place + (place < len(self._kept) and self._kept[place].row == kept.row)] = [kept]
        if len(self._kept) > self._most_kept:
            self._kept = self._kept[::2]

    def _to_fold(self, begins: int, ends: int) -> Iterator[int]:
        """Yields the rows after one row and up to another that are not only noted."""
        return (row for row in range(begins + 1, ends + 1) if self._catalogue.kind(row) not in (LOST_EVENT, Frame.__name__))

    def _fold(self, now: Snapshot, row: int, places: References) -> Snapshot:
        """Returns the snapshot after one more event. Facets that no later event depends on are noted, but not read.

        Raises:
            DataError: the event is damaged, or refers to something that was never recorded.
        """
        c = self._catalogue
        if c.is_shown(row) and c.kind(row) not in READ_BY_FOLD:
            places.shown(c.kind(row), c.numbers[row])
            return now
        event = self._read(row)
        try:
            after = fold(now, event)
            places.take(event, now, after)
        except DataError:
            raise
        except (BelvedereError, LookupError, TypeError, ValueError) as error:
            raise EventError((row,), f"it does not follow from those before it: {error}", f"event {event.number}") from error
        return after

    def _dated(self, now: Snapshot, row: int) -> Snapshot:
        """Returns the snapshot with the time and the turn of a row, which may be one that is not folded."""
        c = self._catalogue
        if not c.is_shown(row) or c.is_lost(row):
            return now
        return replace(now, event=c.numbers[row], at=c.times[row], worked=c.worked[row], turn=c.turns[row],
                       branch=c.branches[row])

    # --- what events hold -------------------------------------------------------
    def _event(self, number: int) -> Event:
        return self._read(bisect_left(self._catalogue.numbers, number))

    def _facets(self, numbers: Numbers) -> Facets:
        facets: dict[type[Facet], tuple[Facet, Moment]] = {}
        for number in numbers.values():
            event = self._event(number)
            if isinstance(event.what, Shown):
                facets[type(event.what.facet)] = event.what.facet, event.what.of or event.moment
        return MappingProxyType(facets)

    def _filled(self, now: Snapshot, point: Keyframe, row: int) -> Snapshot:
        """Returns the snapshot of a row with its facets, and with the pictures of its turn, even late ones."""
        facets = self._facets(point.facets)
        at_action = facets if point.at_action == point.facets else self._facets(point.at_action)
        reported: dict[str, Any] = {name: _reported(self._event(number)) for name, number in point.reported.items()}
        now = replace(now, facets=facets, at_action=at_action if point.at_action else NO_FACETS, **reported)
        return replace(now, frames=MappingProxyType(self._frames(now)))

    def _frames(self, snapshot: Snapshot) -> dict[View, Frame]:
        acted, found = snapshot.current is None, dict[View, Frame]()
        for view in self.pictures.views:
            row = self.pictures.near(view, snapshot.moment, acted=acted)
            what = None if row is None else self._read(row).what
            if isinstance(what, Shown) and isinstance(what.facet, Frame):
                found[view] = what.facet
        return found

    # --- logs ----------------------------------------------------------------------------
    def _with_logs(self, now: Snapshot, point: Keyframe, following: Keyframe) -> Snapshot:
        """Returns the snapshot with logs that are beginnings of the file's: readers tell by identity what has grown."""
        longest, grown = following.state, self._grown
        continues = longest.line[:len(now.line)] == now.line[:]  # not if the run went to another line until then
        return replace(
            now, calls=self._same("calls", SharedList.beginning(self._calls, point.calls)),
            groundings=self._same("groundings", SharedList.beginning(self._groundings, point.groundings)),
            turns=grown("turns", now.turns, longest.turns), marks=grown("marks", now.marks, longest.marks),
            hits=grown("hits", now.hits, longest.hits), line=grown("line", now.line, longest.line if continues else now.line))

    def _grown(self, name: str, log: SharedList[T], longest: SharedList[T]) -> SharedList[T]:
        """Returns a log as a beginning of what it is at the next keyframe."""
        return self._same(name, longest.first(len(log)))

    def _same(self, name: str, log: SharedList[T]) -> SharedList[T]:
        """Returns a log as the object that the last snapshot had, if it is the same."""
        known = self._logs.get(name)
        if known is None or not known.akin(log) or len(known) != len(log):
            known = self._logs[name] = log
        return known

    def _call(self, place: tuple[int, int, str]) -> Call:
        question, answer = self._event(place[0]), self._event(place[1])
        assert isinstance(question.what, Asked | AskedAside)
        assert isinstance(answer.what, Replied)
        return replace(call_of(question, question.what), reply=answer.what.reply, source=place[2] or question.what.source)

    def _grounding(self, place: tuple[int, int]) -> Grounding:
        what = self._event(place[0]).what
        assert isinstance(what, Shown)
        assert isinstance(what.facet, Grounded)
        if place[1] >= len(what.facet.replies):
            raise DataError(f"event {place[0]} interprets fewer replies than its keyframe says")
        return what.facet.replies[place[1]]


def _row(kept: _Kept) -> int:
    return kept.row


def _reported(event: Event) -> Any:
    """Returns what an event reported for a field of the snapshot: an observation, or a list of actions or changes."""
    match event.what:
        case Acted(outcome=outcome):
            return outcome.observation
        case TurnBegan(seen=seen) | Standing(seen=seen):
            return seen
        case what:
            return what


class StoredLog(LazyList[T]):
    """A list whose items are read when they are first accessed, and kept. Later accesses return the same objects.

    Args:
        places: where each item is; it may grow.
        read: returns the item at a place.
        lock: held while an item is read.
    """

    __slots__ = ("_items", "_lock", "_places", "_read")

    def __init__(self, places: Sequence[Any], read: Callable[[Any], T], lock: threading.RLock):
        self._places, self._read, self._lock = places, read, lock
        self._items: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._places)

    def at(self, place: int) -> T:
        """Returns the item at an index, and reads it if it was not read yet."""
        found = self._items.get(place)
        if found is None:
            with self._lock:
                found = self._items.get(place)
                if found is None:
                    found = self._items[place] = self._read(self._places[place])
        return found
