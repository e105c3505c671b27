"""The list of calls: the pending ones, then the answered ones that match the search, newest first."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections.abc import Iterable

from core.session.snapshot import Snapshot
from core.session.turns import Call
from gui.panels.calls.call_summary import searchable

STEP = 0.004
"""Seconds spent on searching at a time, so that typing never blocks. Old calls are read from disk."""
NEAR = 64
"""How far around its expected index a call is searched. Requests sent together are answered in any order."""
NEWEST = 256
"""The number of newest calls, which are cheap to read."""


class CallList:
    """A view of a snapshot's calls that takes constant time to open and is searched in steps.

    It refers to answered calls by their indices in the snapshot's log, because an old call is decoded when it is read.
    """

    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._waiting: tuple[Call, ...] = ()
        self._words: tuple[str, ...] = ()
        self._new, self._old = array("q"), array("q")
        """Log indices of the hits: among calls answered since the search began (oldest first), and before it (newest first)."""
        self._looked = 0
        """The log index of the first call that has not been searched as a new one. Starts where the log ended at the search."""
        self._left = 0
        """How many of the calls answered before the search began are still to be searched, newest first."""
        self._own: dict[int, int] = {}
        """Log indices of the operator's calls by number. They can be anywhere, because they are answered at any time."""

    def take(self, snapshot: Snapshot) -> bool:
        """Takes the calls of another snapshot. Returns whether the list has changed."""
        before, self._snapshot = self._snapshot, snapshot
        first, count = len(before.calls), len(snapshot.calls)
        same = snapshot.calls.akin(before.calls)
        if not same:
            self._own, first = {}, 0
        if not same or count < first:
            self.search(" ".join(self._words))
        for place in range(max(first, count - NEWEST), count):
            call = snapshot.calls[place]
            if call.by == "operator":
                self._own[call.id] = place
        self._look_at_new(time.perf_counter() + STEP)
        waited = before.waiting is not snapshot.waiting or before.aside is not snapshot.aside
        if waited:
            self._waiting = tuple(sorted((*snapshot.waiting, *snapshot.aside), key=lambda call: call.id))
        return not same or first != count or waited

    # --- searching ---------------------------------------------------------
    def search(self, text: str) -> None:
        """Begins a search for the calls that contain every word of a text. Call `look_on` until it returns False."""
        self._words = tuple(text.lower().split())
        self._new, self._old = array("q"), array("q")
        self._looked = self._left = len(self._snapshot.calls)

    @property
    def behind(self) -> bool:
        """Returns True if there are calls left to search."""
        return bool(self._words) and (self._left > 0 or self._looked < len(self._snapshot.calls))

    def look_on(self) -> bool:
        """Searches further calls for about `STEP` seconds. Returns False if there is nothing left to search."""
        until = time.perf_counter() + STEP
        self._look_at_new(until)
        while self._words and self._left > 0 and self._looked == len(self._snapshot.calls):
            self._left -= 1
            if self._matches(self._left):
                self._old.append(self._left)
            if time.perf_counter() > until:
                break
        return self.behind

    def _look_at_new(self, until: float) -> None:
        """Searches the calls answered since the search began, until a time of the performance counter."""
        if not self._words:
            self._looked = len(self._snapshot.calls)
        while self._looked < len(self._snapshot.calls):
            if self._matches(self._looked):
                self._new.append(self._looked)
            self._looked += 1
            if time.perf_counter() > until:
                break

    def _matches(self, place: int) -> bool:
        text = searchable(self._snapshot.calls[place])
        return all(word in text for word in self._words)

    # --- rows --------------------------------------------------------------
    def __len__(self) -> int:
        answered = len(self._new) + len(self._old) if self._words else len(self._snapshot.calls)
        return len(self._waiting) + answered

    def __getitem__(self, index: int) -> Call:
        waiting, calls = self._waiting, self._snapshot.calls
        if index < len(waiting):
            return waiting[len(waiting) - 1 - index]
        index -= len(waiting)
        if not self._words:
            return calls[len(calls) - 1 - index]
        return calls[self._new[-1 - index] if index < len(self._new) else self._old[index - len(self._new)]]

    def index_of(self, number: int) -> int:
        """Returns the row of a call by its number, or -1. Reads only a few calls, however many there are."""
        for k in range(len(self._waiting)):
            if self[k].id == number:
                return k
        place = self._place_of(number)
        if place < 0:
            return -1
        row = self._hit(place) if self._words else len(self._snapshot.calls) - 1 - place
        return len(self._waiting) + row if row >= 0 else -1

    def _hit(self, place: int) -> int:
        """Returns the row among the hits of the answered call at a log index, or -1."""
        new, old = bisect_left(self._new, place), bisect_left(self._old, -place, key=lambda hit: -hit)
        if new < len(self._new) and self._new[new] == place:
            return len(self._new) - 1 - new
        return len(self._new) + old if old < len(self._old) and self._old[old] == place else -1

    def _place_of(self, number: int) -> int:
        """Returns the log index of a call by its number, or -1.

        Numbers are in the order of requests, the log is in the order of replies. An interpolating search narrows the range,
        then the neighbourhood is searched.
        """
        calls = self._snapshot.calls
        own = self._own.get(number, -1)
        if 0 <= own < len(calls):
            return own
        low, high, at = 0, len(calls), min(max(0, number), len(calls) - 1)
        while low < high:
            looked, found = at, number + 1
            while looked < high:
                call = calls[looked]
                if call.by != "operator":  # their numbers say nothing about their neighbours
                    found = call.id
                    break
                looked += 1
            if found == number:
                return looked
            low, high = (looked + 1, high) if found < number else (low, at)
            at = looked + number - found  # exact if every call in between was answered
            if not low <= at < high:
                at = (low + high) // 2
        return next((place for place in _outwards(low, len(calls)) if calls[place].id == number), -1)


def _outwards(middle: int, count: int) -> Iterable[int]:
    """Yields the indices at most `NEAR` away from `middle`, nearest first, within a list of `count` items."""
    for step in range(1, NEAR + 1):
        if middle - step >= 0:
            yield middle - step
        if middle + step - 1 < count:
            yield middle + step - 1
