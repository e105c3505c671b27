"""Sends requests to an OpenAI-compatible server: slots, retries, deadlines and cancellation."""

from __future__ import annotations

import contextlib
import json
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.llm.completions import EventStream
from core.llm.keys import Address, Secret
from core.llm.model import OnPartial
from core.llm.server_errors import Trouble, cancelled_error, of_status, shortened

if TYPE_CHECKING:
    from core.llm.connection import Connection

Stopped = Callable[[], bool]
LOOK = 0.02  # seconds between two checks whether the reply is still wanted
MOST_DIGITS = 18
"""The maximum number of digits of an integer in a reply; longer ones are errors and are read as infinite."""
MORE_ATTEMPTS = 3
"""The number of additional timeouts a request may take while the server's dialect is being learned."""


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
    def total(self) -> float:
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


@dataclass(slots=True)
class Caller:
    """Who waits for a model request, over all its HTTP requests.

    Attributes:
        stopped: returns True if the reply is no longer wanted.
        on_partial: receives the progress of a streamed response; None if it is not wanted.
        ends: the time (`time.monotonic`) to give up, even with retries left. It is known once the first HTTP request has begun.
    """

    stopped: Stopped
    on_partial: OnPartial | None = None
    ends: float = math.inf


class Call(threading.Thread):
    """One HTTP request with a thread and a connection of its own, so that it can be abandoned at any time.

    Args:
        address: the server.
        secret: the key.
        timeout: seconds for the whole request. Local preparation, such as a first import, does not count.
        body: the fields of a chat completion; None requests the list of models.
        stream: receives the bytes of the response as they arrive; None if it cannot be streamed.

    Attributes:
        began: the time (`time.monotonic`) when the request was sent; infinite before.
    """

    def __init__(self, address: Address, secret: Secret, timeout: float, body: Mapping[str, object] | None = None,
                 stream: EventStream | None = None):
        super().__init__(name="language model", daemon=True)
        self._address, self._secret, self._timeout, self._body, self._stream = address, secret, timeout, body, stream
        self.began = math.inf
        self._abandoned = False
        self._done = threading.Event()
        self._connection: Connection | None = None
        self._result: str | Trouble = Trouble("the request did not run", "refused", retry=False)

    def result(self, stopped: Stopped) -> str | Trouble:
        """Sends the request. Returns the text of the response, or the problem.

        Raises:
            ModelError: `stopped` returned True.
        """
        self.start()
        while not self._done.wait(LOOK):
            late = time.monotonic() > self.began + self._timeout  # the HTTP client's own timeout restarts with every byte
            if late or stopped():
                self._abandon()
                if late:
                    return timed_out(self._address, self._timeout)
                raise cancelled_error()
        return self._result

    def run(self) -> None:
        """Sends the request in this thread."""
        try:
            from core.llm.connection import Connection  # imports openai, which takes a second

            self._connection = connection = Connection(self._address, self._secret, self._timeout)
            self.began = time.monotonic()
            if self._stream is not None:
                self._stream.began = self.began
            if not self._abandoned:
                self._result = connection.response(self._body, self._on_data)
            connection.close()
        except Exception as error:  # noqa: BLE001 - no connection can be created: an invalid proxy, a missing certificate file
            why = f"{type(error).__name__} {shortened(str(error))}"
            words = f"no request can be made ({why}): look at the proxy and TLS settings"
            self._result = Trouble(words, "refused", retry=False)
        finally:
            self._done.set()

    def _on_data(self, data: bytes) -> bool:
        """Processes a piece of the response. Returns True if the rest is not wanted."""
        if self._stream is None or self._abandoned:
            return False
        self._stream.feed(data)
        return self._stream.circles

    def _abandon(self) -> None:
        """Cuts the connection, so that the server stops and the thread ends."""
        self._abandoned = True
        if self._connection is not None:
            self._connection.cut()


