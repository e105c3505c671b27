"""The search without its machine code, as it runs until that is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.search.compilation.warm_up import examples


@contextmanager
def interpreted() -> Iterator[None]:
    """Context in which no entry of the kernel has machine code."""
    with pytest.MonkeyPatch.context() as patch:
        for entry, _ in examples():
            patch.setattr(entry, "_machine", None)
        yield
