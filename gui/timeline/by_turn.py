"""Marks and labels by the turn they lie in, so that those in sight are found among all there are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from typing import Generic, TypeVar

from core.annotation import Annotation
from core.log import Log
from core.snapshot import Mark

T = TypeVar("T", Mark, Annotation)
MOST_A_TURN = 60
"""Of one turn the newest: more would lie on each other."""


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

    def within(self, first: int, last: int) -> list[T]:
        """What lies in turns of these numbers, and in the nearest beside them, whose words may reach in, or end theirs."""
        low, high = bisect_left(self._turns, first), bisect_right(self._turns, last)
        return [item for turn in self._turns[max(0, low - 1):high + 1] for item in self._of[turn][-MOST_A_TURN:]]


class Marks:
    """The marks of a run, by turn, as it goes on."""

    def __init__(self) -> None:
        self._log, self._found = Log[Mark](), ByTurn[Mark]()

    def of(self, log: Log[Mark]) -> ByTurn[Mark]:
        """These marks; of a log that has just grown, only what is new is looked at."""
        known = len(self._log)
        if not log.akin(self._log) or len(log) < known:
            known, self._found = 0, ByTurn[Mark]()
        for mark in log[known:]:
            self._found.add(mark)
        self._log = log
        return self._found
