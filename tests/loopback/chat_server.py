"""An OpenAI-compatible server on a loopback port that answers, and fails, as a test says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from typing import Any


class Wire:
    """The connection itself, for answers that are no proper HTTP. Writing ends when the server stops or the client leaves."""

    def __init__(self, file: BufferedIOBase, over: threading.Event):
        self._file, self._over = file, over

    def send(self, data: bytes) -> None:
        """Raises OSError when the client has left."""
        if self._over.is_set():
            raise ConnectionAbortedError
        self._file.write(data)
        self._file.flush()

    def wait(self, seconds: float) -> None:
        """Raises OSError when the server is stopped."""
        if self._over.wait(seconds):
            raise ConnectionAbortedError


@dataclass
class Sent:
    """What the server sends back; where `stream` is given, what that writes, from the first byte on."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Callable[[Wire], None] | None = None


Json = dict[str, Any]
Script = Callable[[Json], Sent]


def completion(*texts: str | None, tokens: tuple[int, int] | None = (10, 5), finish: str = "stop", **extra: Any) -> Sent:
    """A chat completion with these texts; `extra` goes into each choice."""
    choices = [{"index": i, "finish_reason": finish, "message": {"role": "assistant", "content": text}, **extra}
               for i, text in enumerate(texts)]
    body: Json = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": choices}
    if tokens is not None:
        body["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return as_json(body)


def as_json(value: object, status: int = 200, **headers: str) -> Sent:
    """Any JSON."""
    return Sent(json.dumps(value).encode(), status, {name.replace("_", "-"): text for name, text in headers.items()})


def error(status: int, message: str = "no", param: str | None = None, **headers: str) -> Sent:
    """A refusal in OpenAI's style."""
    body = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return as_json({"error": body}, status, **headers)


def in_turn(*answers: Sent) -> Script:
    """One after the other; the last one stays."""
    left = list(answers)
    lock = threading.Lock()

    def script(body: Json) -> Sent:
        del body
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return script


def only(answer: Sent, *fields: str) -> Script:
    """An answer for requests with no fields but these; others are refused by name."""
    known = {"model", "messages", *fields}

    def script(body: Json) -> Sent:
        unknown = next((name for name in body if name not in known), None)
        return answer if unknown is None else error(400, f"Unknown parameter: '{unknown}'.", unknown)

    return script


class ChatServer:
    """The running server.

    Attributes:
        script: request body -> what is sent.
        models: what is sent for `GET /models`.
        requests: all bodies so far, in order.
        headers: the headers of each.
        hanging: set while a request is held back by `hang`.
    """

    def __init__(self, script: Script):
        self.script = script
        self.models = as_json({"data": [{"id": "m"}]})
        self.requests: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.hanging = threading.Event()
        self.dropped = threading.Event()
        self._release = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def hang(self, body: Json) -> Sent:
        """A script that holds every request until the server is stopped."""
        del body
        self.hanging.set()
        self._release.wait(30)
        return Sent(b"")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(outer.models if self.path == "/v1/models" else error(404))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer.headers.append({name.lower(): value for name, value in self.headers.items()})
                outer.requests.append(body)
                self._send(outer.script(body))

            def _send(self, sent: Sent) -> None:
                try:
                    if sent.stream is not None:
                        self.close_connection = True
                        sent.stream(Wire(self.wfile, outer._release))
                        return
                    self.send_response(sent.status)
                    for name, value in {"content-type": "application/json", **sent.headers}.items():
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(sent.body)))
                    self.end_headers()
                    self.wfile.write(sent.body)
                except OSError:  # the client has left, as some tests want
                    outer.dropped.set()
                    self.close_connection = True

            def handle(self) -> None:
                with suppress(ConnectionError):  # the client has left in the middle of its request
                    super().handle()

            def log_message(self, format: str, *args: object) -> None:
                del format, args

        return Handler


@contextmanager
def serving(script: Script | None = None) -> Iterator[ChatServer]:
    """A server for as long as the block runs; without a script it says "hello"."""
    server = ChatServer(script or in_turn(completion("hello")))
    server.start()
    try:
        yield server
    finally:
        server.stop()
