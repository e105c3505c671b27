"""Parses the JSON of a chat completion tolerantly, since servers omit, rename and add fields."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from core.llm.logprobs import Position, positions
from core.llm.reply_checks import TEXT_LIMIT

MOST_TOKENS = 10**9
"""The maximum number of tokens of a request; larger numbers of a server are ignored and estimated instead."""
THOUGHT = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
THOUGHT_END = re.compile(r"</think(?:ing)?>\s*", re.IGNORECASE)
END_OF_TURN = re.compile(r"<\|(?:im_end|eot_id|eom_id|end|end_of_text|endoftext)\|>|<end_of_turn>|<eos>|</s>")
"""Marks with which models end their turn. If a server's chat template does not fit the model, the mark appears in the text, and
the model continues with an invented conversation."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One sample.

    Attributes:
        text: the text.
        cut: True if it ends because of a limit.
        tokens: the tokens with their alternatives, if requested.
        note: a remark, or empty.
        refused: True if the model declines to answer in a separate field.
    """

    text: str
    cut: bool = False
    tokens: tuple[Position, ...] = ()
    note: str = ""
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Completions:
    """All samples of one request and their cost; token counts are None if the server did not report them."""

    samples: tuple[Completion, ...]
    tokens_in: int | None = None
    tokens_out: int | None = None


def read_completions(payload: object, most: int) -> Completions:
    """Returns the samples of a payload, at most `most`; empty if there are none."""
    if not isinstance(payload, dict):
        return Completions(())
    choices, usage = payload.get("choices"), payload.get("usage")
    samples = tuple(islice((_sample(c) for c in choices if isinstance(c, dict)), most)) if isinstance(choices, list) else ()
    usage = usage if isinstance(usage, dict) else {}
    return Completions(samples, _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:  # False for NaN as well
        return None
    return int(value)


def _sample(choice: dict[str, object]) -> Completion:
    message = choice.get("message")
    fields = message if isinstance(message, dict) else {"content": choice.get("text")}
    cut = choice.get("finish_reason") == "length"
    text, note = _without_thoughts(_text(fields.get("content")))
    end = END_OF_TURN.search(text)
    if end is not None and text[:end.start()].strip():
        text, cut = text[:end.start()], False
        note = ", ".join(filter(None, (note, f"ended at {end.group()}, which the server did not stop at")))
    if len(text) > TEXT_LIMIT:
        text, cut, note = text[:TEXT_LIMIT], True, f"cut off after {TEXT_LIMIT:,} characters"
    elif cut and not note:
        note = "cut off at the token limit"
    refusal = fields.get("refusal")
    if not text.strip():
        reason = f"the model refused: {refusal[:200]}" if isinstance(refusal, str) and refusal else "the reply is empty"
        note = f"{reason}, {note}" if note else reason
    refused = isinstance(refusal, str) and bool(refusal) and not text.strip()
    return Completion(text, cut, positions(choice.get("logprobs")), note, refused)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):  # parts: {"type": "text", "text": …}
        return "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return ""


def _without_thoughts(text: str) -> tuple[str, str]:
    """Removes the thoughts of a reasoning model, which mention rejected actions. Returns the text and a note."""
    if not THOUGHT.match(text):
        return text, ""
    end = THOUGHT_END.search(text)
    return (text[end.end():], "its thoughts are left out") if end else ("", "cut off while it was thinking")
