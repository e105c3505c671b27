"""Resolves a model's plan to one of the offered choices, each of which is a sequence of actions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from core.llm.grounding.actions import by_meaning, ground_action
from core.llm.grounding.match import Match

LONGEST = 2000
"""The maximum number of characters of a reply that are read as a list of actions; the first ones are at its beginning."""


def ground_choice(text: str, options: Sequence[tuple[str, ...]], alike: Sequence[float] = ()) -> Match[int]:
    """Resolves a reply to a choice: by its list of actions, else by the first action it names, finally by sentence embeddings.

    A choice is identified by its last action, which determines its purpose, then by its first.

    Args:
        text: the reply.
        options: the phrases of each choice's actions.
        alike: the similarity to each choice; empty if it was not computed.
    """
    said = text.strip()
    sentences = {", ".join(option): k for k, option in reversed(tuple(enumerate(options)))}
    for exact in (said, said.removesuffix(".")):
        if exact in sentences:
            return Match(sentences[exact], 1.0, "exact")
    listed = read_choice(text, options)
    if listed is not None:
        return Match(listed, 0.98, "normalised")
    found = ground_action(text, [(k, option[-1]) for k, option in enumerate(options) if option])
    if found.candidate is None and found.how != "refused":
        first = ground_action(text, [(k, option[0]) for k, option in enumerate(options) if len(option) > 1])
        found = first if first.candidate is not None else found
    if found.candidate is not None or found.how == "refused":
        return found
    near = by_meaning(alike, range(len(options)))
    return near if near.candidate is not None or found.runner_up is None else found


def steps_of(text: str) -> list[str]:
    """Returns the actions a reply lists in lower case, without leading numbers, quotes and full stops."""
    answer = re.split(r"next actions?\s*:", text[:LONGEST], flags=re.IGNORECASE)[-1]
    parts = re.split(r"[,;\n]|\bthen\b|\band then\b", answer.lower())
    cleaned = (plain(re.sub(r"^\s*(?:\d+\s*[.):]|[-*•])\s*", "", part)) for part in parts)
    return [part for part in cleaned if part]


def plain(text: str) -> str:
    """Returns the text in lower case with letters and digits only."""
    return " ".join(re.sub(r"[^a-z0-9 ]", " ", text.lower().replace("_", " ")).split())


def read_choice(text: str, options: Sequence[tuple[str, ...]]) -> int | None:
    """Returns the option that a reply starts with, literally; None if it names none.

    The longest sequence of equal first actions wins; else the reply's first action may be the last (the decisive) one of an
    option.

    Args:
        text: a reply; may be empty, very long or in another format.
        options: for each option the phrases of its actions in order.
    """
    steps = steps_of(text)
    if not steps:
        return None
    known = [[plain(phrase) for phrase in option] for option in options]
    best, length = None, 0
    for k, option in enumerate(known):
        same = 0
        while same < min(len(option), len(steps)) and option[same] == steps[same]:
            same += 1
        whole = same == len(option) or same == len(steps)
        if whole and same > length:
            best, length = k, same
    if best is not None:
        return best
    ends = [k for k, option in enumerate(known) if option and option[-1] == steps[0]]
    return ends[0] if ends else None


def word_overlap(text: str, phrase: str) -> float:
    """Returns the cosine of the word counts of two phrases, 0..1; used if there are no sentence embeddings."""
    a, b = Counter(plain(text).split()), Counter(plain(phrase).split())
    dot = sum(n * b[word] for word, n in a.items())
    size = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return dot / size if size else 0.0
