"""The stand-in's entries, as `core.search.compilation.warm_up` lists the search's."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.search.compilation.kernel import Entry

from .outer import count, walk


def examples() -> tuple[tuple[Entry[..., Any], tuple[object, ...]], ...]:
    """Both entries, with arguments of the types they are called with."""
    visits = np.zeros(3, np.int64)
    return (walk, (np.array([1], np.uint64), 2, visits)), (count, (visits,))
