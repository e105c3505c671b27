"""A clock that separates the session's work from its waiting for a person."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

For = Literal["pause", "failure", "answer", "end"]
"""Why the session waits for a person: a pause, a failure to resolve, a request to answer, or the run has ended."""


class WorkClock:
    """Measures time on the session's thread. Work time stands still while at least one reason to wait for a person holds."""

    def __init__(self) -> None:
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
    """Counts the seconds of work in one part of a turn. Each `with stopwatch:` adds to `total`."""

    def __init__(self, clock: WorkClock):
        self.total = 0.0
        self._clock, self._since = clock, 0.0

    def __enter__(self) -> None:
        self._since = self._clock.worked

    def __exit__(self, *ignored: object) -> None:
        self.total += self._clock.worked - self._since
