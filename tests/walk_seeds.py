"""Seeds of random walks.

A plain test run walks the same few ones each time, a long one (see `tests.long_tests`) ten times as many. `BELVEDERE_WALKS` is
a number of walks on new seeds, `BELVEDERE_WALK_SEED` plays one seed again.
"""

from __future__ import annotations

import os
from random import SystemRandom

from tests.long_tests import either

ASKED = os.environ.get("BELVEDERE_WALKS", "")
AGAIN = os.environ.get("BELVEDERE_WALK_SEED", "")


def number_of_walks(usual: int) -> int:
    """How many walks there will be: as many as were asked for, or as usual."""
    return 1 if AGAIN else int(ASKED) if ASKED else either(usual, 10 * usual)


def walk_seeds(usual: int, asked: int | None = None) -> list[int]:
    """The seeds.

    Args:
        usual: how many a plain test run walks.
        asked: how many to walk where a number was asked for; None: that number.
    """
    if AGAIN:
        return [int(AGAIN)]
    if not ASKED:
        return list(range(1, either(usual, 10 * usual) + 1))
    return [SystemRandom().randrange(10**6) for _ in range(int(ASKED) if asked is None else asked)]
