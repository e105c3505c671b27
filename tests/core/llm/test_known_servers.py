"""What a server refuses is found out once: with few requests, and not again by later connections."""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.llm import dialect as dialects
from core.llm.dialect import NO_ROOM, ROOM, Dialect
from core.llm.known_servers import DAY, FILE, KnownServers
from core.llm.model import LanguageModel, open_model
from core.llm.model_check import try_model
from core.llm.model_config import ModelConfig
from tests.core.llm.common import ask, choose, model_at, never
from tests.loopback.chat_server import ChatServer, Json, Script, Sent, Wire, as_json, completion, error, serving
from tests.loopback.kinds import KINDS, Kind, openai_reasoning
from tests.loopback.streams import HEAD, chunk, events
from tests.waiting import PATIENCE, until

CHOICES = ("grab the apple", "open the fridge")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "belvedere"


def opened(server: ChatServer, **options: str) -> LanguageModel:
    return open_model("openai", {"base_url": server.base_url, "model": "m", "backoff": "0", **options})


def refused(script: Script, server: ChatServer) -> list[str]:
    """Lets a server answer by a script; returns the list to which its refusals are added."""
    found: list[str] = []

    def counted(body: Json) -> Sent:
        sent = script(body)
        found.extend([sent.body.decode()] if sent.status != 200 else [])
        return sent

    server.script = counted
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_second_connection_asks_as_the_first_has_learned(kind: Kind) -> None:
    with serving() as server:
        refusals = refused(kind.script, server)
        first, later = opened(server), choose(*CHOICES[::-1], scores=True)
        first.answer(choose(*CHOICES, scores=True), never())
        at = len(server.requests)
        reply = first.answer(later, never())
        learned = server.requests[at:]
        refusals.clear()
        second = opened(server)
        again = second.answer(later, never())
        assert (server.requests[at + len(learned):], refusals) == (learned, [])
        assert (again.texts, again.scores, again.note) == (reply.texts, reply.scores, reply.note)
        first.close()
        second.close()


def test_few_requests_find_out_what_openai_behind_another_host_refuses() -> None:
    with serving() as server:
        refusals = refused(openai_reasoning, server)
        model = opened(server)
        assert model.answer(choose(*CHOICES, scores=True, samples=1), never()).texts == (CHOICES[0],)
        assert len(refusals) == 4, "of fields only others know, the token limit's name, the temperature, log-probabilities"
        model.close()


def forbids(*names: str) -> Callable[[Json], Sent]:
    """A server that lists all fields that it does not know, as FastAPI does."""
    def script(body: Json) -> Sent:
        unknown = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted",
                    "input": body[name]} for name in names if name in body]
        return as_json({"detail": unknown}, 422) if unknown else completion("open the fridge")

    return script


def test_an_error_that_lists_several_fields_is_answered_at_once() -> None:
    with serving() as server:
        names = ("structured_outputs", "guided_choice", "grammar", "logprobs", "top_logprobs", "stream_options", "stream")
        refusals = refused(forbids(*names), server)
        model = model_at(server)
        assert model.answer(choose(*CHOICES, scores=True), never()).texts == ("open the fridge",)
        assert len(refusals) == 1
        assert {"temperature", "max_tokens"} <= server.requests[-1].keys()
        model.close()


@pytest.mark.parametrize(("message", "lost", "kept"), [
    ("n must be 1 when the temperature is 0", "n", "temperature"),
    ("Unknown parameter: 'stream_options'. Supported parameters are: temperature, n.", "stream_options", "temperature"),
    ("Invalid value for 'top_p': use temperature instead", "top_p", "temperature"),
])
def test_a_field_that_an_error_only_mentions_is_sent_again(message: str, lost: str, kept: str) -> None:
    with serving(lambda body: error(400, message) if lost in body else completion("x", "x")) as server:
        model = model_at(server)
        model.answer(ask(samples=2, top_p=0.9), never())
        assert (lost in server.requests[-1], kept in server.requests[-1]) == (False, True)
        model.close()


def test_a_refusal_that_no_field_explains_costs_three_requests() -> None:
    with serving(lambda body: error(400, "no")) as server:
        model = model_at(server)
        with pytest.raises(ModelError, match="refused the question"):
            model.answer(choose(*CHOICES, scores=True), never())
        assert len(server.requests) == 3
        model.close()


