"""A running VirtualHome: its settings, requests to it, and starting the executable if the user names it.

Each request is one POST of JSON. The answer has `success`, `message` (often JSON itself), `value` and `message_list`
(pictures).
"""

from __future__ import annotations

import base64
import binascii
import http.client
import json
import math
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from core.common.errors import SimulatorError, UsageError
from core.common.user_folders import expanded
from core.common.visible import path_of

LOOPBACK = ("127.0.0.1", "localhost", "::1")
TIMEOUT = 30.0
"""Seconds an answer may take by default."""
LARGEST = 256 * 2**20
"""Largest answer that is read, bytes."""
DEFAULT = "http://127.0.0.1:8080"
CHARACTER = "Chars/Female2"
NAMES = ("url", "executable", "character", "timeout", "graph")


@dataclass(frozen=True, slots=True)
class Settings:
    """Where Unity is, and how it is set up.

    Attributes:
        url: of one that runs already.
        executable: the program to start instead. It ends with the simulator.
        character: resource of the character, such as `Chars/Female2`.
        timeout: seconds an answer may take.
        graph: a graph file the apartment is changed into (`expand_scene`).
    """

    url: str = DEFAULT
    executable: str = ""
    character: str = CHARACTER
    timeout: float = TIMEOUT
    graph: str = ""

    @classmethod
    def read(cls, options: Mapping[str, str]) -> Self:
        """Reads the settings from text.

        Raises:
            UsageError: an unknown setting, or a value that makes no sense.
        """
        for option in options:
            if option not in NAMES:
                raise UsageError(f"unknown world option '{option}': virtualhome-unity has {', '.join(NAMES)}")
        if "url" in options and "executable" in options:
            raise UsageError("url and executable exclude each other: name the running VirtualHome, or the one to start")
        graph = options.get("graph", "")
        if graph and not path_of(graph).is_file():
            raise UsageError(f"no such graph file: {graph}")
        return cls(options.get("url", DEFAULT), options.get("executable", ""), options.get("character", CHARACTER),
                   _seconds(options.get("timeout", str(TIMEOUT))), graph)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < math.inf:
        raise UsageError(f"timeout={text}: give seconds, such as {TIMEOUT:g}")
    return value


@dataclass(frozen=True, slots=True)
class Answer:
    """Unity's answer to one request.

    Attributes:
        action: what was asked.
        success: whether Unity did it.
        message: text, often JSON.
        value: a value, where the action has one.
        images: encoded pictures.
    """

    action: str
    success: bool
    message: str
    value: Any
    images: tuple[bytes, ...]


class Link:
    """One running VirtualHome. Requests from several threads wait for each other, because Unity does one thing at a time.

    Args:
        url: such as http://127.0.0.1:8080.
        timeout: seconds an answer may take.

    Raises:
        UsageError: the address is no HTTP address.
    """

    def __init__(self, url: str, timeout: float = TIMEOUT):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"url={url}: give an address such as http://127.0.0.1:8080")
        self.url, self.timeout = url, timeout
        handlers = [urllib.request.ProxyHandler({})] if parts.hostname in LOOPBACK else []
        self._opener = urllib.request.build_opener(*handlers)
        self._lock = threading.Lock()

    def ask(self, action: str, ints: Sequence[int] = (), strings: Sequence[str] = ()) -> Answer:
        """Sends one request and returns the answer, whether Unity succeeded or not.

        Raises:
            SimulatorError: there is no answer, none in time, or it makes no sense.
        """
        question: dict[str, Any] = {"id": str(time.time()), "action": action}
        question |= {"intParams": list(ints)} if ints else {}
        question |= {"stringParams": list(strings)} if strings else {}
        with self._lock:
            return _read(action, self._post(action, json.dumps(question).encode()), self.url)

    def demand(self, action: str, ints: Sequence[int] = (), strings: Sequence[str] = ()) -> Answer:
        """Sends a request that must succeed.

        Raises:
            SimulatorError: as `ask`, or Unity refused.
        """
        answer = self.ask(action, ints, strings)
        if not answer.success:
            why = answer.message[:120] or "without a reason"
            raise SimulatorError(f"VirtualHome refused '{action}' ({why}): start it again, or choose another scene")
        return answer

    def _post(self, action: str, body: bytes) -> bytes:
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                data: bytes = response.read(LARGEST)
                if response.length:
                    raise http.client.IncompleteRead(data, response.length)
                return data
        except urllib.error.HTTPError as error:
            with error:
                raise SimulatorError(f"VirtualHome at {self.url} answered HTTP {error.code} to '{action}': look into its log, "
                                     "or start it again") from error
        except (OSError, http.client.HTTPException) as error:
            raise SimulatorError(self._silence(action, error)) from error

    def _silence(self, action: str, error: Exception) -> str:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, TimeoutError):
            return f"VirtualHome at {self.url} has not answered '{action}' for {self.timeout:g} s: it hangs; start it again"
        if isinstance(cause, ConnectionRefusedError):
            return f"no VirtualHome at {self.url}: start its executable, or give --world url=… or --world executable=…"
        words = str(cause) or type(cause).__name__
        return f"VirtualHome at {self.url} broke off in the middle of '{action}' ({words}): start it again"


def _read(action: str, data: bytes, url: str) -> Answer:
    try:
        value = json.loads(data)
        images = tuple(base64.b64decode(text, validate=True) for text in value.get("message_list") or ())
        return Answer(action, bool(value["success"]), str(value.get("message") or ""), value.get("value"), images)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise SimulatorError(f"{url} answered nonsense to '{action}' ({type(error).__name__}): is VirtualHome running there, "
                             "or another program?") from error


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
        path = expanded(executable)
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