def timed_out(address: Address, seconds: float) -> Trouble:
    """Returns the error of a server that took too long."""
    return Trouble(f"{address.where} did not answer within {seconds:.3g} s", "timeout", retry=True)


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

    @contextlib.contextmanager
    def place(self, prompt: str, stopped: Stopped) -> Iterator[bool]:
        """Waits for a slot and holds it within the context. Yields False if the request is no longer wanted and has no slot.

        Args:
            prompt: the start of the request's prompt.
            stopped: returns True if the reply is no longer wanted.
        """
        mine = _Waiting(prompt)
        with self._changed:
            self._waiting.append(mine)
            while not (self._free > 0 and self._next() is mine) and not stopped():
                self._changed.wait(LOOK)
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


class Endpoint:
    """A server. Thread-safe.

    Args:
        address: the address.
        secret: the key.
        patience: time limits and retries.
        slots: the maximum number of simultaneous requests. Others wait here, so that a server with few slots is not flooded.
    """

    def __init__(self, address: Address, secret: Secret, patience: Patience, slots: int):
        self.address, self._secret, self._patience = address, secret, patience
        self._slots = Slots(slots)
        self._decoding = threading.Lock()
        self._closed = threading.Event()

    def __repr__(self) -> str:
        return f"Endpoint({self.address.base_url})"

    def post(self, body: Mapping[str, object], caller: Caller) -> Posted:
        """Returns the response to a request.

        The retries are not those of the `openai` package. It also repeats requests if the quota is used up or the server asks
        for a longer wait than allowed, it cannot be cancelled while it waits, and it does not repeat a stream that broke off.

        Raises:
            ModelError: there is no response after all retries; a `Trouble` has details about the server's error.
        """
        retry, prompt = 0, json.dumps(body.get("messages"))

        def stopped() -> bool:
            return caller.stopped() or self._closed.is_set()

        while True:
            with self._slots.place(prompt, stopped) as taken:
                if not taken:
                    raise cancelled_error()
                result = self._once(body, caller, stopped)
            if not isinstance(result, Trouble):
                return result
            retry += 1
            wait = self._patience.before_retry(retry, result)
            if wait is None or wait >= caller.ends - time.monotonic():
                raise result
            _pause(wait, stopped)

    def close(self) -> None:
        """Aborts all requests."""
        self._closed.set()

    def _once(self, body: Mapping[str, object], caller: Caller, stopped: Stopped) -> Posted | Trouble:
        total = self._patience.total
        timeout = min(self._patience.timeout, caller.ends - time.monotonic())
        if timeout <= 0:
            return timed_out(self.address, total)
        stream = EventStream(self._parsed, caller.on_partial, single=body.get("n", 1) == 1)
        call = Call(self.address, self._secret, timeout, body, stream)
        text = call.result(stopped)
        caller.ends = min(caller.ends, call.began + total)
        stream.finish()
        if isinstance(text, Trouble):
            return text
        return self._streamed(stream) if stream.seen else self._decoded(text)

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
        return Posted(stream.payload(), stream.first_token, stream.rate)

    def _parsed(self, text: str) -> object:
        with self._decoding:  # a few megabytes of brackets become a hundred megabytes of lists: only one at a time
            return json.loads(text, parse_constant=lambda _: -math.inf, parse_int=_whole_number)

    def _decoded(self, text: str) -> Posted | Trouble:
        with contextlib.suppress(ValueError, RecursionError):  # no JSON
            return Posted(self._parsed(text))
        if not text.strip():
            words = "answered with nothing; is base_url right? It often ends in /v1"
        elif text.lstrip().startswith("<"):
            words = "answered with a web page, not JSON: does a proxy want a login? Is base_url right? It often ends in /v1"
        else:
            words = "answered something that is not JSON; is base_url right? It often ends in /v1"
        return Trouble(f"{self.address.where} {words}", "refused", retry=False)


def _pause(seconds: float, stopped: Stopped) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if stopped():
            raise cancelled_error()
        time.sleep(min(LOOK, left))


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else math.copysign(math.inf, -1 if digits.startswith("-") else 1)
