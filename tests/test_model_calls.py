"""A model call takes one thread and few functions, and nothing on its way looks from time to time whether it may go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import model_calls

MOST_FUNCTIONS = 10
"""With all layers; whoever lowers the number lowers this."""


def test_a_call_takes_one_thread_and_few_functions() -> None:
    way = model_calls.way()
    assert (way.functions[0].rpartition(".")[2], way.functions[-1].rpartition(".")[2]) == ("_fetch", "read")
    assert len(way.functions) <= MOST_FUNCTIONS, way.functions
    assert way.threads == way.calls == 2


def test_nothing_is_polled() -> None:
    assert model_calls.polled_waits() == []


@pytest.mark.parametrize("line", ["while not done.wait(LOOK):\n    pass", "while True:\n    time.sleep(left)",
                                  "while not lock.acquire(timeout=0.02):\n    pass",
                                  "for _ in range(9):\n    queue.get(timeout=min(LOOK, left))"])
def test_a_polled_wait_is_found(line: str, tmp_path: Path) -> None:
    path = tmp_path / "polls.py"
    path.write_text(f"{line}\nwhile True:\n    value.get('name', 1)\n    over.wait(seconds)\n")
    assert len(model_calls.polled_waits([path])) == 1