# --- models that think first -----------------------------------------------------
THOUGHT = 600
"""Tokens that this model thinks before it says anything."""


def thinks_first(body: Json) -> Sent:
    if body.get("max_tokens", 0) < THOUGHT:
        return completion("", finish="length", tokens=(10, body.get("max_tokens", 0)))
    return completion("open the fridge", tokens=(10, THOUGHT))


def test_a_model_that_uses_up_the_limit_by_thinking_is_given_more_and_that_is_remembered() -> None:
    with serving(thinks_first) as server:
        for expected in (2, 3, 4):
            model = opened(server)
            reply = model.answer(ask(max_tokens=64), never())
            assert (reply.texts, len(server.requests)) == (("open the fridge",), expected)
            assert "the model thinks first: it may take 4,096 tokens more" in reply.note
            model.close()
        assert [body["max_tokens"] for body in server.requests] == [64, *[64 + ROOM] * 3]


def test_the_operators_own_limit_is_kept() -> None:
    with serving(thinks_first) as server:
        model = model_at(server, max_tokens=100)
        reply = model.answer(ask(max_tokens=64), never())
        assert (reply.texts, [body["max_tokens"] for body in server.requests]) == (("",), [100])
        assert "the reply is empty, cut off at the token limit" in reply.note
        model.close()


@pytest.mark.parametrize("message", ["max_tokens must be at most 512", "This model's maximum context length is 600 tokens",
                                     "you ask for too much"])
def test_a_server_that_allows_no_more_is_not_asked_again_for_more(message: str) -> None:
    def script(body: Json) -> Sent:
        limit = body.get("max_tokens") or body["max_completion_tokens"]
        return error(400, message) if limit > 512 else completion("", finish="length")

    with serving() as server:
        refusals = refused(script, server)
        model = model_at(server)
        assert "cut off at the token limit" in model.answer(ask(max_tokens=64), never()).note
        refusals.clear()
        model.answer(ask("Another", max_tokens=64), never())
        assert (refusals, server.requests[-1]["max_tokens"]) == ([], 64)
        model.close()


def test_a_reply_that_is_only_long_is_not_given_more() -> None:
    with serving(lambda body: completion("I would first walk to the", finish="length")) as server:
        model = model_at(server)
        model.answer(ask(max_tokens=64), never())
        assert len(server.requests) == 1
        model.close()


# --- the file ------------------------------------------------------------------------
learned = st.builds(
    lambda changes, forms: Dialect(**changes).without_forms(forms),
    st.fixed_dictionaries({}, optional={
        **dict.fromkeys(("samples", "temperature", "top_p", "logprobs", "stream", "usage"), st.booleans()),
        "tokens": st.sampled_from(dialects.TOKEN_FIELDS), "alternatives": st.sampled_from((20, 100)),
        "room": st.sampled_from((NO_ROOM, 0, ROOM))}),
    st.sets(st.sampled_from(("together", "structured", "guided", "grammar", "schema", "json"))))


@given(learned)
def test_what_is_learned_survives_the_file(dialect: Dialect) -> None:
    assert dialects.read_dialect(json.loads(json.dumps(dialects.as_json(dialect)))) == dialect


ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
                   max_leaves=5)


@given(st.sampled_from(sorted(dialects.as_json(Dialect()))), ODD)
def test_an_odd_value_in_the_file_is_no_dialect_or_a_sound_one(name: str, value: object) -> None:
    found = dialects.read_dialect({**dialects.as_json(Dialect()), name: value})
    assert found is None or dialects.read_dialect(dialects.as_json(found)) == found


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b'{"x": 1}', b'{"x": {"at": "now"}}', b"[" * 100_000])
def test_a_damaged_file_costs_one_more_probe(content: bytes, own_cache: Path) -> None:
    own_cache.mkdir()
    (own_cache / FILE).write_bytes(content)
    known = KnownServers(own_cache)
    assert known.get("there m") is None
    known.put("there m", Dialect(temperature=False))
    assert known.get("there m") == Dialect(temperature=False)
    assert known.get("there n") is None


