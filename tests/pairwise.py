"""Few combinations of the values of several parameters, such that every pair of values of two parameters is among them.

Most faults need one value, or two values together. A product of five parameters with three values each has 243 combinations; 15
or so hold all pairs.
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
