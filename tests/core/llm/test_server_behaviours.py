"""What servers send as a reply, each streamed and whole: the same is made of it, or the same error says why it is none."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.errors import ModelError
from core.llm.cache import FILE, Cached, ReplyCache
from core.llm.completions import Completions, Reply
from core.llm.event_stream import EventStream
from core.llm.server_errors import Trouble
from core.planning.model_requests import Expects, ModelReply, ModelRequest
from tests.core.llm.common import ask, choose, model_at, never
from tests.loopback.chat_server import Json, Sent, Wire, as_json, completion, in_turn, serving
from tests.loopback.streams import HEAD, chunk, events, streamed

WHERE = "HOST"


@dataclass(frozen=True)
class Outcome:
    """What is made of a reply.

    Attributes:
        texts: the text of each sample; none if the reply is an error.
        cut: a sample may not be whole.
        refused: the model declines.
        error: the kind of the error; empty if there is none.
        retry: the same request is sent again.
        says: words of the note or error.
    """

    texts: tuple[str, ...] = ()
    cut: bool = False
    refused: bool = False
    error: str = ""
    retry: bool = False
    says: str = ""


def whole(text: str, says: str = "") -> Outcome:
    return Outcome((text,), says=says)


def cut(text: str, says: str) -> Outcome:
    return Outcome((text,), cut=True, says=says)


def failed(kind: str, says: str, *, retry: bool) -> Outcome:
    return Outcome(error=kind, retry=retry, says=says)


DOWN = failed("down", "HOST broke off in the middle of its reply", retry=True)
WITHHELD = failed("refused", "HOST withheld the reply", retry=False)
REFUSED = Outcome(("I will not.",), refused=True, says="the model refused: I will not.")


def said(content: Any, finish: str | None = "stop", **fields: Any) -> Json:
    """A whole reply with one sample; `fields` go into its message."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": content, **fields}, "finish_reason": finish}]}


def two(first: Json, second: Json) -> Json:
    return {"choices": [first["choices"][0], {**second["choices"][0], "index": 1}]}


def part(kind: str, **fields: Any) -> Json:
    return {"type": kind, **fields}


