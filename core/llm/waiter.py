"""The one that waits for a reply: it tells the provider when the reply is no longer wanted, and hears how far it has come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Partial:
    """A reply that is still being written. It is shown and never recorded.

    Attributes:
        text: the end of what was written so far; empty while the model thinks.
        tokens: about how many came, thoughts included: servers send one or a few at a time.
        first_token: seconds from the request until the first one.
    """

    text: str
    tokens: int
    first_token: float


Hear = Callable[[Partial], None]


class Waiter(threading.Event):
    """The `cancelled` of `LanguageModel.answer` of somebody who also wants to see the reply while it comes.

    Args:
        hear: called on the reply's threads, some times a second; must return at once.
    """

    def __init__(self, hear: Hear):
        super().__init__()
        self.hear = hear


def hearer(cancelled: threading.Event) -> Hear | None:
    """Hears of partial replies; None: they are not wanted."""
    return cancelled.hear if isinstance(cancelled, Waiter) else None
