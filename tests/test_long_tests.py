"""The short choice of cases misses no pair of values, and the long one nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import pytest

from tests.long_tests import cases


@pytest.mark.parametrize("axes", [("abc", "xyz", (1, 2, 3, 4)), ("ab", "cd", "ef", "gh"), ("abcd", "xy", "z")])
def test_each_two_values_come_together_in_few_cases(axes: Sequence[Sequence[object]]) -> None:
    found = cases(*axes, long=False)
    for k, m in combinations(range(len(axes)), 2):
        assert {(case[k], case[m]) for case in found} == {*product(axes[k], axes[m])}
    assert len(found) < len(cases(*axes, long=True)) == len({*product(*axes)}) or len(axes[-1]) == 1


def test_two_axes_are_tried_in_full() -> None:
    assert cases("ab", "xyz", long=False) == [*product("ab", "xyz")]
