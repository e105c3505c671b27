"""The result of grounding a text: the candidate, its score and the method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

How = Literal["exact", "normalised", "synonym", "part", "edit", "embedding", "refused", "none"]
T = TypeVar("T")

NORMALISED, WITHOUT_NUMBER, SYNONYM = 0.98, 0.9, 0.88
PART, RELATED = 0.7, 0.68
"""Scores if only the last word of a name was given, and if a related object was given (oven, stove)."""
PRONOUN = 0.8
"""`put it in the fridge`: "it" is not identified."""
SURE = 0.86
"""The score of a partial name that matches only one candidate; planners may accept it."""
EMBEDDING_FLOOR = 0.5
"""The minimum cosine of a match; below, the nearest candidate is reported as the runner-up."""
WORST: tuple[How, ...] = ("exact", "normalised", "synonym", "part", "edit", "embedding", "refused", "none")
"""Methods, the most certain first."""


@dataclass(frozen=True, slots=True)
class Match(Generic[T]):
    """What a text was resolved to.

    Attributes:
        candidate: the candidate; None if none matches.
        score: 0..1; for `none` and `refused`, that of the nearest candidate, which is then the runner-up.
        how: the method. `part`: only a part of the name, or a related object, was given; `refused`: the text declines to
            answer; `none`: it names no candidate.
        runner_up: the second best candidate, if any.
        runner_up_score: its score; equal to `score` if the text is ambiguous.
    """

    candidate: T | None
    score: float
    how: How
    runner_up: T | None = None
    runner_up_score: float = 0.0


def least_sure(*methods: How) -> How:
    """Returns the least certain of several methods."""
    return max(methods, key=WORST.index)
