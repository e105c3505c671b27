"""How a session speaks: numbered events to every listener, in order, on the session's thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from core.planning.moment import Moment
from core.session.events import Event, Payload
from core.session.work_clock import WorkClock


class Writing(Protocol):
    """A turn on its way to the disk."""

    def done(self) -> bool:
        """Whether it has arrived, or is waited for no more."""

    def wait(self) -> None:
        """Until it is done."""


Listener = Callable[[Event], Writing | None]
"""Hears an event. What it returns must be done before those that subscribed after it hear of the event."""


class EventBus:
    """Numbers, times and tells events. `turn` and `branch` are set by the session.

    A listener that writes turns down has those after it hear of a turn's end only when the turn is safe. The session does not
    wait for that: it thinks on, and tells them a little later; but it does before it waits for anything else.
    """

    def __init__(self) -> None:
        self.turn = 0
        self.branch = 0
        self.clock = WorkClock()
        self._count = 0
        self._listeners: list[Listener] = []
        self._ahead = 0
        """How many listeners hear everything at once: up to the last that ever wrote something down."""
        self._late: deque[tuple[Event, tuple[Writing, ...]]] = deque()

    @property
    def moment(self) -> Moment:
        """The turn and branch that events belong to now."""
        return Moment(self.branch, self.turn)

    def subscribe(self, listener: Listener) -> None:
        """Hear every event from now on; called on the session's thread, and must return soon."""
        self._listeners.append(listener)

    def tell(self, what: Payload) -> None:
        """Emit one event."""
        at, worked = self.clock.read()
        event = Event(self._count, at, self.turn, self.branch, what, worked=worked)
        self._count += 1
        heard = [listener(event) for listener in self._listeners[:self._ahead]]
        self._late.append((event, tuple(writing for writing in heard if writing is not None)))
        self.hand_on(wait=False)

    def hand_on(self, *, wait: bool) -> None:
        """Tell the others what is safe by now; with `wait` everything that was told."""
        while self._late:
            event, writings = self._late[0]
            for writing in writings:
                if not writing.done():
                    if not wait:
                        return
                    writing.wait()
            self._late.popleft()
            self._hand_over(event)

    def _hand_over(self, event: Event) -> None:
        """To all that did not hear it at once; the first time one of them writes something down, it moves ahead."""
        for k in range(self._ahead, len(self._listeners)):
            writing = self._listeners[k](event)
            if writing is None:
                continue
            if self._late:  # what is queued was not heard by it yet
                writing.wait()
                continue
            self._ahead = k + 1
            self._late.append((event, (writing,)))
            return
