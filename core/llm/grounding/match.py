"""What a text was taken for, how surely, and by which method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

How = Literal["exact", "normalised", "synonym", "part", "edit", "embedding", "refused", "none"]
T = TypeVar("T")

NORMALISED, WITHOUT_NUMBER, SYNONYM = 0.98, 0.9, 0.88
PART, RELATED = 0.7, 0.68
"""Scores of the methods that use words: only the last word of a name was said; a neighbouring thing was said (oven, stove)."""
PRONOUN = 0.8
"""`put it in the fridge`: what "it" is, is not said."""
SURE = 0.86
"""A part of a name that only one candidate has scores so; a planner may believe it."""
EMBEDDING_FLOOR = 0.5
"""A cosine below this is no match; the nearest candidate is still given as the runner-up."""
WORST: tuple[How, ...] = ("exact", "normalised", "synonym", "part", "edit", "embedding", "refused", "none")
"""Methods, the surest first."""


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """What a text was taken for.

    Attributes:
        candidate: what it means; None when nothing fits.
        score: 0..1; for `none` and `refused`, that of the nearest candidate, which is then the runner-up.
        how: the method that led to it. `part`: only a part of the name was said, or a neighbouring thing; `refused`: the text
            declines to answer; `none`: it names nothing that is offered.
        runner_up: the second best candidate, if any.
        runner_up_score: its score; equal to `score` where the text does not say which of two it means.
    """

    candidate: T | None
    score: float
    how: How
    runner_up: T | None = None
    runner_up_score: float = 0.0


def least_sure(*methods: How) -> How:
    """The least sure of several methods."""
    return max(methods, key=WORST.index)