BOTH: Mapping[str, tuple[Any, Outcome]] = {
    # --- what the text is ------------------------------------------------------
    "a text": (said("open the fridge"), whole("open the fridge")),
    "several samples": (two(said("a"), said("b")), Outcome(("a", "b"))),
    "a text as in completions": ({"choices": [{"index": 0, "text": "open it", "finish_reason": "stop"}]}, whole("open it")),
    "a part": (said([part("text", text="open the fridge")]), whole("open the fridge")),
    "parts": (said([part("text", text="open "), part("output_text", text="the fridge")]), whole("open the fridge")),
    "a part that is a text": (said(["open ", "it"]), whole("open it")),
    "a part instead of a list": (said(part("text", text="open it")), whole("open it")),
    "a part with a value": (said([part("text", text={"value": "open it", "annotations": []})]), whole("open it")),
    "a part of another kind": (said([part("text", text="open it"), part("image_url", image_url={})]),
                               whole("open it", "parts of the kind image_url are left out")),
    "only parts of another kind": (said([part("audio", data="x")]), whole("", "the reply is empty, parts of the kind audio")),
    "thoughts in a part": (said([part("thinking", thinking=[part("text", text="close it?")]), part("text", text="open it")]),
                           whole("open it")),
    "a summary of thoughts in a part": (said([part("reasoning_text", text="close it?"), part("text", text="open it")]),
                                        whole("open it")),
    "thoughts in a part of Google's": (said([{"text": "close it?", "thought": True}, {"text": "open it"}]), whole("open it")),
    "nothing": (said(""), whole("", "the reply is empty")),
    "no content": (said(None), whole("", "the reply is empty")),
    "blanks": (said(" \n"), whole(" \n", "the reply is empty")),
    # --- thoughts ----------------------------------------------------------------
    "thoughts in a field": (said("open it", reasoning_content="close it?"), whole("open it")),
    "thoughts in a shorter field": (said("open it", reasoning="close it?"), whole("open it")),
    "thoughts only": (said(None, reasoning_content="close it?"), whole("", "the reply is empty, it holds only thoughts")),
    "thoughts until the limit": (said("", "length", reasoning="close it?"), cut("", "cut off at the token limit")),
    "thoughts in the text": (said("<think>close it?</think>\n\nopen it"), whole("open it", "its thoughts are left out")),
    "thoughts without the opening tag": (said("close it? no</think>\nopen it"), whole("open it", "thoughts are left out")),
    "thoughts twice": (said("<think>a</think>open <thinking>b</thinking>it"), whole("open it", "thoughts are left out")),
    "thoughts within thoughts": (said("<think>a<think>b</think>c</think>open it"), whole("open it", "thoughts are left out")),
    "thoughts in brackets": (said("[THINK]close it?[/THINK]open it"), whole("open it", "thoughts are left out")),
    "thoughts in a channel": (said("<|channel|>analysis<|message|>close it?<|end|><|start|>assistant<|channel|>final<|message|>"
                                   "open it<|return|>"), whole("open it", "thoughts are left out")),
    "thoughts without end": (said("<think>close it? or", "length"), cut("", "cut off while it was thinking")),
    "thoughts without end, ended": (said("<think>close it? or"), cut("", "cut off while it was thinking")),
    # --- refusals ------------------------------------------------------------------
    "a refusal": (said(None, refusal="I will not."), REFUSED),
    "a refusal as a part": (said([part("refusal", refusal="I will not.")]), REFUSED),
    "a refusal after a beginning": (said('{"answer": "op', refusal="I will not."), REFUSED),
    "an empty refusal": (said("open it", refusal=""), whole("open it")),
    # --- tools -----------------------------------------------------------------------
    "a tool": (said(None, "tool_calls", tool_calls=[{"index": 0, "id": "1", "function": {"name": "grab", "arguments": "{}"}}]),
               whole("", "the reply is empty, it calls the tool grab")),
    "a function": (said(None, "function_call", function_call={"name": "grab", "arguments": "{}"}), whole("", "the tool grab")),
    "a text and a tool": (said("open it", "tool_calls", tool_calls=[{"function": {"name": "grab"}}]),
                          whole("open it", "it calls the tool grab, which the request does not offer")),
    # --- why it ends ---------------------------------------------------------------------
    "the limit": (said("open the fri", "length"), cut("open the fri", "cut off at the token limit")),
    "the limit by another name": (said("open the fri", "MAX_TOKENS"), cut("open the fri", "cut off at the token limit")),
    "the end by another name": (said("open it", "eos_token"), whole("open it")),
    "no reason": (said("open it", None), whole("open it")),
    "an empty reason": (said("open it", ""), whole("open it")),
    "an unknown reason": (said("open the fri", "bananas"), cut("open the fri", "unknown finish_reason, bananas")),
    "a reason that is an object": (said("open it", {"type": "stop"}), whole("open it")),  # type: ignore[arg-type]
    "a filter": (said("open the fri", "content_filter"), WITHHELD),
    "a filter of Google's": (said("", "SAFETY"), WITHHELD),
    "an error of Cohere's": (said("open the fri", "ERROR_TOXIC"), DOWN),
    "null as a text": (said("open it", "null"), whole("open it")),
    "an error as the reason": (said("open the fri", "error"), DOWN),
    "withdrawn by the server": (said("open the fri", "abort"), DOWN),
    "one of two samples failed": (two(said("a"), said("b", "error")), DOWN),
    # --- errors in place of a reply, or within one -----------------------------------------
    "an error with the code of a gateway": ({"error": {"code": 502, "message": "no upstream"}},
                                            failed("down", "HOST has a fault (502): no upstream", retry=True)),
    "an error with a code as text": ({"error": {"code": "503", "message": "busy"}},
                                     failed("down", "has a fault (503): busy", retry=True)),
    "an error with a status": ({"error": {"status": 500, "message": "oops"}}, failed("down", "(500): oops", retry=True)),
    "an error with a type": ({"error": {"type": "server_error", "message": "oops"}}, failed("down", "(500): oops", retry=True)),
    "an error that asks for patience": ({"error": {"code": "rate_limit_exceeded", "message": "slow"}},
                                        failed("rate limit", "asks us to slow down (429)", retry=True)),
    "no quota left": ({"error": {"code": "insufficient_quota", "message": "pay"}},
                      failed("rate limit", "no quota left", retry=False)),
    "a wrong key": ({"error": {"code": 401, "message": "who?"}}, failed("key", "does not accept the key", retry=False)),
    "a prompt too long": ({"error": {"code": 400, "message": "exceeds the context length"}},
                          failed("refused", "the prompt is too long", retry=False)),
    "an error without a code": ({"error": {"message": "model is loading"}},
                                failed("refused", "holds no reply: model is loading", retry=False)),
    "an error that is a text": ({"error": "model 'x' not found"}, failed("refused", "model 'x' not found", retry=False)),
    "an error in a list": ([{"error": {"code": 503, "message": "busy"}}], failed("down", "(503): busy", retry=True)),
    "an error of vLLM": ({"object": "error", "message": "oops", "code": 500}, failed("down", "(500): oops", retry=True)),
    "an error that is a flag": ({"error": True, "message": "oops"}, failed("refused", "holds no reply: oops", retry=False)),
    "an error of FastAPI": ({"detail": "Not Found"}, failed("refused", "holds no reply: Not Found", retry=False)),
    "half a reply and an error": ({**said("open the fri", None), "error": {"message": "out of memory"}},
                                  failed("down", "broke off in the middle of its reply: out of memory", retry=True)),
    "half a reply and an error in its sample": (
        {"choices": [{**said("open the fri", "error")["choices"][0], "error": {"code": 502, "message": "lost"}}]},
        failed("down", "(502): lost", retry=True)),
    "no error": ({**said("open it"), "error": None}, whole("open it")),
    "no samples": ({"choices": []}, failed("refused", "the server's answer holds no reply", retry=False)),
    "something else": ({"message": {"content": "open it"}, "done": True}, failed("refused", "holds no reply", retry=False)),
}
"""Whole bodies, and what is made of them."""

