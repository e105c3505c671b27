"""The slots of a server: how many requests are sent to it at once, and which waiting request is next."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from core.common.cancellation import Cancellation
from core.llm.server_errors import cancelled_error

MOST_PASSED = 16
"""How often a request may be overtaken before it is next in any case."""


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request without a slot.

    Attributes:
        prompt: the start of its prompt.
        passed: how many later requests have overtaken it.
    """

    prompt: str
    passed: int = 0


class Slots:
    """A limited number of slots. Thread-safe.

    A free slot is given to the request whose prompt shares the longest prefix with a recent one, so that the server finds the
    prefix in its cache; among equals, to the one that has waited longest.
    """

    def __init__(self, places: int):
        self._free, self._places = places, places
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._sent: list[str] = []
        """The latest prompts, one for each slot: approximately what the server's caches contain."""

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a slot."""
        with self._changed:
            return len(self._waiting)

    @contextlib.contextmanager
    def place(self, prompt: str, cancelled: Cancellation) -> Iterator[None]:
        """Waits for a slot and holds it within the context.

        Args:
            prompt: the start of the request's prompt.
            cancelled: ends the wait.

        Raises:
            ModelError: the request is cancelled and has no slot.
        """
        mine, taken = _Waiting(prompt), False
        with self._changed:
            self._waiting.append(mine)
            try:
                is_next = cancelled.wait_with(self._changed, lambda: self._free > 0 and self._next() is mine)
                taken = is_next and not cancelled.is_set()
            finally:
                self._leave(mine, taken=taken)
        if not taken:
            raise cancelled_error()
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _next(self) -> _Waiting:
        """Returns the request that is next."""
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
    """Returns the length of the common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low
