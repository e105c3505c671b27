"""One request to an OpenAI-compatible server through the `openai` package. The thread that asks also reads the response.

Importing this module takes a second; `core.llm.endpoint` does so in the thread of the first call.
"""

from __future__ import annotations

import contextlib
import email.utils
import math
import ssl
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import openai

from core.common.cancellation import Cancellation
from core.llm.event_stream import EventStream
from core.llm.keys import Address, Secret
from core.llm.network import Network
from core.llm.server_errors import QUOTED, Trouble, cancelled_error, of_status, read_error, shortened

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


class _Client(openai.DefaultHttpxClient):
    """An HTTP client for one request, which limits the size of the response, stays with one origin, and keeps a deadline.

    Args:
        cancelled: ends the request.
        is_near: True if the server is this machine.
        feed: receives each piece of the body of a successful response.
        settings: those of the base class.
    """

    def __init__(self, cancelled: Cancellation, *, is_near: bool, feed: Feed, **settings: Any):
        # A proxy for outside connections must not be used for a server on this machine.
        super().__init__(follow_redirects=False, trust_env=not is_near, **settings)
        self._feed = feed
        # The client offers no other way to its network. `tests/versions` tries this with the oldest and newest packages.
        transports: list[Any] = [self._transport, *filter(None, self._mounts.values())]
        pools = [transport._pool for transport in transports]
        self.network = Network(pools[0]._network_backend, cancelled, is_near=is_near)
        for pool in pools:
            pool._network_backend = self.network

    def send(self, request: Any, **settings: Any) -> Any:
        """Sends a request as the base class does, and reads the whole body.

        Raises:
            RefusedReplyError: the body is too large or has an unexpected encoding, or the server redirects to another origin.
        """
        settings |= {"stream": True, "follow_redirects": False}
        for _ in range(REDIRECTS + 1):
            response = super().send(request, **settings)
            try:
                following = _redirected(request, response)
                if following is None:
                    return _with_body(response, self._feed if response.is_success else _ignore)
            finally:
                response.close()
            request = following
        raise RefusedReplyError("redirects in a circle")


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
    """A connection for one request.

    Args:
        address: the server.
        secret: the key.
        timeout: seconds for the whole request. Local preparation, such as loading certificates, does not count.
        cancelled: ends the request.

    Attributes:
        began: the time (`time.monotonic`) when the request was sent; infinite before.
    """

    def __init__(self, address: Address, secret: Secret, timeout: float, cancelled: Cancellation):
        self._address, self._secret, self._timeout, self._cancelled = address, secret, timeout, cancelled
        self.began = math.inf

    def response(self, body: Mapping[str, object] | None = None, stream: EventStream | None = None) -> str | Trouble:
        """Returns the text of the response, or the problem: a traceback could contain the key.

        Args:
            body: the fields of a chat completion; None requests the list of models.
            stream: reads the response as it arrives, and ends it; None: it is read when it is complete.

        Raises:
            ModelError: the request is cancelled.
        """
        try:
            http = self._http_client(_ignore if stream is None else stream.feed)
            client = self._client(http)
        except Exception as error:  # noqa: BLE001 - an invalid proxy, a missing certificate file
            why = f"{type(error).__name__} {shortened(str(error))}"
            return Trouble(f"no request can be made ({why}): look at the proxy and TLS settings", "refused", retry=False)
        self.began = time.monotonic()
        http.network.ends = self.began + self._timeout
        if stream is not None:
            stream.began = self.began
        found: str | Trouble
        with contextlib.closing(client), self._cancelled.calling(http.network.cut):
            try:
                found = client.get("/models", cast_to=str) if body is None else client.post(
                    "/chat/completions", cast_to=str, body=dict(body))
            except Exception as error:  # noqa: BLE001 - returned as a value that contains only text
                found = self._trouble(error)
        if self._cancelled.is_set():
            raise cancelled_error()
        return found if isinstance(found, Trouble) else found.removeprefix("\ufeff")

    def _http_client(self, feed: Feed) -> _Client:
        # Loading the trusted certificates takes 50 ms. Without TLS none are needed, and none are trusted.
        certificates = True if self._address.is_secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return _Client(self._cancelled, is_near=self._address.loopback, feed=feed, timeout=self._timeout, verify=certificates)

    def _client(self, http: _Client) -> openai.OpenAI:
        client = openai.OpenAI(base_url=self._address.base_url, api_key=self._secret.reveal() or "none", timeout=self._timeout,
                               max_retries=0, http_client=http, default_headers={"Accept-Encoding": "identity"})
        if self._address.where != OPENAI_HOST:  # the environment may name an OpenAI account, which others must not be sent
            client.organization = client.project = None
        return client

    def _trouble(self, error: Exception) -> Trouble:
        """Returns an exception as text without keys. Only its beginning is searched for keys, because that takes time."""
        clean, where = self._secret.removed_from, self._address.where
        ours = RefusedReplyError | TimeoutError
        cause = error.__cause__ if isinstance(error.__cause__, ours) else error  # some clients wrap it
        if isinstance(cause, RefusedReplyError):
            return Trouble(clean(f"{where} {cause}"), "refused", retry=False)
        if isinstance(error, openai.APITimeoutError) or isinstance(cause, TimeoutError):
            return Trouble(f"{where} did not answer within {self._timeout:.3g} s", "timeout", retry=True)
        if isinstance(error, openai.APIConnectionError):
            return Trouble(clean(_connection_failure(where, error.__cause__)), "down", retry=True)
        if isinstance(error, openai.APIStatusError):
            found = read_error(error.body)
            return of_status(error.status_code, where, clean(found.said), clean(found.parameter), _retry_after(error))
        return Trouble(f"{where} could not be asked: {type(error).__name__} {shortened(clean(str(error)[:QUOTED]))}",
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
