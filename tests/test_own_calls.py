"""Budgets of work fail when work doubles, and calls are counted the same by every Python."""

from __future__ import annotations

import pytest

from core.goals.formal_text import formal
from core.search.problem import knowledge_of
from tests.core.session.toys import GOAL
from tests.own_calls import OwnCalls, check

BUDGETS = {"core/session": 110.0, "events": 2.2}


def test_twice_the_work_exceeds_a_budget() -> None:
    check({"core/session": 100, "events": 2}, BUDGETS)
    with pytest.raises(AssertionError, match=r"more work than allowed.*core/session"):
        check({"core/session": 200, "events": 2}, BUDGETS)
    with pytest.raises(AssertionError, match=r"more work than allowed.*events"):
        check({"core/session": 100, "events": 4}, BUDGETS)


def test_a_budget_that_hides_a_doubling_is_refused() -> None:
    with pytest.raises(AssertionError, match=r"lower it.*core/session"):
        check({"core/session": 54, "events": 2}, BUDGETS)
    with pytest.raises(AssertionError, match=r"lower it.*events"):
        check({"core/session": 100}, BUDGETS)


def test_work_without_a_budget_is_refused_unless_it_is_little() -> None:
    check({"core/session": 100, "events": 2, "core/llm": 60}, BUDGETS)
    with pytest.raises(AssertionError, match=r"without a budget.*core/llm"):
        check({"core/session": 100, "events": 2, "core/llm": 61}, BUDGETS)


def test_calls_are_counted_by_package_and_by_function() -> None:
    with OwnCalls() as once:
        formal(GOAL)
    with OwnCalls() as thrice:
        for _ in range(3):
            formal(GOAL)
    assert (once.of(formal), thrice.of(formal)) == (1, 3)
    assert set(once.by_package()) >= {"core/goals"}
    assert thrice.by_package()["core/goals"] == 3 * once.by_package()["core/goals"]


def test_others_code_comprehensions_and_the_kernel_do_not_count() -> None:
    with OwnCalls() as calls:
        [k for k in range(3)]  # a frame of its own up to Python 3.11
        pytest.approx(1.0)
    assert not calls.by_package()
    with OwnCalls() as calls:
        calls.codes[knowledge_of.__code__] += 1
    assert not calls.by_package()
