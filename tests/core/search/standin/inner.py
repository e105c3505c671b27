"""The function that is called: splitmix64, whose products wrap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.search.compilation.kernel import kernel

from . import constants

STEP = constants.GOLDEN
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
S30, S27, S31 = np.uint64(30), np.uint64(27), np.uint64(31)


@kernel
def mixed(state: NDArray[np.uint64]) -> np.uint64:
    """The next number; `state` (1,) goes on."""
    state[0] += STEP
    z = state[0]
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    drawn: np.uint64 = z ^ (z >> S31)
    return drawn
