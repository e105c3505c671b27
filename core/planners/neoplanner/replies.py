"""Parses replies into lists of actions or axioms. An unusable reply gives an empty list, never an error."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

LONGEST_REPLY, LONGEST_LINE, MOST_LINES = 40_000, 600, 1000
MARKS = re.compile(r"^\s*(?:\d+[.)]|[-*•])?\s*")
QUOTES = "\"'`“”,; "


def listed(text: str) -> list[str]:
    """Returns the texts of a JSON list anywhere in a reply; else its lines, without numbers, bullets and quotes."""
    text = text[:LONGEST_REPLY]
    first, last = text.find("["), text.rfind("]")
    if 0 <= first < last:
        try:
            found = json.loads(text[first:last + 1])
        except (ValueError, RecursionError):
            found = None  # a malformed list is parsed line by line
        if isinstance(found, list):
            return [_clean(item) for item in found[:MOST_LINES] if isinstance(item, str) and _clean(item)]
    lines = (_clean(MARKS.sub("", line.strip().strip("[]"))) for line in text.splitlines()[:MOST_LINES])
    return [line for line in lines if line]


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(QUOTES)[:LONGEST_LINE]


def actions(text: str, templates: Sequence[str]) -> tuple[str, ...]:
    """Returns the sentences of a reply that match an allowed kind, in order."""
    patterns = [re.compile(re.escape(t).replace("OBJ", "(.+)"), re.IGNORECASE) for t in templates]
    return tuple(line for line in listed(text) if any(p.fullmatch(line) for p in patterns))


def axioms(text: str) -> tuple[str, ...]:
    """Returns the `X Y Z` lines of a reply: at least three words, none with an underscore, each once."""
    return tuple(dict.fromkeys(line for line in listed(text) if len(line.split()) >= 3 and "_" not in line))
