"""Reads a body as it arrives: server-sent events, which amount to a reply. Another body is read when it is complete."""

from __future__ import annotations

import codecs
import io
import time
from collections.abc import Callable

from core.llm.completions import CIRCLES, Choice, Reply
from core.llm.message_text import joined, spoken
from core.llm.model import OnPartial, Partial

STARTS = b"deir:"
"""First letters of the lines of server-sent events (`data`, `event`, `error`, `id`, `retry`, a comment). JSON starts with none
of them."""
FIELDS = frozenset({"data", "event", "error", "id", "retry", ""})
"""What such a line begins with; comments, which keep the connection open, begin with a colon."""
DONE = "[DONE]"
SHOWN = 4000
"""The maximum number of characters of a partial text that are shown."""
PAUSE = 0.1
"""Seconds between two partial texts."""
CIRCLE, LONGEST_TURN = 600, 150
"""A reply goes in circles if its last 600 characters repeat a text of at most 150: small models do so until the token limit."""
Parse = Callable[[str], object]


def goes_in_circles(text: str) -> bool:
    """Returns True if the end of a text repeats a shorter text."""
    tail = text[-CIRCLE:]
    return len(tail) == CIRCLE and any(tail[turn:] == tail[:-turn] for turn in range(1, LONGEST_TURN + 1))


class EventStream:
    """Reads a body as it arrives. The caller limits the body's length.

    Args:
        parse: parses JSON text; raises ValueError or RecursionError.
        on_partial: receives the partial text a few times per second.
        single: True if one sample was requested, so that a reply that goes in circles can be ended.

    Attributes:
        reply: what has been received of the reply.
        has_events: True if the body is a stream: a line of one has come.
        circles: True if the reply goes in circles, so that its rest is not wanted. It then counts as complete.
        pieces: the number of pieces of text or thought received.
    """

    def __init__(self, parse: Parse, on_partial: OnPartial | None = None, *, single: bool = True):
        self._parse, self._on_partial, self._single = parse, on_partial, single
        self.began = time.monotonic()
        self.reply = Reply()
        self.has_events = self.circles = False
        self.pieces = 0
        self._is_stream: bool | None = None
        # Any of the three line ends of the standard, and characters of several bytes, may be cut in two by the network.
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8")("replace"), translate=True)
        self._rest: list[str] = []
        self._data: list[str] = []
        self._event_name = self._tail = ""
        self._first, self._last, self._reported_at = 0.0, 0.0, 0.0

    def feed(self, data: bytes) -> bool:
        """Processes more of the body. Returns True if the rest is not wanted."""
        if self._is_stream is None:
            data = data.lstrip(b"\xef\xbb\xbf \t\r\n")
            if data:
                self._is_stream = data[0] in STARTS
        if self._is_stream:
            self._read(self._decoder.decode(data))
            self._report()
        return self.circles or self.reply.is_over

    def finish(self) -> None:
        """Processes the end of the body, including a last line without line end."""
        if self._is_stream:
            self._read(self._decoder.decode(b"", final=True) + "\n\n")

    @property
    def first_token(self) -> float:
        """Seconds until the first piece; 0 if none arrived."""
        return max(0.0, self._first - self.began) if self.pieces else 0.0

    @property
    def rate(self) -> float:
        """Tokens per second after the first one; 0 if unknown. If the server reports no tokens, the pieces are counted."""
        seconds = self._last - self._first
        return max(0, (self.reply.tokens_out or self.pieces) - 1) / seconds if seconds > 0 else 0.0

    def _read(self, text: str) -> None:
        *lines, rest = text.split("\n")
        for line in lines:
            self._line("".join([*self._rest, line]))
            self._rest.clear()
        self._rest += [rest] if rest else []

    def _line(self, line: str) -> None:
        name, colon, value = line.partition(":")
        value = value.removeprefix(" ")
        self.has_events = self.has_events or (bool(colon) and name in FIELDS)
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event_name = value.strip()
        elif name == "error" or line.startswith("{"):  # llama.cpp's and others' errors within a stream follow no standard
            self._event(value if name == "error" else line, is_error=name == "error")
        elif not line:
            if self._data:
                self._event("\n".join(self._data), is_error=self._event_name == "error")
            self._data, self._event_name = [], ""

    def _event(self, text: str, *, is_error: bool) -> None:
        text = text.strip()
        if self.circles or self.reply.is_over or not text:  # the network may bring more in the same piece as the end
            return
        if text == DONE:
            self.reply.is_over = True
            return
        try:
            value = self._parse(text)
        except (ValueError, RecursionError):
            value = text if is_error else None
            if value is None and "\n" in text:  # some servers leave no empty line between events
                for line in text.split("\n"):
                    self._event(line, is_error=False)
                return
            self.reply.is_damaged |= value is None and text.startswith("{")  # otherwise a comment
        if is_error and not (isinstance(value, dict) and value.get("error")):
            value = {"error": value}
        piece = self.reply.add(value)
        if not piece.is_empty:
            self._last = time.monotonic()
            self._first = self._first if self.pieces else self._last
            self.pieces += 1
        self._tail = (self._tail + piece.text)[-CIRCLE:]
        self._end_circles()

    def _first_choice(self) -> Choice | None:
        return self.reply.choices[min(self.reply.choices)] if self.reply.choices else None

    def _end_circles(self) -> None:
        """Ends the reply where it goes in circles."""
        found = self._first_choice() if self._single else None
        if found is not None and not found.finish and goes_in_circles(self._tail):
            self.circles, found.finish = True, CIRCLES
            self.reply.usage = self.reply.usage or {"completion_tokens": self.pieces}

    def _report(self) -> None:
        found = self._first_choice()
        if self._on_partial is None or not self.pieces or found is None or time.monotonic() < self._reported_at + PAUSE:
            return
        self._reported_at = time.monotonic()
        self._on_partial(Partial(spoken(joined(found.pieces).text).text, self.pieces, self.first_token))
