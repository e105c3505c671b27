"""Changes files as an attacker, another program or a bad disk does: any value of JSON for any other, bytes here and there."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any, Final

VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 5, 10**30, -2**63, 2**63, 1e308, -1e308, 0.5, float("nan"), float("inf"), "", "x",
    "é\x1b[2J\n",
    "\ud800", "NaN", "0", "9" * 400, [], [1], [[]], ["x"], {}, {"x": 1}, {"": None}, [None] * 3)
"""What a value may be altered to."""


def altered(value: Any, rng: random.Random) -> Any:
    """Returns JSON data in which one value, at any depth, is another, is missing, or has another name."""
    value = copy.deepcopy(value)
    places = list(_places(value))
    holder, key = rng.choice(places) if places else (None, None)
    if holder is None or rng.random() < 0.05:
        return rng.choice(VALUES)
    match rng.randrange(6):
        case 0 if isinstance(holder, dict):
            holder[rng.choice(("x", "", "origin", "plan"))] = holder.pop(key)
        case 1:
            del holder[key]
        case _:
            holder[key] = rng.choice(VALUES)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def altered_line(line: str, rng: random.Random) -> bytes:
    """Returns a line of JSON with an altered value, or with some bytes changed, cut off or inserted."""
    if rng.random() < 0.7:
        return json.dumps(altered(json.loads(line), rng)).encode()
    return altered_bytes(line.encode(), rng)


def altered_bytes(data: bytes, rng: random.Random, shortest: int = 0) -> bytes:
    """Returns bytes of which some are changed, cut off or inserted, behind the first `shortest`."""
    at = rng.randrange(shortest, len(data) + 1)
    match rng.randrange(3):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + rng.randbytes(rng.randrange(1, 9)) + data[at:]
        case _:
            return data[:at] + rng.randbytes(1) + data[at + 1:]
