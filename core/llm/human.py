"""The operator as provider: requests wait until the operator writes a reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import ClassVar, Self

from core.common.parameters import Parameters, changed
from core.llm.model import LanguageModel
from core.llm.server_errors import cancelled_error
from core.planning.model_requests import ModelReply, ModelRequest

LOOK = 0.02  # seconds between two checks whether the reply is still wanted


class _PendingRequest:
    """A request that waits for its reply."""

    def __init__(self, key: str, ask: ModelRequest):
        self.key, self.ask = key, ask
        self.answered = threading.Event()
        self.text = ""


class Human(LanguageModel):
    """Answers with the texts passed to `reply`. Thread-safe."""

    name: ClassVar[str] = "human"
    notes: ClassVar[str] = "you answer every question"
    is_model: ClassVar[bool] = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_PendingRequest] = []
        self._closed = threading.Event()

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
        with self._lock:
            return tuple((w.key, w.ask) for w in self._waiting)

    def reply(self, ask_key: str, text: str) -> bool:
        """Answers the oldest request with this key (`ask.key("human")`). Returns False if none is waiting."""
        with self._lock:
            found = next((w for w in self._waiting if w.key == ask_key), None)
            if found is not None:
                self._waiting.remove(found)
                found.text = text
                found.answered.set()
        return found is not None

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        """Waits for the operator. One reply is used for all samples."""
        began = time.monotonic()
        waiting = _PendingRequest(ask.key(self.source), ask)
        with self._lock:
            self._waiting.append(waiting)
        while not waiting.answered.wait(LOOK):
            if (cancelled.is_set() or self._closed.is_set()) and self._withdraw(waiting):
                raise cancelled_error()
        return ModelReply((waiting.text,) * max(1, ask.samples), self.source, is_model=False, seconds=time.monotonic() - began)

    def close(self) -> None:
        """Withdraws all requests."""
        self._closed.set()

    def _withdraw(self, waiting: _PendingRequest) -> bool:
        """Withdraws a request. Returns False if it was answered at this moment."""
        with self._lock:
            if waiting not in self._waiting:
                return False
            self._waiting.remove(waiting)
        return True
