"""The operator as provider: requests wait until the operator writes a reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from core.common.cancellation import Cancellation, any_of
from core.common.parameters import Parameters, changed
from core.llm.model import LanguageModel
from core.llm.server_errors import cancelled_error
from core.planning.model_requests import ModelReply, ModelRequest


@dataclass(slots=True, eq=False)
class _PendingRequest:
    """A request that waits for its reply.

    Attributes:
        reply: the operator's text; None until it is given.
    """

    key: str
    ask: ModelRequest
    reply: str | None = None


class Human(LanguageModel):
    """Answers with the texts passed to `reply`. Thread-safe."""

    name: ClassVar[str] = "human"
    notes: ClassVar[str] = "you answer every question"
    is_model: ClassVar[bool] = False

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[_PendingRequest] = []
        self._closed = Cancellation()

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """See the base class; there are no settings."""
        changed(Parameters(), options)
        return cls()

    @property
    def source(self) -> str:
        """Always `human`."""
        return self.name

    def pending(self) -> tuple[tuple[str, ModelRequest], ...]:
        """Returns (key, request) of all waiting requests, oldest first."""
        with self._changed:
            return tuple((w.key, w.ask) for w in self._waiting)

    def reply(self, ask_key: str, text: str) -> bool:
        """Answers the oldest request with this key (`ask.key("human")`). Returns False if none is waiting."""
        with self._changed:
            found = next((w for w in self._waiting if w.key == ask_key), None)
            if found is not None:
                self._waiting.remove(found)
                found.reply = text
                self._changed.notify_all()
        return found is not None

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """Waits for the operator. One reply is used for all samples."""
        began = time.monotonic()
        waiting = _PendingRequest(ask.key(self.source), ask)
        with any_of(cancelled, self._closed) as over, self._changed:
            self._waiting.append(waiting)
            over.wait_with(self._changed, lambda: waiting.reply is not None)
            if waiting.reply is None:
                self._waiting.remove(waiting)
                raise cancelled_error()
        return ModelReply((waiting.reply,) * max(1, ask.samples), self.source, is_model=False, seconds=time.monotonic() - began)

    def close(self) -> None:
        """Withdraws all requests."""
        self._closed.set()
