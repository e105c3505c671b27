"""Places at a server: never more than there are, those that share a beginning first, and nobody is forgotten."""

from __future__ import annotations

import threading
import time

import pytest

from core.common.cancellation import Cancellation
from core.common.errors import ModelError
from core.llm.slots import MOST_PASSED, Slots

PATIENCE = 20.0


def order_of(prompts: list[str], first: str) -> list[str]:
    """In which order waiting prompts get the one place, after `first` had it."""
    slots, done = Slots(1), list[str]()

    def go(prompt: str) -> None:
        with slots.place(prompt, Cancellation()):
            done.append(prompt)

    threads = []
    with slots.place(first, Cancellation()):
        for count, prompt in enumerate(prompts, 1):
            threads.append(threading.Thread(target=go, args=(prompt,)))
            threads[-1].start()
            end = time.monotonic() + PATIENCE
            while slots.waiting < count and time.monotonic() < end:
                time.sleep(0.001)
    for thread in threads:
        thread.join(PATIENCE)
    return done


def test_those_that_share_a_beginning_go_first() -> None:
    assert order_of(["house B, cup", "house A, cup", "house B, fork", "house A, fork"], "house A, mug") == [
        "house A, cup", "house A, fork", "house B, cup", "house B, fork"]


def test_equals_go_in_the_order_they_came() -> None:
    assert order_of(["b", "c", "d"], "a") == ["b", "c", "d"]


def test_nobody_is_passed_over_for_ever() -> None:
    alike = [f"house A, {k}" for k in range(MOST_PASSED + 10)]
    assert order_of(["elsewhere", *alike], "house A").index("elsewhere") == MOST_PASSED


def test_who_does_not_want_it_any_more_gets_no_place() -> None:
    slots = Slots(1)
    with slots.place("a", Cancellation()):
        given_up = Cancellation()
        given_up.set()
        with pytest.raises(ModelError, match="withdrawn"), slots.place("b", given_up):
            pass
        assert slots.waiting == 0
    with slots.place("c", Cancellation()):
        assert slots.waiting == 0
