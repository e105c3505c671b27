"""Replies that are still being written: reported by reply threads, shown by panels, and never recorded."""

from __future__ import annotations

import threading

from core.llm.waiter import Hear, Partial


class PartialReplies:
    """The newest partial reply of each waiting model request. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hearers: dict[int, Hear] = {}
        self._found: dict[int, Partial] = {}

    def hearer(self, number: int) -> Hear:
        """Returns a callback that receives the partial replies of a request. It replaces the request's previous callback."""
        def hear(partial: Partial) -> None:
            with self._lock:
                if self._hearers.get(number) is hear:  # otherwise it is answered, or was sent again
                    self._found[number] = partial

        with self._lock:
            self._hearers[number] = hear
            self._found.pop(number, None)
        return hear

    def end(self, number: int) -> None:
        """Forgets the partial reply of a request that is answered, failed or withdrawn."""
        with self._lock:
            self._hearers.pop(number, None)
            self._found.pop(number, None)

    def of(self, number: int) -> Partial | None:
        """Returns the partial reply of a request; None if nothing has arrived or the request is not waiting."""
        with self._lock:
            return self._found.get(number)
