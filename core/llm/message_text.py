"""The text of a model's message: what it says, what it only thinks, and with what words it refuses.

Servers send a message as one text or as a list of parts, and thoughts in a field of their own, in parts, or within the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

THOUGHT_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "reasoning_details", "thinking", "thinking_blocks")
"""Fields of a message with which servers send thoughts."""
THOUGHT_KINDS = re.compile(r"think|thought|reason|summary", re.IGNORECASE)
"""Types of parts that hold thoughts."""
_NAMES = r"(?:\w{1,20}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?)"
MARKS = re.compile(
    rf"(?P<end></{_NAMES}>|\[/THINK\]|◁/think▷|(?:<\|start\|>assistant)?<\|channel\|>final[^<]{{0,40}}<\|message\|>)"
    rf"|<{_NAMES}>|\[THINK\]|◁think▷|<\|channel\|>(?:analysis|commentary)[^<]{{0,40}}<\|message\|>", re.IGNORECASE)
"""Marks around the thoughts of reasoning models: XML tags, Magistral's, Kimi's, and the channels of gpt-oss."""
END_MARKS = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|return|>", "<|end_of_text|>", "<|endoftext|>",
             "<end_of_turn>", "<eos>", "</s>")
"""Marks with which models end their turn. If a server's chat template does not fit the model, the mark appears in the text, and
the model continues with an invented conversation."""
END_OF_TURN = re.compile("|".join(map(re.escape, END_MARKS)))


@dataclass(frozen=True, slots=True)
class Piece:
    """A message, or a piece of one.

    Attributes:
        text: what it says.
        refusal: the words with which the model declines, which servers send separately.
        is_thought: True if it holds thoughts outside the text.
        left_out: the kinds of parts that hold no text, such as images.
        tools: the names of the tools that the model calls.
    """

    text: str = ""
    refusal: str = ""
    is_thought: bool = False
    left_out: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was generated with it, not even a thought."""
        return not (self.text or self.refusal or self.is_thought or self.tools)


def read_piece(message: Mapping[str, object]) -> Piece:
    """Returns the content of a message, or of the piece of one that an event of a stream brings."""
    content, refusal = message.get("content"), message.get("refusal")
    parts = [_part(part) for part in (content if isinstance(content, list) else [content])]
    rest = Piece(refusal=refusal if isinstance(refusal, str) else "", tools=tuple(_tools(message)),
                 is_thought=any(message.get(name) for name in THOUGHT_FIELDS))
    return joined([*parts, rest])


def joined(pieces: Sequence[Piece]) -> Piece:
    """Returns consecutive pieces as one."""
    return Piece("".join(p.text for p in pieces), "".join(p.refusal for p in pieces), any(p.is_thought for p in pieces),
                 tuple(kind for p in pieces for kind in p.left_out), tuple(tool for p in pieces for tool in p.tools))


def _part(part: object) -> Piece:
    if isinstance(part, str):
        return Piece(part)
    if not isinstance(part, dict):
        return Piece()
    kind, refusal, text = part.get("type"), part.get("refusal"), part.get("text")
    kind = kind if isinstance(kind, str) else ""
    if THOUGHT_KINDS.search(kind) or part.get("thought") is True:
        return Piece(is_thought=True)
    if isinstance(refusal, str):
        return Piece(refusal=refusal)
    text = text.get("value") if isinstance(text, dict) else text
    if isinstance(text, str):
        return Piece(text)
    return Piece(left_out=(kind[:40],) if kind and kind.isprintable() else ())


def _tools(message: Mapping[str, object]) -> Iterable[str]:
    calls = message.get("tool_calls")
    for call in [*(calls if isinstance(calls, list) else ()), {"function": message.get("function_call")}]:
        function = call.get("function") if isinstance(call, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str) and name.isprintable():
            yield name[:40]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A text without its thoughts.

    Attributes:
        text: what is left.
        has_thoughts: True if thoughts were left out.
        is_thinking: True if the text ends within thoughts.
    """

    text: str
    has_thoughts: bool = False
    is_thinking: bool = False


def spoken(text: str) -> Spoken:
    """Returns a text without its thoughts, which mention rejected actions.

    Chat templates may end with the mark that begins the thoughts, so that the text holds only the one that ends them: then
    everything before it is a thought.
    """
    kept: list[str] = []
    at, thinks, found = 0, False, False
    for mark in MARKS.finditer(text):
        if mark["end"] is None:
            kept += [] if thinks else [text[at:mark.start()]]
        elif not thinks:
            kept.clear()
        at, thinks, found = mark.end(), mark["end"] is None, True
    if not found:
        return Spoken(text)
    kept += [] if thinks else [text[at:]]
    return Spoken("".join(kept).lstrip(), has_thoughts=True, is_thinking=thinks)
