"""Reading a plan out of a model's text: which of the offered actions does it begin with?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

LONGEST = 2000
"""Characters of a reply that are read: the first actions stand at its beginning."""


def steps_of(text: str) -> list[str]:
    """The actions a reply lists, cleaned: lower case, no numbers in front, no quotes, no full stops."""
    answer = re.split(r"next actions?\s*:", text[:LONGEST], flags=re.IGNORECASE)[-1]
    parts = re.split(r"[,;\n]|\bthen\b|\band then\b", answer.lower())
    cleaned = (_plain(re.sub(r"^\s*(?:\d+\s*[.):]|[-*•])\s*", "", part)) for part in parts)
    return [part for part in cleaned if part]


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^a-z0-9 ]", " ", text.lower().replace("_", " ")).split())


def read_choice(text: str, options: Sequence[tuple[str, ...]]) -> int | None:
    """Which option a reply begins with; None when it names none.

    Args:
        text: a reply, perhaps empty, huge or of another shape.
        options: for each option the phrases of its actions, one after the other.

    The longest run of same first actions wins; else the reply's first action may be the last (the decisive) one of an option.
    """
    steps = steps_of(text)
    if not steps:
        return None
    plain = [[_plain(phrase) for phrase in option] for option in options]
    best, length = None, 0
    for k, option in enumerate(plain):
        same = 0
        while same < min(len(option), len(steps)) and option[same] == steps[same]:
            same += 1
        whole = same == len(option) or same == len(steps)
        if whole and same > length:
            best, length = k, same
    if best is not None:
        return best
    ends = [k for k, option in enumerate(plain) if option[-1] == steps[0]]
    return ends[0] if ends else None


def similarity(text: str, phrase: str) -> float:
    """Cosine of the word counts of two phrases, 0..1: the stand-in for sentence embeddings where there are none."""
    a, b = Counter(_plain(text).split()), Counter(_plain(phrase).split())
    dot = sum(n * b[word] for word, n in a.items())
    size = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return dot / size if size else 0.0
