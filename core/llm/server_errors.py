"""Errors of servers, as plain messages with what the caller needs to handle them."""

from __future__ import annotations

import re

from core.common.errors import ModelError

KINDS = {401: "key", 403: "key", 404: "refused", 408: "timeout", 429: "rate limit", 504: "timeout"}
TOO_LONG = re.compile(r"context.?(length|size|window)|too many tokens|prompt is too long|exceed\w* .{0,40}context", re.I)
QUOTA = re.compile(r"insufficient_quota|quota|billing|credit", re.I)
DETAIL_LIMIT = 300


class Trouble(ModelError):  # noqa: N818 - says what happened
    """A failed request.

    Attributes:
        status: the HTTP status; 0 if there was no response.
        parameter: the request field that the server complained about, if it named one.
        detail: the server's message, shortened.
        after: seconds the server asks to wait, if any.
    """

    def __init__(self, message: str, kind: str, *, retry: bool, status: int = 0, parameter: str = "", detail: str = "",
                 after: float | None = None):
        super().__init__(message, kind, retry=retry)
        self.status, self.parameter, self.detail, self.after = status, parameter, detail, after

    @property
    def too_long(self) -> bool:
        """Whether the prompt does not fit into the model's context."""
        return TOO_LONG.search(self.detail) is not None

    @property
    def adaptable(self) -> bool:
        """Whether the server may accept another form of the same request."""
        # OpenAI refuses (403) log-probabilities of its reasoning models; that is no problem of the key.
        refused = self.status in (400, 415, 422, 501) or (self.status == 403 and "logprobs" in self.detail)
        return refused and not self.too_long


def cancelled_error() -> ModelError:
    """Returns the error of a withdrawn request."""
    return ModelError("the question was withdrawn", "cancelled", retry=True)


def shortened(text: str) -> str:
    """Returns a server's text as one short line without control characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[:4 * DETAIL_LIMIT]).split())
    return line if len(line) <= DETAIL_LIMIT else line[:DETAIL_LIMIT] + "…"


def of_status(status: int, where: str, detail: str, parameter: str = "", after: float | None = None) -> Trouble:
    """Returns the error for an HTTP status."""
    kind = KINDS.get(status, "down" if status >= 500 and status != 501 else "refused")
    said = f": {detail}" if detail else ""
    retry = kind in ("down", "timeout") or (kind == "rate limit" and not QUOTA.search(detail))
    return Trouble(_words(status, where, kind, detail) + said, kind, retry=retry, status=status, parameter=parameter,
                   detail=detail, after=after)


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
