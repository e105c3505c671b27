"""The lines of a score chart, and the reduction of long runs to what a chart can show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.planners.neoplanner.recorded_types import Scores


def stair(scores: Scores) -> list[tuple[int, float]]:
    """Returns the corners of the stair as (interactions, score), up to now."""
    return [*scores.points, (scores.interactions, scores.score)]


def best_line(scores: Scores) -> Iterator[tuple[int, float]]:
    """Yields (interactions, score) wherever the best score so far rose."""
    best = 0.0
    for count, score in scores.points:
        if score > best:
            best = score
            yield count, score


def stair_line(corners: Sequence[tuple[int, float]]) -> tuple[list[float], list[float]]:
    """Returns x and y of the line along a stair: level until a corner, then upright. Scores under 0 are drawn on the axis."""
    xs, ys = [float(corners[0][0])], [max(0.0, corners[0][1])]
    for (_, before), (count, score) in pairwise(corners):
        xs += [count, count]
        ys += [max(0.0, before), max(0.0, score)]
    return xs, ys


def extremes(scores: Scores, columns: int, each: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the lowest and the highest score in each of `columns` stretches of `each` interactions.

    A stretch includes the score it begins with.
    """
    counts, values = (np.array(row, float) for row in zip(*stair(scores), strict=True))
    edges = np.arange(columns + 1) * each
    first = np.maximum(0, np.searchsorted(counts, edges[:-1], "left") - 1)
    after = np.maximum(first + 1, np.r_[np.searchsorted(counts, edges[1:-1], "left"), len(counts)])
    cuts = np.c_[first, after].ravel()
    padded = np.r_[values, values[-1]]
    return np.minimum.reduceat(padded, cuts)[::2], np.maximum.reduceat(padded, cuts)[::2]
