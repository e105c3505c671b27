"""Coefficients of agreement between annotators, corrected for chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

Rating = int | float


def kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Returns Cohen's κ of two annotators: (p_o - p_e) / (1 - p_e).

    p_o is the share of units to which both gave the same value, p_e the share expected if each had given values independently,
    as often as they did (J. Cohen, A coefficient of agreement for nominal scales, 1960).

    Args:
        first: one annotator's value for each unit.
        second: the other's, for the same units.

    Returns:
        At most 1; 0 is the level of chance. None if it is undefined: without units, or if both gave one value only.
    """
    units = len(first)
    mine, others = Counter(first), Counter(second)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) * units
    by_chance = sum(mine[value] * others[value] for value in mine)
    return (agreed - by_chance) / (units * units - by_chance) if units * units > by_chance else None


def alpha(ratings: Sequence[Mapping[str, Rating]]) -> float | None:
    """Returns Krippendorff's α for ordinal ratings, computed by NLTK: 1 - D_o / D_e.

    D_o is the mean distance between ratings of the same unit, D_e that between any two ratings. The ordinal distance of two
    ratings is the square of the number of ratings from one to the other, with half of those that equal either
    (K. Krippendorff, Computing Krippendorff's alpha-reliability, 2011). Annotators need not have rated the same units.

    Args:
        ratings: for each unit the rating of each annotator who gave one.

    Returns:
        At most 1; 0 is the level of chance. None if it is undefined: no unit was rated twice, or all ratings are equal.
    """
    paired = [unit for unit in ratings if len(unit) > 1]
    counts = Counter(value for unit in paired for value in unit.values())
    if len(counts) < 2:
        return None
    from nltk.metrics.agreement import AnnotationTask  # imported when first needed: it takes a second

    task = AnnotationTask([(annotator, k, value) for k, unit in enumerate(paired) for annotator, value in unit.items()],
                          distance=lambda a, b: _ordinal_distance(counts, a, b))
    return float(task.alpha())


def _ordinal_distance(counts: Mapping[Rating, int], one: Rating, other: Rating) -> float:
    between = sum(count for value, count in counts.items() if min(one, other) <= value <= max(one, other))
    return float((between - (counts[one] + counts[other]) / 2) ** 2)
