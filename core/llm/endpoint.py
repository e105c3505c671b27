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

from core.llm.completions import Completions, Reply, broken_off
from core.llm.event_stream import EventStream
from core.llm.keys import Address, Secret
from core.llm.model import OnPartial
from core.llm.server_errors import Trouble, cancelled_error, shortened

if TYPE_CHECKING:
    from core.llm.connection import Connection

Stopped = Callable[[], bool]
LOOK = 0.02  # seconds between two checks whether the reply is still wanted
MOST_DIGITS = 18
"""The maximum number of digits of an integer in a reply; longer ones are errors and are read as infinite."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Time limits in seconds, and retries.

    Attributes:
        timeout: the limit of one question: all attempts, the waits between them, and the requests that find out what the
            server accepts. Waiting for a slot does not count.
        retries: further attempts after the first.
        backoff: the wait before the second attempt; it doubles with each further one.
        longest_wait: the maximum wait between attempts. If a server asks for more, the request fails.
    """

    timeout: float = 60.0
    retries: int = 2
    backoff: float = 0.5
    longest_wait: float = 30.0

    def before_retry(self, retry: int, trouble: Trouble, left: float) -> float:
        """Returns the seconds to wait before the `retry`-th retry (from 1).

        Args:
            retry: the number of the retry.
            trouble: what went wrong.
            left: the seconds that are left for the question.

        Raises:
            Trouble: no retry is worth while; if the server asks for a longer wait than allowed, the message says so.
        """
        after = trouble.after
        if trouble.retry and after is not None and after > min(self.longest_wait, left):
            limit = f"longest_wait={self.longest_wait:g}" if after > self.longest_wait else f"timeout={self.timeout:g}"
            raise trouble.adding(f"the server asks to wait {after:.0f} s, and {limit} allows less")
        wait = min(self.backoff * 2 ** (retry - 1), self.longest_wait) if after is None else after
        if not trouble.retry or retry > self.retries or wait >= left:
            raise trouble
        return wait


@dataclass(frozen=True, slots=True)
class Posted:
    """A server's response.

    Attributes:
        completions: the samples.
        first_token: seconds until the first piece; 0 if it was not streamed.
        rate: tokens per second after that; 0 if it was not streamed.
    """

    completions: Completions
    first_token: float = 0.0
    rate: float = 0.0


@dataclass(slots=True)
class Caller:
    """Who waits for a question, over all its HTTP requests.

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
                    words = f"{self._address.where} did not answer within {self._timeout:.3g} s"
                    return Trouble(words, "timeout", retry=True)
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
        return self._stream.circles or self._stream.reply.is_over

    def _abandon(self) -> None:
        """Cuts the connection, so that the server stops and the thread ends."""
        self._abandoned = True
        if self._connection is not None:
            self._connection.cut()


def timed_out(address: Address, seconds: float, *, has_begun: bool = False) -> Trouble:
    """Returns the error of a question that took too long; `has_begun`: part of the reply had come."""
    what = "has not finished its reply" if has_begun else "did not answer"
    words = f"{address.where} {what} within {seconds:.3g} s, all attempts together: allow more with timeout=NUMBER"
    return Trouble(words, "timeout", retry=True)


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
            _pause(self._patience.before_retry(retry, result, caller.ends - time.monotonic()), stopped)

    def close(self) -> None:
        """Aborts all requests."""
        self._closed.set()

    def _once(self, body: Mapping[str, object], caller: Caller, stopped: Stopped) -> Posted | Trouble:
        limit = self._patience.timeout
        timeout = min(limit, caller.ends - time.monotonic())
        if timeout <= 0:
            return timed_out(self.address, limit)
        stream = EventStream(self._parsed, caller.on_partial, single=body.get("n", 1) == 1)
        call = Call(self.address, self._secret, timeout, body, stream)
        text = call.result(stopped)
        caller.ends = min(caller.ends, call.began + limit)
        stream.finish()
        # A whole reply is one, even if its connection never closes. Samples that have not even begun are missing.
        is_whole = stream.reply.is_over or (stream.reply.is_whole and len(stream.reply.choices) == body.get("n", 1))
        if isinstance(text, Trouble) and not is_whole:
            is_late = text.kind == "timeout" and not text.status  # otherwise the server itself says so
            return timed_out(self.address, limit, has_begun=stream.pieces > 0) if is_late else text
        try:
            return self._posted(stream, text if isinstance(text, str) else "")
        except Trouble as trouble:
            return trouble

    def _posted(self, stream: EventStream, text: str) -> Posted:
        """Returns a complete response, streamed or not.

        Raises:
            Trouble: it is no reply, or not a whole one. Errors within it are treated like those in its place.
        """
        if not stream.has_events:
            self._add_whole(stream.reply, text)
        return Posted(stream.reply.judged(self.address.where, self._secret.removed_from), stream.first_token, stream.rate)

    def _parsed(self, text: str) -> object:
        with self._decoding:  # a few megabytes of brackets become a hundred megabytes of lists: only one at a time
            return json.loads(text, parse_constant=lambda _: -math.inf, parse_int=_whole_number)

    def _add_whole(self, reply: Reply, text: str) -> None:
        """Adds a response that is not streamed.

        Raises:
            Trouble: it is no JSON.
        """
        where, start = self.address.where, text.lstrip()
        try:
            reply.add(self._parsed(text))
        except (ValueError, RecursionError):
            if start.startswith("{") and not start.rstrip().endswith("}"):
                raise broken_off(where) from None
            what = "nothing" if not start else "a web page, not JSON" if start.startswith("<") else "something that is not JSON"
            login = "does a proxy want a login? Is" if start.startswith("<") else "is"
            words = f"{where} answered with {what}: {login} base_url right? It often ends in /v1"
            raise Trouble(words, "refused", retry=False) from None
        reply.is_over = True


def _pause(seconds: float, stopped: Stopped) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if stopped():
            raise cancelled_error()
        time.sleep(min(LOOK, left))


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else math.copysign(math.inf, -1 if digits.startswith("-") else 1)
