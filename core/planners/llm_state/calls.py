"""Parses lists of function calls from replies: `1. move(fridge1)`, `add_attribute("cup1", "clean | in_hand")`, fenced or bare.

No reply can cause an error. Text that is no call is ignored; malformed calls are counted as dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SCANNED = 20_000
"""The maximum number of characters of a reply that are parsed."""
MOST_CALLS = 400
LONGEST = 4_000
"""The maximum number of characters kept of one argument."""
NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,40})[ \t]*\(")
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
MOST_ARGS = 6


@dataclass(frozen=True, slots=True)
class Call:
    """A function call in a reply.

    Attributes:
        name: the function's name in lower case without underscores (`add_attribute` -> `addattribute`).
        args: the arguments as text.
    """

    name: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"


def read_calls(text: str, names: frozenset[str]) -> tuple[tuple[Call, ...], int]:
    """Returns the calls of the named functions in order, and the number of malformed calls.

    Args:
        text: the reply.
        names: function names in the form of `Call.name`. Calls of other functions are prose ("move(fridge) (example)") or
            invented; they count as malformed only at the start of a line.
    """
    text = text[:SCANNED]
    found: list[Call] = []
    dropped, at = 0, 0
    while len(found) < MOST_CALLS and (match := NAME.search(text, at)) is not None:
        name = match.group(1).lower().replace("_", "")
        read = _arguments(text, match.end()) if name in names else None
        if read is None:
            dropped += name in names or _begins_line(text, match.start())
            at = match.end()
            continue
        args, at = read
        found.append(Call(name, args))
    return tuple(found), dropped


def _begins_line(text: str, at: int) -> bool:
    """Returns True if only a number or a bullet precedes the position on its line."""
    before = text[text.rfind("\n", 0, at) + 1: at]
    return re.fullmatch(r"\s*(?:\d{1,3}[.)]|[-*•])?\s*", before) is not None


def _arguments(text: str, at: int) -> tuple[tuple[str, ...], int] | None:
    """Returns the arguments after an opening bracket and the position after the closing one; None if it is never closed."""
    args: list[str] = []
    while True:
        while at < len(text) and text[at] in " \t\n\r,":
            at += 1
        if at >= len(text) or len(args) > MOST_ARGS:
            return None
        if text[at] == ")":
            return tuple(args), at + 1
        read = _quoted(text, at) if text[at] in QUOTES else _bare(text, at)
        if read is None:
            return None
        args.append(read[0][:LONGEST].strip())
        at = read[1]


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """Returns the text up to the closing quote before a comma or bracket; an apostrophe inside ("it's") does not end it."""
    close = QUOTES[text[at]]
    end = at + 1
    while (end := text.find(close, end)) >= 0:
        after = text[end + 1:].lstrip()
        if text[end - 1] != "\\" and (not after or after[0] in ",)"):
            return text[at + 1: end].replace(f"\\{close}", close), end + 1
        end += 1
    return None


def _bare(text: str, at: int) -> tuple[str, int] | None:
    """Returns an argument without quotes, up to a comma or the bracket, on one line."""
    match = re.compile(r"[^,()\n]*").match(text, at)
    if match is None or not match.group().strip() or text[match.end(): match.end() + 1] not in (",", ")"):
        return None
    return match.group().strip().strip("\"'"), match.end()
