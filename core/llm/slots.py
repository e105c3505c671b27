"""Places at a server: how many requests are under way at once, and which of those that wait goes next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MOST_PASSED = 16
"""How often a request is passed over by others before it goes next, even if they share more."""


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request without a place.

    Attributes:
        prompt: what it begins with.
        passed: how many went before it though they came later.
    """

    prompt: str
    passed: int = 0


class Slots:
    """A bounded number of places. Safe to use from several threads.

    A place that becomes free goes to the request whose prompt shares the longest beginning with one that was sent last, so that
    the server finds that beginning in its cache; among equals, to the one that waits longest.
    """

    def __init__(self, places: int):
        self._free, self._places = places, places
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._sent: list[str] = []
        """The prompts sent last, one a place: about what the server's caches hold."""

    @property
    def waiting(self) -> int:
        """How many requests wait for a place."""
        with self._changed:
            return len(self._waiting)

    @contextmanager
    def place(self, prompt: str, stopped: Callable[[], bool], look: float) -> Iterator[bool]:
        """Wait for a place and keep it for the block; False: it is not wanted any more, and there is none.

        Args:
            prompt: what the request begins with.
            stopped: whether the answer is no longer wanted.
            look: seconds between two looks at that.
        """
        mine = _Waiting(prompt)
        with self._changed:
            self._waiting.append(mine)
            while not (self._free > 0 and self._next() is mine) and not stopped():
                self._changed.wait(look)
            taken = not stopped()
            self._leave(mine, taken=taken)
        try:
            yield taken
        finally:
            if taken:
                with self._changed:
                    self._free += 1
                    self._changed.notify_all()

    def _next(self) -> _Waiting:
        """The request that goes next."""
        late = [w for w in self._waiting if w.passed >= MOST_PASSED]
        if late or len(self._waiting) == 1:
            return (late or self._waiting)[0]
        return max(self._waiting, key=lambda w: max((_shared(w.prompt, s) for s in self._sent), default=0))

    def _leave(self, mine: _Waiting, *, taken: bool) -> None:
        at = self._waiting.index(mine)
        self._waiting.remove(mine)
        if taken:
            self._free -= 1
            for other in self._waiting[:at]:
                other.passed += 1
            self._sent = [*self._sent, mine.prompt][-self._places:]
        self._changed.notify_all()


def _shared(one: str, other: str) -> int:
    """How many characters two texts have in common from the beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
