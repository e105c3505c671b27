"""Adds to replies their similarity to the offered choices by sentence embeddings."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Self

from core.common.errors import MissingPart, UsageError
from core.llm.embeddings import Embedder, MiniLM
from core.llm.grounding import alike_to, cosines
from core.llm.model import LanguageModel
from core.planning.model_requests import Ask, Reply

BY_MEANING, BY_WORDS = "sentence embeddings", "shared words"
"""The sources of replies that only contain similarities."""


class Comparing(LanguageModel):
    """Adds `Reply.alike` if the request wants it. Texts are embedded in the thread that waits for the reply."""

    name: ClassVar[str] = "comparing"

    def __init__(self, model: LanguageModel, embedder: Embedder):
        self._model, self._embedder = model, embedder

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Raises UsageError: this class wraps a provider and is not opened by name."""
        raise UsageError("sentence embeddings stand around a provider; they are none themselves")

    @property
    def source(self) -> str:
        """The source of the inner provider, so that keys stay the same."""
        return self._model.source

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Returns the reply of the inner provider, compared with the choices."""
        reply = self._model.answer(ask, cancelled)
        choices = ask.expects.choices
        if ask.compare == "no" or not choices or reply.scores:
            return reply
        sure = frozenset(choices) if ask.compare == "unsure" else frozenset()
        compare = cosines if ask.compare == "all" else alike_to
        rows = {text: () if _said(text) in sure else compare(text, choices, self._embedder) for text in set(reply.texts)}
        return replace(reply, alike=tuple(rows[text] for text in reply.texts)) if any(rows.values()) else reply

    def close(self) -> None:
        """Closes the inner provider."""
        self._model.close()


def likened(ask: Ask, embedder: Embedder | None) -> Reply:
    """Returns the similarity of the request's own text to its choices: CosineSim of their embeddings, without a model call.

    Without an embedder the reply says so, and the caller compares words. As slow as `Comparing.answer`.
    """
    choices = ask.expects.choices
    if embedder is None or not choices:
        return Reply((), BY_WORDS, is_model=False, note="no sentence embeddings are installed: compared by shared words")
    row = embedder.encode([ask.messages[-1].content]) @ embedder.encode(choices).T
    likeness = tuple(float(value) for value in row[0])
    best = choices[max(range(len(choices)), key=likeness.__getitem__)]
    return Reply((best,), BY_MEANING, is_model=False, alike=(likeness,), note="compared by meaning; the most alike is named")


def _said(text: str) -> str:
    return text.strip().removesuffix(".")


def installed() -> Embedder | None:
    """Returns the packaged embedder, not loaded yet; None if its extra is not installed."""
    try:
        MiniLM.check()
    except MissingPart:
        return None  # the list of providers shows how to install it; without it, words are compared letter by letter
    return MiniLM()
