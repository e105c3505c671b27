"""Servers that take less than OpenAI, or other things: questions are put in the way they take, and that is remembered."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.planning.model_requests import Expects
from tests.core.llm.common import ask, choose, model_at, never
from tests.loopback.chat_server import Json, Script, Sent, as_json, completion, error, only, serving

PLAIN = ("temperature", "max_tokens")


def test_a_plain_question() -> None:
    with serving() as server:
        model = model_at(server, stream=False)
        reply = model.answer(ask(temperature=0.5, top_p=0.9, max_tokens=7), never())
        model.close()
    body = server.requests[0]
    assert (reply.texts, reply.tokens_in, reply.tokens_out, reply.is_model, reply.note) == (("hello",), 10, 5, True, "")
    assert body["messages"] == [{"role": "user", "content": "Say hello"}]
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.5, 0.9, 7)
    assert not {"n", "logprobs", "response_format", "stream"} & set(body)


def test_samples_in_one_request() -> None:
    with serving(lambda body: completion(*["x"] * body.get("n", 1))) as server:
        model = model_at(server)
        assert model.answer(ask(samples=3), never()).texts == ("x",) * 3
        assert len(server.requests) == 1
        model.close()


def refuses_n(message: str) -> Script:
    return lambda body: error(400, message) if body.get("n", 1) > 1 else completion("x")


@pytest.mark.parametrize("script", [
    refuses_n("n_cmpl cannot be greater than the number of slots, please increase `-np`"),
    refuses_n("n must be 1 when using greedy"), refuses_n("invalid"),
    only(completion("x"), *PLAIN), lambda body: completion("x")])
def test_samples_in_several_requests_where_n_is_refused_or_ignored(script: Script) -> None:
    with serving(script) as server:
        model = model_at(server)
        for _ in range(2):
            reply = model.answer(ask(samples=5), never())
            assert reply.texts == ("x",) * 5
        asked_together = [body for body in server.requests if body.get("n", 1) > 1]
        assert len(asked_together) == 1, "it is remembered"
        model.close()


def test_one_failed_sample_fails_the_question() -> None:
    def script(body: Json) -> Sent:
        return completion("x") if len(server.requests) == 1 else error(401)

    with serving() as server:
        server.script = script
        model = model_at(server)
        with pytest.raises(Exception, match="does not accept the key"):
            model.answer(ask(samples=6), never())
        model.close()


@pytest.mark.parametrize(("script", "absent", "note"), [
    (only(completion("x"), "temperature", "max_completion_tokens"), "max_tokens", ""),
    (only(completion("x"), "max_tokens"), "temperature", "no temperature"),
    (only(completion("x"), "max_completion_tokens"), "temperature", "no temperature"),
])
def test_reasoning_models_refuse_fields(script: Script, absent: str, note: str) -> None:
    with serving(script) as server:
        model = model_at(server)
        assert model.answer(ask(), never()).texts == ("x",)
        before = len(server.requests)
        reply = model.answer(ask(top_p=0.5), never()) if note else model.answer(ask(), never())
        assert absent not in server.requests[-1]
        assert note in reply.note
        assert len(server.requests) <= before + 2
        model.close()


def test_a_refusal_nobody_can_explain_is_believed() -> None:
    with serving(lambda body: error(422, "no")) as server:
        model = model_at(server)
        with pytest.raises(Exception, match="refused the question"):
            model.answer(choose("a", "b", samples=2), never())
        assert len(server.requests) <= 12
        model.close()


def constrained(field: str, value: str = "grab") -> Script:
    """A server that knows one way of constraining, and ignores others."""
    return lambda body: completion(value if field in body else "I would rather dance.")


@pytest.mark.parametrize(("field", "value"), [("structured_outputs", "grab"), ("guided_choice", "grab"), ("grammar", "grab"),
                                              ("response_format", '{"answer": "grab"}')])
def test_the_way_of_constraining_is_found_and_remembered(field: str, value: str) -> None:
    with serving(constrained(field, value)) as server:
        model = model_at(server)
        assert model.answer(choose("grab", "open"), never()).texts == ("grab",)
        tried = len(server.requests)
        reply = model.answer(choose("grab", "close"), never())
        assert (reply.texts, reply.note, len(server.requests)) == (("grab",), "", tried + 1)
        assert field in server.requests[-1]
        model.close()


@pytest.mark.parametrize("script", [only(completion("grab it"), *PLAIN), lambda body: completion("grab it"),
                                    lambda body: error(400, "bad") if len(body) > 4 else completion("grab it")])
def test_free_text_where_no_constraint_is_taken(script: Script) -> None:
    with serving(script) as server:
        model = model_at(server)
        reply = model.answer(choose("grab", "open"), never())
        assert reply.texts == ("grab it",)
        assert "no constrained output" in reply.note
        before = len(server.requests)
        model.answer(choose("grab", "open"), never())
        assert len(server.requests) == before + 1
        model.close()


def test_patterns_and_schemas() -> None:
    schema = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
    with serving(lambda body: completion('{"a": 1}' if "response_format" in body else "ab12")) as server:
        model = model_at(server)
        assert model.answer(ask(expects=Expects(schema=schema)), never()).texts == ('{"a": 1}',)
        assert server.requests[-1]["response_format"]["json_schema"]["schema"] == json.loads(schema)
        assert model.answer(ask(expects=Expects(pattern=r"[a-z]+\d+")), never()).texts == ("ab12",)
        assert server.requests[-1]["structured_outputs"] == {"regex": r"[a-z]+\d+"}
        model.close()


def test_what_is_cut_off_within_the_form_does_not_count_against_a_constraint() -> None:
    with serving(lambda body: completion("gra", finish="length")) as server:
        model = model_at(server)
        reply = model.answer(choose("grab", "open"), never())
        assert (reply.texts, reply.misfit, len(server.requests)) == (("gra",), "cut", 1)
        assert "cut off" in reply.note
        model.close()


def test_a_server_that_ignores_a_form_until_the_tokens_are_used_up_is_asked_in_the_next_way() -> None:
    def script(body: Json) -> Sent:
        return completion("grab") if "grammar" in body else completion("Which? You may grab or", finish="length")

    with serving(script) as server:
        model = model_at(server)
        reply = model.answer(choose("grab", "open"), never())
        assert (reply.texts, reply.misfit, reply.note) == (("grab",), "", "")
        tried = len(server.requests)
        assert model.answer(choose("grab", "close"), never()).texts == ("grab",)
        assert len(server.requests) == tried + 1
        model.close()


@pytest.mark.parametrize(("text", "finish", "words", "requests"), [
    ("", "length", "allow more with max_tokens", 4), ("Let me think about it", "length", "allow more with max_tokens", 3),
    ("", "stop", "no way of asking gives a reply", 3)])
def test_a_model_without_a_whole_reply_is_not_asked_in_all_ways_again(text: str, finish: str, words: str,
                                                                      requests: int) -> None:
    with serving(lambda body: completion(text, finish=finish)) as server:
        model = model_at(server)
        first = model.answer(choose("grab", "open"), never())
        walked = len(server.requests)
        second = model.answer(choose("grab", "close"), never())
        assert (walked, len(server.requests)) == (requests, requests + 1)
        assert first.misfit == second.misfit == ("cut" if text else "empty")
        assert words in first.note
        server.script = lambda body: completion("close" if "structured_outputs" in body else "I close it.")
        assert model.answer(choose("grab", "close"), never()).texts == ("close",), "nothing was learned against the server"
        model.close()


def test_a_refusal_of_the_model_says_nothing_about_the_server() -> None:
    choice = {"message": {"content": None, "refusal": "I will not."}, "finish_reason": "stop"}
    with serving(lambda body: as_json({"choices": [choice]})) as server:
        model = model_at(server)
        reply = model.answer(choose("grab", "open"), never())
        assert ("refused: I will not." in reply.note, reply.misfit, len(server.requests)) == (True, "empty", 1)
        model.close()


def test_questions_that_go_out_together_find_out_once() -> None:
    with serving(constrained("response_format", '{"answer": "grab"}')) as server:
        model = model_at(server)
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda k: model.answer(choose("grab", f"open {k}"), never()).texts, range(4)))
        assert replies == [("grab",)] * 4
        assert sum("structured_outputs" in body for body in server.requests) == 1
        model.close()


CHAT = {"content": [{"token": "B", "logprob": -0.1, "top_logprobs": [{"token": "B", "logprob": -0.1},
                                                                     {"token": "A", "logprob": -2.5}]}]}
OLD = {"tokens": ["B"], "token_logprobs": [-0.1], "top_logprobs": [{"B": -0.1, "A": -2.5}], "text_offset": [0]}


@pytest.mark.parametrize("style", [CHAT, OLD])
def test_scores_in_both_styles(style: Json) -> None:
    with serving(lambda body: completion("B", logprobs=style)) as server:
        model = model_at(server)
        reply = model.answer(choose("A", "B", scores=True, samples=9), never())
        assert (reply.scores, reply.note) == ((("B", -0.1), ("A", -2.5)), "")
        assert (server.requests[0]["logprobs"], server.requests[0]["top_logprobs"], len(server.requests)) == (True, 100, 1)
        model.close()


@pytest.mark.parametrize("masked", [False, True])
def test_choices_without_a_score_are_asked_for_again(masked: bool) -> None:
    """`masked`: the server gives probabilities among what the form leaves, not among all."""
    likely = {"on the table": 0.6, "on the bed": 0.25, "in the fridge": 0.1, "in the sink": 0.05}

    def script(body: Json) -> Sent:
        choices = body["structured_outputs"]["choice"]
        total = sum(likely[c] for c in choices) if masked else 1.0
        best = max(choices, key=lambda c: likely[c])
        token = {"token": best, "logprob": math.log(likely[best] / total), "top_logprobs": []}
        return completion(best, logprobs={"content": [token]})

    with serving(script) as server:
        model = model_at(server)
        reply = model.answer(choose(*likely, scores=True), never())
        assert dict(reply.scores) == pytest.approx({c: math.log(p) for c, p in likely.items()})
        assert reply.note == ""
        assert (len(server.requests), reply.tokens_out) == (4, 20)
        model.close()


def test_what_has_no_score_is_told() -> None:
    other = {"token": "on the b", "logprob": -1.0}
    listing = {"content": [{"token": "on the table", "logprob": -0.5, "top_logprobs": [other]}]}
    with serving(lambda body: completion("on the table", logprobs=listing)) as server:
        model = model_at(server)
        reply = model.answer(choose("on the table", "on the bed", "on the bath", "in the sink", scores=True), never())
        assert [c for c, _ in reply.scores] == ["on the table", "on the bed", "on the bath"]
        assert "no log-probability of 1 of 4 choices; 2 choices that begin alike share" in reply.note
        assert len(server.requests) <= 7
        model.close()


@pytest.mark.parametrize("script", [lambda body: completion("B"), lambda body: completion("B", logprobs=None),
                                    lambda body: completion("B", logprobs={"content": [None, {"token": 1}, {}]}),
                                    only(completion("B"), *PLAIN, "structured_outputs")])
def test_no_scores_are_told(script: Script) -> None:
    with serving(script) as server:
        model = model_at(server)
        reply = model.answer(choose("A", "B", scores=True), never())
        assert (reply.texts, reply.scores) == (("B",), ())
        assert "no log-probabilities" in reply.note
        model.close()


@pytest.mark.parametrize(("content", "text", "note"), [
    (None, "", "empty"), ("", "", "empty"), ("   ", "   ", "empty"), ("x" * 100_001, "x" * 100_000, "cut off after 1"),
    ([{"type": "text", "text": "hi"}, {"type": "image"}, None], "hi", "parts of the kind image are left out"),
    (17, "", "empty"), ({"a": 1}, "", "empty"),
    ("<think>open the fridge?</think>\n\ngrab", "grab", "thoughts"), ("<think>so much to", "", "thinking"),
    ("\ud800", "\ufffd", ""),
])
def test_odd_contents(content: Any, text: str, note: str) -> None:
    with serving(lambda body: completion(content, reasoning_content="never mind", tokens=None)) as server:
        model = model_at(server)
        reply = model.answer(ask(), never())
        assert reply.texts == (text,)
        assert note in reply.note
        assert bool(note) == bool(reply.note)
        assert reply.tokens_in > 0
        model.close()


def test_many_questions_at_once() -> None:
    with serving(lambda body: completion(body["messages"][0]["content"])) as server:
        model = model_at(server)
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda i: model.answer(ask(f"question {i}"), never()).texts[0], range(40)))
        assert replies == [f"question {i}" for i in range(40)]
        model.close()
