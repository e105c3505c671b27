"""Starts the executable if the user names it instead of starting it."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path

from core.common.errors import SimulatorError, UsageError
from sim.virtualhome.unity.player_client import Link

PATIENCE = 60.0
"""Seconds until it must answer."""
PAUSE = 0.25
"""Seconds between two attempts."""
GRACE = 5.0
"""Seconds it has to end by itself."""


class Player:
    """A VirtualHome process of our own on a free port.

    Args:
        executable: the file, such as linux_exec.v2.3.0.x86_64.
        timeout: seconds an answer may take later on.
        patience: seconds until it must answer for the first time.

    Raises:
        UsageError: there is no such program.
        SimulatorError: it does not start, or does not answer.
    """

    def __init__(self, executable: str, timeout: float, patience: float = PATIENCE):
        path = Path(executable).expanduser()
        if not path.is_file() or not os.access(path, os.X_OK):
            raise UsageError(f"executable={executable}: no program there; give the path of VirtualHome's executable, and let "
                             "it be run (chmod +x)")
        port = free_port()
        command = [str(path), "-batchmode", f"-http-port={port}", "-logFile", os.devnull]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL)
        except OSError as error:
            raise SimulatorError(f"{path} does not start ({error.strerror}): is it made for this system?") from error
        self.link = Link(f"http://127.0.0.1:{port}", timeout)
        try:
            self._wait(path.name, time.monotonic() + patience, patience)
        except BaseException:
            self.close()
            raise

    def _wait(self, name: str, until: float, patience: float) -> None:
        while time.monotonic() < until:
            code = self._process.poll()
            if code is not None:
                raise SimulatorError(f"{name} ended at once with code {code}: start it in a terminal to see why")
            if self._answers():
                return
            time.sleep(PAUSE)
        raise SimulatorError(f"{name} has not answered for {patience:g} s: start it in a terminal to see why")

    def _answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(PAUSE)
            host, port = self.link.url.removeprefix("http://").split(":")
            if probe.connect_ex((host, int(port))) != 0:
                return False
        return self.link.ask("idle").success

    def close(self) -> None:
        """Ends the process. May be called twice."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def free_port() -> int:
    """Returns a port on which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
