"""Lists of calls as models write them: `1. move(fridge1)`, `add_attribute("cup1", "clean | in_hand")`, fenced or bare.

Nothing a model may write breaks the reading; what is no call is passed over, what is an odd one is told as dropped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SCANNED = 20_000
"""Characters of a reply that are read."""
MOST_CALLS = 400
LONGEST = 4_000
"""Characters of one argument that are kept."""
NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,40})[ \t]*\(")
QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
MOST_ARGS = 6


@dataclass(frozen=True, slots=True)
class Call:
    """A function's name in lower case without underscores (`add_attribute` -> `addattribute`), and its arguments as text."""

    name: str
    args: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"


def read_calls(text: str, names: frozenset[str]) -> tuple[tuple[Call, ...], int]:
    """The calls of the named functions, in order, and how many were dropped because they were malformed.

    `names` are in the form of `Call.name`; calls of other functions are prose ("move(fridge) (example)") or inventions, and
    count as dropped only at the beginning of a line.
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
    """Whether only a number or a bullet stands before."""
    before = text[text.rfind("\n", 0, at) + 1: at]
    return re.fullmatch(r"\s*(?:\d{1,3}[.)]|[-*•])?\s*", before) is not None


def _arguments(text: str, at: int) -> tuple[tuple[str, ...], int] | None:
    """The arguments from behind the bracket, and where the text goes on; None when the bracket is never closed."""
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
    """Up to the closing quote that a comma or bracket follows: an apostrophe inside ("it's") does not end it."""
    close = QUOTES[text[at]]
    end = at + 1
    while (end := text.find(close, end)) >= 0:
        after = text[end + 1:].lstrip()
        if text[end - 1] != "\\" and (not after or after[0] in ",)"):
            return text[at + 1: end].replace(f"\\{close}", close), end + 1
        end += 1
    return None


def _bare(text: str, at: int) -> tuple[str, int] | None:
    """A word without quotes, up to a comma or the bracket; on one line."""
    match = re.compile(r"[^,()\n]*").match(text, at)
    if match is None or not match.group().strip() or text[match.end(): match.end() + 1] not in (",", ")"):
        return None
    return match.group().strip().strip("\"'"), match.end()
