"""Marks and labels indexed by turn, so that the visible ones are found without scanning all."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Generic, TypeVar

from core.common.shared_list import SharedList
from core.session.annotation import Annotation
from core.session.turns import Mark

T = TypeVar("T", Mark, Annotation)
MOST_A_TURN = 60
"""Number of newest items shown for one turn; more would overlap."""
REACH = 60
"""Number of turns with marks, of any branch, that are searched for the nearest one outside."""


class ByTurn(Generic[T]):
    """Items indexed by turn."""

    def __init__(self, items: Iterable[T] = ()):
        self._of: dict[int, list[T]] = {}
        self._turns: list[int] = []
        for item in items:
            self.add(item)

    def add(self, item: T) -> None:
        """Adds an item that is later than all others."""
        if item.turn not in self._of:
            self._of[item.turn] = []
            insort(self._turns, item.turn)
        self._of[item.turn].append(item)

    def within(self, first: int, last: int, belongs: Callable[[T], bool]) -> list[T]:
        """Returns the items of a line in these turns and in the nearest turn outside on each side.

        The texts of those outside reach into view, or limit the texts of others.

        Args:
            first: number of the first turn in view.
            last: number of the last turn in view.
            belongs: whether an item is on the line.
        """
        low: int = bisect_left(self._turns, first)
        high: int = bisect_right(self._turns, last)
        before: tuple[int, ...] = self._first(range(low - 1, max(-1, low - 1 - REACH), -1), belongs)
        behind: tuple[int, ...] = self._first(range(high, min(len(self._turns), high + REACH)), belongs)
        return [item for k in (*before, *range(low, high), *behind) for item in self._belonging(k, belongs)]

    def _first(self, places: range, belongs: Callable[[T], bool]) -> tuple[int, ...]:
        """The first index with an item that belongs to the line, as a tuple of at most one."""
        return tuple(islice((k for k in places if self._belonging(k, belongs)), 1))

    def _belonging(self, k: int, belongs: Callable[[T], bool]) -> list[T]:
        return [item for item in self._of[self._turns[k]] if belongs(item)][-MOST_A_TURN:]


class Marks:
    """The marks of a run by turn, updated as the run goes on."""

    def __init__(self) -> None:
        self._log, self._found = SharedList[Mark](), ByTurn[Mark]()

    def of(self, log: SharedList[Mark]) -> ByTurn[Mark]:
        """Returns these marks by turn. Of a log that has only grown, only the new marks are processed."""
        new, self._log = log.since(self._log), log
        if new is None:
            self._found = ByTurn(log)
        for mark in new or ():
            self._found.add(mark)
        return self._found
