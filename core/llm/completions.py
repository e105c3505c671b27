"""Parses the reply of a server: the JSON of a chat completion, or server-sent events that amount to one.

Servers omit, rename and add fields, so the parser is tolerant.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from core.llm.logprobs import MOST_POSITIONS, Position, positions
from core.llm.model import OnPartial, Partial
from core.llm.reply_checks import MOST_TOKENS, TEXT_LIMIT

THOUGHT = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
THOUGHT_END = re.compile(r"</think(?:ing)?>\s*", re.IGNORECASE)
END_MARKS = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|end_of_text|>", "<|endoftext|>", "<end_of_turn>", "<eos>",
             "</s>")
"""Marks with which models end their turn. If a server's chat template does not fit the model, the mark appears in the text, and
the model continues with an invented conversation."""
END_OF_TURN = re.compile("|".join(map(re.escape, END_MARKS)))


CIRCLE, LONGEST_TURN = 600, 150
"""A reply goes in circles if its last 600 characters repeat a text of at most 150: small models do so until the token limit."""
CIRCLES = "repeats"
"""The finish reason of a reply that was ended because it goes in circles."""


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
    elif choice.get("finish_reason") == CIRCLES:
        note = ", ".join(filter(None, (note, "ended where it went in circles")))
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


def goes_in_circles(text: str) -> bool:
    """Returns True if the end of a text repeats a shorter text."""
    tail = text[-CIRCLE:]
    return len(tail) == CIRCLE and any(tail[turn:] == tail[:-turn] for turn in range(1, LONGEST_TURN + 1))


STARTS = b"deir:"
"""First letters of the lines of server-sent events (`data`, `event`, `id`, `retry`, a comment). JSON starts with none of them.
"""
DONE = "[DONE]"
MOST_CHOICES = 100
SHOWN = 4000
"""The maximum number of characters of a partial text that are shown."""
PAUSE = 0.1
"""Seconds between two partial texts."""
Parse = Callable[[str], object]


@dataclass(slots=True)
class _Choice:
    """One sample, as far as it was received."""

    texts: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    logprobs: list[object] = field(default_factory=list)
    finish: object = None

    def message(self) -> dict[str, object]:
        """Returns it in the format of a reply that is not streamed."""
        text, refusal = "".join(self.texts), "".join(self.refusals)
        return {"message": {"content": text, "refusal": refusal or None}, "finish_reason": self.finish,
                "logprobs": {"content": self.logprobs} if self.logprobs else None}


class EventStream:
    """Parses a body as it arrives. The caller limits the body's length.

    Args:
        parse: parses JSON text; raises ValueError or RecursionError.
        on_partial: receives the partial text a few times per second.
        single: True if one sample was requested, so that a reply that goes in circles can be ended.

    Attributes:
        seen: True if the body is a stream and some data has arrived.
        error: the error that the server reported within the reply.
        circles: True if the reply goes in circles, so that its rest is not wanted. It then counts as complete.
    """

    def __init__(self, parse: Parse, on_partial: OnPartial | None = None, *, single: bool = True):
        self._parse, self._on_partial, self._single = parse, on_partial, single
        self.began = time.monotonic()
        self.seen = False
        self.error: object = None
        self.circles = False
        self._is_stream: bool | None = None
        self._buffer, self._looked = bytearray(), 0
        self._data: list[str] = []
        self._choices: dict[int, _Choice] = {}
        self._usage: object = None
        self._done = False
        self._pieces, self._first, self._last, self._reported_at = 0, 0.0, 0.0, 0.0

    def feed(self, data: bytes) -> None:
        """Processes more of the body."""
        if self._is_stream is None:
            start = data.lstrip(b"\xef\xbb\xbf \t\r\n")
            if not start:
                return
            data, self._is_stream = start, start[0] in STARTS
        if not self._is_stream:
            return
        self._buffer += data
        begin = 0
        while (end := self._buffer.find(b"\n", self._looked)) >= 0:
            self._line(self._buffer[begin:end].decode("utf-8", "replace").rstrip("\r"))
            begin = self._looked = end + 1
        del self._buffer[:begin]
        self._looked = len(self._buffer)
        self._report()

    def finish(self) -> None:
        """Processes the end of the body, including a last line without line end."""
        if self._is_stream:
            self.feed(b"\n\n")

    @property
    def is_whole(self) -> bool:
        """Whether the reply is complete; also True for a body without a reply."""
        return self._done or self.circles or not self._choices or all(c.finish is not None for c in self._choices.values())

    @property
    def first_token(self) -> float:
        """Seconds until the first piece; 0 if none arrived."""
        return max(0.0, self._first - self.began) if self._pieces else 0.0

    @property
    def rate(self) -> float:
        """Tokens per second after the first one; 0 if unknown. If the server reports no tokens, the pieces are counted."""
        tokens = _count(self._usage.get("completion_tokens")) if isinstance(self._usage, dict) else None
        seconds = self._last - self._first
        return max(0, (tokens or self._pieces) - 1) / seconds if seconds > 0 else 0.0

    def payload(self) -> dict[str, object]:
        """Returns the equivalent complete reply."""
        choices = [choice.message() for _, choice in sorted(self._choices.items())]
        return {"choices": choices, "usage": self._usage, "error": self.error}

    def _line(self, line: str) -> None:
        if line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif not line and self._data:
            text, self._data = "\n".join(self._data), []
            self._event(text.strip())

    def _event(self, text: str) -> None:
        self.seen = True
        if self.circles:
            return
        if text == DONE:
            self._done = True
            return
        try:
            value = self._parse(text)
        except (ValueError, RecursionError):  # no JSON, such as a comment: only the completeness of the reply matters
            return
        if not isinstance(value, dict):
            return
        self._usage = value.get("usage") or self._usage
        self.error = self.error or value.get("error")
        choices = value.get("choices")
        for place, choice in enumerate(choices[:MOST_CHOICES] if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                self._take(choice, place)
        self._end_circles()

    def _take(self, choice: dict[str, object], place: int) -> None:
        index = choice.get("index", place)
        if not isinstance(index, int) or not 0 <= index < MOST_CHOICES:
            return
        found = self._choices.setdefault(index, _Choice())
        # Servers that stream without being asked may send the whole message at once.
        delta = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        if isinstance(delta, dict):
            text, refusal = delta.get("content"), delta.get("refusal")
            thought = delta.get("reasoning_content") or delta.get("reasoning")
            if isinstance(text, str) and text:
                found.texts.append(text)
            if isinstance(refusal, str) and refusal:
                found.refusals.append(refusal)
            if any(isinstance(piece, str) and piece for piece in (text, refusal, thought)):
                self._count()
        logprobs = choice.get("logprobs")
        content = logprobs.get("content") if isinstance(logprobs, dict) else None
        if isinstance(content, list):
            found.logprobs += content[:MOST_POSITIONS - len(found.logprobs)]
        found.finish = choice.get("finish_reason") or found.finish

    def _end_circles(self) -> None:
        """Ends the reply where it goes in circles."""
        found = next(iter(self._choices.values()), None) if self._single else None
        if found is not None and found.finish is None and goes_in_circles("".join(found.texts[-CIRCLE:])):
            self.circles, found.finish = True, CIRCLES
            self._usage = self._usage or {"completion_tokens": self._pieces}

    def _count(self) -> None:
        self._last = time.monotonic()
        self._first = self._first if self._pieces else self._last
        self._pieces += 1

    def _report(self) -> None:
        if self._on_partial is None or not self._pieces or time.monotonic() < self._reported_at + PAUSE:
            return
        self._reported_at = time.monotonic()
        first = self._choices[min(self._choices)]
        self._on_partial(Partial("".join(first.texts), self._pieces, self.first_token))
