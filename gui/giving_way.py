"""A search that lets the window finish what it draws.

Each call of the painter lets go of the interpreter, and a busy search takes it: a picture of two hundred strokes then waits two
hundred times. So the session's thread stands still while the window is at work, at its next word to the bridge.
"""

from __future__ import annotations

import threading

from PySide6.QtCore import QAbstractEventDispatcher, QObject

PATIENCE = 0.03
"""Seconds a search stands still for one piece of the window's work, at most."""


class GivingWay(QObject):
    """Knows whether the event loop of the thread it was made on is at work."""

    def __init__(self) -> None:
        super().__init__()
        self._idle = threading.Event()
        self._idle.set()
        self._waited = False
        self._over = False
        dispatcher = QAbstractEventDispatcher.instance()
        if dispatcher is not None:
            dispatcher.awake.connect(self._work)
            dispatcher.aboutToBlock.connect(self._rest)

    def stand_still(self) -> None:
        """Called on the session's thread: until the window rests, but no longer than is bearable for one piece of work."""
        if not self._idle.is_set() and not self._waited and not self._over:
            self._waited = not self._idle.wait(PATIENCE)

    def stop(self) -> None:
        """Nobody stands still any more: the window waits for the session's end."""
        self._over = True
        self._idle.set()

    def _work(self) -> None:
        if self._idle.is_set() and not self._over:
            self._waited = False
            self._idle.clear()

    def _rest(self) -> None:
        self._idle.set()
