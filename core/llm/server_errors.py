"""Errors of servers, as plain messages with what the caller needs to handle them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from core.common.errors import ModelError

KINDS = {401: "key", 403: "key", 404: "refused", 408: "timeout", 429: "rate limit", 504: "timeout"}
TOO_LONG = re.compile(r"context.?(length|size|window)|too many tokens|prompt is too long|exceed\w* .{0,40}context", re.I)
QUOTA = re.compile(r"insufficient_quota|quota|billing|credit", re.I)
DETAIL_LIMIT = 300
QUOTED = 4000
"""The maximum number of characters of a server's error message that are processed."""
CODES = tuple((re.compile(words, re.IGNORECASE), status) for words, status in (
    (r"rate.?limit|too.?many|throttl|quota|billing|credit|insufficient_(funds|balance)", 429),
    (r"overload|unavailable|capacity|loading", 503), (r"time.?(d.?)?out", 504), (r"auth|api.?key|permission|forbidden", 401),
    (r"not.?found", 404), (r"context|invalid|bad.?request|unsupported|unknown", 400),
    (r"server|internal|upstream|gateway", 500)))
"""Words in the `code` or `type` of an error, and the HTTP status that says the same."""


class Trouble(ModelError):  # noqa: N818 - says what happened
    """A failed request.

    Attributes:
        status: the HTTP status; 0 if there was no response.
        parameter: the request field that the server complained about, if it named one.
        detail: the server's message, shortened.
        said: the server's message, up to `QUOTED` characters.
        after: seconds the server asks to wait, if any.
    """

    def __init__(self, message: str, kind: str, *, retry: bool, status: int = 0, parameter: str = "", said: str = "",
                 after: float | None = None):
        super().__init__(message, kind, retry=retry)
        self.status, self.parameter, self.said, self.after = status, parameter, said, after
        self.detail = shortened(said)

    def adding(self, words: str) -> Trouble:
        """Returns the same error with more words at its end."""
        return Trouble(f"{self}; {words}", self.kind, retry=self.retry, status=self.status, parameter=self.parameter,
                       said=self.said, after=self.after)

    @property
    def too_long(self) -> bool:
        """Whether the prompt does not fit into the model's context."""
        return TOO_LONG.search(self.said) is not None

    @property
    def adaptable(self) -> bool:
        """Whether the server may accept another form of the same request."""
        # OpenAI refuses (403) log-probabilities of its reasoning models; that is no problem of the key.
        refused = self.status in (400, 415, 422, 501) or (self.status == 403 and "logprobs" in self.said)
        return refused and not self.too_long


class ReportedError(NamedTuple):
    """What a server's error object says.

    Attributes:
        status: the HTTP status it names or amounts to; 0 if it names none.
        said: its words.
        parameter: the request field it complains about.
    """

    status: int
    said: str
    parameter: str


def read_error(error: object) -> ReportedError:
    """Returns what a server's error object says, in whichever form."""
    while isinstance(error, dict) and isinstance(error.get("error"), dict):
        error = error["error"]
    if not isinstance(error, dict):
        return ReportedError(0, as_text(error), "")
    words = next((error[name] for name in ("message", "detail", "error", "msg") if error.get(name) not in (None, "", True)), "")
    code = error.get("code")
    name = as_text(code) if isinstance(code, str) and not code.isdecimal() else ""
    return ReportedError(_status(error), f"{name} {as_text(words)}".strip(), as_text(error.get("param")))


def _status(error: Mapping[str, object]) -> int:
    named = [error.get(name) for name in ("code", "status", "status_code", "type")]
    for value in named:
        number = int(value) if isinstance(value, str) and value.isdecimal() and len(value) == 3 else value
        if isinstance(number, int) and 400 <= number < 600:
            return number
    texts = [value for value in named if isinstance(value, str)]
    return next((status for text in texts for words, status in CODES if words.search(text[:QUOTED])), 0)


def as_text(value: object) -> str:
    """Returns any JSON value of an error as text."""
    if isinstance(value, str):
        return "it sent a web page" if value.lstrip().startswith("<") else value[:QUOTED]
    if not value:
        return ""
    try:
        return json.dumps(value)[:QUOTED]
    except (RecursionError, TypeError, ValueError):  # nested too deeply to be quoted
        return ""


def reported_error(error: object, where: str, clean: Callable[[str], str], *, has_begun: bool) -> Trouble:
    """Returns the error that a server reports in place of a reply, or within one, though it began with status 200.

    Args:
        error: the error object.
        where: the server, for messages.
        clean: removes keys from the server's words.
        has_begun: True if part of the reply has come: then the server had understood the request.
    """
    found = read_error(error)
    if found.status:
        return of_status(found.status, where, clean(found.said), clean(found.parameter))
    said = clean(found.said)
    why = f": {shortened(said)}" if said else ""
    if has_begun:
        return Trouble(f"{where} broke off in the middle of its reply{why}", "down", retry=True, said=said)
    return Trouble(f"the server's answer holds no reply{why}", "refused", retry=False, said=said)


def cancelled_error() -> ModelError:
    """Returns the error of a withdrawn request."""
    return ModelError("the question was withdrawn", "cancelled", retry=True)


def shortened(text: str) -> str:
    """Returns a server's text as one short line without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:4 * DETAIL_LIMIT]).split())
    return line if len(line) <= DETAIL_LIMIT else line[:DETAIL_LIMIT] + "…"


def of_status(status: int, where: str, said: str, parameter: str = "", after: float | None = None) -> Trouble:
    """Returns the error for an HTTP status.

    Args:
        status: the status.
        where: the server.
        said: its message, without keys.
        parameter: the request field it complains about.
        after: seconds it asks to wait.
    """
    kind = KINDS.get(status, "down" if status >= 500 and status != 501 else "refused")
    retry = kind in ("down", "timeout") or (kind == "rate limit" and not QUOTA.search(said))
    words = ": ".join(filter(None, (_words(status, where, kind, said), shortened(said))))
    return Trouble(words, kind, retry=retry, status=status, parameter=shortened(parameter), said=said, after=after)


def _words(status: int, where: str, kind: str, detail: str) -> str:
    if kind == "key":
        return f"{where} does not accept the key ({status}); set BELVEDERE_API_KEY or store another in the system keyring"
    if kind == "rate limit":
        used_up = bool(QUOTA.search(detail))
        return f"the account at {where} has no quota left (429)" if used_up else f"{where} asks us to slow down (429)"
    if status == 404:
        return f"{where} knows no such model or address (404); check model and base_url, which often ends in /v1"
    if TOO_LONG.search(detail):
        return f"the prompt is too long for the model at {where} ({status})"
    if kind == "timeout":
        return f"{where} gave up waiting for its model ({status})"
    return f"{where} {'has a fault' if kind == 'down' else 'refused the question'} ({status})"
