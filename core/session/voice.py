"""How a session speaks: numbered events to every listener, in order, on the session's thread."""

from __future__ import annotations

import time
from collections.abc import Callable

from core.events import Event, Payload

Listener = Callable[[Event], None]


class Voice:
    """Numbers, times and tells events. `turn` and `branch` are set by the session."""

    def __init__(self) -> None:
        self.turn = 0
        self.branch = 0
        self._began = time.monotonic()
        self._count = 0
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> None:
        """Hear every event from now on; called on the session's thread, and must return soon."""
        self._listeners.append(listener)

    def tell(self, what: Payload) -> None:
        """Emit one event."""
        event = Event(self._count, time.monotonic() - self._began, self.turn, self.branch, what)
        self._count += 1
        for listener in self._listeners:
            listener(event)


class Clock:
    """Seconds spent in one part of a turn; `with clock:` adds to it."""

    def __init__(self) -> None:
        self.total = 0.0
        self._since = 0.0

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(self, *ignored: object) -> None:
        self.total += time.perf_counter() - self._since
