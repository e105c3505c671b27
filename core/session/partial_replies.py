"""Replies that are still being written: told by reply threads, shown by panels, and never recorded."""

from __future__ import annotations

import threading

from core.llm.waiter import Hear, Partial


class PartialReplies:
    """The newest partial reply of each waiting question. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hearers: dict[int, Hear] = {}
        self._found: dict[int, Partial] = {}

    def hearer(self, number: int) -> Hear:
        """Hears of a question's reply from now on, in place of the one that was given before for the same question."""
        def hear(partial: Partial) -> None:
            with self._lock:
                if self._hearers.get(number) is hear:  # else it is answered, or was asked again
                    self._found[number] = partial

        with self._lock:
            self._hearers[number] = hear
            self._found.pop(number, None)
        return hear

    def end(self, number: int) -> None:
        """The question is answered, failed, or not asked any more: what came of its reply so far is forgotten."""
        with self._lock:
            self._hearers.pop(number, None)
            self._found.pop(number, None)

    def of(self, number: int) -> Partial | None:
        """What came of a question's reply so far; None: nothing, or it is not waiting."""
        with self._lock:
            return self._found.get(number)
