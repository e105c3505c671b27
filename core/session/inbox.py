"""The inbox of a session: commands, replies and pictures arrive here. All other threads reach the session through it."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.common.errors import BelvedereError
from core.planning.facets import Frame
from core.planning.model_requests import ModelReply, ModelRequest
from core.session.commands import Command
from core.session.events import Failed, Recovered


@dataclass(frozen=True, slots=True)
class Arrived:
    """A reply to request `ask`, or the error in its place. `attempt` distinguishes late replies from the present one."""

    ask: int
    attempt: int
    reply: ModelReply | None
    error: BelvedereError | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture that the camera's thread finished, or the error in its place. Without frames nothing is emitted."""

    frames: tuple[Frame, ...]
    error: BelvedereError | None


@dataclass(frozen=True, slots=True)
class Done:
    """A slow call to the simulator is over."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Model requests that were answered outside the session, such as those that read a goal."""

    calls: tuple[tuple[ModelRequest, ModelReply], ...]


@dataclass(frozen=True, slots=True)
class WhatIfAsked:
    """The operator asked a what-if question."""


Item = Command | Arrived | Drawn | Done | Failed | Recovered | Noted | WhatIfAsked


class Inbox:
    """A queue of items for the session's thread.

    Args:
        before: called when the queue is empty; its argument says whether the session is about to wait.
    """

    def __init__(self, before: Callable[[bool], None]) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._before = before
        self._lock = threading.RLock()  # a signal's run may post a command while its thread is in `put` or `take`
        self._commands = 0
        self._waits = False

    def put(self, item: Item) -> None:
        """Appends an item. Safe from any thread."""
        with self._lock:
            self._waits = False
            self._commands += isinstance(item, Command)
            self._items.put(item)

    @property
    def has_commands(self) -> bool:
        """Whether commands wait among the items. Safe from any thread."""
        return self._commands > 0

    @property
    def is_waiting(self) -> bool:
        """True if everything that arrived was handled, and the session's thread waits without limit for more. Any thread."""
        return self._waits

    def take(self, timeout: float | None) -> Item | None:
        """Returns the next item; None if none arrives within `timeout` seconds (0: do not wait; None: wait without limit)."""
        waits = timeout != 0
        if self._items.empty():
            self._before(waits)
        if timeout is None:
            with self._lock:  # an item that is put from now on ends this
                self._waits = self._items.empty()
        try:
            item = self._items.get(block=waits, timeout=timeout or None)
        except queue.Empty:
            return None
        with self._lock:
            self._commands -= isinstance(item, Command)
        return item

    def until(self, ready: Callable[[], bool], handle: Callable[[Item], None], deadline: float | None = None) -> bool:
        """Handles items until `ready()` is True, at most until `deadline` (of `time.monotonic`).

        Returns whether it became ready.
        """
        while not ready():
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            item = self.take(left)
            if item is not None:
                handle(item)
        return True
