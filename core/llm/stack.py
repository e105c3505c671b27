"""Puts the layers around a provider: checks, budget, comparisons by sentence embeddings, cache."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from core.common.cancellation import Cancellation
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


def assembled(model: LanguageModel, cache: ReplyCache | None = None, budget: Meter | None = None,
              embedder: Embedder | None = None, *, every: bool = False) -> Cached:
    """Returns a provider with the layers around it. All requests of runs, sweeps, commands and dialogs pass them.

    From the inside: `Checked` makes replies valid and removes keys, `Budgeted` counts what they cost, `Comparing` adds how
    alike they are to the choices, `Cached` keeps them. Retries are done by the provider itself.

    Args:
        model: the provider.
        cache: the cache; None: no replies are kept.
        budget: the budget; None: there is no limit.
        embedder: compares texts; None: there are no sentence embeddings.
        every: keep every reply, also useless ones (`Cached`).
    """
    checks = Checked(model, Redactor((*keys_in_environment(), model.secret.reveal())))
    within = checks if budget is None else Budgeted(checks, budget)
    # Rules change with the program, and people change their minds: only replies of language models are kept after a run.
    kept = cache if cache is not None and (model.is_model or not cache.persistent) else None
    return Cached(Comparing(within, embedder), kept, every=every)


class Comparing(Wrapper):
    """A layer that adds `ModelReply.alike` if the request wants it. Texts are embedded in the thread that waits for the reply.

    A recording gets nothing added, so that it needs no embeddings.

    Args:
        model: the inner layer.
        embedder: compares texts; None: nothing is added.
    """

    name: ClassVar[str] = "comparing"

    def __init__(self, model: LanguageModel, embedder: Embedder | None):
        super().__init__(model)
        self._embedder = None if self._provider.repeats else embedder

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        """See the base class. A request that only compares is answered here, or by the recording."""
        if ask.compare != "only":
            return self.changed(ask, self.model.answer(ask, cancelled))
        if not self._provider.repeats:
            return similarity_reply(ask, self._embedder)
        try:
            return self._provider.answer(ask, cancelled)
        except ModelError:  # the recording was made without embeddings
            return similarity_reply(ask, None)

    def changed(self, ask: ModelRequest, reply: ModelReply) -> ModelReply:
        """Returns a reply compared with the choices, if the request wants it and the reply is not compared yet."""
        choices = ask.comparable
        if self._embedder is None or ask.compare == "no" or not choices or reply.scores or reply.alike:
            return reply
        sure = frozenset(choices) if ask.compare == "unsure" else frozenset()
        compare = cosines if ask.compare == "all" else alike_to
        rows = {text: () if _bare_text(text) in sure else compare(text, choices, self._embedder) for text in set(reply.texts)}
        return replace(reply, alike=tuple(rows[text] for text in reply.texts)) if any(rows.values()) else reply


def similarity_reply(ask: ModelRequest, embedder: Embedder | None) -> ModelReply:
    """Returns the similarity of the request's own text to its choices: CosineSim of their embeddings, without a model call.

    Without an embedder the reply says so, and the caller compares words. As slow as `Comparing.changed`.
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
