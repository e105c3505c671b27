"""Makes the session's thread wait while the window draws.

The search does not hold the interpreter lock, but the rest of a turn does: pictures, recording, acting. Each painter call
releases the lock, so a picture of two hundred strokes may wait two hundred times. Therefore the session's thread waits at its
next event while the GUI thread is busy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.03
"""Longest time that the session waits at one event, in seconds."""


class GuiActivity:
    """Knows whether the GUI thread is busy."""

    def __init__(self) -> None:
        self._idle = threading.Event()
        self._idle.set()
        self._depth = 0
        self._over = False

    def wait_until_idle(self) -> None:
        """Waits until the GUI thread is idle, at most `PATIENCE` seconds; called on the session's thread."""
        self._idle.wait(PATIENCE)

    def stop(self) -> None:
        """Lets all later waits return at once: from now on the window waits for the session to end."""
        self._over = True
        self._idle.set()

    @contextmanager
    def work(self) -> Iterator[None]:
        """Marks the GUI thread as busy within the block. Blocks may be nested."""
        self._depth += 1
        if not self._over:
            self._idle.clear()
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._idle.set()
