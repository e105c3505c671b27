"""Long work on the GUI thread, a few milliseconds at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer

from gui.giving_way import GivingWay

T = TypeVar("T")
SLICE = 0.002
"""Seconds."""


class Slices(Generic[T]):
    """Runs a generator to its end and hands its result on. What is asked for meanwhile is begun after it.

    Args:
        parent: it ends with this.
        way: a search gives way until the work is done.
        begin: the work.
        done: takes what comes of it.
    """

    def __init__(self, parent: QObject, way: GivingWay, begin: Callable[[], Generator[None, None, T]],
                 done: Callable[[T], None]):
        self._way, self._begun, self._done = way, begin, done
        self._work: Generator[None, None, T] | None = None
        self._again = False
        self._timer = QTimer(parent)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)

    @property
    def busy(self) -> bool:
        """Whether something is under way, or about to begin."""
        return self._work is not None or self._again

    def run(self) -> None:
        """Begin at once, so that short work is done before this returns; or begin again once the present work is done."""
        if self._work is None:
            self._again, self._work = False, self._begin()
            self._go_on()
        else:
            self._again = True

    def start(self) -> None:
        """Begin as soon as what is under way now is over; or begin again once the present work is done."""
        self._again = True
        self._timer.start()

    def stop(self) -> None:
        """Do not finish it."""
        work, self._work, self._again = self._work, None, False
        self._timer.stop()
        if work is not None:
            work.close()

    def _begin(self) -> Generator[None, None, T]:
        with self._way.work():
            return (yield from self._begun())

    def _go_on(self) -> None:
        until = time.monotonic() + SLICE
        if self._work is None and self._again:
            self._again, self._work = False, self._begin()
        while self._work is not None and time.monotonic() < until:
            try:
                next(self._work)
            except StopIteration as end:
                self._work = None
                self._done(end.value)
        if self._work is None and not self._again:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()
