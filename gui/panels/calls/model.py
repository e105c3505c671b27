"""Which calls are listed: the waiting ones, then the answered ones, newest first, as far as they match a search."""

from __future__ import annotations

from core.snapshot import Call, Snapshot
from gui.panels.calls.reading import searchable

CHUNK = 400
"""Calls looked through at a time, so that typing never waits."""


class CallList:
    """A view of a snapshot's calls that costs nothing to open and is searched a piece at a time."""

    def __init__(self) -> None:
        self._snapshot = Snapshot()
        self._waiting: tuple[Call, ...] = ()
        self._words: tuple[str, ...] = ()
        self._hits: list[Call] = []
        self._looked = 0
        """Answered calls looked through, counted from the first one ever asked."""
        self._left = 0
        """Of those there were when the search began, the ones still to be looked through, newest first."""

    def take(self, snapshot: Snapshot) -> bool:
        """Another snapshot; whether it changes the list."""
        before, self._snapshot = self._snapshot, snapshot
        if len(snapshot.calls) < len(before.calls):
            self.search(" ".join(self._words))
        if self._words:
            new = [snapshot.calls[k] for k in range(self._looked, len(snapshot.calls))]
            self._hits[:0] = [call for call in reversed(new) if self._matches(call)]
            self._looked = len(snapshot.calls)
        waited = before.waiting is not snapshot.waiting or before.aside is not snapshot.aside
        if waited:
            self._waiting = tuple(sorted((*snapshot.waiting, *snapshot.aside), key=lambda call: call.id))
        return len(before.calls) != len(snapshot.calls) or waited

    def search(self, text: str) -> None:
        """Only calls whose texts hold every word; call `look_on` until it says it is done."""
        self._words = tuple(text.lower().split())
        self._hits, self._looked, self._left = [], len(self._snapshot.calls), len(self._snapshot.calls)

    def look_on(self) -> bool:
        """Look through some more; False when there is nothing left."""
        if not self._words or self._left <= 0:
            return False
        first = max(0, self._left - CHUNK)
        calls = self._snapshot.calls
        self._hits += [calls[k] for k in range(min(self._left, len(calls)) - 1, first - 1, -1) if self._matches(calls[k])]
        self._left = first
        return self._left > 0

    def _matches(self, call: Call) -> bool:
        text = searchable(call)
        return all(word in text for word in self._words)

    def __len__(self) -> int:
        answered = len(self._hits) if self._words else len(self._snapshot.calls)
        return len(self._waiting) + answered

    def __getitem__(self, index: int) -> Call:
        waiting = self._waiting
        if index < len(waiting):
            return waiting[len(waiting) - 1 - index]
        index -= len(waiting)
        if self._words:
            return self._hits[index]
        return self._snapshot.calls[len(self._snapshot.calls) - 1 - index]

    def index_of(self, number: int) -> int:
        """The row of a call, or -1. Calls are numbered in the order they were asked, so the search is short."""
        for k in range(len(self._waiting)):
            if self[k].id == number:
                return k
        guess = len(self._waiting) + len(self._snapshot.calls) - 1 - number
        near = range(max(0, guess - 50), min(len(self), guess + 50))
        found = next((k for k in near if self[k].id == number), -1)
        if found < 0:
            found = next((k for k in range(len(self)) if self[k].id == number), -1)
        return found
