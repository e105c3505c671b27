"""GBNF, the grammar format of llama.cpp's constrained output: from a list of choices or a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterable

CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": " \\t\\n\\r"}
CONTROL = {"n": "\\n", "t": "\\t", "r": "\\r"}
REPEAT = re.compile(r"[*+?]|\{\d{1,4}(,\d{0,4})?\}")


def choices_grammar(choices: Iterable[str]) -> str:
    """Returns a grammar of exactly these texts."""
    return "root ::= " + " | ".join(_quoted(choice) for choice in choices)


def pattern_grammar(pattern: str) -> str | None:
    """Returns a grammar of the texts that a regular expression matches as a whole; None if it uses unsupported features."""
    reader = _Reader(pattern.removeprefix("^").removesuffix("$") if not pattern.endswith("\\$") else pattern.removeprefix("^"))
    rule = reader.alternatives()
    return f"root ::= {rule}" if rule and reader.finished else None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'


def _in_class(char: str) -> str:
    return f"\\{char}" if char in "\\]" else f"\\x{ord(char):02X}" if char in "[^-" else char


class _Reader:
    """Parses an expression from left to right. Any method returns None if a part cannot be expressed in GBNF."""

    def __init__(self, text: str):
        self._text, self._at = text, 0

    @property
    def finished(self) -> bool:
        return self._at == len(self._text)

    def alternatives(self) -> str | None:
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        return None if None in options else " | ".join(option or '""' for option in options)

    def _sequence(self) -> str | None:
        parts = []
        while not self.finished and self._text[self._at] not in "|)":
            part = self._repeated()
            if part is None:
                return None
            parts.append(part)
        return " ".join(parts)

    def _repeated(self) -> str | None:
        atom = self._atom()
        match = REPEAT.match(self._text, self._at)
        if atom is None or match is None:
            return atom
        self._at = match.end()
        # lazy quantifiers match the same language; possessive ones ("+") do not
        if not self.finished and self._text[self._at] in "?+":
            if self._text[self._at] == "+":
                return None
            self._at += 1
        return atom + match[0]

    def _atom(self) -> str | None:
        if self._take("("):
            if self._text.startswith("?", self._at) and not self._take("?:"):
                return None  # look-around, back-references, flags
            inner = self.alternatives()
            return f"({inner})" if inner is not None and self._take(")") else None
        if self._take("["):
            return self._set()
        if self._take("."):
            return "[^\\n]"
        if self._take("\\"):
            return self._escape()
        if self._text[self._at] in "*+?{}^$":
            return None
        self._at += 1
        return _quoted(self._text[self._at - 1])

    def _escape(self) -> str | None:
        if self.finished:
            return None
        char = self._text[self._at]
        self._at += 1
        if char.lower() in CLASSES:
            return f"[{'^' if char.isupper() else ''}{CLASSES[char.lower()]}]"
        if char in CONTROL:
            return f'"{CONTROL[char]}"'
        return None if char.isalnum() else _quoted(char)

    def _set(self) -> str | None:
        found = "^" if self._take("^") else ""
        first = True
        while not self.finished and (first or self._text[self._at] != "]"):
            first = False
            member = self._member()
            if member is None:
                return None
            found += member
        return f"[{found}]" if self._take("]") else None

    def _member(self) -> str | None:
        char = self._text[self._at]
        self._at += 1
        if char == "[":
            return None if self._text.startswith(":", self._at) else "\\x5B"
        if char != "\\":
            # A hyphen between two members is a range in both languages; at either end it is a hyphen in both.
            return "-" if char == "-" else _in_class(char)
        if self.finished:
            return None
        char = self._text[self._at]
        self._at += 1
        if char in CLASSES or char in CONTROL:
            return CLASSES.get(char) or CONTROL[char]
        return None if char.isalnum() else _in_class(char)

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True
