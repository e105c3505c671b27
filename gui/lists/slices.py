"""Long work on the GUI thread, a few milliseconds at a time."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Generic, TypeVar

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

T = TypeVar("T")
SLICE_MS = 8


class Slices(Generic[T]):
    """Runs a generator to its end and hands its result on. What is asked for meanwhile is begun after it.

    Short work is done before `run` returns.
    """

    def __init__(self, parent: QObject, begin: Callable[[], Generator[None, None, T]], done: Callable[[T], None]):
        self._begin, self._done = begin, done
        self._work: Generator[None, None, T] | None = None
        self._again = False
        self._timer = QTimer(parent)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)

    def run(self) -> None:
        """Begin, or begin again once the present work is done."""
        if self._work is not None:
            self._again = True
            return
        self._work = self._begin()
        self._go_on()

    def _go_on(self) -> None:
        clock = QElapsedTimer()
        clock.start()
        while self._work is not None and clock.elapsed() < SLICE_MS:
            try:
                next(self._work)
            except StopIteration as end:
                self._work = None
                self._done(end.value)
        if self._work is None and self._again:
            self._again, self._work = False, self._begin()
        if self._work is None:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()
