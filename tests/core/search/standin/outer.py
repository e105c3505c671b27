"""The function that calls, from another file."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.search.compilation.kernel import Entry

from .inner import mixed

UNIT = 2.0**-53
S11 = np.uint64(11)


@Entry
def walk(state: NDArray[np.uint64], steps: int, visits: NDArray[np.int64]) -> float:
    """A random walk from `state` (1,) over `visits` (places,), counted there; the sum shows each number's last bit."""
    place, total = 0, 0.0
    for step in range(steps):
        draw = float(mixed(state) >> S11) * UNIT
        place = (place + int(draw * len(visits))) % len(visits)
        visits[place] += 1
        total += draw * math.sqrt(step + 1) / (1 + visits[place])
    return total


@Entry
def count(visits: NDArray[np.int64]) -> int:
    """The visits of all places."""
    total = 0
    for number in visits:
        total += number
    return total
