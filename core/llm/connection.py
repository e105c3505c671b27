"""One request to an OpenAI-compatible server through the `openai` package.

Importing this module takes a second; `core.llm.endpoint` does so in the thread of the first call.
"""

from __future__ import annotations

import contextlib
import email.utils
import math
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import openai

from core.llm.keys import Address, Secret
from core.llm.server_errors import QUOTED, Trouble, of_status, read_error, shortened

BODY_LIMIT = 4 * 2**20
"""The maximum size of a reply in bytes, received and unpacked: twenty times what the longest prompts can lead to."""
OPENAI_HOST = "api.openai.com"
REDIRECTS = 3
"""The maximum number of consecutive redirects; only redirects within the same scheme, host and port are followed."""
PLAIN, PACKED = ("", "identity"), ("gzip", "x-gzip", "deflate")
"""Accepted encodings of a body. Others are refused, because the request asks for none."""


Feed = Callable[[bytes], bool]
"""Receives each piece of a body. Returns True if the rest is not wanted: the connection is closed, and the server stops."""


class RefusedReplyError(openai.OpenAIError):
    """The server's response is not accepted. The message continues the sentence `HOST …`."""


class _CuttableClient(openai.DefaultHttpxClient):
    """An HTTP client that limits the size of responses, stays with one origin, and can be cut from another thread.

    Closing an HTTP client does not wake a thread that waits for a response. This one shuts down its sockets.
    """

    def __init__(self, **settings: Any):
        super().__init__(follow_redirects=False, **settings)
        self._socket: socket.socket | None = None
        self._is_cut = False
        self.feed: Feed = _ignore

    def send(self, request: Any, **settings: Any) -> Any:
        """Sends a request as the base class does, and reads the whole body.

        Raises:
            RefusedReplyError: the body is too large or has an unexpected encoding, or the server redirects to another origin.
        """
        settings |= {"stream": True, "follow_redirects": False}
        for _ in range(REDIRECTS + 1):
            request.extensions = {**request.extensions, "trace": self._on_trace}
            response = super().send(request, **settings)
            try:
                following = _redirected(request, response)
                if following is None:
                    return _with_body(response, self.feed if response.is_success else _ignore)
            finally:
                response.close()
            request = following
        raise RefusedReplyError("redirects in a circle")

    def cut(self) -> None:
        """Shuts down the current connection and any later one."""
        self._is_cut = True
        if self._socket is not None:
            with contextlib.suppress(OSError):  # already closed
                # not SSLSocket's method, which changes state the reader uses
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def _on_trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            connection = info["return_value"].get_extra_info("socket")
            if isinstance(connection, socket.socket):
                self._socket = connection
            if self._is_cut:
                self.cut()


