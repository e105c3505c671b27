"""Locates words of a parsed goal in the task as it was typed."""

from __future__ import annotations

import re


def span_of(text: str, words: str) -> tuple[int, int]:
    """Returns (start, end) of the words in the typed task; if they are not adjacent, of the last ones; else (0, 0)."""
    tokens = re.findall(r"[^\W_]+", words.lower())
    while tokens:
        pattern = r"[\W_]+".join(map(re.escape, tokens))
        found = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE)
        if found is not None:
            return found.span()
        tokens = tokens[1:]
    return 0, 0
