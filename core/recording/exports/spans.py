"""Recordings as OpenTelemetry traces, with the attributes of OpenInference: Phoenix, Langfuse and others show the model calls.

One trace a recording: the episode (AGENT) holds its turns (CHAIN), a turn holds the model calls (LLM) and the executed action
(TOOL). Times are wall clock times. Identifiers follow from the recording, so the same recording gives the same spans again.

Labels are events of the turns in which they count, and of the episode if they count in no turn that was acted out.

Replies of rules or of the operator are spans of the kind CHAIN, as are requests without a reply: no language model made them.
Replies from the cache have no token counts, because they cost nothing; so the counts of a trace add up to those of the episode.

The file is OTLP/JSON: one request of the protocol, on one line. Sources: the OpenTelemetry protocol specification; the semantic
conventions of OpenInference.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from google.protobuf.json_format import MessageToDict
from openinference.semconv.resource import ResourceAttributes
from openinference.semconv.trace import MessageAttributes, SpanAttributes
from openinference.semconv.trace import OpenInferenceSpanKindValues as Kind
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event as SpanEvent
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.semconv.attributes.server_attributes import SERVER_ADDRESS, SERVER_PORT
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from core.common.installation import version
from core.common.visible import readable
from core.llm.sources import read_source, sources_text
from core.planning.facets import Moment
from core.planning.model_requests import ModelReply, ModelRequest
from core.recording.exports.episodes import Source
from core.recording.label_turns import TurnLabels
from core.recording.losses import turn_words
from core.recording.mcap_messages import began_at
from core.recording.reader import Recording
from core.session import events as e
from core.session.annotation import Annotation
from core.session.turns import Turn
from core.world.vocabulary import in_words

Attributes = dict[str, str | bool | int | float]
IDS: Final = ("traceId", "spanId", "parentSpanId")
"""Fields that OTLP/JSON writes as hexadecimal digits, unlike other bytes of protobuf's JSON."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A model request with its times in seconds since the session began; without a reply it has no end."""

    id: int
    moment: Moment
    ask: ModelRequest
    source: str
    aside: bool
    at: float
    until: float | None = None
    reply: ModelReply | None = None


def write(recording: Recording, out: Path) -> Path:
    """Writes the trace of a recording."""
    _write(spans(recording), out)
    return out


def write_together(sources: Sequence[Source], out: Path) -> list[str]:
    """Writes one file with a trace for each recording. Returns what is missing there, one clause each."""
    found: list[ReadableSpan] = []
    for source in sources:
        with source() as recording:
            found += spans(recording)
    _write(found, out)
    return []


def _write(found: Sequence[ReadableSpan], out: Path) -> None:
    plain = MessageToDict(encode_spans(found), use_integers_for_enums=True)
    scopes = [scope for resource in plain.get("resourceSpans", ()) for scope in resource["scopeSpans"]]
    for span in (span for scope in scopes for span in scope["spans"]):
        span |= {key: b64decode(span[key]).hex() for key in IDS if key in span}
    out.write_text(json.dumps(plain, ensure_ascii=False) + "\n", encoding="utf-8", errors="backslashreplace")


# --- spans -------------------------------------------------------------------
def spans(recording: Recording) -> list[ReadableSpan]:
    """Returns the trace of a recording: the episode, its turns, model calls and actions, each after the span that holds it."""
    return list(_Trace(recording).spans())


