"""Where commands and answers arrive. The one place where other threads meet a session."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass

from core.common.errors import BelvedereError
from core.planning.facets import Frame
from core.planning.model_requests import Reply
from core.session.commands import Command
from core.session.events import Failed, Recovered


@dataclass(frozen=True, slots=True)
class Arrived:
    """An answer to question `ask`, or why there is none. `attempt` tells a late answer from the present one."""

    ask: int
    attempt: int
    reply: Reply | None
    error: BelvedereError | None


@dataclass(frozen=True, slots=True)
class Drawn:
    """One picture that the camera's thread finished, or gave up and why. Without frames there is nothing to tell."""

    frames: tuple[Frame, ...]
    error: BelvedereError | None


@dataclass(frozen=True, slots=True)
class Done:
    """A slow call to the simulator is over, or the search is ready."""


@dataclass(frozen=True, slots=True)
class WhatIfAsked:
    """The operator asked a what-if question."""


Item = Command | Arrived | Drawn | Done | Failed | Recovered | WhatIfAsked


class Inbox:
    """A queue from which a session takes what concerns it.

    Args:
        before: called when nothing is there, with whether that is waited for.
    """

    def __init__(self, before: Callable[[bool], None]) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._before = before

    def put(self, item: Item) -> None:
        """Safe from any thread."""
        self._items.put(item)

    def take(self, timeout: float | None) -> Item | None:
        """The next item; None when none comes in `timeout` seconds (0: at once; None: wait for ever)."""
        waits = timeout != 0
        if self._items.empty():
            self._before(waits)
        try:
            return self._items.get(block=waits, timeout=timeout or None)
        except queue.Empty:
            return None

    def until(self, ready: Callable[[], bool], handle: Callable[[Item], None], deadline: float | None = None) -> bool:
        """Handle what arrives until `ready()`, at most until `deadline` (of `time.monotonic`); whether it got ready."""
        while not ready():
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return False
            item = self.take(left)
            if item is not None:
                handle(item)
        return True
