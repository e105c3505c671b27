"""Checks that each word of a task was used, is shown as left out, or belongs to a part that says nothing.

If no part of the reading uses a thing, a number or a negation of the task, the task is refused, and the message names the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.goals.parser import word_classes as words
from core.goals.parser.edges import ASKS, Edge
from core.goals.parser.tokens import Tokens

SAID_OTHERWISE = words.LIQUIDS | words.word_set(
    "door doors lid hands place task state thing things one ones robot light item items object objects piece pieces goal order "
    "home spot seat nap look wash rinse drink bit bite sip rest set front top side time job contents")
"""Nouns that a frame takes up in another word: close the door of the fridge."""
NUMBERS = words.NUMBERS - {"one"}


def lost(t: Tokens, cover: Iterable[Edge]) -> int:
    """Returns the index of the first word that no part of a task accounts for; -1 if there is none."""
    for edge in cover:
        if edge.kind not in ASKS:
            continue
        said = set(re.findall(r"[a-z0-9_]+", " ".join(edge.clauses)))
        passed = {k for start, end in edge.skipped for k in range(start, end)}
        for k in range(edge.start, edge.end):
            if k not in passed and _matters(t, k) and not _is_said(t.at(k), said, edge):
                return k
    return -1


def _matters(t: Tokens, k: int) -> bool:
    word = t.at(k)
    counted = word in NUMBERS or word.isdecimal()
    return counted or (t.is_noun(k) and word not in SAID_OTHERWISE and not t.verbs(k)) or (
        word in words.NEGATIONS and t.at(k - 1) not in words.REQUESTS | words.DO)


def _is_said(word: str, said: set[str], edge: Edge) -> bool:
    if word in words.NEGATIONS | {"0"}:
        return word in said or edge.kind == "never" or bool(said & {"empty", "every", "off", "close", "open", "switch", "keep"})
    return word in said or any(one.startswith(word) or word.startswith(one) for one in said if len(one) > 2)