class _Trace:
    """Makes the spans of one recording."""

    def __init__(self, recording: Recording):
        self._recording = recording
        began = recording.metadata.get("began", "")
        self._session = " ".join(filter(None, (began, readable(recording.path.stem))))
        self._began = began_at(recording.metadata)
        self._end, self._labels = recording.snapshot_at(), TurnLabels.of(recording)
        self._resource = Resource({"service.name": "belvedere", "service.version": version(),
                                   ResourceAttributes.PROJECT_NAME: "belvedere"})
        self._scope = InstrumentationScope("belvedere", version())

    def spans(self) -> Iterator[ReadableSpan]:
        """Yields the spans."""
        asked = tuple(self._asked())
        faults = tuple(event for event in self._recording.of_kind("Failed"))
        turns = {turn.moment for turn in self._end.turns}
        yield self._episode([event for event in faults if event.moment not in turns])
        for turn in self._end.turns:
            yield self._turn(turn, [event for event in faults if event.moment == turn.moment])
            yield from (self._call(call, f"turn {turn.branch} {turn.number}", turn.ended) for call in asked
                        if call.moment == turn.moment)
            if turn.outcome is not None:
                yield self._action(turn)
        yield from (self._call(call, "episode", None) for call in asked if call.moment not in turns)

    def _asked(self) -> Iterator[Asked]:
        """Yields the requests in order of their replies, then those without one."""
        waiting: dict[int, Asked] = {}
        for event in self._recording.of_kind("Asked", "AskedAside", "Replied"):
            what = event.what
            if isinstance(what, e.Asked | e.AskedAside):
                waiting[what.id] = Asked(what.id, event.moment, what.ask, what.source, isinstance(what, e.AskedAside), event.at)
            elif isinstance(what, e.Replied) and what.id in waiting:
                yield replace(waiting.pop(what.id), until=event.at, reply=what.reply)
        yield from waiting.values()

    def _episode(self, faults: Sequence[e.Event]) -> ReadableSpan:
        end, began = self._end, self._end.began
        about: Attributes = {} if began is None else {
            "planner": began.planner, "simulator": began.simulator, "scene": began.scene, "provider": began.provider,
            "answers": sources_text(end.sources), "seed": began.seed,
            "parameters": json.dumps(vars(began.parameters), default=str),
            "recording": self._recording.path.name}
        goal, name = ("", "") if began is None else (began.goal.text, began.planner)
        about |= {"notice": self._recording.notice} if self._recording.notice else {}
        attributes: Attributes = {SpanAttributes.AGENT_NAME: name, SpanAttributes.INPUT_VALUE: goal,
                                  SpanAttributes.OUTPUT_VALUE: end.outcome.words, SpanAttributes.METADATA: json.dumps(about)}
        status = Status(StatusCode.OK) if end.outcome.success else Status(StatusCode.ERROR, end.outcome.words)
        return self._span("episode", "", f"episode: {goal}" if goal else "episode", Kind.AGENT, 0.0, self._recording.seconds,
                          attributes, status, [*self._faults(faults), *self._labelled(self._labels.elsewhere())])

    def _turn(self, turn: Turn, faults: Sequence[e.Event]) -> ReadableSpan:
        done = "" if turn.done is None else in_words(turn.done)
        about: Attributes = {
            "turn": turn.number, "branch": turn.branch, "decided by": turn.by, "seconds thinking": turn.thinking,
            "seconds waiting for replies": turn.waiting, "seconds acting": turn.acting,
            **({} if turn.best is None else {"action of highest value": in_words(turn.best)}),
            **({} if turn.loss is None else {"value lost": turn.loss}),
            **({} if turn.instead_of is None else {"instead of": in_words(turn.instead_of)})}
        attributes: Attributes = {SpanAttributes.INPUT_VALUE: turn.because, SpanAttributes.OUTPUT_VALUE: done,
                                  SpanAttributes.METADATA: json.dumps(about)}
        branch = f", branch {turn.branch}" if turn.branch else ""
        until = turn.began if turn.ended is None else turn.ended
        return self._span(f"turn {turn.branch} {turn.number}", "episode", f"turn {turn.number}{branch}", Kind.CHAIN, turn.began,
                          until, attributes, Status(StatusCode.OK),
                          [*self._faults(faults), *self._labelled((turn.moment,))])

    def _action(self, turn: Turn) -> ReadableSpan:
        outcome, until = turn.outcome, turn.began if turn.ended is None else turn.ended
        assert outcome is not None, "only executed actions are spans"
        attributes: Attributes = {
            SpanAttributes.TOOL_NAME: outcome.action.verb, SpanAttributes.TOOL_PARAMETERS: json.dumps(outcome.action.args),
            SpanAttributes.INPUT_VALUE: in_words(outcome.action), SpanAttributes.OUTPUT_VALUE: outcome.reason or "done"}
        status = Status(StatusCode.OK) if outcome.ok else Status(StatusCode.ERROR, outcome.reason)
        return self._span(f"action {turn.branch} {turn.number}", f"turn {turn.branch} {turn.number}", in_words(outcome.action),
                          Kind.TOOL, until - min(turn.acting, until - turn.began), until, attributes, status)

    def _call(self, call: Asked, parent: str, turn_ended: float | None) -> ReadableSpan:
        ask, reply = call.ask, call.reply
        is_model = reply is not None and reply.is_model
        texts = () if reply is None else reply.texts
        about: Attributes = {
            "purpose": ask.purpose, "subject": ask.subject, "source": call.source if reply is None else reply.source,
            "answered by": "nobody" if reply is None else "a language model" if is_model else "rules or a person",
            "from the cache": reply is not None and reply.cached, "samples": ask.samples,
            **({} if reply is None or not reply.note else {"note": reply.note})}
        attributes: Attributes = {
            SpanAttributes.INPUT_VALUE: json.dumps([{"role": m.role, "content": m.content} for m in ask.messages]),
            SpanAttributes.INPUT_MIME_TYPE: "application/json", SpanAttributes.OUTPUT_VALUE: "\n\n".join(texts),
            SpanAttributes.METADATA: json.dumps(about)}
        if reply is not None and is_model:
            attributes |= _model_attributes(ask, reply)
        until = call.until if call.until is not None else max(call.at, turn_ended or call.at)
        status = Status(StatusCode.OK) if reply is not None else Status(StatusCode.ERROR, "no reply")
        name = ask.purpose if not call.aside else f"{ask.purpose}, beside the run"
        kind = Kind.LLM if is_model else Kind.CHAIN
        return self._span(f"call {call.id}", parent, name, kind, call.at, until, attributes, status)

    def _span(self, key: str, parent: str, name: str, kind: Kind, at: float, until: float, attributes: Attributes,
              status: Status, events: Sequence[SpanEvent] = ()) -> ReadableSpan:
        common: Attributes = {SpanAttributes.OPENINFERENCE_SPAN_KIND: kind.value, SpanAttributes.SESSION_ID: self._session}
        return ReadableSpan(
            name, self._context(key), self._context(parent) if parent else None, self._resource, common | attributes, events,
            kind=SpanKind.CLIENT if kind is Kind.LLM else SpanKind.INTERNAL, status=status, start_time=self._nanoseconds(at),
            end_time=self._nanoseconds(max(at, until)), instrumentation_scope=self._scope)

    def _faults(self, faults: Sequence[e.Event]) -> list[SpanEvent]:
        return [SpanEvent(f"{what.part} failed", {"message": what.message, "kind": what.kind}, self._nanoseconds(event.at))
                for event in faults if isinstance(what := event.what, e.Failed)]

    def _labelled(self, moments: Iterable[Moment]) -> list[SpanEvent]:
        """Returns an event for each label of some turns, with the label's own fields as attributes."""
        return [SpanEvent(f"label: {a.label}", {"counts in": turn_words(moment, self._labels.state(moment)), **_filled(a)},
                          self._nanoseconds(max(0.0, a.at)))
                for moment in moments for a in self._labels.by_turn.get(moment, ())]

    def _context(self, key: str) -> SpanContext:
        return SpanContext(_number(self._session, 16), _number(f"{self._session}\0{key}", 8), is_remote=False,
                           trace_flags=TraceFlags(TraceFlags.SAMPLED))

    def _nanoseconds(self, at: float) -> int:
        return int(self._began * 1_000_000) * 1_000 + int(at * 1e9)


