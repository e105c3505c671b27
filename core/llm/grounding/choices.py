"""From a model's plan to one of the choices on offer, where a choice is several actions, one after the other."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from core.llm.grounding.actions import by_meaning, ground_action
from core.llm.grounding.match import Match

LONGEST = 2000
"""Characters of a reply that are read as a list of actions: the first ones stand at its beginning."""


def ground_choice(text: str, options: Sequence[tuple[str, ...]], alike: Sequence[float] = ()) -> Match[int]:
    """The choice a reply means: by its list of actions, else by the first action it names, at last by sentence embeddings.

    A choice is known by its last action, which decides what it is for, then by its first.

    Args:
        text: the reply.
        options: the phrases of each choice's actions.
        alike: how alike the reply is to each choice; empty where they were not compared.
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
    """The actions a reply lists, cleaned: lower case, no numbers in front, no quotes, no full stops."""
    answer = re.split(r"next actions?\s*:", text[:LONGEST], flags=re.IGNORECASE)[-1]
    parts = re.split(r"[,;\n]|\bthen\b|\band then\b", answer.lower())
    cleaned = (plain(re.sub(r"^\s*(?:\d+\s*[.):]|[-*•])\s*", "", part)) for part in parts)
    return [part for part in cleaned if part]


def plain(text: str) -> str:
    """Lower case, letters and digits only."""
    return " ".join(re.sub(r"[^a-z0-9 ]", " ", text.lower().replace("_", " ")).split())


def read_choice(text: str, options: Sequence[tuple[str, ...]]) -> int | None:
    """Which option a reply begins with, word for word; None when it names none.

    Args:
        text: a reply, perhaps empty, huge or of another shape.
        options: for each option the phrases of its actions, one after the other.

    The longest run of same first actions wins; else the reply's first action may be the last (the decisive) one of an option.
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
    """Cosine of the word counts of two phrases, 0..1: the stand-in for sentence embeddings where there are none."""
    a, b = Counter(plain(text).split()), Counter(plain(phrase).split())
    dot = sum(n * b[word] for word, n in a.items())
    size = math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))
    return dot / size if size else 0.0
