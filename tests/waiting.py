"""Waiting for what another thread or process does. There is one patience: long, because a busy machine is slow."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds for something that must happen. Nothing is faster or slower by it unless a test fails."""
A_MOMENT = 0.002


def until(is_so: Callable[[], object], otherwise: str = "it did not happen") -> None:
    """Waits until a condition holds.

    Raises:
        AssertionError: it does not hold in time, with the reason given.
    """
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, otherwise
        time.sleep(A_MOMENT)
