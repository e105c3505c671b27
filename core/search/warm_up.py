"""Calls every compiled function of the search as searches do, so that its machine code is made, or loaded from the cache."""

from __future__ import annotations

from collections.abc import Callable

STEPS: tuple[Callable[[], object], ...] = ()
"""A tiny search through each way into the kernel, with the types that planners call it with."""


def warm_up() -> None:
    """Have all machine code in memory, compiled only where the cache lacks it."""
    for step in STEPS:
        step()
