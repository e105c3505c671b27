"""Marks and labels by the turn they lie in, so that those in sight are found among all there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Generic, TypeVar

from core.common.shared_list import SharedList
from core.session.annotation import Annotation
from core.session.snapshot import Mark

T = TypeVar("T", Mark, Annotation)
MOST_A_TURN = 60
"""Of one turn the newest: more would lie on each other."""
REACH = 60
"""Turns with marks, of whichever branch, among which the nearest outside is looked for."""


class ByTurn(Generic[T]):
    """Things that lie in turns."""

    def __init__(self, items: Iterable[T] = ()):
        self._of: dict[int, list[T]] = {}
        self._turns: list[int] = []
        for item in items:
            self.add(item)

    def add(self, item: T) -> None:
        """One more, later than those there are."""
        if item.turn not in self._of:
            self._of[item.turn] = []
            insort(self._turns, item.turn)
        self._of[item.turn].append(item)

    def within(self, first: int, last: int, belongs: Callable[[T], bool]) -> list[T]:
        """What belongs to a line, in turns of these numbers and the nearest beside: its words reach in, or end theirs."""
        low: int = bisect_left(self._turns, first)
        high: int = bisect_right(self._turns, last)
        before: tuple[int, ...] = self._first(range(low - 1, max(-1, low - 1 - REACH), -1), belongs)
        behind: tuple[int, ...] = self._first(range(high, min(len(self._turns), high + REACH)), belongs)
        return [item for k in (*before, *range(low, high), *behind) for item in self._belonging(k, belongs)]

    def _first(self, places: range, belongs: Callable[[T], bool]) -> tuple[int, ...]:
        """The first place with something that belongs."""
        return tuple(islice((k for k in places if self._belonging(k, belongs)), 1))

    def _belonging(self, k: int, belongs: Callable[[T], bool]) -> list[T]:
        return [item for item in self._of[self._turns[k]] if belongs(item)][-MOST_A_TURN:]


class Marks:
    """The marks of a run, by turn, as it goes on."""

    def __init__(self) -> None:
        self._log, self._found = SharedList[Mark](), ByTurn[Mark]()

    def of(self, log: SharedList[Mark]) -> ByTurn[Mark]:
        """These marks; of a log that has just grown, only what is new is looked at."""
        new, self._log = log.since(self._log), log
        if new is None:
            self._found = ByTurn(log)
        for mark in new or ():
            self._found.add(mark)
        return self._found
