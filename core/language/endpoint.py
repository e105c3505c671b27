"""Posting a request to an OpenAI-compatible server: retries with patience, a deadline, and leaving at once when cancelled."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.errors import ModelError, UsageError
from core.language.keys import Secret
from core.language.trouble import Trouble

if TYPE_CHECKING:
    from core.language.line import Line

Stopped = Callable[[], bool]
LOOK = 0.02  # seconds between two looks at whether somebody still waits
IDLE_LINES = 4


def cancelled_error() -> ModelError:
    """What a question that nobody waits for any more ends with."""
    return ModelError("the question was withdrawn", "cancelled", retry=True)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is.

    Raises:
        UsageError: no http address, or one with a password in it.
    """

    base_url: str

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise UsageError("base_url must hold no password, query or fragment; the key comes from BELVEDERE_API_KEY")
        try:
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # the port is no number
            sound = False
        if not sound:
            raise UsageError(f"base_url={self.base_url}: write an address such as http://127.0.0.1:8080/v1")

    @property
    def where(self) -> str:
        """Host and port, for people."""
        return urlsplit(self.base_url).netloc

    @property
    def host(self) -> str:
        """The host's name."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def loopback(self) -> bool:
        """Whether the server runs on this machine."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds.

    Attributes:
        timeout: for one attempt as a whole.
        retries: further attempts after the first.
        backoff: before the second attempt; doubles with each further one.
        longest_wait: no single wait is longer, whatever the server asks for.
    """

    timeout: float = 60.0
    retries: int = 2
    backoff: float = 0.5
    longest_wait: float = 30.0

    def before_retry(self, retry: int, trouble: Trouble) -> float | None:
        """Seconds to wait before the `retry`-th retry (from 1), or None: give up."""
        if not trouble.retry or retry > self.retries:
            return None
        wait = self.backoff * 2 ** (retry - 1) if trouble.after is None else trouble.after
        return None if wait > self.longest_wait and trouble.after is not None else min(wait, self.longest_wait)


class _Call(threading.Thread):
    """One request in a thread of its own, which can be left behind."""

    def __init__(self, take: Callable[[], Line], body: Mapping[str, object]):
        super().__init__(name="language model", daemon=True)
        self._take, self._body = take, body
        self._abandoned = False
        self.done = threading.Event()
        self.line: Line | None = None
        self.result: str | Trouble = Trouble("the request did not run", "refused", retry=False)

    def run(self) -> None:
        """Make the request; the result is valid once `done` is set."""
        try:
            self.line = line = self._take()
            if not self._abandoned:
                self.result = line.post(self._body)
        finally:
            self.done.set()
        if self._abandoned:  # nobody else knows this line any more
            line.close()

    def abandon(self) -> None:
        """Leave the call behind: its connection is cut, so that the server stops and the thread ends."""
        self._abandoned = True
        if self.line is not None:
            self.line.cut()
            if self.done.is_set():  # it ended in this very moment, perhaps without having seen that it was abandoned
                self.line.close()


class Endpoint:
    """A server and its idle connections. Safe to use from several threads at once."""

    def __init__(self, address: Address, secret: Secret, patience: Patience):
        self.address, self._secret, self.patience = address, secret, patience
        self._lock = threading.Lock()
        self._idle: list[Line] = []
        self._closed = threading.Event()

    def __repr__(self) -> str:
        return f"Endpoint({self.address.base_url})"

    def post(self, body: Mapping[str, object], stopped: Stopped) -> object:
        """The answer's JSON.

        Raises:
            ModelError: no answer, also after retries; a `Trouble` tells more about what the server said.
        """
        retry = 0
        while True:
            result = self._once(body, lambda: stopped() or self._closed.is_set())
            if not isinstance(result, Trouble):
                return self._decoded(result)
            retry += 1
            wait = self.patience.before_retry(retry, result)
            if wait is None:
                raise result
            self._pause(wait, stopped)

    def close(self) -> None:
        """Abandon what is under way and close all connections."""
        self._closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            line.close()

    def _once(self, body: Mapping[str, object], stopped: Stopped) -> str | Trouble:
        if stopped():
            raise cancelled_error()
        call = _Call(self._take, body)
        call.start()
        deadline = time.monotonic() + self.patience.timeout
        while not call.done.wait(LOOK):
            late = time.monotonic() > deadline  # the HTTP client's own limit starts anew with every byte
            if late or stopped():
                call.abandon()
                if late:
                    words = f"{self.address.where} did not answer within {self.patience.timeout:g} s"
                    return Trouble(words, "timeout", retry=True)
                raise cancelled_error()
        self._give_back(call.line)
        return call.result

    def _take(self) -> Line:
        from core.language.line import Line  # imports openai: a second, so here, in the call's thread

        with self._lock:
            if self._idle:
                return self._idle.pop()
        address = self.address
        return Line(address.base_url, address.where, self._secret, self.patience.timeout, loopback=address.loopback)

    def _give_back(self, line: Line | None) -> None:
        if line is None:
            return
        with self._lock:
            keep = len(self._idle) < IDLE_LINES and not self._closed.is_set()
            if keep:
                self._idle.append(line)
        if not keep:
            line.close()

    def _pause(self, seconds: float, stopped: Stopped) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if stopped() or self._closed.wait(min(LOOK, left)):
                raise cancelled_error()

    def _decoded(self, text: str) -> object:
        try:
            return json.loads(text, parse_constant=lambda _: -math.inf)
        except (ValueError, RecursionError):
            pass
        raise Trouble(f"{self.address.where} answered something that is not JSON; is base_url right? It often ends in /v1",
                      "refused", retry=False)
