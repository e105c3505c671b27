"""Normalizes words and phrases for comparison: articles, case, underscores and typos."""

from __future__ import annotations

import re
import unicodedata

WORD = re.compile(r"[^\W_]+(?:'\w+)?")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
FILLERS = frozenset(("the", "a", "an", "some", "one", "any", "my", "your", "his", "her", "its", "their", "this", "that",
                     "these", "those", "please"))
PREPOSITIONS = frozenset(("in", "inside", "into", "on", "onto", "to", "at", "from", "of"))
PARTICLES = frozenset(("in", "inside", "into", "on", "onto", "off", "out", "under", "behind"))
"""Words that distinguish two actions with the same verb and objects."""


def words(text: str) -> list[str]:
    """Returns the words of a text in lower case without punctuation and articles: `the KitchenTable_2` -> kitchen, table, 2."""
    plain = CAMEL.sub(" ", unicodedata.normalize("NFKC", text)).replace("_", " ").replace("’", "'").lower()
    return [word.removesuffix("'s") for word in WORD.findall(plain) if word not in FILLERS]


def spaced_name(text: str) -> str:
    """Returns a name as plain words, the form embedding models know: `kitchen_table` -> `kitchen table`."""
    return " ".join(words(text))


def typo_distance(a: str, b: str, limit: int) -> int:
    """Returns the number of inserted, missing, replaced or swapped letters, at most `limit` + 1.

    This is the restricted Damerau-Levenshtein distance.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return min(last[-1], limit + 1)


def likeness(a: str, b: str) -> float:
    """Returns 1 for equal words, less for one or two typos in long words, else 0. Short words and numbers have no typos."""
    if a == b:
        return 1.0
    longer = max(len(a), len(b))
    limit = 0 if longer <= 3 or a.isdigit() or b.isdigit() else 1 if longer <= 6 else 2
    distance = typo_distance(a, b, limit) if limit else 1
    return 0.0 if distance > limit else 1.0 - distance / (2 * longer)
