"""Long sweeps: `BELVEDERE_LONG_TESTS=1` tries everything; a plain test run tries a choice in which no pair is missing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

LONG = os.environ.get("BELVEDERE_LONG_TESTS") == "1"


def cases(*axes: Sequence[Any], long: bool = LONG) -> list[tuple[Any, ...]]:
    """Returns combinations of values, one of each axis.

    Args:
        axes: the values of each.
        long: all combinations. If not, few in which each two values of two axes still come together at least once: a fault
            that takes three of them at the same time is rare.
    """
    every = list(product(*axes))
    if long or len(axes) < 3:
        return every
    left, chosen = {pair for case in every for pair in _pairs(case)}, list[tuple[Any, ...]]()
    while left:
        best = max(every, key=lambda case: len(left & _pairs(case)))
        chosen.append(best)
        left -= _pairs(best)
    return chosen


def _pairs(case: tuple[Any, ...]) -> set[tuple[tuple[int, Any], ...]]:
    """Returns each two values of a combination, with the numbers of their axes."""
    return set(combinations(enumerate(case), 2))