TEXT = [chunk("open "), chunk("it")]
STREAMS: Mapping[str, tuple[bytes, Outcome]] = {
    "no end": (events(TEXT, ""), DOWN),
    "no mark of the end": (events([*TEXT, chunk(finish="stop")], ""), whole("open it")),
    "no reason": (events(TEXT), whole("open it")),
    "no line end at its end": (events([*TEXT, chunk(finish="stop")], "data: [DONE]"), whole("open it")),
    "two replies": (events([*TEXT, chunk(finish="stop")]) + events([chunk("close it", finish="stop")]), whole("open it")),
    "an error after the end": (events([*TEXT, chunk(finish="stop")]) + events([{"error": {"message": "oops"}}]),
                               whole("open it")),
    "comments only": (b": ping\n\n: ping\n\n", DOWN),
    "the end only": (events([]), failed("refused", "holds no reply", retry=False)),
    "half an event": (events(TEXT, "")[:-20], DOWN),
    "an error after the beginning": (events([*TEXT, {"error": {"message": "oops"}}], ""),
                                     failed("down", "broke off in the middle of its reply: oops", retry=True)),
    "an error before the end": (events([*TEXT, {"error": {"message": "oops"}}, chunk(finish="stop")]),
                                failed("down", "broke off in the middle of its reply: oops", retry=True)),
    "an error event": (events(TEXT, 'event: error\ndata: {"message": "oops", "code": 503}\n\n'),
                       failed("down", "(503): oops", retry=True)),
    "an error event that is a text": (events(TEXT, "event: error\ndata: oops\n\n"),
                                      failed("down", "broke off in the middle of its reply: oops", retry=True)),
    "an error line of llama.cpp": (events(TEXT, 'error: {"code": 500, "message": "oops"}\n\n'),
                                   failed("down", "(500): oops", retry=True)),
    "an error without any frame": (events(TEXT, '{"error": {"code": 502, "message": "oops"}}\n'),
                                   failed("down", "(502): oops", retry=True)),
    "the whole message with each event": (events([{"choices": [{"index": 0, "delta": {"content": "open "}, "message": {
        "content": "open "}}]}, {"choices": [{"index": 0, "delta": {"content": "it"}, "message": {"content": "open it"},
                                              "finish_reason": "stop"}]}]), whole("open it")),
    "messages instead of pieces": (events([said("open ", None), said("open it")]), whole("open it")),
    "events without lines between them": (
        events([*TEXT, chunk(finish="stop")]).replace(b"\n\n", b"\n") + b"\n", whole("open it")),
    "a damaged event": (events(TEXT, 'data: {"choices": [{"delta": {"cont\n\n') + events([chunk(finish="stop")]), DOWN),
    "a reason that is null as a text": (events([chunk("open ", finish="null"), chunk("it", finish="null")], ""), DOWN),
    "an event that is no JSON": (events([*TEXT], "data: ping\n\n") + events([chunk(finish="stop")]), whole("open it")),
}
"""What only a stream can do."""


