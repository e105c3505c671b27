"""Replies that come piece by piece: read, heard of while they come, measured, and cut off at the server when nobody waits."""

from __future__ import annotations

import itertools
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.llm.event_stream import CIRCLE, LONGEST_TURN, EventStream, goes_in_circles
from core.llm.model import Partial, Waiter
from core.llm.server_errors import Trouble
from core.planning.model_requests import ModelReply
from tests.core.llm.common import KEY, ask, choose, model_at, never
from tests.loopback.chat_server import Json, Sent, as_json, completion, error, only, serving
from tests.loopback.streams import chunk, events, halting, streamed, usage

PATIENCE = 20.0


def parsed(body: bytes, cuts: list[int] | None = None) -> EventStream:
    """A body read in pieces."""
    stream = EventStream(json.loads)
    places = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts or [])})
    for begin, end in itertools.pairwise(places):
        stream.feed(body[begin:end])
    stream.finish()
    return stream


@given(st.lists(st.text(max_size=6), max_size=8), st.lists(st.integers(0, 10_000), max_size=12),
       st.sampled_from(["\n", "\r\n"]))
def test_wherever_the_network_cuts_the_text_is_the_same(texts: list[str], cuts: list[int], line: str) -> None:
    values = [*map(chunk, texts), chunk(finish="stop"), usage(3, 4)]
    body = b": hello\n\n" + events(values).replace(b"\n", line.encode())
    stream = parsed(body, cuts)
    found = stream.reply.judged("HOST", str)
    assert [sample.text for sample in found.samples] == ["".join(texts)]
    assert (found.tokens_in, found.tokens_out) == (3, 4)


