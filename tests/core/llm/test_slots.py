"""Places at a server: never more than there are, those that share a beginning first, and nobody is forgotten."""

from __future__ import annotations

import threading
import time

from core.llm.endpoint import MOST_PASSED, Slots

PATIENCE = 20.0


def order_of(prompts: list[str], first: str) -> list[str]:
    """In which order waiting prompts get the one place, after `first` had it."""
    slots, done = Slots(1), list[str]()

    def go(prompt: str) -> None:
        with slots.place(prompt, lambda: False) as taken:
            assert taken
            done.append(prompt)

    threads = []
    with slots.place(first, lambda: False):
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
    with slots.place("a", lambda: False):
        with slots.place("b", lambda: True) as taken:
            assert not taken
        assert slots.waiting == 0
    with slots.place("c", lambda: False) as taken:
        assert taken
