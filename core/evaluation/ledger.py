"""What a sweep has used of its model, saved in its folder. A resumed sweep continues with what was spent before."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.common.errors import DataError
from core.llm.budget import Budget, Limits, Price, Reservation, Spent
from core.planning.model_requests import Reply

FILE = "spent.json"
COUNTS = ("calls", "failed", "tokens_in", "tokens_out", "cached")
AMOUNTS = ("cost", "seconds")


@dataclass(frozen=True, slots=True)
class Used:
    """What a sweep has used of its model, over all its runs and processes.

    Attributes:
        spent: calls, tokens, cost.
        cached: number of replies that came from the cache, at no cost.
    """

    spent: Spent
    cached: int = 0


class Ledger:
    """The budget of a whole sweep. Safe to use from several threads; only one process at a time may use it.

    Each call is written to the file before it is made. If the sweep or the worker that waited for the reply was killed, the end
    of the call is unknown. It then counts as failed, and its prompt as used, because the server may have charged for it.

    Args:
        folder: the sweep's folder; the file is made with the first call.
        limits: the limits of all runs of the sweep together.
        prices: by model name, `*` for any other.

    Raises:
        DataError: the file cannot be read.
    """

    def __init__(self, folder: Path, limits: Limits, prices: Mapping[str, Price]):
        self._path = folder / FILE
        self._lock = threading.RLock()
        before = _read(self._path)
        self._cached = before.cached
        self._budget = Budget(limits, prices, before.spent)
        self._under_way: list[Reservation] = []

    @property
    def used(self) -> Used:
        """What was used until now."""
        with self._lock:
            return Used(self._budget.spent, self._cached)

    def priced(self, source: str) -> bool:
        """Returns True if the model's price is known."""
        return self._budget.price(source) is not None

    def reserve(self, tokens: int, source: str) -> Reservation:
        """Reserves one call with a prompt of so many tokens.

        Raises:
            ModelError: a limit is reached.
            OSError: the folder cannot be written.
        """
        with self._lock:
            reservation = self._budget.reserve(tokens, source)
            self._under_way.append(reservation)
            self._write()
        return reservation

    def settle(self, reservation: Reservation, replies: Sequence[Reply]) -> None:
        """Ends a call, with its reply or without one.

        Raises:
            OSError: the folder cannot be written.
        """
        with self._lock:
            self._forget(reservation)
            self._budget.settle(reservation, replies)
            self._write()

    def lose(self, reservation: Reservation) -> None:
        """Ends a call whose worker is gone.

        Raises:
            OSError: the folder cannot be written.
        """
        with self._lock:
            self._forget(reservation)
            self._budget.lose(reservation)
            self._write()

    def add_cached(self, count: int) -> None:
        """Counts replies that came from the cache.

        Raises:
            OSError: the folder cannot be written.
        """
        if count:
            with self._lock:
                self._cached += count
                self._write()

    def _forget(self, reservation: Reservation) -> None:
        self._under_way = [other for other in self._under_way if other is not reservation]

    def _write(self) -> None:
        """Writes the file in the state that is right if the process is killed now: calls under way count as lost."""
        spent = self._budget.spent
        lost = self._under_way
        counts = {"calls": spent.calls, "failed": spent.failed + len(lost), "cached": self._cached,
                  "tokens_in": spent.tokens_in + sum(r.tokens for r in lost), "tokens_out": spent.tokens_out}
        amounts = {"cost": spent.cost + sum(r.cost for r in lost), "seconds": spent.seconds}
        part = self._path.with_name(f"{FILE}.part")
        part.write_text(json.dumps({**counts, **amounts}), encoding="utf-8")
        part.replace(self._path)


def _read(path: Path) -> Used:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Used(Spent())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read ({error}): mend it, or choose another --out") from error
    if not isinstance(content, dict) or not all(_is_amount(content.get(name)) for name in (*COUNTS, *AMOUNTS)):
        raise DataError(f"{path} does not say what was spent: mend it, or choose another --out")
    counts = {name: int(content[name]) for name in COUNTS}
    cached = counts.pop("cached")
    return Used(replace(Spent(**counts), cost=float(content["cost"]), seconds=float(content["seconds"])), cached)


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
