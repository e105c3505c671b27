"""Collects the reply of a server, which comes whole or in pieces, and checks it.

A stream is a sequence of values that bring pieces of messages; a whole reply is one value that brings them all. Both are
gathered and judged by the same code. Servers omit, rename and add fields, so it is tolerant. A reply that is not whole is an
error, or says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from core.llm.logprobs import MOST_POSITIONS, Position, positions
from core.llm.message_text import END_OF_TURN, Piece, Spoken, joined, read_piece, spoken
from core.llm.reply_checks import MOST_TOKENS, TEXT_LIMIT
from core.llm.server_errors import Trouble, reported_error, shortened

MOST_CHOICES = 100
CIRCLES = "repeats"
"""The finish reason of a reply that was ended because it goes in circles."""
WHOLE = frozenset({"", "stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete", "completed", "done", "tool_calls",
                   "tool_use", "function_call", CIRCLES})
"""Finish reasons of whole messages."""
CUT = frozenset({"length", "max_tokens", "max_output_tokens", "max_length", "model_length", "model_context_window_exceeded"})
"""Finish reasons of messages that end at a limit."""
WITHHELD = frozenset({"content_filter", "content_filtered", "safety", "image_safety", "recitation", "blocklist", "spii",
                      "prohibited_content", "sensitive", "moderation", "flagged", "refusal", "guardrail_intervened"})
"""Finish reasons of messages whose rest the server withholds. What came of them is not used."""
FAILED = frozenset({"error", "errored", "failed", "abort", "aborted", "cancelled", "canceled", "interrupted", "timeout",
                    "network_error", "insufficient_system_resource", "incomplete", "malformed_function_call"})
"""Finish reasons of messages that the server could not complete."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One sample.

    Attributes:
        text: the text; the words of the refusal, if it is refused.
        cut: True if it ends before its end, or if the server does not say that it is complete.
        tokens: the tokens with their alternatives, if requested.
        note: a remark, or empty.
        refused: True if the model declines to answer in a separate field.
        thinks: True if the model has thought, so that its thoughts count against the token limit.
    """

    text: str
    cut: bool = False
    tokens: tuple[Position, ...] = ()
    note: str = ""
    refused: bool = False
    thinks: bool = False


@dataclass(frozen=True, slots=True)
class Completions:
    """All samples of one request and their cost; token counts are None if the server did not report them."""

    samples: tuple[Completion, ...]
    tokens_in: int | None = None
    tokens_out: int | None = None


@dataclass(slots=True)
class Choice:
    """One sample, as far as it was received.

    Attributes:
        pieces: its pieces.
        tokens: the tokens with their alternatives.
        finish: the reason why it ended; empty if it has not, or the server gives none.
        error: what the server says has gone wrong with it.
    """

    pieces: list[Piece] = field(default_factory=list)
    tokens: list[Position] = field(default_factory=list)
    finish: str = ""
    error: object = None

    def take(self, choice: Mapping[str, object]) -> Piece:
        """Adds an element of `choices`. Returns the piece of text that it brings."""
        delta, message = choice.get("delta"), choice.get("message")
        if isinstance(delta, dict):
            piece = read_piece(delta)
        else:  # a message is all of it, also where a server repeats it with each event
            piece = read_piece(message if isinstance(message, dict) else {"content": choice.get("text")})
            if isinstance(message, dict):
                self.pieces.clear()
        self.pieces.append(piece)
        self.tokens += positions(choice.get("logprobs"))[:MOST_POSITIONS - len(self.tokens)]
        self.finish = _finish(choice.get("finish_reason")) or self.finish
        self.error = self.error or choice.get("error")
        return piece


def _finish(reason: object) -> str:
    reason = reason.get("type") if isinstance(reason, dict) else reason
    name = "" if reason is None else shortened(str(reason)[:40]).lower()
    return "" if name in ("null", "none") else name


class Reply:
    """A server's reply, as far as it was received.

    Attributes:
        choices: the samples by their index.
        usage: what the server counted; empty if it does not.
        error: the error that the server reports in place of a reply, or within one.
        is_over: True if nothing is missing, because the body was one JSON value, or the stream said that it ends.
        is_damaged: True if a piece could not be read, so that the text has a gap.
    """

    def __init__(self) -> None:
        self.choices: dict[int, Choice] = {}
        self.usage: Mapping[str, object] = {}
        self.error: object = None
        self.is_over = self.is_damaged = False

    def add(self, value: object) -> Piece:
        """Takes a whole reply, or the value of one event. Returns the piece of text that it brings."""
        if isinstance(value, list) and value:  # Google's servers wrap their errors in a list
            value = value[0]
        if not isinstance(value, dict):
            return Piece()
        usage, choices = value.get("usage"), value.get("choices")
        self.usage = usage if isinstance(usage, dict) and usage else self.usage
        self.error = self.error or (value if _is_error(value) else value.get("error"))
        seen: set[int] = set()
        found = []
        for place, choice in enumerate(choices[:MOST_CHOICES] if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                named = choice.get("index")
                is_new = isinstance(named, int) and 0 <= named < MOST_CHOICES and named not in seen
                index = int(named) if is_new and isinstance(named, int) else place
                seen.add(index)
                found.append(self.choices.setdefault(index, Choice()).take(choice))
        return joined(found)

    @property
    def tokens_out(self) -> int | None:
        """The tokens of all samples, as the server counted them."""
        return _count(self.usage.get("completion_tokens"))

    @property
    def is_whole(self) -> bool:
        """Whether the reply has come to its end, as far as its framing shows."""
        return self.is_over or (bool(self.choices) and all(choice.finish for choice in self.choices.values()))

    def judged(self, where: str, clean: Callable[[str], str]) -> Completions:
        """Returns the samples.

        Args:
            where: the server, for messages.
            clean: removes keys from the server's words.

        Raises:
            Trouble: the server reports an error, or a sample is not whole for another reason than a limit.
        """
        trouble = next(self._troubles(where, clean), None)
        if trouble is not None:
            raise trouble
        samples = tuple(_sample(choice, self.usage) for _, choice in sorted(self.choices.items()))
        return Completions(samples, _count(self.usage.get("prompt_tokens")), self.tokens_out)

    def _troubles(self, where: str, clean: Callable[[str], str]) -> Iterator[Trouble]:
        """Yields why the reply cannot be used, the cause before its consequences."""
        choices = list(self.choices.values())
        has_begun = any(not piece.is_empty for choice in choices for piece in choice.pieces)
        for error in (self.error, *(choice.error for choice in choices)):
            if error:
                yield reported_error(error, where, clean, has_begun=has_begun)
        for finish in (choice.finish for choice in choices):
            if finish in WITHHELD:
                yield Trouble(f"{where} withheld the reply, or the rest of it (finish_reason {finish}): reword the task or the "
                              "prompt, or take another model", "refused", retry=False)
            if finish in FAILED or finish.startswith("error"):
                yield broken_off(where, f"finish_reason {finish}")
        if self.is_damaged:
            yield broken_off(where, "a piece of it is no JSON")
        if not self.is_whole:
            yield broken_off(where)
        if not choices:
            yield Trouble("the server's answer holds no reply: is base_url right? It often ends in /v1", "refused", retry=False)


def _is_error(value: Mapping[str, object]) -> bool:
    """Whether a value is an error itself, and does not hold one in the field `error`: vLLM's and FastAPI's errors are."""
    says = isinstance(value.get("message"), str) or bool(value.get("detail"))
    holds_one = isinstance(value.get("error"), dict | str) and bool(value["error"])
    return not holds_one and (value.get("object") == "error" or (says and "choices" not in value))


def broken_off(where: str, why: str = "") -> Trouble:
    """Returns the error of a reply that ends before it is complete."""
    why = f" ({why})" if why else ""
    return Trouble(f"{where} broke off in the middle of its reply{why}; what does its log say?", "down", retry=True)


def _count(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:  # False for NaN as well
        return None
    return int(value)


def _sample(choice: Choice, usage: Mapping[str, object]) -> Completion:
    """Returns a sample that is whole, or ends at a limit."""
    found = joined(choice.pieces)
    said, refusal = spoken(found.text), found.refusal.strip()
    thinks = found.is_thought or said.has_thoughts or _thinking_tokens(usage) > 0
    tokens = tuple(choice.tokens)
    if refusal:  # what came before it is no reply
        return Completion(refusal[:TEXT_LIMIT], False, tokens, f"the model refused: {shortened(refusal)[:200]}", True, thinks)
    text, cut, notes = _ending(said, choice.finish)
    tools = ", ".join(dict.fromkeys(found.tools))
    notes += [f"it calls the tool {tools}, which the request does not offer"] if tools else []
    notes += [f"parts of the kind {', '.join(dict.fromkeys(found.left_out))} are left out"] if found.left_out else []
    if not text.strip():
        thought = ["it holds only thoughts"] if found.is_thought and not cut else []
        notes = ["the reply is empty", *thought, *notes]
    return Completion(text, cut, tokens, ", ".join(notes), False, thinks)


def _ending(said: Spoken, finish: str) -> tuple[str, bool, list[str]]:
    """Returns the text up to its end, whether it is cut off there, and remarks."""
    text = said.text
    thoughts = ["its thoughts are left out"] if said.has_thoughts and not said.is_thinking else []
    end = END_OF_TURN.search(text)
    if end is not None and text[:end.start()].strip():
        text, cut, why = text[:end.start()], False, [f"ended at {end.group()}, which the server did not stop at"]
    else:
        cut, why = said.is_thinking or finish not in WHOLE, _remarks(finish, is_thinking=said.is_thinking)
    if len(text) > TEXT_LIMIT:
        return text[:TEXT_LIMIT], True, [f"cut off after {TEXT_LIMIT:,} characters"]
    return text, cut, [*thoughts, *why]


def _remarks(finish: str, *, is_thinking: bool) -> list[str]:
    """Returns why a text ends where it does, unless the model has ended it."""
    if is_thinking:
        return ["cut off while it was thinking"]
    if finish in CUT:
        return ["cut off at the token limit"]
    if finish == CIRCLES:
        return ["ended where it went in circles"]
    return [] if finish in WHOLE else [f"perhaps cut off: the server gives an unknown finish_reason, {finish}"]


def _thinking_tokens(usage: Mapping[str, object]) -> int:
    details = usage.get("completion_tokens_details")
    places = (usage, details if isinstance(details, dict) else {})
    return max(_count(place.get("reasoning_tokens")) or 0 for place in places)
