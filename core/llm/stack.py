"""The whole stack that answers a session's requests: a provider with budget, checks, sentence embeddings and cache."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import ClassVar

from core.common.errors import ModelError
from core.common.redaction import Redactor
from core.llm.budget import Budgeted, Meter
from core.llm.cache import Cached, ReplyCache
from core.llm.embeddings import Embedder
from core.llm.grounding import alike_to, cosines
from core.llm.keys import keys_in_environment
from core.llm.model import LanguageModel, Wrapper
from core.llm.reply_checks import Checked
from core.planning.model_requests import ModelReply, ModelRequest

BY_MEANING, BY_WORDS = "sentence embeddings", "shared words"
"""The sources of replies that only contain similarities."""


class Comparing(Wrapper):
    """Adds `ModelReply.alike` if the request wants it. Texts are embedded in the thread that waits for the reply."""

    name: ClassVar[str] = "comparing"

    def __init__(self, model: LanguageModel, embedder: Embedder):
        super().__init__(model)
        self._embedder = embedder

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        """Returns the reply of the inner provider, compared with the choices."""
        return self.compared(ask, self.model.answer(ask, cancelled))

    def compared(self, ask: ModelRequest, reply: ModelReply) -> ModelReply:
        """Returns a reply compared with the choices, if the request wants it and the reply is not compared yet."""
        choices = ask.comparable
        if ask.compare == "no" or not choices or reply.scores or reply.alike:
            return reply
        sure = frozenset(choices) if ask.compare == "unsure" else frozenset()
        compare = cosines if ask.compare == "all" else alike_to
        rows = {text: () if _bare_text(text) in sure else compare(text, choices, self._embedder) for text in set(reply.texts)}
        return replace(reply, alike=tuple(rows[text] for text in reply.texts)) if any(rows.values()) else reply


def similarity_reply(ask: ModelRequest, embedder: Embedder | None) -> ModelReply:
    """Returns the similarity of the request's own text to its choices: CosineSim of their embeddings, without a model call.

    Without an embedder the reply says so, and the caller compares words. As slow as `Comparing.answer`.
    """
    choices = ask.expects.choices
    if embedder is None or not choices:
        return ModelReply((), BY_WORDS, is_model=False, note="no sentence embeddings are installed: compared by shared words")
    row = embedder.encode([ask.messages[-1].content]) @ embedder.encode(choices).T
    likeness = tuple(float(value) for value in row[0])
    best = choices[max(range(len(choices)), key=likeness.__getitem__)]
    note = "compared by meaning; the most alike is named"
    return ModelReply((best,), BY_MEANING, is_model=False, alike=(likeness,), note=note)


def _bare_text(text: str) -> str:
    return text.strip().removesuffix(".")


class Answerer(Wrapper):
    """A provider with the layers around it. Retries are done by the provider itself.

    Attributes:
        model: the provider itself, for its properties (`is_model`, a person's `reply`).
        cache: the cache, if it is used.
        budget: the budget, if there is one.

    Args:
        model: the provider itself.
        cache: the cache; None: no replies are kept.
        budget: the budget; None: there is no limit.
        embedder: compares texts; None: there are no sentence embeddings.
        every: keep every reply, also useless ones (`Cached`).
    """

    name: ClassVar[str] = "answerer"

    def __init__(self, model: LanguageModel, cache: ReplyCache | None = None, budget: Meter | None = None,
                 embedder: Embedder | None = None, *, every: bool = False):
        super().__init__(model)
        self.budget = budget
        self._lock = threading.Lock()
        self._from_cache = 0
        # Rules change with the program, and people change their minds: only replies of language models are kept after a run.
        self.cache = cache if cache is not None and (model.is_model or not cache.persistent) else None
        redactor = Redactor((*keys_in_environment(), model.secret.reveal()))
        within = Checked(model if budget is None else Budgeted(model, budget), redactor)
        self._embedder = None if model.repeats else embedder
        self._comparing = None if self._embedder is None else Comparing(within, self._embedder)
        self._outer = self._comparing or within
        self._cached = None if self.cache is None else Cached(self._outer, self.cache, redactor, every=every)

    def news(self) -> tuple[str, ...]:
        """Returns the problems of the cache."""
        return () if self.cache is None else self.cache.news()

    def answer(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        """Returns the cached reply at no cost, else the provider's reply within the budget."""
        if ask.compare == "only":
            return self._similarity(ask, cancelled)
        reply = (self._cached or self._outer).answer(ask, cancelled)
        if reply.cached:
            with self._lock:
                self._from_cache += 1
            if self._comparing is not None:  # it may have been kept before sentence embeddings were installed
                return self._comparing.compared(ask, reply)
        return reply

    def taken_from_cache(self) -> int:
        """Returns how many replies came from the cache since the last call."""
        with self._lock:
            count, self._from_cache = self._from_cache, 0
        return count

    def resample(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        """Calls the provider even if the cache has a reply, and replaces it there."""
        if ask.compare == "only":
            return self._similarity(ask, cancelled)
        return self._outer.answer(ask, cancelled) if self._cached is None else self._cached.resample(ask, cancelled)

    def _similarity(self, ask: ModelRequest, cancelled: threading.Event) -> ModelReply:
        """Returns the similarity of a request that calls no model.

        In a replay the recorded one, so that no embeddings are needed.
        """
        if not self.model.repeats:
            return similarity_reply(ask, self._embedder)
        try:
            return self.model.answer(ask, cancelled)
        except ModelError:  # the recording was made without embeddings
            return similarity_reply(ask, None)

    def close(self) -> None:
        """Closes the provider and the cache's file (later use opens it again)."""
        self.model.close()
        if self.cache is not None:
            self.cache.close()
