"""Careful random actions: first the kind, then the objects; none that ends an episode or disconnects wires."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

RASH = ("focus", "connect", "disconnect", "eat", "reset")
TRIES = 60


def among(sentences: Sequence[str], avoid: Collection[str], rng: np.random.Generator) -> str | None:
    """Returns a random sentence: first its first word is drawn uniformly, then a sentence with it; None if there are none."""
    kinds: dict[str, list[str]] = {}
    for text in sorted(set(sentences)):
        verb = text.split(" ")[0]
        if text not in avoid and verb not in RASH:
            kinds.setdefault(verb, []).append(text)
    if not kinds:
        return None
    chosen = kinds[list(kinds)[int(rng.integers(len(kinds)))]]
    return chosen[int(rng.integers(len(chosen)))]


def filled(templates: Sequence[str], things: Sequence[str], avoid: Collection[str], rng: np.random.Generator) -> str | None:
    """Returns a random kind of action with random objects in sight; None if no new one was found."""
    kinds = [t for t in templates if t.split(" ")[0] not in RASH]
    for _ in range(TRIES if kinds and things else 0):
        parts = kinds[int(rng.integers(len(kinds)))].split("OBJ")
        names = [things[int(rng.integers(len(things)))] for _ in parts[1:]]
        text = "".join(part + name for part, name in zip(parts, [*names, ""], strict=True))
        if text not in avoid and len(set(names)) == len(names):
            return text
    return None
