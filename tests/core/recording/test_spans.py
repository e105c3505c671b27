"""Recordings as OpenTelemetry traces: what a viewer of traces shows is what the recording holds."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import ReadableSpan

from core.common.errors import DataError, ModelError, UsageError
from core.planning.model_requests import ModelReply, ModelRequest
from core.recording.exports import export_all, send
from core.recording.exports.spans import _model_attributes, spans
from core.recording.reader import open_recording
from core.session import commands as c
from core.session import events as e
from core.session.snapshot import Snapshot
from tests.core.recording.common import CODEC, recorder_of
from tests.core.session.toys import LEFT, Guide, session

Trace = tuple[list[ReadableSpan], Snapshot]


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose model fails once, with an override, a rewind, and an answer of the operator."""
    path = tmp_path_factory.mktemp("traces") / "a.mcap"
    run, ear = session(model=Guide(fail=[ModelError("connection refused", "down", retry=True)]))
    recorder = recorder_of(path, run, [])
    ear.when(lambda event: isinstance(event.what, e.Failed), c.Answer(0, "right"))
    ear.when(lambda event: isinstance(event.what, e.TurnBegan) and event.turn == 3, c.Override(LEFT))
    ear.when(lambda event: isinstance(event.what, e.Acted) and event.turn == 4, c.Rewind(2))
    run.run()
    recorder.close()
    return path


@pytest.fixture(scope="module")
def trace(episode: Path) -> Trace:
    with open_recording(episode, CODEC) as recording:
        return spans(recording), recording.snapshot_at()


def kinds(found: list[ReadableSpan], kind: str) -> list[ReadableSpan]:
    return [span for span in found if (span.attributes or {})["openinference.span.kind"] == kind]


@pytest.mark.parametrize("began", ["", "ü" * 3000, "9" * 400, "0001-01-01T00:00+14:00", "1900-01-01", "9999-12-31T23:59:59"])
def test_a_beginning_that_is_no_time_is_the_first_second(began: str, episode: Path) -> None:
    with open_recording(episode, CODEC) as recording:
        recording.metadata = {**recording.metadata, "began": began}
        found = spans(recording)
    assert found[0].start_time == 0
    assert len(encode_spans(found).resource_spans) == 1