def outcome(read: Callable[[], Completions]) -> Outcome:
    try:
        found = read().samples
    except Trouble as error:
        return Outcome(error=error.kind, retry=error.retry, says=str(error))
    says = "; ".join(sample.note for sample in found if sample.note)
    return Outcome(tuple(s.text for s in found), any(s.cut for s in found), any(s.refused for s in found), says=says)


def agrees(found: Outcome, wanted: Outcome) -> bool:
    """Whether something is made of a reply as it should be; notes that are not expected are not wanted either."""
    same = (found.texts, found.cut, found.refused, found.error, found.retry) == (
        wanted.texts, wanted.cut, wanted.refused, wanted.error, wanted.retry)
    return same and wanted.says in found.says and bool(wanted.says) == bool(found.says) and "\n" not in found.says


def of_whole(body: Any) -> Outcome:
    reply = Reply()
    reply.add(body)
    reply.is_over = True
    return outcome(lambda: reply.judged(WHERE, str))


def of_stream(pieces: Iterable[bytes]) -> Outcome:
    stream = EventStream(json.loads)
    for piece in pieces:
        stream.feed(piece)
    stream.finish()
    assert stream.has_events
    return outcome(lambda: stream.reply.judged(WHERE, str))


def in_events(body: Any) -> Iterator[Any]:
    """The same reply as the events of a stream: each field of a message in pieces, the reason and errors last."""
    choices = body.get("choices") if isinstance(body, dict) else None
    if not choices:
        yield body
        return
    for choice in choices:
        index = choice["index"]
        if "text" in choice:
            yield from ({"choices": [{"index": index, "text": letter}]} for letter in choice["text"])
        for name, value in choice.get("message", {}).items():
            in_pieces = list(value) if isinstance(value, str) and value else [value]
            in_pieces = [[one] for one in value] if isinstance(value, list) else in_pieces
            yield from (chunk(None, index=index, **{name: piece}) for piece in in_pieces)
    ends = [{"index": c["index"], "delta": {}, "finish_reason": c["finish_reason"], "error": c.get("error")} for c in choices]
    yield {"choices": ends, "error": body.get("error")}


def lines(values: Iterable[Any], end: str = "\n", *, dressed: bool = False) -> bytes:
    """A stream; `dressed`: with a byte-order mark, comments, names, and data of several lines."""
    head, start, indent = ("\ufeff: hello\n\n", ": ping\nid: 7\nevent: message\nretry: 10\n", 1) if dressed else ("", "", None)
    data = ("\ndata: ".join(json.dumps(value, indent=indent).split("\n")) for value in values)
    frames = [f"{start}data: {text}\n\n" for text in data]
    return "".join([head, *frames, "data: [DONE]\n\n"]).replace("\n", end).encode()


