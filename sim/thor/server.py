"""AI2-THOR's WSGI server with two fixes: it notices a player that hangs, and it ends everything it started.

The package waits up to its time limit for a hung player, restarts a dead one without telling the caller, and leaves a thread
and a port behind at every restart.
"""

from __future__ import annotations

import contextlib
import queue
import time
from typing import Any

from ai2thor.wsgi_server import WsgiServer

from sim.thor.pulse import Pulse

GLANCE = 0.2
"""Seconds between two checks of the player while waiting for it."""
STILL = 2.0
"""Seconds without an answer and without computing after which a player counts as hung."""


class PlayerGone(Exception):  # noqa: N818 - names what happened to the player
    """The player ended, hangs, or did not answer in time. The message says which."""


class Server(WsgiServer):  # type: ignore[misc]  # the package has no types
    """Serves one player.

    Attributes:
        watched: True after the start. Before that the player may stand still, and each answer may take `start_patience` seconds
            (the first scene is loaded from disk).
        stopped: True after `stop`.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        self.stopped = False
        super().__init__(*args, **kwargs)
        self.watched, self.start_patience = False, 0.0

    def receive(self, timeout: float | None = None) -> Any:
        """Returns the player's next answer.

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
        """Sends the player its next action.

        Raises:
            PlayerGone: it was ended before.
        """
        if self.stopped:
            raise PlayerGone("the player was ended")
        super().send(action)

    def stop(self) -> None:
        """Ends the player, the serving thread and the port. May be called twice."""
        if self.stopped:
            return
        self.stopped = True
        if self.unity_proc is not None:
            self.unity_proc.kill()
            self.unity_proc.wait()
        with contextlib.suppress(queue.Full):  # then our last action still waits there and has the same effect
            self.response_queue.put_nowait({})  # wakes the handler that waits for our next action
        if self.started:
            self.wsgi_server.shutdown()
            self.server_thread.join(timeout=5.0)
        self.wsgi_server.server_close()
