"""Sends the traces of recordings to a server, by OTLP over HTTP.

The exporter of OpenTelemetry takes every answer below status 400 for success. Here a trace counts as sent only if the server
says so in the words of the protocol, and has not rejected a part. Source: the OpenTelemetry protocol specification.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import requests
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace.export import SpanExportResult

from core.common.errors import DataError, UsageError
from core.llm.keys import is_loopback
from core.recording.exports.episodes import Source
from core.recording.exports.spans import spans

PATIENCE: Final = 10.0
"""Seconds after which a server that does not answer is given up."""
LONGEST: Final = 300
"""Letters of a reason that are shown."""
CURE: Final = "see whether the server runs, takes OTLP over HTTP at this address, and needs a key in OTEL_EXPORTER_OTLP_HEADERS"


def send(paths: Sequence[Source], endpoint: str) -> list[str]:
    """Sends the traces of recordings. Returns warnings of the server.

    Headers, such as a key, are taken from the environment variable OTEL_EXPORTER_OTLP_HEADERS. A server on this machine is
    reached directly, whatever proxy the environment names.

    Args:
        paths: open the recordings.
        endpoint: the address for traces, such as `http://127.0.0.1:6006/v1/traces`.

    Raises:
        UsageError: it is no address.
        DataError: the server cannot be reached, or does not take all of the traces.
    """
    host = _host(endpoint)
    answers: list[requests.Response] = []
    session = requests.Session()
    session.trust_env = not is_loopback(host)
    session.hooks["response"].append(lambda response, **_: answers.append(response))
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=PATIENCE, session=session)
    warnings = []
    try:
        for source in paths:
            with source() as recording, _first_complaint() as complaint:
                found = spans(recording)
                taken = exporter.export(found) is SpanExportResult.SUCCESS
                why = (complaint or [""])[0] if not taken else _rejection(answers[-1], len(found))
                if not taken or why:
                    raise DataError(f"{endpoint} did not take {recording.path.name}{f' ({why})' if why else ''}: {CURE}")
                warnings.append(_shortened(_read(answers[-1]).partial_success.error_message))
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]
    return list(dict.fromkeys(filter(None, warnings)))


def _host(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint)
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts.hostname
    except ValueError:  # an unclosed bracket
        pass
    raise UsageError(f"'{endpoint}' is no address: give one such as http://127.0.0.1:6006/v1/traces")


def _rejection(answer: requests.Response, count: int) -> str:
    """Returns why a server has not taken all spans, though its status means success; empty if it has."""
    if answer.status_code >= 300:
        return f"it redirects to {_shortened(answer.headers.get('location', 'nowhere'))}, which is not followed"
    try:
        partial = _read(answer).partial_success
    except (DecodeError, ParseError, ValueError, RecursionError):
        is_page = answer.content.lstrip().startswith(b"<")
        return "it answered with a web page: does a login stand before it?" if is_page else "its answer is none of the protocol"
    if partial.rejected_spans <= 0:
        return ""
    words = f": {_shortened(partial.error_message)}" if partial.error_message else ""
    return f"it rejected {partial.rejected_spans} of {count} spans{words}"


def _read(answer: requests.Response) -> ExportTraceServiceResponse:
    """Returns a server's answer, in either encoding.

    Raises:
        DecodeError, ParseError, ValueError, RecursionError: it is none of the protocol.
    """
    if not answer.content.lstrip().startswith(b"{"):
        found = ExportTraceServiceResponse.FromString(answer.content)
        if answer.content and not found.ListFields():
            raise ValueError("bytes that are readable by chance")
        return found
    value: Any = json.loads(answer.content)
    if value.get("error"):
        raise ValueError("an error, whatever the status")
    return ParseDict(value, ExportTraceServiceResponse(), ignore_unknown_fields=True)


def _shortened(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text[:2 * LONGEST]).split())[:LONGEST]


@contextmanager
def _first_complaint() -> Iterator[list[str]]:
    """Context in which the exporter's log lines are collected, shortened, instead of printed: they say why it failed."""
    found: list[str] = []
    handler, log = logging.Handler(), logging.getLogger("opentelemetry")
    handler.emit = lambda record: found.append(_shortened(record.getMessage()))  # type: ignore[method-assign]
    log.addHandler(handler)
    propagated, log.propagate = log.propagate, False
    try:
        yield found
    finally:
        log.propagate = propagated
        log.removeHandler(handler)
