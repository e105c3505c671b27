"""The lines of the log, and which of them are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gui.panels.log.telling import KINDS, Kind, Line

MOST = 200_000
"""Lines kept; the oldest tenth is dropped beyond it."""


class Book:
    """Lines in the order they came, filtered by kind and words as they come."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.shown: list[Line] = []
        self._dropped = 0
        self._low: list[str] = []
        self.kinds: frozenset[Kind] = frozenset(KINDS)
        self._words: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many lines came, those dropped since included."""
        return self._dropped + len(self.lines)

    def add(self, lines: Iterable[Line]) -> bool:
        """More lines; whether any of them is shown."""
        new = list(lines)
        low = [line.text.lower() for line in new]
        self.lines += new
        self._low += low
        fitting = [line for line, text in zip(new, low, strict=True) if self._fits(line, text)]
        self.shown += fitting
        if len(self.lines) > MOST:
            del self.lines[:MOST // 10], self._low[:MOST // 10]
            self._dropped += MOST // 10
            self._sift()
        return bool(fitting)

    def cut(self, count: int) -> None:
        """Back to the first so many lines of all that came."""
        keep = max(0, count - self._dropped)
        gone = sum(self._fits(line, text) for line, text in zip(self.lines[keep:], self._low[keep:], strict=True))
        del self.lines[keep:], self._low[keep:], self.shown[len(self.shown) - gone:]

    def clear(self) -> None:
        """Another run begins."""
        self.lines, self.shown, self._low, self._dropped = [], [], [], 0

    def filter(self, kinds: frozenset[Kind], text: str) -> None:
        """Show only these kinds, and lines that hold every word."""
        self.kinds, self._words = kinds, tuple(text.lower().split())
        self._sift()

    def _sift(self) -> None:
        # By numbers, one word after the other: typing into a long log must not be felt.
        fitting: Sequence[int] = range(len(self.lines))
        if len(self.kinds) < len(KINDS):
            fitting = [k for k in fitting if self.lines[k].kind in self.kinds]
        for word in self._words:
            fitting = [k for k in fitting if word in self._low[k]]
        self.shown = [self.lines[k] for k in fitting]

    def _fits(self, line: Line, text: str) -> bool:
        return line.kind in self.kinds and all(word in text for word in self._words)


