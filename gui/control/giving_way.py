"""A session that lets the window finish what it draws.

The search holds no interpreter lock, but the rest of a turn does: pictures, recording, acting. Each call of the painter lets go
of the lock, so a picture of two hundred strokes may wait two hundred times. The session's thread therefore stands still at its
next event while the window is at work.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.03
"""Seconds the session stands still at one event, at most."""


class GivingWay:
    """Knows whether the window is at work."""

    def __init__(self) -> None:
        self._idle = threading.Event()
        self._idle.set()
        self._depth = 0
        self._over = False

    def stand_still(self) -> None:
        """Wait until the window rests, for `PATIENCE` at most; called on the session's thread."""
        self._idle.wait(PATIENCE)

    def stop(self) -> None:
        """Let nobody stand still any more: the window waits for the session's end."""
        self._over = True
        self._idle.set()

    @contextmanager
    def work(self) -> Iterator[None]:
        """A piece of the window's work, on the GUI thread; pieces may lie within each other."""
        self._depth += 1
        if not self._over:
            self._idle.clear()
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._idle.set()
