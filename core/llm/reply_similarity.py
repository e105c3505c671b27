"""Sentence embeddings beside an answerer: how alike each reply is to the choices it was offered."""

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
"""Who answers a question that wants nothing but likeness."""


class Comparing(LanguageModel):
    """Adds `Reply.alike` where a question wants it; embedding happens here, in the thread that waits for the reply anyway."""

    name: ClassVar[str] = "comparing"

    def __init__(self, model: LanguageModel, embedder: Embedder):
        self._model, self._embedder = model, embedder

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Not opened by name: it stands around another."""
        raise UsageError("sentence embeddings stand around a provider; they are none themselves")

    @property
    def source(self) -> str:
        """That of the answerer inside, so that keys stay the same."""
        return self._model.source

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """The reply of the answerer inside, compared with the choices."""
        reply = self._model.answer(ask, cancelled)
        choices = ask.expects.choices
        if ask.compare == "no" or not choices or reply.scores:
            return reply
        sure = frozenset(choices) if ask.compare == "unsure" else frozenset()
        compare = cosines if ask.compare == "all" else alike_to
        rows = {text: () if _said(text) in sure else compare(text, choices, self._embedder) for text in set(reply.texts)}
        return replace(reply, alike=tuple(rows[text] for text in reply.texts)) if any(rows.values()) else reply

    def close(self) -> None:
        """Close the answerer inside."""
        self._model.close()


def likened(ask: Ask, embedder: Embedder | None) -> Reply:
    """How alike a question's own words are to its choices: CosineSim of their embeddings, at no cost.

    Without an embedder the reply says so, and whoever wanted to know compares words. Slow, as `Comparing.answer`.
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
    """The packaged embedder, not loaded yet; None where its extra is not installed."""
    try:
        MiniLM.check()
    except MissingPart:
        return None  # listed with the providers, with what installs it; words are compared letter by letter instead
    return MiniLM()
