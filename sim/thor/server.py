"""AI2-THOR's WSGI server, with two things mended: it notices a player that hangs, and it ends with everything it started.

The package waits up to its time limit for a hung player, restarts a dead one behind the caller's back, and leaves a thread and
a port behind at every restart.
"""

from __future__ import annotations

import contextlib
import queue
import time
from typing import Any

from ai2thor.wsgi_server import WsgiServer

from sim.thor.pulse import Pulse

GLANCE = 0.2
"""Seconds between two looks at the player while waiting for it."""
STILL = 2.0
"""Seconds without an answer and without any computing after which a player hangs."""


class PlayerGone(Exception):  # noqa: N818 - the player's fate, told to the one who asked it something
    """The player ended, hangs, or did not answer in time; the message says which."""


class Server(WsgiServer):  # type: ignore[misc]  # the package has no types
    """Speaks to one player.

    Attributes:
        watched: whether its start is over; before, it may stand still, and each answer may take `start_patience` seconds
            (the first scene is loaded from disk).
    """

    def __init__(self, *args: Any, **kwargs: Any):
        self.stopped = False
        super().__init__(*args, **kwargs)
        self.watched, self.start_patience = False, 0.0

    def receive(self, timeout: float | None = None) -> Any:
        """The player's next answer.

        Raises:
            PlayerGone: there will be none.
        """
        patience = timeout or (0.0 if self.watched else self.start_patience) or self.timeout or float("inf")
        deadline = time.monotonic() + patience
        pulse = Pulse(self.unity_proc.pid) if self.unity_proc is not None else None
        while True:
            try:
                return self.request_queue.get(timeout=GLANCE)
            except queue.Empty:
                self._check(pulse, deadline, patience)

    def _check(self, pulse: Pulse | None, deadline: float, patience: float) -> None:
        ended = None if self.unity_proc is None else self.unity_proc.poll()
        if ended is not None:
            raise PlayerGone(f"the player ended with {f'signal {-ended}' if ended < 0 else f'code {ended}'}")
        if self.watched and pulse is not None and pulse.still_for() > STILL:
            raise PlayerGone(f"the player hangs: no answer and no computing for {STILL:g} s")
        if time.monotonic() > deadline:
            raise PlayerGone(f"the player has not answered for {patience:g} s")

    def send(self, action: Any) -> None:
        """Hand the player its next action.

        Raises:
            PlayerGone: it was ended before.
        """
        if self.stopped:
            raise PlayerGone("the player was ended")
        super().send(action)

    def stop(self) -> None:
        """End the player, the serving thread and the port. May be called twice."""
        if self.stopped:
            return
        self.stopped = True
        if self.unity_proc is not None:
            self.unity_proc.kill()
            self.unity_proc.wait()
        with contextlib.suppress(queue.Full):  # then our last action still waits there, and does as well
            self.response_queue.put_nowait({})  # wakes the handler that waits for our next action
        if self.started:
            self.wsgi_server.shutdown()
            self.server_thread.join(timeout=5.0)
        self.wsgi_server.server_close()
