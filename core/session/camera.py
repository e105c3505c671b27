"""Pictures for the operator, drawn on a thread of their own so that neither search nor command waits for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from core.commands import Look
from core.errors import BelvedereError, RendererError
from core.facets import Frame
from core.session.inbox import Drawn, Inbox
from core.simulator import Simulator
from core.world import Observation, Outcome


class Camera:
    """Draws the newest moment; a moment that comes while one is being drawn waits, and replaces an older one that waits."""

    def __init__(self, inbox: Inbox):
        self._inbox = inbox
        self._look = Look(())
        self._lock = threading.Condition()
        self._next: tuple[Callable[[], Frame], ...] | None = None
        self._thread: threading.Thread | None = None
        self._over = False

    def look(self, look: Look) -> None:
        """Which views to show from now on."""
        self._look = look

    def aim(self, simulator: Simulator) -> None:
        """Take this moment down for drawing."""
        look = self._look
        if not look.views:
            return
        shots = tuple(simulator.shot(view, look.width, look.height) for view in look.views)
        with self._lock:
            self._next = shots
            self._lock.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="camera", daemon=True)
            self._thread.start()

    def trace(self, simulator: Simulator, before: Observation, outcome: Outcome) -> Outcome:
        """With the way the robot went, where somebody looks and it is known."""
        start, end = before.agent.pose, outcome.observation.agent.pose
        if not self._look.views or start is None or end is None or start[:2] == end[:2]:
            return outcome
        return replace(outcome, way=simulator.way(start, end))

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._next is not None or self._over)
                if self._over:
                    return
                shots, self._next = self._next or (), None
            self._inbox.put(self._draw(shots))

    @staticmethod
    def _draw(shots: tuple[Callable[[], Frame], ...]) -> Drawn:
        try:
            return Drawn(tuple(shot() for shot in shots), None)
        except BelvedereError as error:
            return Drawn((), error)
        except Exception as error:  # noqa: BLE001 - an adapter's bug must reach the operator, not end a thread unseen
            return Drawn((), RendererError(f"the camera broke: {type(error).__name__}: {error}"))

    def close(self) -> None:
        """End the thread; what it draws at this moment is still finished."""
        with self._lock:
            self._over = True
            self._lock.notify()
        if self._thread is not None:
            self._thread.join(timeout=5.0)