@given(st.text(min_size=1, max_size=LONGEST_TURN), st.text(max_size=40), st.integers(1, 9))
def test_a_reply_that_goes_in_circles_ends_there_wherever_the_network_cuts(turn: str, start: str, size: int) -> None:
    text = start + turn * (2 * CIRCLE // len(turn) + 1)
    body = events([*(chunk(text[k:k + size]) for k in range(0, len(text), size))], "")
    whole, cut = parsed(body), parsed(body, list(range(0, len(body), 97)))
    assert (whole.circles, cut.reply.judged("HOST", str)) == (True, whole.reply.judged("HOST", str))
    (found,) = whole.reply.judged("HOST", str).samples
    assert text.startswith(found.text)
    assert CIRCLE <= len(found.text) <= len(start) + CIRCLE + size
    assert (found.cut, "circles" in found.note) == (False, True)


@given(st.integers(CIRCLE, 2 * CIRCLE))
def test_what_counts_on_does_not_go_in_circles(size: int) -> None:
    text = "\n".join(f"add({k})" for k in range(size))
    assert not goes_in_circles(text)
    assert not goes_in_circles("=" * (CIRCLE - 1))
    stream = EventStream(json.loads, single=False)
    stream.feed(events([chunk("=" * size)], ""))
    assert not stream.circles, "the other samples of a request would be lost"


def test_the_connection_of_a_reply_in_circles_is_closed_so_that_the_server_stops() -> None:
    left = threading.Event()
    with serving(lambda body: halting(("la " * CIRCLE,), threading.Event(), left=left)) as server:
        model = model_at(server)
        reply = model.answer(ask(max_tokens=4000), never())
        assert left.wait(PATIENCE), "the server heard of it"
        assert reply.texts[0].startswith("la la")
        assert reply.note == "ended where it went in circles"
        model.close()


@given(st.binary(max_size=300), st.lists(st.integers(0, 400), max_size=5))
def test_no_bytes_break_the_reader(data: bytes, cuts: list[int]) -> None:
    for body in (data, b"data: " + data, b'data: {"choices": [{"delta": ' + data + b"}]}\n\n"):
        with suppress(Trouble):
            parsed(body, cuts).reply.judged("HOST", str)


def test_several_samples_log_probabilities_thoughts_and_refusals() -> None:
    tokens = [{"content": [{"token": t, "logprob": -0.5, "top_logprobs": []}]} for t in "ab"]
    body = events((chunk("a", logprobs=tokens[0]), chunk("x", index=1), chunk("b", logprobs=tokens[1], finish="length"),
                   chunk(None, index=1, finish="stop"),
                   chunk(None, index=2, reasoning_content="hm", refusal="no", finish="stop")))
    samples = parsed(body).reply.judged("HOST", str).samples
    assert [(s.text, s.cut, s.refused) for s in samples] == [("ab", True, False), ("x", False, False), ("no", False, True)]
    assert [p.token for p in samples[0].tokens] == ["a", "b"]


def test_a_streamed_reply_is_read_heard_of_and_measured() -> None:
    heard: list[Partial] = []
    go_on, came = threading.Event(), threading.Event()

    def hear(partial: Partial) -> None:
        heard.append(partial)
        came.set()

    with serving(lambda body: halting(("Hel", "lo "), go_on, streamed("you"))) as server, ThreadPoolExecutor(1) as pool:
        model = model_at(server)
        future = pool.submit(model.answer, ask(), Waiter(hear))
        assert came.wait(PATIENCE)
        assert not future.done()
        go_on.set()
        reply = future.result()
        assert heard[0].text in ("Hel", "Hello ")
        assert (reply.texts, reply.tokens_in, reply.tokens_out) == (("Hello you",), 10, 5)
        assert reply.first_token > 0
        assert reply.rate > 0
        assert reply.seconds >= reply.first_token
        assert server.requests[0]["stream_options"] == {"include_usage": True}
        model.close()


def test_the_key_is_not_shown_while_it_is_echoed() -> None:
    heard: list[Partial] = []
    with serving() as server:
        model = model_at(server)
        for echoed in (f"the key is {KEY}.", f"the key is {KEY[:6]}"):
            go_on, came = threading.Event(), threading.Event()
            server.script = lambda body, echoed=echoed, go_on=go_on: halting((echoed,), go_on)  # type: ignore[misc]

            def hear(partial: Partial, came: threading.Event = came) -> None:
                heard.append(partial)
                came.set()

            with ThreadPoolExecutor(1) as pool:
                future = pool.submit(model.answer, ask(), Waiter(hear))
                assert came.wait(PATIENCE)
                go_on.set()
                future.result()
        assert [partial.text for partial in heard] == ["the key is [key].", "the key is "]
        model.close()


def test_cancelling_ends_the_request_at_the_server() -> None:
    left, came = threading.Event(), threading.Event()
    with serving(lambda body: halting(("I will count to a million: 1",), threading.Event(), left=left)) as server:
        model, waiter = model_at(server), Waiter(lambda partial: came.set())
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(model.answer, ask(), waiter)
            assert came.wait(PATIENCE)
            waiter.set()
            with pytest.raises(ModelError) as caught:
                future.result()
        assert caught.value.kind == "cancelled"
        assert left.wait(PATIENCE), "the server notices that nobody listens"
        model.close()


@pytest.mark.parametrize("refused", ["stream_options", "stream"])
def test_servers_that_do_not_stream(refused: str) -> None:
    fields = ("max_tokens", "temperature", "stream", "stream_options")
    taken = fields[: fields.index(refused)] if refused == "stream_options" else fields[:2]
    with serving(only(completion("x"), *taken)) as server:
        model = model_at(server)
        for _ in range(2):
            assert model.answer(ask(), never()).texts == ("x",)
        assert refused not in server.requests[-1]
        assert len(server.requests) <= 4
        model.close()


def test_a_server_that_only_streams() -> None:
    with serving(lambda body: streamed("gr", "ab")) as server:
        model = model_at(server, stream=False)
        reply = model.answer(choose("grab", "open"), never())
        assert (reply.texts, reply.tokens_out, reply.misfit) == (("grab",), 5, "")
        assert "stream" not in server.requests[0]
        model.close()


def test_scores_of_a_streamed_reply() -> None:
    other = {"token": "A", "logprob": math.log(0.25)}
    listing = {"content": [{"token": "B", "logprob": math.log(0.75), "top_logprobs": [other]}]}
    body = events((chunk("B", logprobs=listing), chunk(finish="stop")))
    with serving(lambda _: Sent(body, headers={"content-type": "text/event-stream"})) as server:
        model = model_at(server)
        reply = model.answer(choose("A", "B", scores=True), never())
        assert dict(reply.scores) == pytest.approx({"B": math.log(0.75), "A": math.log(0.25)})
        model.close()


@pytest.mark.parametrize(("body", "kind", "words"), [
    (events(map(chunk, ("Hel", "lo")), ""), "down", "broke off in the middle"),
    (events((chunk("Hel"), {"error": {"message": "out of memory", "code": 500}}), ""), "down", "out of memory"),
    (events(({"error": {"message": "model is loading"}},), ""), "refused", "model is loading"),
    (events(({"error": {"code": 400, "message": "the prompt is too long"}},), ""), "refused", "too long"),
])
def test_trouble_in_the_middle_of_a_stream(body: bytes, kind: str, words: str) -> None:
    with serving(lambda _: Sent(body, headers={"content-type": "text/event-stream"})) as server:
        model = model_at(server, retries=0)
        with pytest.raises(ModelError, match=words) as caught:
            model.answer(ask(), never())
        assert caught.value.kind == kind
        model.close()


def test_a_stream_that_broke_off_is_asked_for_again() -> None:
    def script(body: Json) -> Sent:
        whole = streamed("Hello")
        return whole if len(server.requests) > 1 else Sent(events((chunk("Hel"),), ""), headers=whole.headers)

    with serving() as server:
        server.script = script
        model = model_at(server)
        assert model.answer(ask(), never()).texts == ("Hello",)
        model.close()


def test_settings_go_into_every_request() -> None:
    with serving(lambda body: completion("x")) as server:
        settings = {"temperature": 0.7, "max_tokens": 4096, "extra_body": '{"reasoning_effort": "low"}', "stream": False}
        model = model_at(server, **settings)
        model.answer(ask(temperature=-1.0, max_tokens=7), never())
        model.answer(ask(temperature=0.2), never())
        bodies = server.requests
        assert [body["temperature"] for body in bodies] == [0.7, 0.2]
        assert all((body["max_tokens"], body["reasoning_effort"]) == (4096, "low") for body in bodies)
        assert "temperature 0.7, max_tokens 4096, extra_body #" in model.source
        plain = model_at(server)
        assert ask(temperature=-1.0).key(plain.source) == ask(temperature=0.0).key(plain.source)
        assert ask().key(plain.source) != ask().key(model.source)
        plain.close()
        model.close()


@pytest.mark.parametrize("slots", [1, 3])
def test_no_more_questions_at_once_than_the_server_has_slots(slots: int) -> None:
    lock, now, most = threading.Lock(), [0], [0]
    full = threading.Event()

    def script(body: Json) -> Sent:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
            if now[0] == slots:
                full.set()
        full.wait(PATIENCE)
        with lock:
            now[0] -= 1
        return completion("x")

    with serving(script) as server, ThreadPoolExecutor(8) as pool:
        full.set()
        model = model_at(server, slots=slots)
        model.answer(ask("what does the server take?"), never())
        full.clear()
        replies: list[ModelReply] = list(pool.map(lambda k: model.answer(ask(f"question {k}"), never()), range(8)))
        assert [reply.texts for reply in replies] == [("x",)] * 8
        assert most[0] == slots
        model.close()


def test_a_question_that_waits_for_a_slot_can_be_withdrawn() -> None:
    with serving() as server, ThreadPoolExecutor(2) as pool:
        server.script = server.hang
        model = model_at(server, slots=1)
        held, first, second = server.hanging, Cancellation(), Cancellation()
        futures = [pool.submit(model.answer, ask("first"), first)]
        assert held.wait(PATIENCE)
        futures.append(pool.submit(model.answer, ask("second"), second))
        for event, future in zip((second, first), reversed(futures), strict=True):
            event.set()
            with pytest.raises(ModelError, match="withdrawn"):
                future.result()
        assert len(server.requests) == 1
        model.close()


REFUSAL = {"error": {"code": 400, "message": "Unsupported parameter: 'temperature'", "param": "temperature"}}


@pytest.mark.parametrize("refusal", [error(400, "Unsupported parameter: 'temperature'", "temperature"), as_json(REFUSAL),
                                     Sent(events([REFUSAL]))], ids=("status", "body", "stream"))
def test_a_refusal_is_worked_around_wherever_it_is_said(refusal: Sent) -> None:
    def script(body: Json) -> Sent:
        return refusal if "temperature" in body else streamed("x")

    with serving(script) as server:
        model = model_at(server)
        assert model.answer(ask(), never()).texts == ("x",)
        model.close()


