"""The slots of a server: how many requests run at once, and which waiting request is next.

Sends requests to an OpenAI-compatible server with retries and a deadline, and aborts immediately when cancelled.
"""

from __future__ import annotations

import ipaddress
import json
import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.common.errors import ModelError, UsageError
from core.llm.completions import EventStream
from core.llm.keys import Secret
from core.llm.model import Hear
from core.llm.server_errors import Trouble, of_status, shortened

if TYPE_CHECKING:
    from core.llm.connection import Line


MOST_PASSED = 16
"""How often a request may be overtaken before it is next in any case."""


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request without a slot.

    Attributes:
        prompt: the start of its prompt.
        passed: how many later requests have overtaken it.
    """

    prompt: str
    passed: int = 0


class Slots:
    """A limited number of slots. Thread-safe.

    A free slot is given to the request whose prompt shares the longest prefix with a recent one, so that the server finds the
    prefix in its cache; among equals, to the one that has waited longest.
    """

    def __init__(self, places: int):
        self._free, self._places = places, places
        self._changed = threading.Condition()
        self._waiting: list[_Waiting] = []
        self._sent: list[str] = []
        """The latest prompts, one for each slot: approximately what the server's caches contain."""

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a slot."""
        with self._changed:
            return len(self._waiting)

    @contextmanager
    def place(self, prompt: str, stopped: Callable[[], bool], look: float) -> Iterator[bool]:
        """Waits for a slot and holds it within the context. Yields False if the request is no longer wanted and has no slot.

        Args:
            prompt: the start of the request's prompt.
            stopped: returns True if the reply is no longer wanted.
            look: seconds between two checks of that.
        """
        mine = _Waiting(prompt)
        with self._changed:
            self._waiting.append(mine)
            while not (self._free > 0 and self._next() is mine) and not stopped():
                self._changed.wait(look)
            taken = not stopped()
            self._leave(mine, taken=taken)
        try:
            yield taken
        finally:
            if taken:
                with self._changed:
                    self._free += 1
                    self._changed.notify_all()

    def _next(self) -> _Waiting:
        """Returns the request that is next."""
        late = [w for w in self._waiting if w.passed >= MOST_PASSED]
        if late or len(self._waiting) == 1:
            return (late or self._waiting)[0]
        return max(self._waiting, key=lambda w: max((_shared(w.prompt, s) for s in self._sent), default=0))

    def _leave(self, mine: _Waiting, *, taken: bool) -> None:
        at = self._waiting.index(mine)
        self._waiting.remove(mine)
        if taken:
            self._free -= 1
            for other in self._waiting[:at]:
                other.passed += 1
            self._sent = [*self._sent, mine.prompt][-self._places:]
        self._changed.notify_all()


def _shared(one: str, other: str) -> int:
    """Returns the length of the common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


Stopped = Callable[[], bool]
LOOK = 0.02  # seconds between two checks whether the reply is still wanted
IDLE_LINES = 4
HOST_AND_PORT = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\[\]:]+)(:[0-9]+)?")
LONGEST_URL = 2000  # characters
MOST_DIGITS = 18
"""The maximum number of digits of an integer in a reply; longer ones are errors and are read as infinite."""
MORE_ATTEMPTS = 3
"""The number of additional timeouts a request may take while the server's dialect is being learned."""


def cancelled_error() -> ModelError:
    """Returns the error of a withdrawn request."""
    return ModelError("the question was withdrawn", "cancelled", retry=True)


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a server.

    Raises:
        UsageError: it is no http address, or contains a password.
    """

    base_url: str

    def __post_init__(self) -> None:
        if any(sign in self.base_url for sign in "@?#"):
            raise UsageError("base_url must hold no password, query or fragment; the key comes from BELVEDERE_API_KEY")
        if len(self.base_url) > LONGEST_URL or not _is_address(self.base_url):
            raise UsageError(f"base_url={shortened(self.base_url)}: write an address such as http://127.0.0.1:8080/v1")

    @property
    def where(self) -> str:
        """Host and port, for people."""
        return urlsplit(self.base_url).netloc

    @property
    def whole(self) -> str:
        """The normalized address for cache keys: equal for all spellings of one address only."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"

    @property
    def host(self) -> str:
        """The host name."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def loopback(self) -> bool:
        """Whether the server runs on this machine."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:  # a name
            return False


