r"""Removes keys from every text that leaves the program: replies, errors, caches, recordings and lines for a terminal.

The rule: any 8 or more consecutive characters that also occur in a key are replaced by `[key]`. If they are only letters of one
case, the minimum is 12 or the whole key, so that a key made of words does not remove these words everywhere. This applies to
the key as it is, to its base64 (10 characters, both alphabets, with any text before the key) and to its hexadecimal digits (16
characters). Each is also found with characters escaped as in JSON or Python (`\u0073`, `\"`), URLs (`%73`) or HTML (`&#115;`),
up to three layers deep.

Not found are: fewer than 8 consecutive characters, another letter case, other encodings or ciphers, keys with characters
inserted, and keys shorter than 8 characters (words such as "none" for servers without keys).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from html import unescape
from itertools import chain
from typing import Any

from core.common.user_folders import home

SHORTEST = 8
"""Minimum characters: shorter keys, and shorter parts of keys, are not replaced."""
SHORTEST_WORD = 12
"""Minimum characters of a part with letters of one case only; shorter ones may be ordinary words."""
WORD = re.compile(r"[A-Za-z]?(?:[a-z]*|[A-Z]*)")
SHORTEST_BASE64, SHORTEST_HEX = 10, 16
"""The minimum lengths of 8 encoded characters."""
STANDS_FOR = "[key]"
OTHER_HOME = re.compile(r"""((?:/home|/Users|\\Users)[/\\])[^/\\\s'"]+""")
"""A home folder in a path."""
LAYERS = 3
ESCAPE = re.compile(r"""\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\["'/\\]|%[0-9a-fA-F]{2}"""
                    r"""|&\#x[0-9a-fA-F]{1,6};|&\#[0-9]{1,7};|&(?:quot|amp|lt|gt|apos);""", re.VERBOSE)
ESCAPE_IN_JSON = re.compile(rb"""\\\\[ux"'/\\]|%[0-9a-fA-F]{2}|&[#a-z]""")
"""Escapes within JSON text, where each backslash is written twice."""

Span = tuple[int, int]


class _Form:
    """One encoding of a key, and the number of its consecutive characters that reveal it (more if they could be a word).

    Any `shortest` characters of it contain one of `anchors` completely, so searching for the anchors finds every occurrence.
    """

    def __init__(self, text: str, shortest: int, shortest_word: int = 0):
        self._text, self._shortest, self._shortest_word = text, shortest, shortest_word
        self._size = (shortest + 1) // 2
        self._starts = range(0, max(1, len(text) - self._size + 1), shortest - self._size + 1)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The substrings to search for."""
        return tuple(self._text[at:at + self._size] for at in self._starts)

    def spans(self, text: str) -> Iterable[Span]:
        """Yields the positions of parts of the key in a text."""
        for start in self._starts:
            anchor, done = self._text[start:start + self._size], 0
            while (found := text.find(anchor, done)) >= 0:
                span = self._extended(text, start, found)
                if self._gives_away(text[slice(*span)]):
                    yield span
                done = found + 1

    def _gives_away(self, part: str) -> bool:
        if len(part) < self._shortest:
            return False
        return len(part) >= self._shortest_word or part == self._text or not WORD.fullmatch(part)

    def _extended(self, text: str, start: int, found: int) -> Span:
        """Returns the longest match around an occurrence of the anchor."""
        left, right = 0, self._size
        while left < min(start, found) and self._text[start - left - 1] == text[found - left - 1]:
            left += 1
        most = min(len(self._text) - start, len(text) - found)
        while right < most and self._text[start + right] == text[found + right]:
            right += 1
        return found - left, found + right


class Redactor:
    """Removes keys from texts and JSON. Without keys it does nothing. Thread-safe."""

    def __init__(self, secrets: Iterable[str] = ()):
        keys = tuple(s for s in dict.fromkeys(secrets) if len(s) >= SHORTEST)
        self._forms = tuple(chain.from_iterable(map(_forms, keys)))
        written = {json.dumps(anchor, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "surrogatepass")
                   for form in self._forms for anchor in form.anchors for ascii_only in (True, False)}
        self._anchors = tuple(sorted(written))

    def text(self, text: str) -> str:
        """Returns the text with `[key]` in place of keys and parts of keys."""
        if not self._forms:
            return text
        spans = list(self._spans(text))
        return _replaced(text, spans) if spans else text

    def value(self, value: Any) -> Any:
        """Returns decoded JSON with the keys removed from every text in it, including field names."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(v) for v in value]
        if isinstance(value, dict):
            return {self.text(k): self.value(v) for k, v in value.items()}
        return value

    def json(self, data: bytes) -> bytes:
        """Returns the JSON without keys; the same bytes if it contains none."""
        if not self._anchors or not (any(anchor in data for anchor in self._anchors) or _has_escape(data)):
            return data
        before = json.loads(data)
        after = self.value(before)
        return data if after == before else json.dumps(after, separators=(",", ":")).encode()

    def _spans(self, text: str) -> Iterable[Span]:
        """Yields the positions of keys in a text, as it is and with its escapes resolved."""
        view, starts = text, None
        for _ in range(LAYERS + 1):
            for begin, end in chain.from_iterable(form.spans(view) for form in self._forms):
                yield (begin, end) if starts is None else (starts[begin], starts[end])
            resolved = _unescaped(view)
            if resolved is None:
                return
            view, inner = resolved
            starts = inner if starts is None else [starts[at] for at in inner]


def _has_escape(data: bytes) -> bool:
    """Returns True if a JSON document may contain a key in escapes. The first test excludes most documents quickly."""
    return any(sign in data for sign in (b"%", b"&", rb"\\")) and ESCAPE_IN_JSON.search(data) is not None


def _forms(key: str) -> Iterable[_Form]:
    data = key.encode("utf-8", "surrogatepass")
    yield _Form(key, SHORTEST, SHORTEST_WORD)
    for digits in {data.hex(), data.hex().upper()}:
        yield _Form(digits, SHORTEST_HEX)
    for before in range(3):  # the text before the key determines how its bits are split into characters
        padded = bytes(before) + data
        first, last = -(-8 * before // 6), 8 * len(padded) // 6  # the characters that depend on the key alone
        for encode in (base64.standard_b64encode, base64.urlsafe_b64encode):
            yield _Form(encode(padded).decode()[first:last], SHORTEST_BASE64)


def _unescaped(text: str) -> tuple[str, list[int]] | None:
    """Resolves the escapes of a text.

    Returns:
        The text, and the old position of each character and of the end; None if there are no escapes.
    """
    parts: list[str] = []
    starts: list[int] = []
    done = 0
    for match in ESCAPE.finditer(text):
        parts += [text[done:match.start()], _resolved(match.group())]
        starts += [*range(done, match.start()), match.start()]
        done = match.end()
    if not done:
        return None
    return "".join([*parts, text[done:]]), [*starts, *range(done, len(text) + 1)]


def _resolved(escape: str) -> str:
    """Returns the character an escape stands for."""
    if escape[0] == "&":
        return unescape(escape)[:1] or " "
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    return chr(int(escape[2:], 16)) if escape[1] in "ux" else escape[1]


def _replaced(text: str, spans: list[Span]) -> str:
    parts, done = [], 0
    for begin, end in sorted(spans):
        if begin >= done:
            parts += [text[done:begin], STANDS_FOR]
        done = max(done, end)
    return "".join([*parts, text[done:]])


def without_user(text: str) -> str:
    """Returns a text with `~` for the user's home folder, and without the names of users in paths of other homes."""
    folder = str(home())
    text = text.replace(folder, "~") if len(folder) > 1 else text
    return OTHER_HOME.sub(r"\1…", text)
