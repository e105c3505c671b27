"""The chosen combinations hold every pair of values, and are few."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.pairwise import each_with_some, every_pair


@pytest.mark.parametrize("sizes", [(2, 2), (3, 1), (2, 3, 4), (2, 2, 2, 2, 2), (3, 3, 3, 3), (9, 2, 3)])
def test_every_pair_of_values_is_in_a_combination(sizes: tuple[int, ...]) -> None:
    parameters = [[f"{number}:{value}" for value in range(size)] for number, size in enumerate(sizes)]
    chosen = every_pair(*parameters)
    assert set(chosen) <= set(product(*parameters))
    for first, second in combinations(parameters, 2):
        for pair in product(first, second):
            assert any(set(pair) <= set(row) for row in chosen), pair


def test_they_are_few_and_the_same_each_time() -> None:
    parameters = [range(3)] * 5
    chosen = every_pair(*parameters)
    assert len(chosen) < 243 / 10
    assert chosen == every_pair(*parameters)
    assert chosen == sorted(chosen)


def test_equal_values_are_told_apart_by_their_place() -> None:
    assert len(every_pair((None, None), (1, 2))) == 4


@pytest.mark.parametrize("sizes", [(7, 3), (3, 7), (4, 4), (6, 2), (5, 1), (2, 9)])
@pytest.mark.parametrize("some", [1, 2, 20])
def test_each_value_meets_some_values_of_the_other_and_all_about_as_often(sizes: tuple[int, int], some: int) -> None:
    one, other = [f"one {k}" for k in range(sizes[0])], [f"other {k}" for k in range(sizes[1])]
    chosen = each_with_some(one, other, some)
    assert set(chosen) <= set(product(one, other))
    longer = 0 if len(one) >= len(other) else 1
    expected = min(some, *sizes)
    assert {sum(pair[longer] == value for pair in chosen) for value in (one, other)[longer]} == {expected}
    met = [sum(pair[1 - longer] == value for pair in chosen) for value in (other, one)[longer]]
    assert max(met) - min(met) <= expected
    assert min(met) >= 1
