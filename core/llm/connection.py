"""One connection to an OpenAI-compatible server through the `openai` package, that can be cut from another thread.

Importing this takes a second; `core.llm.endpoint` does so in the thread of the first call.
"""

from __future__ import annotations

import contextlib
import email.utils
import json
import socket
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import openai

from core.llm.keys import Secret
from core.llm.server_errors import Trouble, of_status, shortened

BODY_LIMIT = 4 * 2**20
"""Bytes of a reply, as they come and unpacked: twenty times what the longest prompts of our planners can lead to."""
OPENAI_HOST = "api.openai.com"
QUOTED = 4000
"""Characters of a server's complaint that are looked at."""
REDIRECTS = 3
"""Redirects in a row that are followed, all of them to the same scheme, host and port."""
PLAIN, PACKED = ("", "identity"), ("gzip", "x-gzip", "deflate")
"""Encodings of a body. Others are refused, as the request asks for none."""


Feed = Callable[[bytes], None]


class RefusedReplyError(openai.OpenAIError):
    """What the server sends is not read any further; the message says why and continues `HOST …`."""


class _CuttableClient(openai.DefaultHttpxClient):
    """An HTTP client that reads no more than a limit, stays with one origin, and can be cut from another thread.

    Closing a client would not wake a thread that waits for an answer: this one knows its sockets and shuts them down.
    """

    def __init__(self, **settings: Any):
        super().__init__(follow_redirects=False, **settings)
        self._sockets: list[socket.socket] = []
        self._is_cut = False
        self.feed: Feed = _unheard

    def send(self, request: Any, **settings: Any) -> Any:
        """As the base class, with the whole body read.

        Raises:
            RefusedReplyError: the body is too large or packed in an odd way, or the server sends us elsewhere.
        """
        settings |= {"stream": True, "follow_redirects": False}
        for _ in range(REDIRECTS + 1):
            request.extensions = {**request.extensions, "trace": self._hear}
            response = super().send(request, **settings)
            self.cookies.clear()  # a server could have us collect them without end
            try:
                following = _following(request, response)
                if following is None:
                    return _whole(response, self.feed if response.status_code == 200 else _unheard)
            finally:
                response.close()
            request = following
        raise RefusedReplyError("redirects in a circle")

    def cut(self) -> None:
        """Shut all connections, now and later."""
        self._is_cut = True
        for connection in tuple(self._sockets):
            with contextlib.suppress(OSError):  # it was closed already
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # not SSLSocket's, which touches what the reader uses

    def _hear(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            connection = info["return_value"].get_extra_info("socket")
            if isinstance(connection, socket.socket):
                self._sockets = [*self._sockets[-3:], connection]
            if self._is_cut:
                self.cut()


def _following(request: Any, response: Any) -> Any:
    """The request that a redirect asks for; None where there is no redirect.

    Raises:
        RefusedReplyError: it leads to another origin, or would not repeat the question.
    """
    if not 300 <= response.status_code < 400:
        return None
    following = response.next_request
    if following is None:
        raise RefusedReplyError(f"redirects to nowhere ({response.status_code}); is base_url right?")
    if _origin(following.url) != _origin(request.url):
        raise RefusedReplyError(f"redirects to {shortened(_origin(following.url))}, and prompts go only to the server you "
                                "name; if you trust that one, give it as base_url")
    if following.method != request.method:
        raise RefusedReplyError(f"redirects to another page ({response.status_code}); is base_url right? It often ends in /v1")
    return following


def _origin(url: Any) -> str:
    """Scheme, host and port: what a redirect must not change."""
    port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
    return f"{url.scheme}://{url.host}:{port}"


def _unheard(data: bytes) -> None:
    """The body is read only when it is complete."""


def _whole(response: Any, feed: Feed) -> Any:
    """The response with its body read and unpacked, declared as UTF-8, which JSON always is."""
    ours = ("content-encoding", "content-length", "transfer-encoding", "content-type")
    headers = [(name, text) for name, text in response.headers.multi_items() if name.lower() not in ours]
    return type(response)(response.status_code, headers=[*headers, ("content-type", "application/json; charset=utf-8")],
                          content=_body(response, feed), request=response.request)


def _body(response: Any, feed: Feed) -> bytes:
    """The unpacked body, counted as it streams; `feed` is given each piece of it."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in PLAIN + PACKED:
        raise RefusedReplyError(f"packs its reply as '{shortened(encoding)}', which was not asked for; is a proxy in between?")
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding in PACKED else None
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > len(str(BODY_LIMIT)) or int(announced) > BODY_LIMIT):
        raise _too_large()
    body, received = bytearray(), 0
    for chunk in response.iter_raw():
        received += len(chunk)
        try:
            piece = chunk if unpacker is None else unpacker.decompress(chunk, BODY_LIMIT + 1 - len(body))
        except zlib.error as error:
            raise RefusedReplyError(f"sends a damaged reply (it is not {encoding})") from error
        body += piece
        if max(received, len(body)) > BODY_LIMIT:
            raise _too_large()
        feed(piece)
    return bytes(body)


def _too_large() -> RefusedReplyError:
    return RefusedReplyError(f"wants to send more than {BODY_LIMIT >> 20} MB in one reply; is it a model server?")


class Line:
    """A client for one call at a time, so that cutting one call harms no other."""

    def __init__(self, base_url: str, where: str, secret: Secret, timeout: float, *, loopback: bool):
        self._secret, self._where = secret, where
        # A proxy set for the outside world must not be asked for a server on this very machine.
        self._http = _CuttableClient(timeout=timeout, trust_env=not loopback)
        self._client = openai.OpenAI(base_url=base_url, api_key=secret.reveal() or "none", timeout=timeout, max_retries=0,
                                     http_client=self._http, default_headers={"Accept-Encoding": "identity"})
        if where != OPENAI_HOST:  # the environment may name an account there, which is no one else's business
            self._client.organization = self._client.project = None

    def post(self, body: Mapping[str, object], feed: Feed) -> str | Trouble:
        """The text of the answer, or what went wrong. Never raises: a traceback from here could hold the key.

        `feed` is given the answer's bytes as they come.
        """
        self._http.feed = feed
        try:
            text = self._client.post("/chat/completions", cast_to=str, body=dict(body))
        except Exception as error:  # noqa: BLE001 - handed on as a value, stripped of everything but words
            return self._trouble(error)
        return text.removeprefix("\ufeff")

    def models(self) -> str | Trouble:
        """What the server says of the models it has, or what went wrong. Never raises, as `post`."""
        try:
            text = self._client.get("/models", cast_to=str)
        except Exception as error:  # noqa: BLE001 - as in `post`
            return self._trouble(error)
        return text.removeprefix("\ufeff")

    def cut(self) -> None:
        """Abandon the call that is under way, if any, and never be used again."""
        self._http.cut()

    def close(self) -> None:
        """Close the connection; only while no call is under way."""
        self._client.close()

    def _trouble(self, error: Exception) -> Trouble:
        """An exception in words that hold no key. Only their beginning is searched for it, as that takes time."""
        clean = self._secret.removed_from
        cause = error.__cause__ if isinstance(error.__cause__, RefusedReplyError) else error  # older clients wrap it
        if isinstance(cause, RefusedReplyError):
            return Trouble(clean(f"{self._where} {cause}"), "refused", retry=False)
        if isinstance(error, openai.APITimeoutError):
            return Trouble(f"{self._where} did not answer in time", "timeout", retry=True)
        if isinstance(error, openai.APIConnectionError):
            return Trouble(clean(_broken(self._where, error.__cause__)), "down", retry=True)
        if isinstance(error, openai.APIStatusError):
            detail, parameter = shortened(clean(_detail(error))), shortened(clean(_written(error.param)))
            return of_status(error.status_code, self._where, detail, parameter, _retry_after(error))
        return Trouble(f"{self._where} could not be asked: {type(error).__name__} {shortened(clean(str(error)[:QUOTED]))}",
                       "refused", retry=False)


def _broken(where: str, cause: BaseException | None) -> str:
    """What a failed connection means."""
    reason = "no connection" if cause is None else shortened(str(cause)[:QUOTED]) or type(cause).__name__
    if type(cause).__name__ in ("RemoteProtocolError", "ReadError", "WriteError"):
        return f"{where} broke off without an answer ({reason}); is it a model server, and what does its log say?"
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return f"the certificate of {where} is not trusted here ({reason}); is the address right, does a proxy stand between?"
    if "SSL" in reason:
        return f"{where} speaks no TLS ({reason}); does the address begin with http:// there?"
    return f"no server answers at {where} ({reason}); is the server started, is base_url right?"


def _detail(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        words = body.get("message") or body.get("detail") or body.get("error")
        return f"{_written(body.get('code'))} {_written(words)}".strip()
    return _written(body)


def _written(value: object) -> str:
    """What may be any JSON, as text."""
    if isinstance(value, str):
        return "it sent a web page" if value.lstrip().startswith("<") else value[:QUOTED]
    if not value:
        return ""
    try:
        return json.dumps(value)[:QUOTED]
    except (RecursionError, TypeError, ValueError):  # it is nested too deeply to be worth quoting
        return ""


def _retry_after(error: openai.APIStatusError) -> float | None:
    text = error.response.headers.get("retry-after", "").strip()
    with contextlib.suppress(ValueError):  # not a number: a date
        return max(0.0, float(text))
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):  # neither: as if it had said nothing
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    return None
