"""Streamed replies as OpenAI-compatible servers send them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any

from tests.loopback.chat_server import Json, Sent, Wire

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def chunk(text: str | None = None, *, index: int = 0, finish: str | None = None, logprobs: Any = None, **delta: Any) -> Json:
    """One event with a piece of a sample."""
    piece: Json = dict(delta) if text is None else {"content": text, **delta}
    return {"object": "chat.completion.chunk", "choices": [
        {"index": index, "delta": piece, "finish_reason": finish, **({} if logprobs is None else {"logprobs": logprobs})}]}


def usage(given: int, got: int) -> Json:
    """The event that counts tokens."""
    return {"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": given, "completion_tokens": got}}


def events(values: Iterable[object], end: str = "data: [DONE]\n\n") -> bytes:
    """A body of these events."""
    return "".join(f"data: {json.dumps(value)}\n\n" for value in values).encode() + end.encode()


def streamed(*texts: str, tokens: tuple[int, int] | None = (10, 5), finish: str = "stop") -> Sent:
    """One sample in pieces, as a server sends it that is asked to stream."""
    count = () if tokens is None else (usage(*tokens),)
    return Sent(events((chunk(None, role="assistant"), *map(chunk, texts), chunk(finish=finish), *count)),
                headers={"content-type": "text/event-stream"})


def halting(first: tuple[str, ...], go_on: threading.Event, rest: Sent | None = None,
            left: threading.Event | None = None) -> Sent:
    """The first pieces at once, the rest of the body when the test says so; `left` is set when the client leaves before."""
    def stream(wire: Wire) -> None:
        try:
            wire.send(HEAD + events(map(chunk, first), ""))
            while not go_on.is_set():
                wire.send(b": still there\n\n")
                wire.wait(0.01)
            wire.send(rest.body if rest is not None else events((chunk(finish="stop"),)))
        except OSError:
            if left is not None:
                left.set()
            raise

    return Sent(b"", stream=stream)
