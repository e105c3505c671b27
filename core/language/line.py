"""One connection to an OpenAI-compatible server through the `openai` package, that can be cut from another thread.

Importing this takes a second; `core.language.endpoint` does so in the thread of the first call.
"""

from __future__ import annotations

import contextlib
import email.utils
import socket
import time
from collections.abc import Mapping
from typing import Any

import openai

from core.language.keys import Secret
from core.language.trouble import Trouble, of_status, shortened

BODY_LIMIT = 64 * 2**20  # bytes; no sensible reply comes near it


class OversizedReplyError(Exception):
    """The server announces more than anyone could want to read."""


class _CuttableClient(openai.DefaultHttpxClient):
    """An HTTP client that knows its sockets: closing it would not wake a thread that waits for an answer, this does."""

    def __init__(self, **settings: Any):
        super().__init__(event_hooks={"response": [_check_size]}, **settings)
        self._sockets: list[socket.socket] = []
        self._is_cut = False

    def send(self, request: Any, **settings: Any) -> Any:
        """As the base class, and hear of connections being made."""
        request.extensions = {**request.extensions, "trace": self._hear}
        return super().send(request, **settings)

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


def _check_size(response: Any) -> None:
    announced = response.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > BODY_LIMIT:
        raise OversizedReplyError


class Line:
    """A client for one call at a time, so that cutting one call harms no other."""

    def __init__(self, base_url: str, where: str, secret: Secret, timeout: float, *, loopback: bool):
        self._secret, self._where = secret, where
        # A proxy set for the outside world must not be asked for a server on this very machine.
        self._http = _CuttableClient(timeout=timeout, trust_env=not loopback)
        self._client = openai.OpenAI(base_url=base_url, api_key=secret.reveal() or "none", timeout=timeout, max_retries=0,
                                     http_client=self._http)

    def post(self, body: Mapping[str, object]) -> str | Trouble:
        """The text of the answer, or what went wrong. Never raises: a traceback from here could hold the key."""
        try:
            text = self._client.post("/chat/completions", cast_to=str, body=dict(body))
        except Exception as error:  # noqa: BLE001 - handed on as a value, stripped of everything but words
            return self._trouble(error)
        return self._secret.removed_from(text)

    def cut(self) -> None:
        """Abandon the call that is under way, if any, and never be used again."""
        self._http.cut()

    def close(self) -> None:
        """Close the connection; only while no call is under way."""
        self._client.close()

    def _trouble(self, error: Exception) -> Trouble:
        if isinstance(error, openai.APITimeoutError):
            return Trouble(f"{self._where} did not answer in time", "timeout", retry=True)
        if isinstance(error, openai.APIConnectionError):
            return Trouble(f"nobody answers at {self._where} ({_reason(error)}); is the server started, is base_url right?",
                           "down", retry=True)
        if isinstance(error, openai.APIStatusError):
            detail = self._secret.removed_from(_detail(error))
            return of_status(error.status_code, self._where, shortened(detail), error.param or "", _retry_after(error))
        if isinstance(error, OversizedReplyError):
            return Trouble(f"{self._where} wants to send more than {BODY_LIMIT >> 20} MB", "refused", retry=False)
        words = shortened(self._secret.removed_from(str(error)))
        return Trouble(f"{self._where} could not be asked: {type(error).__name__} {words}", "refused", retry=False)


def _reason(error: openai.APIConnectionError) -> str:
    cause = error.__cause__
    return shortened(str(cause)) or type(cause).__name__ if cause is not None else "no connection"


def _detail(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        words = body.get("message") or body.get("detail") or body.get("error") or ""
        return f"{body.get('code') or ''} {words}".strip()
    return str(body or "")


def _retry_after(error: openai.APIStatusError) -> float | None:
    text = error.response.headers.get("retry-after", "").strip()
    with contextlib.suppress(ValueError):  # not a number: a date
        return max(0.0, float(text))
    with contextlib.suppress(ValueError, TypeError):  # neither: as if it had said nothing
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    return None
