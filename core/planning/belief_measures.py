"""What conditions read from a belief: entropies, probabilities, and whether something was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from core.common.readings import Unknown, Value, beginning, plain, plain_name
from core.planning.measures import Context, Measure, Reader

if TYPE_CHECKING:
    from core.planning.belief_facets import Belief


class Entropies:
    """The entropies of the rows of a belief, in bits, each computed when it is asked for."""

    def __init__(self, belief: Belief):
        self._probability = belief.probability
        self._known: dict[int, float] = {}

    def __getitem__(self, row: int) -> float:
        bits = self._known.get(row)
        if bits is None:
            bits = self._known[row] = _bits(self._probability[row])
        return bits


def _bits(row: npt.NDArray[np.float64]) -> float:
    p = row[row > 0]
    return float(-(p * np.log2(p)).sum()) + 0.0


def _largest(belief: Belief, rows: Iterable[int], at: Context) -> Value:
    """Returns the largest entropy of rows that are not found; 0 if all are."""
    entropies = at.index.of(belief, Entropies)
    return max((entropies[k] for k in rows if belief.located[k] is None), default=0.0)


def _total(belief: Belief, at: Context) -> Value:
    entropies = at.index.of(belief, Entropies)
    return sum((entropies[k] for k in _wanted(belief) if belief.located[k] is None), 0.0)


def _wanted(belief: Belief) -> list[int]:
    return [k for k, wanted in enumerate(belief.wanted) if wanted]


def _rows(name: str, then: Callable[[Belief, Sequence[int], Context], Value]) -> Reader[Belief]:
    """Returns the function that reads a value of the rows of a belief that are about an object or a class."""
    wanted = plain(name)

    @lru_cache(maxsize=4)  # the names seldom change
    def rows_of(*columns: tuple[str | None, ...]) -> list[int]:
        """Returns the rows of a class; otherwise those of an object, by its label or by the id under which it was found."""
        for names in columns:
            if found := [k for k, known in enumerate(names) if known is not None and plain_name(known) == wanted]:
                return found
        return []

    def of(belief: Belief, at: Context) -> Value:
        rows = rows_of(belief.classes, belief.objects, belief.located)
        return then(belief, rows, at) if rows else Unknown(f"the belief has no row “{name}”")

    return of


def _probability_at(place: str) -> Callable[[Belief, Sequence[int], Context], Value]:
    """Returns the function that computes the largest probability of some rows at a place."""
    is_meant = beginning(place)

    @lru_cache(maxsize=4)  # the places seldom change
    def columns_of(places: tuple[str, ...]) -> list[int]:
        return [k for k, known in enumerate(places) if is_meant(known)]

    def chance(belief: Belief, rows: Sequence[int], at: Context) -> Value:
        columns = columns_of(belief.places)
        if not columns:
            return Unknown(f"the belief has no place “{place}”")
        return max(float(belief.probability[row, columns].sum()) for row in rows)
    return chance


def _is_found(belief: Belief, rows: Sequence[int], at: Context) -> Value:
    return any(belief.located[k] is not None for k in rows)


OF_BELIEF: tuple[Measure[Belief], ...] = (
    Measure("entropy", (), "number", "the largest entropy of an object of the goal that is not found, in bits",
            lambda: lambda belief, at: _largest(belief, _wanted(belief), at)),
    Measure("total_entropy", (), "number", "the entropies of all objects of the goal that are not found together, in bits",
            lambda: _total),
    Measure("entropy", ("object",), "number", "the largest entropy of an object of this name or class, in bits; 0 once found",
            lambda name: _rows(name, _largest)),
    Measure("belief", ("object", "place"), "number",
            "the largest probability of an object of this name or class at the place",
            lambda name, place: _rows(name, _probability_at(place))),
    Measure("found", ("object",), "truth", "an object of this name or class was seen", lambda name: _rows(name, _is_found)),
)