def _redirected(request: Any, response: Any) -> Any:
    """Returns the request of a redirect; None if the response is no redirect.

    Raises:
        RefusedReplyError: it leads to another origin, or would change the method.
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
    """Returns scheme, host and port, which a redirect must not change."""
    port = url.port or {"http": 80, "https": 443}.get(url.scheme, 0)
    return f"{url.scheme}://{url.host}:{port}"


def _ignore(data: bytes) -> bool:
    """Ignores the data: the body is read only when it is complete."""
    return False


def _with_body(response: Any, feed: Feed) -> Any:
    """Returns the response with its body read and unpacked, declared as UTF-8, which JSON always is."""
    ours = ("content-encoding", "content-length", "transfer-encoding", "content-type")
    headers = [(name, text) for name, text in response.headers.multi_items() if name.lower() not in ours]
    return type(response)(response.status_code, headers=[*headers, ("content-type", "application/json; charset=utf-8")],
                          content=_body(response, feed), request=response.request)


def _body(response: Any, feed: Feed) -> bytes:
    """Returns the unpacked body and checks its size while it streams; `feed` receives each piece."""
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
        if feed(piece):
            break
    return bytes(body)


def _too_large() -> RefusedReplyError:
    return RefusedReplyError(f"wants to send more than {BODY_LIMIT >> 20} MB in one reply; is it a model server?")


class Connection:
    """A client for one request, which another thread can cut."""

    def __init__(self, address: Address, secret: Secret, timeout: float):
        self._secret, self._where = secret, address.where
        # Loading the trusted certificates takes 50 ms. Without TLS none are needed, and none are trusted.
        certificates = True if address.is_secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # A proxy for outside connections must not be used for a server on this machine.
        self._http = _CuttableClient(timeout=timeout, trust_env=not address.loopback, verify=certificates)
        self._client = openai.OpenAI(base_url=address.base_url, api_key=secret.reveal() or "none", timeout=timeout,
                                     max_retries=0, http_client=self._http, default_headers={"Accept-Encoding": "identity"})
        if address.where != OPENAI_HOST:  # the environment may name an OpenAI account, which must not be sent to other servers
            self._client.organization = self._client.project = None

    def response(self, body: Mapping[str, object] | None, feed: Feed) -> str | Trouble:
        """Returns the text of the response, or the problem. Never raises, because a traceback could contain the key.

        Args:
            body: the fields of a chat completion; None requests the list of models.
            feed: receives the bytes of the response as they arrive, and returns True to end it.
        """
        self._http.feed = feed
        try:
            if body is None:
                text = self._client.get("/models", cast_to=str)
            else:
                text = self._client.post("/chat/completions", cast_to=str, body=dict(body))
        except Exception as error:  # noqa: BLE001 - returned as a value that contains only text
            return self._trouble(error)
        return text.removeprefix("\ufeff")

    def cut(self) -> None:
        """Aborts the request. The connection cannot be used afterwards."""
        self._http.cut()

    def close(self) -> None:
        """Closes the connection; must not be called during the request."""
        self._client.close()

    def _trouble(self, error: Exception) -> Trouble:
        """Returns an exception as text without keys. Only its beginning is searched for keys, because that takes time."""
        clean = self._secret.removed_from
        cause = error.__cause__ if isinstance(error.__cause__, RefusedReplyError) else error  # older clients wrap it
        if isinstance(cause, RefusedReplyError):
            return Trouble(clean(f"{self._where} {cause}"), "refused", retry=False)
        if isinstance(error, openai.APITimeoutError):
            return Trouble(f"{self._where} did not answer in time", "timeout", retry=True)
        if isinstance(error, openai.APIConnectionError):
            return Trouble(clean(_connection_failure(self._where, error.__cause__)), "down", retry=True)
        if isinstance(error, openai.APIStatusError):
            found = read_error(error.body)
            return of_status(error.status_code, self._where, clean(found.said), clean(found.parameter), _retry_after(error))
        return Trouble(f"{self._where} could not be asked: {type(error).__name__} {shortened(clean(str(error)[:QUOTED]))}",
                       "refused", retry=False)


def _connection_failure(where: str, cause: BaseException | None) -> str:
    """Returns the meaning of a failed connection."""
    reason = "no connection" if cause is None else shortened(str(cause)[:QUOTED]) or type(cause).__name__
    if type(cause).__name__ in ("RemoteProtocolError", "ReadError", "WriteError"):
        return f"{where} broke off without an answer ({reason}); is it a model server, and what does its log say?"
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return f"the certificate of {where} is not trusted here ({reason}); is the address right, does a proxy stand between?"
    if "SSL" in reason:
        return f"{where} speaks no TLS ({reason}); does the address begin with http:// there?"
    return f"no server answers at {where} ({reason}); is the server started, is base_url right?"


def _retry_after(error: openai.APIStatusError) -> float | None:
    """Returns the seconds that the server asks to wait; None if it does not, or in no way that makes sense."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = error.response.headers.get(header, "").strip()
        with contextlib.suppress(ValueError):  # not a number: a date
            return max(0.0, float(text) * unit) if math.isfinite(float(text)) else None
    with contextlib.suppress(ValueError, TypeError, IndexError, OverflowError):  # neither a number nor a date: ignored
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    return None