def number_of(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def test_the_spans_are_a_tree_of_one_trace(trace: Trace) -> None:
    found, end = trace
    known: set[int] = set()
    for span in found:
        assert (span.parent is None) == (not known)
        assert span.parent is None or span.parent.span_id in known
        assert span.start_time is not None
        assert span.end_time is not None
        assert span.start_time <= span.end_time
        known.add(number_of(span))
    assert len(known) == len(found)
    assert len({span.context.trace_id for span in found if span.context is not None}) == 1
    assert len(kinds(found, "TOOL")) == len(end.turns)
    assert {branch for branch, _, _ in end.branches} == {0, 1}


def test_calls_hold_prompt_reply_and_what_they_cost(trace: Trace) -> None:
    found, end = trace
    models = [dict(span.attributes or {}) for span in kinds(found, "LLM")]
    assert len(models) == sum(call.reply is not None and call.reply.is_model for call in end.calls)
    assert sum(int(str(a.get("llm.token_count.prompt", 0))) for a in models) == end.tokens_in
    assert sum(int(str(a.get("llm.token_count.completion", 0))) for a in models) == end.tokens_out
    answered = [call for call in end.calls if call.reply is not None and call.reply.is_model]
    asked = sorted((call.ask.messages[0].content, call.reply.texts[0]) for call in answered if call.reply is not None)
    shown = [(a["llm.input_messages.0.message.content"], a["llm.output_messages.0.message.content"]) for a in models]
    assert sorted(shown) == asked
    assert all(a["output.value"] == a["llm.output_messages.0.message.content"] for a in models)
    by_hand = [span for span in kinds(found, "CHAIN") if "answered by" in str((span.attributes or {})["metadata"])]
    assert len(by_hand) == 1
    assert "rules or a person" in str((by_hand[0].attributes or {})["metadata"])
    assert not any(key.startswith("llm.") for key in by_hand[0].attributes or {})


@pytest.mark.parametrize(("source", "attributes"), [
    ("openai stub at http://127.0.0.1:8080/v1", {"llm.model_name": "stub", "server.address": "127.0.0.1", "server.port": 8080}),
    ("openai gpt-5 (temperature 0.2)", {"llm.model_name": "gpt-5"}), ("guide", {"llm.model_name": "guide"})])
def test_a_model_has_its_name_as_it_is_sent_and_its_server_beside_it(source: str, attributes: dict[str, object]) -> None:
    found = _model_attributes(ModelRequest("policy", ()), ModelReply(("x",), source))
    assert {name: found[name] for name in found if name == "llm.model_name" or name.startswith("server.")} == attributes


def test_a_request_without_a_reply_is_no_call_of_a_language_model(tmp_path: Path) -> None:
    """The run is stopped while its model does not answer."""
    run, ear = session(model=Guide(wait=30.0))
    recorder = recorder_of(tmp_path / "a.mcap", run, [])
    ear.when(lambda event: isinstance(event.what, e.Asked), c.Stop())
    run.run()
    recorder.close()
    with open_recording(tmp_path / "a.mcap", CODEC) as recording:
        found = spans(recording)
    assert not kinds(found, "LLM")
    unanswered = [span for span in found if "nobody" in str((span.attributes or {})["metadata"])]
    assert unanswered
    assert all(not span.status.is_ok and span.end_time == span.start_time for span in unanswered)


def test_a_failure_is_an_event_of_its_turn(trace: Trace) -> None:
    found, _ = trace
    [(name, event)] = [(span.name, event) for span in found for event in span.events]
    assert (name, event.name) == ("turn 1", "model failed")
    assert "connection refused" in str((event.attributes or {})["message"])


def test_the_file_is_otlp_and_the_same_each_time(episode: Path, tmp_path: Path, trace: Trace) -> None:
    files = [tmp_path / "1.json", tmp_path / "2.json"]
    for file in files:
        export_all([episode], "otlp", file, CODEC)
    assert files[0].read_bytes() == files[1].read_bytes()
    [resource] = json.loads(files[0].read_text())["resourceSpans"]
    written = [span for scope in resource["scopeSpans"] for span in scope["spans"]]
    assert [span["spanId"] for span in written] == [f"{number_of(span):016x}" for span in trace[0]]
    assert all(len(span["traceId"]) == 32 for span in written)


@contextmanager
def collector(status: int, content: bytes = b"", **headers: str) -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    """A server that takes traces, or answers with something else."""
    taken: list[ExportTraceServiceRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            taken.append(ExportTraceServiceRequest.FromString(
                gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body))
            self.send_response(status)
            for name, text in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/traces", taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_traces_are_sent_and_refusals_are_said(episode: Path, trace: Trace) -> None:
    with collector(200) as (address, taken):
        assert send([episode], "otlp", address, CODEC) == f"sent 1 recording to {address}"
    scopes = [scope for one in taken for resource in one.resource_spans for scope in resource.scope_spans]
    received = [span for scope in scopes for span in scope.spans]
    assert [span.span_id.hex() for span in received] == [f"{number_of(span):016x}" for span in trace[0]]
    with collector(401) as (address, _), pytest.raises(DataError, match=r"did not take a\.mcap"):
        send([episode], "otlp", address, CODEC)
    with pytest.raises(UsageError, match="is no address"):
        send([episode], "otlp", "localhost", CODEC)
    with pytest.raises(UsageError, match="sends --to otlp"):
        send([episode], "html", "http://127.0.0.1:1", CODEC)


def rejecting(spans: int, message: str = "") -> bytes:
    return ExportTraceServiceResponse(
        partial_success=ExportTracePartialSuccess(rejected_spans=spans, error_message=message)).SerializeToString()


@pytest.mark.parametrize(("status", "content", "says"), [
    (200, rejecting(3, "too old"), r"it rejected 3 of \d+ spans: too old"),
    (200, b'{"partialSuccess": {"rejectedSpans": "2"}}', r"it rejected 2 of \d+ spans\)"),
    (200, b"<!doctype html><form>password</form>", "web page: does a login stand before it"),
    (200, b"Please log in", "none of the protocol"), (200, b'{"error": "who are you?"}', "none of the protocol"),
    (200, b'{"a": ' * 100_000, "none of the protocol"), (200, b"{", "none of the protocol"),
    (302, b"", "it redirects to nowhere"), (404, b"", "reason: Not Found"),
])
def test_what_a_server_has_not_taken_does_not_count_as_sent(episode: Path, status: int, content: bytes, says: str) -> None:
    with collector(status, content) as (address, _), pytest.raises(DataError, match=says) as caught:
        send([episode], "otlp", address, CODEC)
    assert "did not take a.mcap" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("content", "warning"), [
    (b"{}", ""), (b'{"partialSuccess": {}}', ""), (b'{"partialSuccess": {"rejectedSpans": 0}, "more": 1}', ""),
    (rejecting(0), ""), (rejecting(0, "use a\nnewer version"), "; use a newer version")])
def test_a_warning_of_the_server_is_passed_on(episode: Path, content: bytes, warning: str) -> None:
    with collector(200, content) as (address, taken):
        assert send([episode], "otlp", address, CODEC) == f"sent 1 recording to {address}{warning}"
    assert taken


def test_no_proxy_is_asked_for_a_server_on_this_machine(episode: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with collector(200) as (address, taken):
        send([episode], "otlp", address, CODEC)
    assert taken
