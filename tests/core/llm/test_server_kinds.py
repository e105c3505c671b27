"""What every kind of server must do for a planner, whatever it refuses or ignores."""

from __future__ import annotations

import threading

import pytest

from core.llm.cache import Cached, ReplyCache
from core.llm.model import Partial, Waiter
from core.planning.model_requests import Expects
from tests.core.llm.common import ask, choose, model_at, never
from tests.loopback.chat_server import serving
from tests.loopback.kinds import KINDS, RAMBLES, Kind

every = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
CHOICES = ("grab the apple", "open the fridge", "open the cabinet")
MOST = 14
"""Requests that a first question may take."""


@every
def test_a_free_question_is_answered_and_streamed_where_the_server_can(kind: Kind) -> None:
    heard: list[Partial] = []
    with serving(kind.script) as server:
        model = model_at(server)
        reply = model.answer(ask(temperature=0.5), Waiter(heard.append))
        assert (reply.texts, reply.misfit, reply.tokens_in, reply.tokens_out) == ((RAMBLES,), "", 10, 5)
        assert (reply.first_token > 0, bool(heard)) == (kind.streams, kind.streams)
        assert len(server.requests) <= MOST
        model.close()


@every
def test_a_form_is_kept_where_the_server_can_and_told_where_not(kind: Kind) -> None:
    with serving(kind.script) as server:
        model = model_at(server)
        first = model.answer(choose(*CHOICES), never())
        assert len(server.requests) <= MOST
        before = len(server.requests)
        second = model.answer(choose(*reversed(CHOICES)), never())
        assert len(server.requests) == before + 1, "the way is remembered"
        for reply, choices in ((first, CHOICES), (second, CHOICES[::-1])):
            assert reply.texts == ((choices[0],) if kind.forms else (RAMBLES,))
            assert reply.misfit == ("" if kind.forms else "free")
            assert ("asked freely" in reply.note) != kind.forms
        model.close()


@every
def test_as_many_samples_as_were_asked_for(kind: Kind) -> None:
    with serving(kind.script) as server:
        model = model_at(server)
        for temperature in (0.0, 0.7):
            assert model.answer(ask(samples=3, temperature=temperature), never()).texts == (RAMBLES,) * 3
        model.close()


@every
def test_each_choice_has_a_score_or_the_note_says_why_not(kind: Kind) -> None:
    with serving(kind.script) as server:
        model = model_at(server)
        reply = model.answer(choose(*CHOICES, scores=True), never())
        assert {choice for choice, _ in reply.scores} == (set(CHOICES) if kind.scores else set())
        assert ("no log-probabilities" in reply.note) != kind.scores
        model.close()


@every
def test_a_reply_that_is_cut_off_is_told_and_not_kept(kind: Kind) -> None:
    with serving(kind.script) as server:
        model = Cached(model_at(server), ReplyCache())
        question = ask(expects=Expects(choices=CHOICES), max_tokens=1)
        for _ in range(2):
            reply = model.answer(question, never())
            assert reply.misfit == "cut"
            assert "cut off" in reply.note
            assert not reply.cached
        before = len(server.requests)
        model.answer(question, never())
        assert len(server.requests) == before + 1, "all ways are tried once"
        model.close()


@every
def test_a_second_time_costs_nothing(kind: Kind) -> None:
    with serving(kind.script) as server:
        model = Cached(model_at(server), ReplyCache())
        questions = (ask(), choose(*CHOICES), choose(*CHOICES, scores=True))
        replies = [model.answer(question, never()) for question in questions]
        before = len(server.requests)
        for question, reply in zip(questions, replies, strict=True):
            again = model.answer(question, never())
            assert again.cached
            assert (again.seconds, again.first_token, again.rate) == (0.0, 0.0, 0.0)
            assert (again.texts, again.scores, again.misfit) == (reply.texts, reply.scores, reply.misfit)
        assert len(server.requests) == before
        model.close()


@every
def test_questions_of_a_decision_go_out_together(kind: Kind) -> None:
    with serving(kind.script) as server:
        model = model_at(server, slots=2)
        replies: dict[int, tuple[str, ...]] = {}

        def go(k: int) -> None:
            replies[k] = model.answer(choose(f"open {k}", *CHOICES), never()).texts

        threads = [threading.Thread(target=go, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        assert replies == {k: ((f"open {k}",) if kind.forms else (RAMBLES,)) for k in range(6)}
        assert len(server.requests) <= MOST + 6, "one of them finds out how to ask"
        model.close()
