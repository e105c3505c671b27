"""AI2-THOR's controller and its WSGI server, with fixes. The server ends with the controller in every case.

The server notices a player that hangs, and it ends everything it started. The package waits up to its time limit for a hung
player, restarts a dead one without telling the caller, and leaves a thread and a port behind at every restart.
"""

from __future__ import annotations

import contextlib
import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ai2thor.build import ExternalBuild
from ai2thor.controller import Controller
from ai2thor.platform import STR_PLATFORM_MAP, CloudRendering
from ai2thor.wsgi_server import WsgiServer

PROCESSES = Path("/proc")
STATE, USER_TIME, SYSTEM_TIME = 0, 11, 12
"""Columns of `/proc/PID/stat` after the name."""
WAITING_FOR_DISK = "D"
GLANCE = 0.2
"""Seconds between two checks of the player while waiting for it."""
STILL = 2.0
"""Seconds without an answer and without computing after which a player counts as hung."""


class Pulse:
    """Measures how long a process and its children have used no processor while a caller waits for them.

    Only Linux provides this. Elsewhere a process always counts as busy, and only the time limit of the call ends the wait.
    """

    def __init__(self, pid: int):
        self._pid = pid
        self._time, self._since = -1, time.monotonic()

    def still_for(self) -> float:
        """Returns the seconds without a sign of life."""
        now = time.monotonic()
        spent = self._spent()
        if spent is None or spent != self._time:
            self._time, self._since = -1 if spent is None else spent, now
        return now - self._since

    def _spent(self) -> int | None:
        """Returns the processor ticks of the process and its children; None if one waits for the disk or nothing is known."""
        total = 0
        for fields in self._stats(self._pid):
            if fields[STATE] == WAITING_FOR_DISK:
                return None
            total += int(fields[USER_TIME]) + int(fields[SYSTEM_TIME])
        return total or None

    def _stats(self, pid: int) -> Iterator[list[str]]:
        try:
            stat = (PROCESSES / str(pid) / "stat").read_text()
            children = (PROCESSES / str(pid) / "task" / str(pid) / "children").read_text()
        except OSError:
            return  # it has just ended, or this is not Linux
        yield stat.rpartition(")")[2].split()
        for child in children.split():
            yield from self._stats(int(child))


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


class SteadyController(Controller):  # type: ignore[misc]  # the package has no types
    """The package's controller, which uses our server and ends it if a start fails.

    It also follows the package's documentation on `platform` and `gpu_device`. The package itself treats every custom player as
    one that needs an X display, and queries Vulkan about the cards of $CUDA_VISIBLE_DEVICES even if nothing uses them.
    """

    server: Any

    def __init__(self, platform: str | None = None, **settings: Any):
        self._cloud = platform == CloudRendering.__name__
        try:
            super().__init__(**settings, platform=platform and STR_PLATFORM_MAP[platform], server_class=Server)
        except BaseException:
            server = vars(self).get("server")
            if server is not None:
                server.stop()
            raise

    def _build_server(self, host: str, port: int, width: int, height: int) -> None:
        if self._cloud and isinstance(self._build, ExternalBuild):
            self._build.platform = CloudRendering
        if self._build.platform is not CloudRendering:
            self.gpu_device = None
        if self.server is None:
            self.server = Server(host, timeout=self.server_timeout, port=port, width=width, height=height,
                                 depth_format=self.depth_format, add_depth_noise=self.add_depth_noise)
            self.server.start_patience = self.server_start_timeout
