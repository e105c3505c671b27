"""Requests to a running VirtualHome, and the errors when it does not answer.

Each request is one POST of JSON. The answer has `success`, `message` (often JSON itself), `value` and `message_list`
(pictures).
"""

from __future__ import annotations

import base64
import binascii
import http.client
import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.common.errors import SimulatorError, UsageError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
TIMEOUT = 30.0
"""Seconds an answer may take by default."""
LARGEST = 256 * 2**20
"""Largest answer that is read, bytes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Unity's answer to one request.

    Attributes:
        action: what was asked.
        success: whether Unity did it.
        message: text, often JSON.
        value: a value, where the action has one.
        images: encoded pictures.
    """

    action: str
    success: bool
    message: str
    value: Any
    images: tuple[bytes, ...]


class Link:
    """One running VirtualHome. Requests from several threads wait for each other, because Unity does one thing at a time.

    Args:
        url: such as http://127.0.0.1:8080.
        timeout: seconds an answer may take.

    Raises:
        UsageError: the address is no HTTP address.
    """

    def __init__(self, url: str, timeout: float = TIMEOUT):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"url={url}: give an address such as http://127.0.0.1:8080")
        self.url, self.timeout = url, timeout
        handlers = [urllib.request.ProxyHandler({})] if parts.hostname in LOOPBACK else []
        self._opener = urllib.request.build_opener(*handlers)
        self._lock = threading.Lock()

    def ask(self, action: str, ints: Sequence[int] = (), strings: Sequence[str] = ()) -> Answer:
        """Sends one request and returns the answer, whether Unity succeeded or not.

        Raises:
            SimulatorError: there is no answer, none in time, or it makes no sense.
        """
        question: dict[str, Any] = {"id": str(time.time()), "action": action}
        question |= {"intParams": list(ints)} if ints else {}
        question |= {"stringParams": list(strings)} if strings else {}
        with self._lock:
            return _read(action, self._post(action, json.dumps(question).encode()), self.url)

    def demand(self, action: str, ints: Sequence[int] = (), strings: Sequence[str] = ()) -> Answer:
        """Sends a request that must succeed.

        Raises:
            SimulatorError: as `ask`, or Unity refused.
        """
        answer = self.ask(action, ints, strings)
        if not answer.success:
            why = answer.message[:120] or "without a reason"
            raise SimulatorError(f"VirtualHome refused '{action}' ({why}): start it again, or choose another scene")
        return answer

    def _post(self, action: str, body: bytes) -> bytes:
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                data: bytes = response.read(LARGEST)
                if response.length:
                    raise http.client.IncompleteRead(data, response.length)
                return data
        except urllib.error.HTTPError as error:
            with error:
                raise SimulatorError(f"VirtualHome at {self.url} answered HTTP {error.code} to '{action}': look into its log, "
                                     "or start it again") from error
        except (OSError, http.client.HTTPException) as error:
            raise SimulatorError(self._silence(action, error)) from error

    def _silence(self, action: str, error: Exception) -> str:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(cause, TimeoutError):
            return f"VirtualHome at {self.url} has not answered '{action}' for {self.timeout:g} s: it hangs; start it again"
        if isinstance(cause, ConnectionRefusedError):
            return f"no VirtualHome at {self.url}: start its executable, or give --world url=… or --world executable=…"
        words = str(cause) or type(cause).__name__
        return f"VirtualHome at {self.url} broke off in the middle of '{action}' ({words}): start it again"


def _read(action: str, data: bytes, url: str) -> Answer:
    try:
        value = json.loads(data)
        images = tuple(base64.b64decode(text, validate=True) for text in value.get("message_list") or ())
        return Answer(action, bool(value["success"]), str(value.get("message") or ""), value.get("value"), images)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
        raise SimulatorError(f"{url} answered nonsense to '{action}' ({type(error).__name__}): is VirtualHome running there, "
                             "or another program?") from error
