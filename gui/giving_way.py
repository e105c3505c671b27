"""A search that lets the window finish what it draws.

Each call of the painter lets go of the interpreter, and a busy search takes it: a picture of two hundred strokes then waits two
hundred times. So the session's thread stands still while the window is at work, at its next word to the bridge. The event
dispatcher's own signals do not tell when that is: GLib's is silent about timers and posted events, where all the work is done.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.03
"""Seconds a search stands still for one piece of the window's work, at most."""


class GivingWay:
    """Knows whether the window is at work."""

    def __init__(self) -> None:
        self._idle = threading.Event()
        self._idle.set()
        self._depth = 0
        self._waited = False
        self._over = False

    def stand_still(self) -> None:
        """Called on the session's thread: until the window rests, but no longer than is bearable for one piece of work."""
        if not self._idle.is_set() and not self._waited and not self._over:
            self._waited = not self._idle.wait(PATIENCE)

    def stop(self) -> None:
        """Nobody stands still any more: the window waits for the session's end."""
        self._over = True
        self._idle.set()

    @contextmanager
    def work(self) -> Iterator[None]:
        """A piece of the window's work, on the GUI thread; pieces may lie within each other."""
        self._depth += 1
        if self._depth == 1 and not self._over:
            self._waited = False
            self._idle.clear()
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._idle.set()
