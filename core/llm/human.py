"""The operator answers: questions wait until somebody writes a reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import ClassVar, Self

from core.common.parameters import Parameters, changed
from core.llm.endpoint import cancelled_error
from core.llm.model import LanguageModel
from core.planning.model_requests import Ask, Reply

LOOK = 0.02  # seconds between two looks at whether somebody still waits


class _Waiting:
    """One question that waits for its text."""

    def __init__(self, key: str, ask: Ask):
        self.key, self.ask = key, ask
        self.answered = threading.Event()
        self.text = ""


class Human(LanguageModel):
    """Answers with what `reply` is given. All methods may be called from any thread."""

    name: ClassVar[str] = "human"
    notes: ClassVar[str] = "you answer every question"
    is_model: ClassVar[bool] = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._closed = threading.Event()

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """See the base class; there are no settings."""
        changed(Parameters(), options)
        return cls()

    @property
    def source(self) -> str:
        """Who answers."""
        return self.name

    def pending(self) -> tuple[tuple[str, Ask], ...]:
        """(key, question) of all that wait, oldest first."""
        with self._lock:
            return tuple((w.key, w.ask) for w in self._waiting)

    def reply(self, ask_key: str, text: str) -> bool:
        """Answer the oldest question of this key (`ask.key("human")`); False when none waits any more."""
        with self._lock:
            found = next((w for w in self._waiting if w.key == ask_key), None)
            if found is not None:
                self._waiting.remove(found)
                found.text = text
                found.answered.set()
        return found is not None

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Wait for the operator. One answer stands for all samples: a person is asked once."""
        began = time.monotonic()
        waiting = _Waiting(ask.key(self.source), ask)
        with self._lock:
            self._waiting.append(waiting)
        while not waiting.answered.wait(LOOK):
            if (cancelled.is_set() or self._closed.is_set()) and self._withdraw(waiting):
                raise cancelled_error()
        return Reply((waiting.text,) * max(1, ask.samples), self.source, is_model=False, seconds=time.monotonic() - began)

    def close(self) -> None:
        """Withdraw all questions."""
        self._closed.set()

    def _withdraw(self, waiting: _Waiting) -> bool:
        """Take a question back; False when it was answered in this very moment."""
        with self._lock:
            if waiting not in self._waiting:
                return False
            self._waiting.remove(waiting)
        return True