def _is_address(text: str) -> bool:
    """Returns True for a valid address."""
    if not text.isprintable() or any(sign in text for sign in " \\<>\"'`{}|^"):
        return False
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        if parts.scheme not in ("http", "https") or parts.port == 0 or not HOST_AND_PORT.fullmatch(parts.netloc):
            return False
        return bool(host.encode("idna")) if ":" not in host else ipaddress.ip_address(host).version == 6
    except ValueError:  # unclosed brackets, an invalid port, or an invalid host name
        return False


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits in seconds, and retries.

    Attributes:
        timeout: the limit of one attempt.
        retries: further attempts after the first.
        backoff: the wait before the second attempt; it doubles with each further one.
        longest_wait: the maximum wait between attempts. If a server asks for more, the request fails.
    """

    timeout: float = 60.0
    retries: int = 2
    backoff: float = 0.5
    longest_wait: float = 30.0

    @property
    def whole(self) -> float:
        """The limit of one model request, including all its HTTP requests."""
        return (1 + self.retries + MORE_ATTEMPTS) * self.timeout + self.retries * self.longest_wait

    def before_retry(self, retry: int, trouble: Trouble) -> float | None:
        """Returns the seconds to wait before the `retry`-th retry (from 1), or None to give up."""
        if not trouble.retry or retry > self.retries:
            return None
        wait = self.backoff * 2 ** (retry - 1) if trouble.after is None else trouble.after
        return None if wait > self.longest_wait and trouble.after is not None else min(wait, self.longest_wait)


@dataclass(frozen=True, slots=True)
class Posted:
    """A server's response.

    Attributes:
        payload: its JSON; for a streamed reply, the equivalent complete one.
        first_token: seconds until the first piece; 0 if it was not streamed.
        rate: tokens per second after that; 0 if it was not streamed.
    """

    payload: object
    first_token: float = 0.0
    rate: float = 0.0


class Deadline:
    """The time limit of one model request over all its HTTP requests. It starts with the first of them."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._end = math.inf

    def start(self) -> None:
        """Starts the time, unless it is running."""
        if self._end == math.inf:
            self._end = time.monotonic() + self.seconds

    @property
    def left(self) -> float:
        """The remaining seconds; infinite before the start."""
        return self._end - time.monotonic()


class _Call(threading.Thread):
    """One HTTP request in its own thread, which can be abandoned."""

    def __init__(self, take: Callable[[], Line], body: Mapping[str, object], deadline: Deadline, stream: EventStream):
        super().__init__(name="language model", daemon=True)
        self._take, self._body, self._deadline, self.stream = take, body, deadline, stream
        self._abandoned = False
        self.done = threading.Event()
        self.line: Line | None = None
        self.began: float | None = None
        self.result: str | Trouble = Trouble("the request did not run", "refused", retry=False)

    def run(self) -> None:
        """Sends the request; the result is valid once `done` is set."""
        try:
            self.line = line = self._take()
            self._deadline.start()
            self.began = self.stream.began = time.monotonic()
            if not self._abandoned:
                self.result = line.post(self._body, self._on_data)
                self.stream.finish()
        except Exception as error:  # noqa: BLE001 - no connection can be created: an invalid proxy, a missing certificate file
            why = f"{type(error).__name__} {shortened(str(error))}"
            self.result = Trouble(f"no request can be made ({why}): look at the proxy and TLS settings", "refused", retry=False)
        finally:
            self.done.set()
        if self._abandoned and self.line is not None:  # nothing else can close this connection
            self.line.close()

    def _on_data(self, data: bytes) -> None:
        if not self._abandoned:
            self.stream.feed(data)

    def is_late(self, timeout: float) -> bool:
        """Returns True if the server has exceeded its time. Local preparation, such as a first import, does not count."""
        return self.began is not None and time.monotonic() > self.began + timeout

    def abandon(self) -> None:
        """Abandons the call: cuts its connection, so that the server stops and the thread ends."""
        self._abandoned = True
        if self.line is not None:
            self.line.cut()
            if self.done.is_set():  # the call ended at this moment, possibly without noticing that it was abandoned
                self.line.close()


