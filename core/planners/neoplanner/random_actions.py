"""Careful random actions: first the kind, then the things; none that ends an episode or makes a mess of wires."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

RASH = ("focus", "connect", "disconnect", "eat", "reset")
TRIES = 60


def among(sentences: Sequence[str], avoid: Collection[str], rng: np.random.Generator) -> str | None:
    """One of these sentences: every first word as likely, then every sentence that begins with it; None of none."""
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
    """A kind of action with things of here put in; None where nothing new was hit on."""
    kinds = [t for t in templates if t.split(" ")[0] not in RASH]
    for _ in range(TRIES if kinds and things else 0):
        parts = kinds[int(rng.integers(len(kinds)))].split("OBJ")
        names = [things[int(rng.integers(len(things)))] for _ in parts[1:]]
        text = "".join(part + name for part, name in zip(parts, [*names, ""], strict=True))
        if text not in avoid and len(set(names)) == len(names):
            return text
    return None
