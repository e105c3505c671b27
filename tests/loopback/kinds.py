"""Stand-ins for six kinds of servers, each with the quirks its documentation or its errors tell of.

The model behind all of them is the same: asked with a form that its server knows it says the first choice, else it rambles.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tests.loopback.chat_server import Json, Script, Sent, as_json, error
from tests.loopback.streams import chunk, events, usage

RAMBLES = "I would rather think about it for a while."
COMMON = frozenset({"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "n", "stream",
                    "stream_options", "logprobs", "top_logprobs", "response_format"})
"""Fields of OpenAI's interface that Belvedere sends."""
Choices = Callable[[Json], list[str] | None]
"""The choices that a server's own way of constraining leaves; None: the request does not constrain."""


def of_schema(body: Json) -> list[str] | None:
    """`response_format` with a JSON schema whose answer is one of a list."""
    form = body.get("response_format") or {}
    if form.get("type") != "json_schema":
        return None
    answer = form["json_schema"]["schema"].get("properties", {}).get("answer", {})
    return [json.dumps({"answer": choice}) for choice in answer.get("enum", [])]


def of_grammar(body: Json) -> list[str] | None:
    """llama.cpp's `grammar`, of a list of texts."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', body.get("grammar", ""))
    return found or None


def of_structured_outputs(body: Json) -> list[str] | None:
    """vLLM from 0.12 on."""
    return (body.get("structured_outputs") or {}).get("choice")


def of_guided_choice(body: Json) -> list[str] | None:
    """vLLM before 0.12."""
    return body.get("guided_choice")


def said(body: Json, ways: Iterable[Choices]) -> str:
    """What the model says to a request."""
    return next((choices[0] for way in ways if (choices := way(body))), RAMBLES)


def listing(text: str) -> Json:
    """Log-probabilities of a reply of one token."""
    return {"content": [{"token": text, "logprob": math.log(0.5), "top_logprobs": [{"token": text, "logprob": math.log(0.5)}]}]}


def answer(body: Json, texts: list[str], *, scores: bool = False) -> Sent:
    """Samples in the way the request wants them: streamed or not, with log-probabilities or without; cut at the limit."""
    limit = body.get("max_tokens") or body.get("max_completion_tokens") or 10_000
    said = [(" ".join(text.split(" ")[:limit]), "length" if len(text.split(" ")) > limit else "stop") for text in texts]
    with_scores = scores and bool(body.get("logprobs"))
    if not body.get("stream"):
        choices = [{"index": k, "message": {"role": "assistant", "content": text}, "finish_reason": finish,
                    "logprobs": listing(text) if with_scores else None} for k, (text, finish) in enumerate(said)]
        return as_json({"choices": choices, "usage": {"prompt_tokens": 10, "completion_tokens": 5}})
    values: list[Any] = []
    for k, (text, finish) in enumerate(said):
        values += [chunk(text, index=k, logprobs=listing(text) if with_scores else None), chunk(index=k, finish=finish)]
    counted = [usage(10, 5)] if (body.get("stream_options") or {}).get("include_usage") else []
    return Sent(events([*values, *counted]), headers={"content-type": "text/event-stream"})


def openai_reasoning(body: Json) -> Sent:
    """OpenAI's reasoning models: unknown fields, `max_tokens`, another temperature than 1 and log-probabilities are refused."""
    unknown = next((name for name in body if name not in COMMON), None)
    if unknown is not None:
        return error(400, f"Unknown parameter: '{unknown}'.", unknown)
    if "max_tokens" in body:
        return error(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' "
                          "instead.", "max_tokens")
    if body.get("temperature", 1) != 1:
        return error(400, "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) "
                          "value is supported.", "temperature")
    if body.get("logprobs"):
        return error(403, "You are not allowed to request logprobs from this model")
    return answer(body, [said(body, (of_schema,))] * body.get("n", 1))