@pytest.mark.parametrize("name", BOTH)
def test_the_same_is_made_of_a_reply_that_comes_whole_and_in_pieces(name: str) -> None:
    body, wanted = BOTH[name]
    found = of_whole(body)
    assert agrees(found, wanted), found
    for end, dressed in itertools.product(("\n", "\r\n", "\r"), (False, True)):
        stream = lines(list(in_events(body)), end, dressed=dressed)
        assert of_stream([stream]) == found
    assert of_stream(bytes([byte]) for byte in stream) == found


@pytest.mark.parametrize("name", STREAMS)
def test_what_is_made_of_a_stream(name: str) -> None:
    body, wanted = STREAMS[name]
    found = of_stream([body])
    assert agrees(found, wanted), found
    assert of_stream(bytes([byte]) for byte in body) == found


@given(st.sampled_from(sorted(BOTH)), st.lists(st.integers(0, 100_000), max_size=6), st.booleans(),
       st.sampled_from(["\n", "\r\n", "\r"]))
def test_wherever_the_network_cuts_a_stream_the_same_is_made_of_it(name: str, cuts: list[int], dressed: bool, end: str) -> None:
    body, _ = BOTH[name]
    stream = lines(list(in_events(body)), end, dressed=dressed)
    places = sorted({0, len(stream), *(cut % len(stream) for cut in cuts)})
    assert of_stream(stream[begin:to] for begin, to in itertools.pairwise(places)) == of_whole(body)


def test_letters_of_several_bytes_survive_any_cut() -> None:
    stream = "data: " + json.dumps(chunk("öffne 冰箱 🧊", finish="stop"), ensure_ascii=False) + "\n\n"
    assert of_stream(bytes([byte]) for byte in stream.encode()) == whole("öffne 冰箱 🧊")


def test_many_marks_of_thoughts_are_read_at_once() -> None:
    assert of_whole(said("<think>" * 14_000, "length")).says == "the reply is empty, cut off while it was thinking"
    assert of_whole(said("</think>" * 14_000 + "open it")).texts == ("open it",)


# --- over sockets ------------------------------------------------------------------
GATEWAY = {"error": {"code": 502, "message": "no upstream"}}
HALVES: Mapping[str, Callable[[], Sent]] = {
    "a gateway's error, whole": lambda: as_json(GATEWAY),
    "a gateway's error, streamed": lambda: Sent(events([GATEWAY]), headers={"content-type": "text/event-stream"}),
    "a gateway's error in the middle": lambda: Sent(events([chunk("open"), GATEWAY], "")),
    "an error without a code in the middle": lambda: Sent(events([chunk("open"), {"error": "lost"}, chunk(finish="stop")])),
    "finish_reason error": lambda: completion("open", finish="error"),
    "finish_reason error, streamed": lambda: streamed("open", finish="error"),
    "a stream without end": lambda: Sent(events([chunk("open")], "")),
    "JSON without end": lambda: Sent(completion("open").body[:-30]),
}


@pytest.mark.parametrize("name", HALVES)
def test_half_a_reply_is_asked_for_again_and_never_kept(name: str) -> None:
    with serving(in_turn(HALVES[name](), completion("open the fridge"))) as server:
        cache = ReplyCache()
        model = Cached(model_at(server), cache)
        assert model.answer(ask(), never()).texts == ("open the fridge",)
        assert (len(server.requests), cache.count()) == (2, 1)
        server.script = in_turn(HALVES[name]())
        with pytest.raises(ModelError):
            model.answer(ask("Something else"), never())
        assert cache.count() == 1
        model.close()


@pytest.mark.parametrize("end", ["data: [DONE]\n\n", ""])
def test_a_whole_reply_is_taken_even_if_its_connection_never_closes(end: str) -> None:
    def stream(wire: Wire) -> None:
        wire.send(HEAD + events([chunk("open it", finish="stop")], end))
        wire.wait(60)

    with serving(lambda body: Sent(b"", stream=stream)) as server:
        model = model_at(server, timeout=20.0 if end else 0.3)
        assert model.answer(ask(), never()).texts == ("open it",)
        model.close()


