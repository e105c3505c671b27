"""A cancellation ends waits of every kind at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.common.cancellation import Cancellation, any_of
from tests.waiting import PATIENCE


def test_callbacks_are_called_once_and_only_within_their_context() -> None:
    cancelled, called = Cancellation(), list[str]()
    with cancelled.calling(lambda: called.append("earlier")):
        pass
    with cancelled.calling(lambda: called.append("first")), cancelled.calling(lambda: called.append("second")):
        cancelled.set()
        cancelled.set()
        assert called == ["first", "second"]
    with cancelled.calling(lambda: called.append("late")):
        assert called == ["first", "second", "late"]


@pytest.mark.parametrize("how", ["ready", "cancelled"])
def test_a_wait_ends_when_what_it_waits_for_has_come_or_is_not_wanted(how: str) -> None:
    condition, cancelled, come = threading.Condition(), Cancellation(), list[int]()
    waits = threading.Event()

    def ready() -> bool:
        waits.set()
        return bool(come)

    def wait() -> bool:
        with condition:
            return cancelled.wait_with(condition, ready)

    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(wait)
        assert waits.wait(PATIENCE)
        if how == "ready":
            with condition:
                come.append(1)
                condition.notify_all()
        else:
            cancelled.set()
        assert found.result(PATIENCE) == (how == "ready")


def test_a_wait_has_a_limit() -> None:
    condition = threading.Condition()
    with condition:
        assert not Cancellation().wait_with(condition, lambda: False, 0.001)


@pytest.mark.parametrize("cause", [0, 1])
def test_one_of_several_causes_is_enough(cause: int) -> None:
    causes = Cancellation(), Cancellation()
    with any_of(*causes) as both:
        assert not both.is_set()
        causes[cause].set()
        assert both.is_set()
    assert not causes[1 - cause].is_set()


def test_a_cause_of_the_past_counts_and_what_is_over_is_forgotten() -> None:
    past = Cancellation()
    with any_of(past) as over:
        pass
    past.set()
    assert not over.is_set()
    with any_of(past, Cancellation()) as now:
        assert now.is_set()
