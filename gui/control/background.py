"""Work that may take a while, one piece after the other on a thread of its own; what comes of it is told on the GUI thread."""

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
"""Seconds that all work together is given to end when the window closes."""


class Deadline:
    """A moment that several wait for one after the other, so that all of them together take no longer than one."""

    def __init__(self, seconds: float):
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then, at least 0."""
        return max(0.0, self._until - time.monotonic())


class BackgroundJobs(QObject):
    """A queue of work and the thread that does it, started when first needed."""

    _done = Signal(object)

    def __init__(self, name: str):
        super().__init__()
        self._name = name
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._done.connect(lambda tell: tell(), Qt.ConnectionType.QueuedConnection)

    def do(self, work: Callable[[], T], then: Callable[[T], object], failed: Callable[[Exception], object]) -> None:
        """Work that follows what was asked for before; `then` or `failed` is called on the GUI thread."""
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
        """Finish what was asked for, tell nobody, and end; at most `patience` seconds are waited."""
        self.blockSignals(True)
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(patience)
            self._thread = None

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work()
