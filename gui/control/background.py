"""A job queue with a thread of its own. Results are delivered on the GUI thread."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from core.common.errors import BelvedereError

T = TypeVar("T")
log = logging.getLogger(__name__)


PATIENCE = 1.5
"""Seconds that all jobs together may take to end when the window closes."""


class Deadline:
    """A point in time shared by several waits, so that together they take no longer than one of them."""

    def __init__(self, seconds: float):
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self._until - time.monotonic())


class BackgroundJobs(QObject):
    """A queue of jobs and the thread that runs them in order. The thread starts with the first job."""

    _done = Signal(object)

    def __init__(self, name: str):
        super().__init__()
        self._name = name
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._done.connect(lambda tell: tell(), Qt.ConnectionType.QueuedConnection)

    def do(self, work: Callable[[], T], then: Callable[[T], object], failed: Callable[[Exception], object]) -> None:
        """Appends a job to the queue. `then` or `failed` is called on the GUI thread.

        Args:
            work: runs on the queue's thread, after all earlier jobs.
            then: receives what `work` returned.
            failed: receives the exception that `work` raised.
        """
        def carry_out() -> None:
            try:
                value = work()
            except BelvedereError as error:
                self._done.emit(lambda error=error: failed(error))
            except Exception as error:
                log.exception("%s broke", self._name)
                self._done.emit(lambda error=error: failed(error))
            else:
                self._done.emit(lambda: then(value))

        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._queue.put(carry_out)

    def close(self, patience: float = PATIENCE) -> None:
        """Runs the jobs that are left without delivering results, then ends the thread. Waits at most `patience` seconds."""
        self.blockSignals(True)
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(patience)
            self._thread = None

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work()
