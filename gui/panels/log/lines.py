"""The lines of the log, and which of them are shown."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from gui.control.event_log import KINDS, MOST, Kind, Line

CHUNK, STEP = 200, 0.004
"""Lines and seconds searched at a time, so that typing into the search of a long log stays fluent."""
OLDER = "Older lines are not listed here: a recording holds every event of the run"


class Book:
    """The lines in order of arrival, filtered by kind and words as they arrive."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.shown: list[Line] = []
        self.kinds: frozenset[Kind] = frozenset(KINDS)
        self._words: tuple[str, ...] = ()
        self._left = 0
        """The number of lines not yet searched for the words. The newest are searched first."""
        self._dropped = 0
        """The number of lines dropped. If there are any, the first of `lines` says so."""

    @property
    def total(self) -> int:
        """The number of lines received, including those dropped since."""
        return self._dropped + len(self.lines) - bool(self._dropped)

    def add(self, lines: Iterable[Line]) -> bool:
        """Adds lines. Returns True if any of them is shown."""
        new = list(lines)
        self.lines += new
        fitting = self._sifted(new)
        self.shown += fitting
        if len(self.lines) > MOST:
            gone = MOST // 10 + 1 - bool(self._dropped)  # the oldest tenth
            self.lines[:MOST // 10 + 1] = [_older(self.lines[MOST // 10])]
            self._dropped += gone
            self._sift()
        return bool(fitting)

    def cut(self, count: int) -> None:
        """Keeps only the first `count` of all lines received."""
        keep = max(0, count - self._dropped) + bool(self._dropped)
        gone = len(self._sifted(self.lines[max(keep, self._left):]))
        del self.lines[keep:], self.shown[len(self.shown) - gone:]
        self._left = min(self._left, keep)

    def begin(self, lines: Sequence[Line] = (), total: int = 0) -> None:
        """Starts with the lines of another run: the lines that are kept, and the total number that was emitted."""
        self.lines, self.shown, self._left, self._dropped = [], [], 0, max(0, total - len(lines))
        if self._dropped:
            self.lines = [_older(lines[0])]
        self.add(lines)

    def filter(self, kinds: frozenset[Kind], text: str) -> None:
        """Shows only lines of these kinds that contain every word.

        Call `sift_on` until it returns False.
        """
        self.kinds, self._words = kinds, tuple(text.lower().split())
        self._sift()

    @property
    def behind(self) -> bool:
        """True if there are lines not searched yet."""
        return self._left > 0

    def sift_on(self) -> bool:
        """Searches some more lines. Returns False when there is nothing left."""
        until = time.perf_counter() + STEP
        while self._left > 0:
            first = max(0, self._left - CHUNK)
            self.shown[:0] = self._sifted(self.lines[first:self._left])
            self._left = first
            if time.perf_counter() > until:
                break
        return self.behind

    def _sift(self) -> None:
        self.shown, self._left = (self._sifted(self.lines), 0) if not self._words else ([], len(self.lines))
        self.sift_on()

    def _sifted(self, lines: Sequence[Line]) -> list[Line]:
        """Returns the lines that pass the filter."""
        kinds, words = self.kinds, self._words
        if len(kinds) < len(KINDS):
            lines = [line for line in lines if line.kind in kinds]
        if not words:
            return list(lines)
        return [line for line, low in zip(lines, [line.text.lower() for line in lines], strict=True)
                if all(word in low for word in words)]


def _older(first: Line) -> Line:
    """Returns the notice that is shown before the first line that is kept."""
    return Line(first.at, first.turn, "note", OLDER, "info", "muted")
