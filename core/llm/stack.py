"""The whole of what answers a session's questions: a provider, within a budget, its replies checked, behind a cache."""

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
    """A provider with what stands around it. Retries are the provider's own affair.

    Attributes:
        model: the provider itself: what it is (`is_model`, a person's `reply`) is asked there.
        cache: the cache, if it is used.
        budget: the budget, if there is one.
    """

    name: ClassVar[str] = "answerer"

    def __init__(self, model: LanguageModel, cache: ReplyCache | None = None, budget: Meter | None = None,
                 embedder: Embedder | None = None):
        self.model, self.budget = model, budget
        # Rules change with the program and people change their minds: only language models' replies outlive a run.
        self.cache = cache if cache is not None and (model.is_model or not cache.persistent) else None
        redactor = Redactor((*keys_in_environment(), model.secret.reveal()))
        within = Checked(model if budget is None else Budgeted(model, budget), redactor)
        self._embedder = None if model.repeats else embedder
        self._outer = within if self._embedder is None else Comparing(within, self._embedder)
        self._cached = None if self.cache is None else Cached(self._outer, self.cache, redactor)

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        """Not opened by name: see `answerer`."""
        raise UsageError("an answerer stands around a provider; it is none itself")

    @property
    def source(self) -> str:
        """That of the provider."""
        return self.model.source

    @property
    def secret(self) -> Secret:
        """That of the provider."""
        return self.model.secret

    def news(self) -> tuple[str, ...]:
        """What went wrong with the cache."""
        return () if self.cache is None else self.cache.news()

    def answer(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """From the cache at no cost, or from the provider within the budget."""
        if ask.compare == "only":
            return self._likened(ask, cancelled)
        return (self._cached or self._outer).answer(ask, cancelled)

    def resample(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """Ask anew, past the cache; the new reply takes the old one's place there."""
        if ask.compare == "only":
            return self._likened(ask, cancelled)
        return self._outer.answer(ask, cancelled) if self._cached is None else self._cached.resample(ask, cancelled)

    def _likened(self, ask: Ask, cancelled: threading.Event) -> Reply:
        """What nobody is asked for; in a run that is repeated it is what was recorded, so that none needs the embeddings."""
        if not self.model.repeats:
            return likened(ask, self._embedder)
        try:
            return self.model.answer(ask, cancelled)
        except ModelError:  # recorded when words were all there was to compare
            return likened(ask, None)

    def close(self) -> None:
        """Close the provider, and the cache's file (a later use opens it again)."""
        self.model.close()
        if self.cache is not None:
            self.cache.close()


def answerer(model: LanguageModel, cache: ReplyCache | None = None, budget: Meter | None = None,
             embedder: Embedder | None = None) -> Answerer:
    """A provider, within a budget, beside sentence embeddings, behind a cache: what the cache holds costs nothing."""
    return Answerer(model, cache, budget, embedder)
