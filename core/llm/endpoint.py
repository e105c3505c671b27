"""Sends requests to an OpenAI-compatible server: slots, retries and deadlines."""

from __future__ import annotations

import contextlib
import json
import math
import threading
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from core.common.cancellation import Cancellation
from core.llm.completions import Completions, Reply, broken_off
from core.llm.event_stream import EventStream
from core.llm.keys import Address, Secret
from core.llm.model import OnPartial
from core.llm.server_errors import Trouble, cancelled_error
from core.llm.slots import Slots

T = TypeVar("T")
Body = Mapping[str, object]
"""The fields of a chat completion."""
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


Talk = Generator[Body, Posted, T]
"""A conversation with a server: yields requests, and is sent the response to each, or thrown the `Trouble` in its place."""


@dataclass(slots=True)
class Caller:
    """Who waits for a question, over all its HTTP requests.

    Attributes:
        cancelled: set when the reply is no longer wanted.
        on_partial: receives the progress of a streamed response; None if it is not wanted.
        ends: the time (`time.monotonic`) to give up, even with retries left. It is known once the first HTTP request has begun.
    """

    cancelled: Cancellation
    on_partial: OnPartial | None = None
    ends: float = math.inf


def timed_out(address: Address, seconds: float, *, has_begun: bool = False) -> Trouble:
    """Returns the error of a question that took too long; `has_begun`: part of the reply had come."""
    what = "has not finished its reply" if has_begun else "did not answer"
    words = f"{address.where} {what} within {seconds:.3g} s, all attempts together: allow more with timeout=NUMBER"
    return Trouble(words, "timeout", retry=True)


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

    def __repr__(self) -> str:
        return f"Endpoint({self.address.base_url})"

    def post(self, talk: Talk[T], caller: Caller) -> T:
        """Sends the requests of a conversation, one after the other, and returns its result. Runs in the caller's thread.

        Raises:
            ModelError: the conversation has no result, or is cancelled; a `Trouble` has details about the server's error.
        """
        from core.llm.connection import Connection  # imports openai, which takes a second

        attempts = self._attempts(talk, caller)
        with contextlib.closing(talk), contextlib.closing(attempts):
            try:
                body = next(attempts)
                while True:
                    stream = EventStream(self._parsed, caller.on_partial, single=body.get("n", 1) == 1)
                    with self._slots.place(json.dumps(body.get("messages")), caller.cancelled):
                        timeout = min(self._patience.timeout, caller.ends - time.monotonic())
                        connection = Connection(self.address, self._secret, timeout, caller.cancelled)
                        text = connection.response(body, stream)
                    caller.ends = min(caller.ends, connection.began + self._patience.timeout)
                    body = attempts.send(self._posted(stream, text, body))
            except StopIteration as end:
                return cast(T, end.value)

    def _attempts(self, talk: Talk[T], caller: Caller) -> Generator[Body, Posted | Trouble, T]:
        """Yields each request of a conversation, and again where that helps. Is sent the responses. Returns the result.

        The retries are not those of the `openai` package, which also repeats requests if the quota is used up or the server
        asks for a longer wait than allowed, cannot be cancelled while it waits, and does not repeat a stream that broke off.
        """
        retry = 0
        try:
            body = next(talk)
            while True:
                found = yield body
                if not isinstance(found, Trouble):
                    body, retry = talk.send(found), 0
                    continue
                retry += 1
                try:
                    seconds = self._patience.before_retry(retry, found, caller.ends - time.monotonic())
                except Trouble as trouble:
                    body, retry = talk.throw(trouble), 0
                else:
                    if caller.cancelled.wait(seconds):
                        raise cancelled_error()
        except StopIteration as end:
            return cast(T, end.value)

    def _posted(self, stream: EventStream, text: str | Trouble, body: Body) -> Posted | Trouble:
        """Returns a complete response, streamed or not; or why it is none.

        Errors within it are treated like those in its place.
        """
        stream.finish()
        # A whole reply is one, even if its connection never closes. Samples that have not even begun are missing.
        is_whole = stream.reply.is_over or (stream.reply.is_whole and len(stream.reply.choices) == body.get("n", 1))
        if isinstance(text, Trouble) and not is_whole:
            is_late = text.kind == "timeout" and not text.status  # otherwise the server itself says so
            return timed_out(self.address, self._patience.timeout, has_begun=stream.pieces > 0) if is_late else text
        try:
            if not stream.has_events:
                self._add_whole(stream.reply, text if isinstance(text, str) else "")
            return Posted(stream.reply.judged(self.address.where, self._secret.removed_from), stream.first_token, stream.rate)
        except Trouble as trouble:
            return trouble

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


def _whole_number(digits: str) -> float:
    return int(digits) if len(digits) <= MOST_DIGITS else math.copysign(math.inf, -1 if digits.startswith("-") else 1)
