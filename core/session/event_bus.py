"""The event bus of a session: emits numbered events to every listener, in order, on the session's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from core.planning.facets import Moment
from core.session.events import Event, Payload
from core.session.work_clock import WorkClock


class Writing(Protocol):
    """A turn that is being written to disk."""

    def done(self) -> bool:
        """Returns True if it is on disk, or if the writer has stopped waiting for it."""

    def wait(self) -> None:
        """Blocks until it is done."""


Listener = Callable[[Event], Writing | None]
"""Receives an event. Listeners that subscribed later receive the event only once the returned `Writing` is done."""


class EventBus:
    """Numbers, times and emits events. The session sets `turn` and `branch`.

    Listeners registered after the recorder receive the end of a turn only after the turn is on disk. The session does not wait
    for this and continues with its own work; those listeners receive the event a little later. The session does wait for it
    before it waits for anything else.
    """

    def __init__(self) -> None:
        self.turn = 0
        self.branch = 0
        self.clock = WorkClock()
        self._count = 0
        self._listeners: list[Listener] = []
        self._direct = 0
        """Number of listeners that receive every event at once: up to the last one that ever returned a `Writing`."""
        self._queue: deque[tuple[Event, tuple[Writing, ...]]] = deque()

    @property
    def moment(self) -> Moment:
        """The turn and branch that events belong to now."""
        return Moment(self.branch, self.turn)

    def subscribe(self, listener: Listener) -> None:
        """Passes every event from now on to `listener`, on the session's thread. The listener must return soon."""
        self._listeners.append(listener)

    def emit(self, what: Payload) -> None:
        """Emits one event."""
        at, worked = self.clock.read()
        event = Event(self._count, at, self.turn, self.branch, what, worked=worked)
        self._count += 1
        returned = [listener(event) for listener in self._listeners[:self._direct]]
        self._queue.append((event, tuple(writing for writing in returned if writing is not None)))
        self.deliver(wait=False)

    def deliver(self, *, wait: bool) -> None:
        """Delivers queued events to the later listeners: those that are on disk, or with `wait` all of them."""
        while self._queue:
            event, writings = self._queue[0]
            for writing in writings:
                if not writing.done():
                    if not wait:
                        return
                    writing.wait()
            self._queue.popleft()
            self._deliver_later(event)

    def _deliver_later(self, event: Event) -> None:
        """Delivers an event to the later listeners. A listener that returns a `Writing` for the first time moves ahead."""
        for k in range(self._direct, len(self._listeners)):
            writing = self._listeners[k](event)
            if writing is None:
                continue
            if self._queue:  # it has not received the queued events yet
                writing.wait()
                continue
            self._direct = k + 1
            self._queue.append((event, (writing,)))
            return
