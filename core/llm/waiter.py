"""Lets a caller that waits for a reply cancel it and receive its partial text."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Partial:
    """A reply that is still being generated. It is shown and never recorded.

    Attributes:
        text: the end of the text so far; empty while the model thinks.
        tokens: the approximate number of tokens, including thoughts (servers send one or a few at a time).
        first_token: seconds from the request until the first token.
    """

    text: str
    tokens: int
    first_token: float


Hear = Callable[[Partial], None]


class Waiter(threading.Event):
    """A `cancelled` event for `LanguageModel.answer` whose owner also wants partial replies.

    Args:
        hear: called on the reply's threads several times per second; must return immediately.
    """

    def __init__(self, hear: Hear):
        super().__init__()
        self.hear = hear


def hearer(cancelled: threading.Event) -> Hear | None:
    """Returns the receiver of partial replies; None if they are not wanted."""
    return cancelled.hear if isinstance(cancelled, Waiter) else None
