"""The whole stack that answers a session's requests: a provider with budget, checks, sentence embeddings and cache."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import ClassVar, Self

from core.common.errors import ModelError, UsageError
from core.common.redaction import Redactor
from core.llm.budget import Budgeted, Meter
from core.llm.cache import Cached, ReplyCache
from core.llm.embeddings import Embedder
from core.llm.keys import Secret, keys_in_environment
from core.llm.model import LanguageModel
from core.llm.reply_checks import Checked
from core.llm.reply_similarity import Comparing, likened
from core.planning.model_requests import Ask, Reply


class Answerer(LanguageModel):
    """A provider with the layers around it. Retries are done by the provider itself.

    Attributes:
        model: the provider itself, for its properties (`is_model`, a person's `reply`).
        cache: the cache, if it is used.
        budget: the budget, if there is one.
    """

    name: ClassVar[str] = "answerer"

    def __init__(self, model: LanguageModel, cache: ReplyCache | None = None, budget: Meter | None = None,
                 embedder: Embedder | None = None):
        self.model, self.budget = model, budget
        # Rules change with the program, and people change their minds: only replies of language models are kept after a run.
        self.cache = cache if cache is not None and (model.is_model or not cache.persistent) else None
        redactor = Redactor((*keys_in_environment(), model.secret.reveal()))
        within = Checked(model if budget is None else Budgeted(model, budget), redactor)
        self._embedder = None if model.repeats else embedder
        self._outer = within if self._embedder is None else Comparing(within, self._embedder)
        self._cached = None if self.cache is None else Cached(self._outer, self.cache, redactor)

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Raises UsageError: this class wraps a provider and is not opened by name; see `answerer`."""
        raise UsageError("an answerer stands around a provider; it is none itself")

    @property
    def source(self) -> str:
        """The source of the provider."""
        return self.model.source

    @property
    def secret(self) -> Secret:
        """The key of the provider."""
        return self.model.secret

    def news(self) -> tuple[str, ...]:
        """Returns the problems of the cache."""
        return () if self.cache is None else self.cache.news()

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Returns the cached reply at no cost, else the provider's reply within the budget."""
        if ask.compare == "only":
            return self._likened(ask, cancelled)
        return (self._cached or self._outer).answer(ask, cancelled)

    def resample(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Calls the provider even if the cache has a reply, and replaces it there."""
        if ask.compare == "only":
            return self._likened(ask, cancelled)
        return self._outer.answer(ask, cancelled) if self._cached is None else self._cached.resample(ask, cancelled)

    def _likened(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Returns the similarity of a request that calls no model.

        In a replay the recorded one, so that no embeddings are needed.
        """
        if not self.model.repeats:
            return likened(ask, self._embedder)
        try:
            return self.model.answer(ask, cancelled)
        except ModelError:  # the recording was made without embeddings
            return likened(ask, None)

    def close(self) -> None:
        """Closes the provider and the cache's file (later use opens it again)."""
        self.model.close()
        if self.cache is not None:
            self.cache.close()


def answerer(model: LanguageModel, cache: ReplyCache | None = None, budget: Meter | None = None,
             embedder: Embedder | None = None) -> Answerer:
    """Returns a provider with the layers around it. Cached replies cost nothing."""
    return Answerer(model, cache, budget, embedder)