def _model_attributes(ask: ModelRequest, reply: ModelReply) -> Attributes:
    """Returns the attributes of a call of a language model: messages, settings, and the tokens that it has cost."""
    source = read_source(reply.source)
    host, port = source.host
    found: Attributes = {
        **({SERVER_ADDRESS: host} if host else {}), **({SERVER_PORT: port} if port else {}),
        SpanAttributes.LLM_PROVIDER: source.provider, SpanAttributes.LLM_MODEL_NAME: source.model or source.provider,
        SpanAttributes.LLM_INVOCATION_PARAMETERS: json.dumps({
            "temperature": ask.temperature, "top_p": ask.top_p, "max_tokens": ask.max_tokens, "n": ask.samples})}
    replies = [("assistant", text) for text in reply.texts]
    for prefix, messages in ((SpanAttributes.LLM_INPUT_MESSAGES, [(m.role, m.content) for m in ask.messages]),
                             (SpanAttributes.LLM_OUTPUT_MESSAGES, replies)):
        for number, (role, content) in enumerate(messages):
            found[f"{prefix}.{number}.{MessageAttributes.MESSAGE_ROLE}"] = role
            found[f"{prefix}.{number}.{MessageAttributes.MESSAGE_CONTENT}"] = content
    if not reply.cached:
        found |= {SpanAttributes.LLM_TOKEN_COUNT_PROMPT: reply.tokens_in,
                  SpanAttributes.LLM_TOKEN_COUNT_COMPLETION: reply.tokens_out,
                  SpanAttributes.LLM_TOKEN_COUNT_TOTAL: reply.tokens_in + reply.tokens_out}
    return found


def _filled(a: Annotation) -> Attributes:
    """Returns the fields of a label that are not empty."""
    fields = {"id": a.id, "label": a.label, "note": a.note, "annotator": a.annotator, "rating": a.rating, "better": a.better,
              "role": a.role, "proposed": a.proposed, "seconds from": a.at, "seconds until": a.until}
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _number(text: str, size: int) -> int:
    """Returns an identifier of `size` bytes that is not zero."""
    return int.from_bytes(blake2b(text.encode("utf-8", "backslashreplace"), digest_size=size).digest()) or 1