def openai_chat(body: Json) -> Sent:
    """OpenAI's other models: unknown fields and more than 20 alternatives are refused."""
    unknown = next((name for name in body if name not in COMMON), None)
    if unknown is not None:
        return error(400, f"Unknown parameter: '{unknown}'.", unknown)
    if body.get("top_logprobs", 0) > 20:
        return error(400, "Invalid value for 'top_logprobs': must be less than or equal to 20.", "top_logprobs")
    return answer(body, [said(body, (of_schema,))] * body.get("n", 1), scores=True)


def anthropic(body: Json) -> Sent:
    """Anthropic's compatible endpoint: `n` must be 1, and forms and log-probabilities are ignored."""
    if body.get("n", 1) != 1:
        return error(400, "n: must be exactly 1")
    return answer(body, [RAMBLES])


def ollama(body: Json) -> Sent:
    """Ollama: knows JSON schemas and ignores `n` and what it does not know."""
    if body.get("top_logprobs", 0) > 20:
        return error(400, "top_logprobs must be between 0 and 20")
    return answer(body, [said(body, (of_schema,))], scores=True)


def vllm(*ways: Choices) -> Script:
    """vLLM: unknown fields are ignored, more than 20 alternatives and several greedy samples are refused."""
    def script(body: Json) -> Sent:
        if body.get("top_logprobs", 0) > 20:
            return error(400, "Requested sample logprobs of 100, which is greater than max allowed: 20")
        if body.get("n", 1) > 1 and body.get("temperature") == 0:
            return error(400, f"n must be 1 when using greedy sampling, got {body['n']}.")
        return answer(body, [said(body, (*ways, of_schema))] * body.get("n", 1), scores=True)

    return script


def vllm_between(body: Json) -> Sent:
    """vLLM 0.11, which knows the old and the new way, and refuses both at once."""
    if "structured_outputs" in body and any(name.startswith("guided_") for name in body):
        return error(400, "You can only use one kind of constraints for guided decoding.")
    return vllm(of_structured_outputs, of_guided_choice)(body)


def llama_cpp(body: Json) -> Sent:
    """llama.cpp's server with one slot: obeys grammars and JSON schemas, ignores other ways, gives any alternatives."""
    if body.get("n", 1) > 1:
        return error(400, f"Field 'n': Value must be between 1 <= value <= 1, but got {body['n']}")
    if "grammar" in body and "response_format" in body:
        return error(400, "Cannot use custom grammar constraints with json_schema")
    return answer(body, [said(body, (of_grammar, of_schema))], scores=True)


def lm_studio(body: Json) -> Sent:
    """LM Studio: JSON schemas only; no log-probabilities, one sample."""
    form = body.get("response_format")
    if form is not None and form.get("type") not in ("json_schema", "text"):
        return error(400, "'response_format.type' must be 'json_schema' or 'text'")
    return answer(body, [said(body, (of_schema,))])


def streams_only(body: Json) -> Sent:
    """A gateway that streams whatever it is asked."""
    return answer({**body, "stream": True}, [said(body, (of_structured_outputs,))] * body.get("n", 1))


def never_streams(body: Json) -> Sent:
    """A gateway that refuses to stream."""
    if body.get("stream"):
        return error(400, "Streaming is not supported by this deployment")
    return answer(body, [said(body, (of_schema,))] * body.get("n", 1))


@dataclass(frozen=True)
class Kind:
    """A kind of server.

    Attributes:
        forms: it can be made to keep to a form.
        scores: it gives log-probabilities.
        streams: it sends replies piece by piece.
    """

    name: str
    script: Script
    forms: bool = True
    scores: bool = True
    streams: bool = True


KINDS = (
    Kind("OpenAI", openai_chat), Kind("OpenAI, reasoning", openai_reasoning, scores=False),
    Kind("Anthropic", anthropic, forms=False, scores=False), Kind("Ollama", ollama),
    Kind("vLLM", vllm(of_structured_outputs)), Kind("vLLM before 0.12", vllm(of_guided_choice)),
    Kind("vLLM 0.11", vllm_between), Kind("llama.cpp", llama_cpp), Kind("LM Studio", lm_studio, scores=False),
    Kind("streams only", streams_only, scores=False), Kind("never streams", never_streams, scores=False, streams=False),
)