def test_what_is_known_is_forgotten_after_a_day(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownServers(own_cache)
    known.put("there m", Dialect(temperature=False))
    now = time.time()
    for later, is_known in ((DAY - 60, True), (DAY + 60, False), (-DAY, False)):
        monkeypatch.setattr("time.time", lambda later=later: now + later)
        assert (known.get("there m") is not None) == is_known


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    known = KnownServers(tmp_path / "file")
    known.put("there m", Dialect())
    known.forget("there m")
    assert known.get("there m") is None


def test_many_threads_write_and_read_at_once(own_cache: Path) -> None:
    def write(number: int) -> None:
        known = KnownServers(own_cache)
        known.put(f"there {number}", Dialect(temperature=False))
        assert known.get("there m") in (None, Dialect())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(64)))
    assert [path.name for path in own_cache.iterdir()] == [FILE]
    assert KnownServers(own_cache).get("nowhere") is None


def test_testing_the_connection_finds_out_anew() -> None:
    with serving(lambda body: error(400, "Unknown parameter: 'temperature'", "temperature") if "temperature" in body
                 else completion("green")) as server:
        model = opened(server)
        model.answer(ask(), never())
        model.close()
        server.script = lambda body: completion("green")
        try_model(ModelConfig("m", "openai", {"base_url": server.base_url, "model": "m"}), Cancellation())
        model = opened(server)
        model.answer(ask(), never())
        assert "temperature" in server.requests[-1]
        model.close()


def test_a_connection_that_does_not_want_streams_teaches_nothing_about_them() -> None:
    with serving(lambda body: error(400, "Unknown parameter: 'temperature'", "temperature") if "temperature" in body
                 else completion("green")) as server:
        for wanted in ("false", "true"):
            model = opened(server, stream=wanted)
            model.answer(ask(), never())
            assert ("stream" in server.requests[-1]) == (wanted == "true")
            model.close()


def waiting_for_the_first() -> int:
    """How many threads wait for the request that finds out what the server takes."""
    stacks = [{frame.f_code.co_name for frame, _ in traceback.walk_stack(top)} for top in sys._current_frames().values()]
    return sum(stack >= {"_has_to_probe", "wait_with"} for stack in stacks)


def test_questions_do_not_wait_in_turn_for_a_server_that_gives_no_reply() -> None:
    together = threading.Barrier(3)

    def script(body: Json) -> Sent:
        if len(server.requests) == 1:
            until(lambda: waiting_for_the_first() == 3)
            return error(401)
        together.wait(PATIENCE)
        return completion("x")

    with serving() as server, ThreadPoolExecutor(4) as pool:
        server.script = script
        model = model_at(server)
        first = pool.submit(model.answer, ask(), never())
        until(lambda: len(server.requests) == 1)
        others = [pool.submit(model.answer, ask(), never()) for _ in range(3)]
        assert [other.result().texts for other in others] == [("x",)] * 3
        assert isinstance(first.exception(), ModelError)
        model.close()


# --- the time of a question ---------------------------------------------------------
def test_a_server_that_sends_letter_by_letter_is_left_when_the_questions_time_is_over() -> None:
    def drips(body: Json) -> Sent:
        def stream(wire: Wire) -> None:
            wire.send(HEAD)
            while True:
                wire.send(events([chunk("x")], ""))
                wire.wait(0.02)

        return Sent(b"", stream=stream)

    with serving(drips) as server:
        model = model_at(server, timeout=0.5, retries=5)
        says = r"has not finished its reply within 0\.5 s, all attempts together: allow more with timeout=NUMBER"
        with pytest.raises(ModelError, match=says) as caught:
            model.answer(ask(), never())
        assert (caught.value.kind, len(server.requests)) == ("timeout", 1)
        model.close()


def test_a_server_that_never_comes_to_its_answer_is_left_when_the_questions_time_is_over() -> None:
    def begins(body: Json) -> Sent:
        def stream(wire: Wire) -> None:
            while True:
                wire.send(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)

        return Sent(b"", stream=stream)

    with serving(begins) as server:
        model = model_at(server, timeout=0.3, retries=5)
        says = r"did not answer within 0\.3 s, all attempts together: allow more with timeout=NUMBER"
        with pytest.raises(ModelError, match=says) as caught:
            model.answer(ask(), never())
        assert (caught.value.kind, len(server.requests)) == ("timeout", 1)
        model.close()


def test_attempts_end_with_the_questions_time() -> None:
    with serving(lambda body: error(503, "busy")) as server:
        model = model_at(server, timeout=0.4, retries=10, backoff=0.25)
        with pytest.raises(ModelError, match="busy"):
            model.answer(ask(), never())
        assert len(server.requests) < 4
        model.close()
