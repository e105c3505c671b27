"""The event bus of a session and its clock: numbers and times events and emits them to every listener, in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, Protocol, cast

from core.planning.facets import Moment
from core.session.events import Event, Payload
from core.session.snapshot import NO_FACETS, Facets, Snapshot, fold

For = Literal["pause", "failure", "answer", "end", "compiling"]
"""Why time is no work: the session waits for a person (in a pause, for a failure to be resolved, for an answer, after the end),
or the planner's search is interpreted, about a hundred times slower, until it is compiled."""


class EventBus:
    """Numbers, times and emits events, and folds them into snapshots. The session sets `turn` and `branch`.

    Listeners registered after the recorder receive the end of a turn only after the turn is on disk. The session does not wait
    for this and continues with its own work; those listeners receive the event a little later. The session does wait for it
    before it waits for anything else.

    Args:
        begin: makes the snapshot before the first event; by default an empty one.
        folds: make snapshots. Without them there can be no followers.
    """

    def __init__(self, begin: Callable[[], Snapshot] | None = None, *, folds: bool = True) -> None:
        self.turn = 0
        self.branch = 0
        self.clock = WorkClock()
        self._count = 0
        self._now = (begin or Snapshot)() if folds else None
        self._listeners: list[_Receiver] = []
        self._direct = 0
        """Number of listeners that receive every event at once: up to the last one that ever returned a `Writing`."""
        self.emitted: Follower = lambda event, now: None
        """Called after each event was passed on if snapshots are made; it may emit further events."""
        self._queue: deque[tuple[Event, Snapshot | None, tuple[Writing, ...]]] = deque()

    @property
    def moment(self) -> Moment:
        """The turn and branch that events belong to now."""
        return Moment(self.branch, self.turn)

    @property
    def known(self) -> Facets:
        """The newest facet of each kind, and the moment in which it was shown; without snapshots none."""
        return NO_FACETS if self._now is None else self._now.facets

    def subscribe(self, listener: Listener) -> None:
        """Passes every event from now on to `listener`, on the session's thread. The listener must return soon."""
        self._listeners.append(lambda event, now: listener(event))

    def follow(self, follower: Follower) -> None:
        """Passes every event from now on with the snapshot after it, on the session's thread. The follower must return soon."""
        assert self._now is not None, "the bus makes snapshots"
        self._listeners.append(cast("_Receiver", follower))

    def emit(self, what: Payload) -> None:
        """Emits one event."""
        at, worked = self.clock.read()
        event = Event(self._count, at, self.turn, self.branch, what, worked=worked)
        self._count += 1
        now = self._now = None if self._now is None else fold(self._now, event)
        returned = [listener(event, now) for listener in self._listeners[:self._direct]]
        self._queue.append((event, now, tuple(writing for writing in returned if writing is not None)))
        self.deliver(wait=False)
        if now is not None:
            self.emitted(event, now)

    def deliver(self, *, wait: bool) -> None:
        """Delivers queued events to the later listeners: those that are on disk, or with `wait` all of them."""
        while self._queue:
            event, now, writings = self._queue[0]
            for writing in writings:
                if not writing.done():
                    if not wait:
                        return
                    writing.wait()
            self._queue.popleft()
            self._deliver_later(event, now)

    def _deliver_later(self, event: Event, now: Snapshot | None) -> None:
        """Delivers an event to the later listeners. A listener that returns a `Writing` for the first time moves ahead."""
        for k in range(self._direct, len(self._listeners)):
            writing = self._listeners[k](event, now)
            if writing is None:
                continue
            if self._queue:  # it has not received the queued events yet
                writing.wait()
                continue
            self._direct = k + 1
            self._queue.append((event, now, (writing,)))
            return


class WorkClock:
    """Measures time on the session's thread. Work time stands still while at least one reason holds why time is no work.

    Attributes:
        is_compiling: returns True while the planner's search is being compiled; None: it is compiled, or there is none.
        compiled: seconds in which a planner computed meanwhile.
    """

    def __init__(self) -> None:
        self.is_compiling: Callable[[], bool] | None = None
        self.compiled = 0.0
        self._began = time.monotonic()
        self._rested = 0.0
        self._since = 0.0
        self._reasons: set[For] = set()
        self._stopped: tuple[float, float] | None = None

    def stop(self) -> None:
        """Stops the clock at the end of the run, so that pictures drawn afterwards carry the time of its end."""
        self._stopped = self.read()

    def read(self) -> tuple[float, float]:
        """Returns the seconds since the session began, and how many of them were work."""
        if self._stopped is not None:
            return self._stopped
        now = time.monotonic()
        resting = now - self._since if self._reasons else 0.0
        return now - self._began, max(0.0, now - self._began - self._rested - resting)

    @property
    def worked(self) -> float:
        """Seconds of work so far."""
        return self.read()[1]

    def hold(self, reason: For, on: bool) -> None:
        """Begins (`on`) or ends waiting for a person, for one reason. Repeating a call changes nothing."""
        before = bool(self._reasons)
        (self._reasons.add if on else self._reasons.discard)(reason)
        now = time.monotonic()
        if self._reasons and not before:
            self._since = now
        elif before and not self._reasons:
            self._rested += now - self._since

    @contextmanager
    def resting(self, reason: For) -> Iterator[None]:
        """Context in which the session waits for a person."""
        self.hold(reason, True)
        try:
            yield
        finally:
            self.hold(reason, False)


class Stopwatch:
    """Counts the seconds of work in one part of a turn. Each `with stopwatch:` adds to `total`.

    Args:
        clock: the clock of the session.
        thinks: a planner thinks meanwhile, which is no work while its search is being compiled.
    """

    def __init__(self, clock: WorkClock, *, thinks: bool = False):
        self.total = 0.0
        self._clock, self._since, self._thinks = clock, 0.0, thinks
        self._compiles_since: float | None = None

    def __enter__(self) -> None:
        clock = self._clock
        if self._thinks and clock.is_compiling is not None and clock.is_compiling():
            self._compiles_since = clock.read()[0]
            clock.hold("compiling", True)
        self._since = clock.worked

    def __exit__(self, *ignored: object) -> None:
        clock = self._clock
        self.total += clock.worked - self._since
        if self._compiles_since is not None:
            clock.hold("compiling", False)
            clock.compiled += clock.read()[0] - self._compiles_since
            self._compiles_since = None


class Writing(Protocol):
    """A turn that is being written to disk."""

    def done(self) -> bool:
        """Returns True if it is on disk, or if the writer has stopped waiting for it."""

    def wait(self) -> None:
        """Blocks until it is done."""


Listener = Callable[[Event], Writing | None]
"""Receives an event. Listeners that subscribed later receive the event only once the returned `Writing` is done."""
Follower = Callable[[Event, Snapshot], Writing | None]
"""Receives an event and the snapshot after it, and may return the same."""
_Receiver = Callable[[Event, Snapshot | None], Writing | None]
"""Receives an event and the snapshot after it; None if the bus makes no snapshots."""