def test_a_connection_that_breaks_between_two_samples_says_nothing_about_the_server() -> None:
    def stream(wire: Wire) -> None:
        head = HEAD.replace(b"connection: close", b"content-length: 9999")
        wire.send(head + events([chunk("a", finish="stop")], ""))

    both = Sent(events([chunk("a", finish="stop"), chunk("b", index=1, finish="stop")]))
    with serving(in_turn(Sent(b"", stream=stream), both)) as server:
        model = model_at(server)
        assert model.answer(ask(samples=2), never()).texts == ("a", "b")
        assert [body["n"] for body in server.requests] == [2, 2]
        model.close()


@pytest.mark.parametrize("status", [200, 201, 202, 206])
def test_any_success_is_read_like_any_other(status: int) -> None:
    for sent in (completion("open it"), streamed("open ", "it")):
        with serving(in_turn(replace(sent, status=status))) as server:
            model = model_at(server)
            assert model.answer(ask(), never()).texts == ("open it",)
            assert len(server.requests) == 1
            model.close()


@pytest.mark.parametrize("sent", [completion("open the fri", finish="content_filter"),
                                  streamed("open the fri", finish="content_filter")], ids=("whole", "streamed"))
def test_what_a_filter_has_cut_off_is_an_error_that_is_not_repeated(sent: Sent) -> None:
    with serving(in_turn(sent)) as server:
        cache = ReplyCache()
        model = Cached(model_at(server), cache)
        with pytest.raises(ModelError, match=r"withheld the reply.*content_filter") as caught:
            model.answer(ask(), never())
        assert (caught.value.kind, caught.value.retry, len(server.requests), cache.count()) == ("refused", False, 1, 0)
        model.close()


@pytest.mark.parametrize("sent", [as_json(said(None, refusal="I will not.")),
                                  Sent(events([chunk(None, refusal="I will "), chunk(None, refusal="not.", finish="stop")]))])
def test_a_refusal_is_what_the_model_says_and_is_not_kept(sent: Sent) -> None:
    with serving(in_turn(sent)) as server:
        cache = ReplyCache()
        model = Cached(model_at(server), cache)
        for question in (ask(), choose("grab", "open")):
            reply = model.answer(question, never())
            assert (reply.texts, reply.misfit) == (("I will not.",), "empty")
            assert "the model refused: I will not." in reply.note
        assert cache.count() == 0
        model.close()


def test_a_text_that_is_cut_off_is_marked_and_not_kept() -> None:
    with serving(in_turn(completion("open the fri", finish="length"))) as server:
        cache = ReplyCache()
        model = Cached(model_at(server), cache)
        reply = model.answer(ask(), never())
        assert (reply.misfit, reply.note, cache.count()) == ("cut", "cut off at the token limit", 0)
        model.close()


@pytest.mark.parametrize(("question", "text"), [
    (ask(), "open the fri"), (choose("open", "close"), "open"), (ask(expects=Expects(schema='{"type": "object"}')), "{}")])
def test_a_reply_that_an_earlier_version_kept_is_taken_only_if_it_is_surely_whole(question: ModelRequest, text: str,
                                                                                  tmp_path: Path) -> None:
    with serving(in_turn(completion("asked again"))) as server:
        inner, cache = model_at(server), ReplyCache(tmp_path)
        model, key = Cached(inner, cache), question.key(inner.source)
        cache.put(key, question, ModelReply((text,), inner.source))
        with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
            old = json.dumps({"texts": [text], "source": inner.source})
            database.execute("UPDATE replies SET body = ?", (old,))
        is_whole = question.expects != Expects()
        assert Cached(inner, cache, every=True).answer(question, never()).cached, "a repeated sweep gets equal replies"
        found = model.answer(question, never())
        assert (found.texts, found.cached) == (((text,), True) if is_whole else (("asked again",), False))
        assert model.answer(question, never()).cached
        cache.close()
        inner.close()
