"""What a long test run adds.

A plain run takes a few cases of each large family: some seeds, and of a product of parameters the combinations that hold every
pair of values. `BELVEDERE_LONG_TESTS=1` takes all of them, which is for a night.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from typing import Any, TypeVar

from tests.pairwise import each_with_some, every_pair

T = TypeVar("T")

LONG = os.environ.get("BELVEDERE_LONG_TESTS", "") not in ("", "0")


def either(plain: T, long: T) -> T:
    """Returns what a plain run takes, or what a long one takes."""
    return long if LONG else plain


def combinations(*parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Returns combinations of the values of parameters: a long run takes the whole product, a plain one each pair of values."""
    return list(product(*parameters)) if LONG else every_pair(*parameters)


def some_pairs(one: Sequence[Any], other: Sequence[Any], some: int) -> list[tuple[Any, Any]]:
    """Returns pairs of values of two parameters: a long run takes all, a plain one `some` for each value of the longer one."""
    return list(product(one, other)) if LONG else each_with_some(one, other, some)