class Endpoint:
    """A server and its idle connections. Thread-safe.

    Args:
        address: the address.
        secret: the key.
        patience: time limits and retries.
        slots: the maximum number of simultaneous requests. Others wait here, so that a server with few slots is not flooded.
    """

    def __init__(self, address: Address, secret: Secret, patience: Patience, slots: int):
        self.address, self._secret, self.patience = address, secret, patience
        self._slots = Slots(slots)
        self._lock, self._decoding = threading.Lock(), threading.Lock()
        self._idle: list[Line] = []
        self._closed = threading.Event()

    def __repr__(self) -> str:
        return f"Endpoint({self.address.base_url})"

    def post(self, body: Mapping[str, object], stopped: Stopped, deadline: Deadline, hear: Hear | None = None) -> Posted:
        """Returns the response.

        Args:
            body: the request.
            stopped: returns True if the response is no longer wanted.
            deadline: when to give up, even with retries left.
            hear: receives the progress of a streamed response.

        Raises:
            ModelError: there is no response after all retries; a `Trouble` has details about the server's error.
        """
        retry, prompt = 0, json.dumps(body.get("messages"))
        while True:
            with self._slots.place(prompt, lambda: stopped() or self._closed.is_set(), LOOK) as taken:
                if not taken:
                    raise cancelled_error()
                result = self._once(body, lambda: stopped() or self._closed.is_set(), deadline, hear)
            if not isinstance(result, Trouble):
                return result
            retry += 1
            wait = self.patience.before_retry(retry, result)
            if wait is None or wait >= deadline.left:
                raise result
            self._pause(wait, stopped)

    def close(self) -> None:
        """Aborts all requests and closes all connections."""
        self._closed.set()
        with self._lock:
            idle, self._idle = self._idle, []
        for line in idle:
            line.close()

    def _once(self, body: Mapping[str, object], stopped: Stopped, deadline: Deadline, hear: Hear | None) -> Posted | Trouble:
        if stopped():
            raise cancelled_error()
        timeout = min(self.patience.timeout, deadline.left)
        if timeout <= 0:
            return self._timed_out(deadline.seconds)
        call = _Call(self._take, body, deadline, EventStream(self._parsed, hear))
        call.start()
        while not call.done.wait(LOOK):
            late = call.is_late(timeout)  # the HTTP client's own timeout restarts with every byte
            if late or stopped():
                call.abandon()
                if late:
                    return self._timed_out(timeout)
                raise cancelled_error()
        self._give_back(call.line)
        if isinstance(call.result, Trouble):
            return call.result
        return self._streamed(call.stream) if call.stream.seen else Posted(self._decoded(call.result))

    def _streamed(self, stream: EventStream) -> Posted | Trouble:
        """Returns the result of a stream. Errors within it are treated like those at its start."""
        error = stream.error
        code = error.get("code") if isinstance(error, dict) else None
        if isinstance(error, dict) and isinstance(code, int) and 400 <= code < 600:
            said = error.get("message")
            detail = shortened(self._secret.removed_from(said if isinstance(said, str) else ""))
            return of_status(code, self.address.where, detail)
        if not error and not stream.is_whole:
            words = f"{self.address.where} broke off in the middle of its reply; what does its log say?"
            return Trouble(words, "down", retry=True)
        payload = stream.payload()
        usage = payload["usage"]
        tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
        counted = tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None
        return Posted(payload, stream.first_token, stream.rate(counted))

    def _timed_out(self, seconds: float) -> Trouble:
        return Trouble(f"{self.address.where} did not answer within {seconds:.3g} s", "timeout", retry=True)

    def _take(self) -> Line:
        from core.llm.connection import Line  # imports openai, which takes a second, in the call's thread

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

    def _parsed(self, text: str) -> object:
        with self._decoding:  # a few megabytes of brackets become a hundred megabytes of lists: only one at a time
            return json.loads(text, parse_constant=lambda _: -math.inf, parse_int=_whole_number)

    def _decoded(self, text: str) -> object:
        try:
            return self._parsed(text)
        except (ValueError, RecursionError):
            pass
        if not text.strip():
            words = "answered with nothing; is base_url right? It often ends in /v1"
        elif text.lstrip().startswith("<"):
            words = "answered with a web page, not JSON: does a proxy want a login? Is base_url right? It often ends in /v1"
        else:
            words = "answered something that is not JSON; is base_url right? It often ends in /v1"
        raise Trouble(f"{self.address.where} {words}", "refused", retry=False)


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else math.copysign(math.inf, -1 if digits.startswith("-") else 1)
