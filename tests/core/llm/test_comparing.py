"""Sentence embeddings stand beside whoever answers: planners get likenesses, never an embedder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
import pytest

from core.common.cancellation import Cancellation
from core.common.installation import pip_install
from core.llm.cache import ReplyCache
from core.llm.embeddings import Vectors, comparison_words
from core.llm.grounding.replies import grounding_of_choice, similarities
from core.llm.model import LanguageModel
from core.llm.replay import Replay
from core.llm.reply_checks import read_reply, reply_text
from core.llm.stack import Comparing, assembled
from core.planners.llm_mcts.policy_model import PolicyModel, PolicySettings, _votes
from core.planning.model_requests import Expects, Message, ModelReply, ModelRequest
from core.search.problem import Move

CHOICES = ("go to the sofa", "open the fridge")
MOVES = (Move(1, (1,)), Move(2, (2,)))


class Meanings:
    """An embedder that knows two meanings."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([(1.0, 0.0) if "sofa" in t or "couch" in t else (0.0, 1.0) for t in texts], np.float32)


class Says(LanguageModel):
    """Always the same."""

    name: ClassVar[str] = "says"

    def __init__(self, *texts: str):
        self.texts = texts

    @classmethod
    def open(cls, options: Mapping[str, str]) -> Self:
        return cls(**options)

    @property
    def source(self) -> str:
        return "says"

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        return ModelReply(self.texts, "says")


class Unwilling(Says):
    """Must not be asked."""

    def answer(self, ask: ModelRequest, cancelled: Cancellation) -> ModelReply:
        raise AssertionError(ask)


def ask(compare: str) -> ModelRequest:
    plain = ModelRequest("policy", (Message("user", "what next?"),), expects=Expects(choices=CHOICES))
    return replace(plain, compare="unsure") if compare == "unsure" else replace(plain, compare="all" if compare else "no")


def answered(compare: str, *texts: str) -> tuple[ModelReply, Meanings]:
    embedder = Meanings()
    return Comparing(Says(*texts), embedder).answer(ask(compare), Cancellation()), embedder


def test_only_what_is_wanted_is_embedded() -> None:
    reply, embedder = answered("", "sit on the couch")
    assert (reply.alike, embedder.asked) == ((), [])
    reply, embedder = answered("unsure", "Open the fridge.".lower())
    assert (reply.alike, embedder.asked) == ((), [])
    reply, _ = answered("unsure", "open the fridge", "sit on the couch", "")
    assert reply.alike == ((), (1.0, -1.0), ()), "what the words contradict is not compared"
    reply, _ = answered("all", "open the fridge")
    assert reply.alike == ((0.0, 1.0),)


def test_likenesses_survive_the_cache_and_do_not_change_the_question() -> None:
    cache = ReplyCache(None)
    whole = assembled(Says("sit on the couch"), cache, embedder=Meanings())
    first, second = whole.answer(ask("unsure"), Cancellation()), whole.answer(ask("unsure"), Cancellation())
    assert second.cached
    assert first.alike == second.alike == ((1.0, -1.0),)
    assert ask("all").key("x") == ask("").key("x")
    assert read_reply(reply_text(first)) == first


def test_a_reply_kept_before_embeddings_were_installed_is_compared_by_them_now() -> None:
    cache = ReplyCache(None)
    assert assembled(Says("sit on the couch"), cache).answer(ask("unsure"), Cancellation()).alike == ()
    found = assembled(Unwilling(), cache, embedder=Meanings()).answer(ask("unsure"), Cancellation())
    assert (found.cached, found.texts, found.alike) == (True, ("sit on the couch",), ((1.0, -1.0),))


def test_the_offer_says_what_compares_and_what_installs_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.llm.embeddings.PACKAGES", ("not_installed_here",))
    without = comparison_words()
    assert "word overlap" in without
    assert "1.3 GB" in without
    assert pip_install("embeddings") in without
    monkeypatch.setattr("core.llm.embeddings.PACKAGES", ("numpy",))
    assert comparison_words().endswith("sentence embeddings")


LIKE = ModelRequest("examples", (Message("user", "sit on the couch"),), expects=Expects(choices=CHOICES), compare="only")


def test_where_only_likeness_is_wanted_nobody_is_asked() -> None:
    cache = ReplyCache(None)
    with_words, with_meaning = assembled(Unwilling(), cache), assembled(Unwilling(), cache, embedder=Meanings())
    words, meaning = with_words.answer(LIKE, Cancellation()), with_meaning.answer(LIKE, Cancellation())
    assert (words.source, words.alike, words.is_model) == ("shared words", (), False)
    assert (meaning.source, meaning.texts, meaning.alike) == ("sentence embeddings", CHOICES[:1], ((1.0, 0.0),))
    assert not with_meaning.answer(LIKE, Cancellation()).cached, "what is installed may change: it is not kept"


def test_a_recording_gives_the_likenesses_it_holds_and_needs_no_model() -> None:
    meaning = assembled(Unwilling(), embedder=Meanings()).answer(LIKE, Cancellation())
    spoken = ask("all").key("sentence embeddings")
    recorded = Replay({LIKE.key(meaning.source): meaning, spoken: ModelReply(("couch",), "says")})
    embedder = Meanings()
    again = assembled(recorded, embedder=embedder)
    assert again.answer(LIKE, Cancellation()) == meaning
    assert again.answer(ask("all"), Cancellation()).alike == (), "nothing is added to a reply that was recorded without"
    earlier = assembled(Replay({"another": meaning}), embedder=embedder)
    assert earlier.answer(LIKE, Cancellation()).source == "shared words", "as it was chosen before there was such a question"
    assert embedder.asked == []


def test_a_paraphrase_is_understood_by_its_meaning_and_the_operator_sees_how() -> None:
    reply, _ = answered("unsure", "relax on the couch")
    phrases = [(c,) for c in CHOICES]
    assert _votes(MOVES, phrases, reply) == {1: 1.0}
    assert _votes(MOVES, phrases, replace(reply, alike=())) == {}
    said = grounding_of_choice(ask("unsure"), reply, phrases)
    assert (said.meant, said.how, said.score) == (CHOICES[0], "embedding", 1.0)


def test_the_paper_s_softmax_is_over_embeddings_where_there_are_some() -> None:
    reply, _ = answered("all", "relax on the couch")
    advice = PolicyModel(PolicySettings(answers="softmax", sharpness=1.0), 0)
    phrases = [(c,) for c in CHOICES]
    shares = advice._softmax(MOVES, similarities(reply, phrases))
    assert shares[1] == pytest.approx(np.e / (1 + np.e))
    assert similarities(replace(reply, alike=()), phrases) == [()], "no word is shared: it is not translated"
    assert advice._softmax(MOVES, [()]) == {}
