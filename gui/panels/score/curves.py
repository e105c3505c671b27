"""The score as a stair over interactions: where it changed, and where the best so far rose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from core.facets import Scores

Corners = list[tuple[int, float]]
"""(interactions, score), each kept until the next."""


def stair(scores: Scores) -> Corners:
    """The corners of the stair, up to now."""
    return [*scores.points, (scores.interactions, scores.score)]


def best_line(scores: Scores) -> Iterator[tuple[int, float]]:
    """Where the best so far rose."""
    best = 0.0
    for count, score in scores.points:
        if score > best:
            best = score
            yield count, score


def drawn(corners: Sequence[tuple[int, float]]) -> tuple[list[float], list[float]]:
    """X and y of the line along a stair. What lies under the axis (an episode that failed) is drawn on it."""
    xs: list[float] = []
    ys: list[float] = []
    for count, score in corners:
        if ys:
            xs.append(count)
            ys.append(ys[-1])
        xs.append(count)
        ys.append(max(0.0, score))
    return xs, ys


def score_after(scores: Scores, count: int) -> float | None:
    """The score after so many interactions; None before the first and after the last."""
    if not 0 <= count <= scores.interactions:
        return None
    return scores.points[bisect_right(scores.points, count, key=lambda point: point[0]) - 1][1]
