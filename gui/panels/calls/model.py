"""Which calls are listed: the waiting ones, then the answered ones, newest first, as far as they match a search."""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections.abc import Iterable

from core.session.snapshot import Snapshot
from core.session.turns import Call
from gui.panels.calls.call_summary import searchable

STEP = 0.004
"""Seconds spent on looking through calls at a time, so that typing never waits: old ones are read from the disk."""
NEAR = 64
"""So far from its place a call is looked for: questions that went out together are answered in any order."""
NEWEST = 256
"""Calls whose numbers are cheap to read."""


class CallList:
    """A view of a snapshot's calls that costs nothing to open and is searched a piece at a time.

    Answered calls are spoken of by their places in the snapshot's log: an old one is made anew when it is looked at.
    """

    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._waiting: tuple[Call, ...] = ()
        self._words: tuple[str, ...] = ()
        self._new, self._old = array("q"), array("q")
        """Hits among the calls answered since the search began, oldest first; and before, newest first."""
        self._looked = 0
        """Answered calls looked through, counted from the first one ever asked."""
        self._left = 0
        """Of those there were when the search began, the ones still to be looked through, newest first."""
        self._own: dict[int, int] = {}
        """Places of the operator's own: answered whenever they are, they stand anywhere."""

    def take(self, snapshot: Snapshot) -> bool:
        """Another snapshot; whether it changes the list."""
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
        """Only calls whose texts hold every word; call `look_on` until it says it is done."""
        self._words = tuple(text.lower().split())
        self._new, self._old = array("q"), array("q")
        self._looked = self._left = len(self._snapshot.calls)

    @property
    def behind(self) -> bool:
        """Whether there are calls to look through."""
        return bool(self._words) and (self._left > 0 or self._looked < len(self._snapshot.calls))

    def look_on(self) -> bool:
        """Look through some more; False when there is nothing left."""
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
        """Those answered since the search began, first."""
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
        """The row of a call, or -1; a few calls are looked at, however many there are."""
        for k in range(len(self._waiting)):
            if self[k].id == number:
                return k
        place = self._place_of(number)
        if place < 0:
            return -1
        row = self._hit(place) if self._words else len(self._snapshot.calls) - 1 - place
        return len(self._waiting) + row if row >= 0 else -1

    def _hit(self, place: int) -> int:
        """The row of an answered call among the hits, or -1."""
        new, old = bisect_left(self._new, place), bisect_left(self._old, -place, key=lambda hit: -hit)
        if new < len(self._new) and self._new[new] == place:
            return len(self._new) - 1 - new
        return len(self._new) + old if old < len(self._old) and self._old[old] == place else -1

    def _place_of(self, number: int) -> int:
        """Where a call stands in the log, or -1. Numbers are given in the order of questions, the log is in that of answers."""
        calls = self._snapshot.calls
        own = self._own.get(number, -1)
        if 0 <= own < len(calls):
            return own
        low, high, at = 0, len(calls), min(max(0, number), len(calls) - 1)
        while low < high:
            looked, found = at, number + 1
            while looked < high:
                call = calls[looked]
                if call.by != "operator":  # those tell nothing of their neighbours
                    found = call.id
                    break
                looked += 1
            if found == number:
                return looked
            low, high = (looked + 1, high) if found < number else (low, at)
            at = looked + number - found  # as far as none in between was left unanswered
            if not low <= at < high:
                at = (low + high) // 2
        return next((place for place in _outwards(low, len(calls)) if calls[place].id == number), -1)


def _outwards(middle: int, count: int) -> Iterable[int]:
    """Places near one, the nearest first."""
    for step in range(1, NEAR + 1):
        if middle - step >= 0:
            yield middle - step
        if middle + step - 1 < count:
            yield middle + step - 1
