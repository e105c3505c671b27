"""Few combinations of the values of several parameters: every pair of values of two, or each value with some others.

Most faults need one value, or two values together. A product of five parameters with three values each has 243 combinations; 15
or so hold all pairs. Of two parameters all pairs are the whole product: there it may be enough that each value of one meets
some values of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

Value = tuple[int, int]
"""A value of a parameter: the number of the parameter, and the number of the value among its values."""


def every_pair(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Returns combinations with one value of each parameter, in the order of their product.

    Each combination is begun with the first pair that none has yet. Then each other parameter gets the value that makes most
    new pairs with the values chosen so far; of equal ones the first. The same parameters give the same combinations.

    Args:
        parameters: the values of each parameter; at least two parameters.
    """
    values = [[(number, k) for k in range(len(of))] for number, of in enumerate(parameters)]
    left = {pair: None for one, two in combinations(values, 2) for pair in product(one, two)}  # an ordered set
    rows = []
    while left:
        row: set[Value] = set(next(iter(left)))
        for choice in values:
            if row.isdisjoint(choice):
                row.add(max(choice, key=lambda value: sum(tuple(sorted((value, other))) in left for other in row)))
        rows.append(sorted(row))
        for pair in combinations(rows[-1], 2):
            left.pop(pair, None)
    return [tuple(parameters[number][k] for number, k in row) for row in sorted(rows)]


def each_with_some(one: Sequence[Any], other: Sequence[Any], some: int) -> list[tuple[Any, Any]]:
    """Returns pairs in which each value of the longer parameter meets `some` values of the other; these occur about as often.

    Which ones it meets moves on from value to value, so that each of the shorter one meets many of the longer one. The same
    parameters give the same pairs, in the order of their product.

    Args:
        one: the values of the first parameter.
        other: those of the second.
        some: a number of values of the shorter parameter.
    """
    most, fewest = max(len(one), len(other)), min(len(one), len(other))
    places = {(k, (k * some + step + k // fewest) % fewest) for k in range(most) for step in range(min(some, fewest))}
    return [(one[k], other[j]) for k, j in sorted(places if len(one) >= len(other) else {(j, k) for k, j in places})]
