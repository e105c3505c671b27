"""The folder of a sweep: its finished episodes, its settings, what it has used of its model, and a lock.

A resumed sweep continues with the episodes and the costs of earlier runs.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from core.common.errors import BelvedereError, DataError
from core.common.files import locked as file_locked
from core.common.files import replace_file
from core.evaluation.plan import EvaluationPlan
from core.evaluation.rows import CURE, ROWS, Played, ReadRows, close_last_line, read_rows
from core.evaluation.suites import suite
from core.llm.budget import Budget, Limits, Price, Reservation, Spent
from core.planning.model_requests import ModelReply

SETTINGS, LOCK = "sweep.json", "lock"
ELSE = "choose another --out"
NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Stamp:
    """What must be the same for all episodes of a folder.

    Attributes:
        model: the source of the replies, as its provider names it.
        settings: the provider's settings that differ from its defaults and may change a reply.
        edition: the suite's edition.
        comparison: how free text is compared, also with the examples in prompts: by `words` or by sentence `embeddings`.
    """

    suite: str
    max_steps: int
    provider: str
    model: str
    settings: dict[str, Any]
    edition: int = 1
    comparison: str = "words"


@dataclass(frozen=True, slots=True)
class Dates:
    """When a folder's first and last episodes were played: dates in UTC as `2026-11-22`; both empty if unknown."""

    begun: str = ""
    last: str = ""

    def __str__(self) -> str:
        return self.begun if self.begun == self.last else f"{self.begun} to {self.last}"


def locked(folder: Path) -> AbstractContextManager[None]:
    """Makes the folder and locks it as long as the block runs. The lock of a killed process is released.

    Raises:
        DataError: another process plays in it, or it cannot be written.
    """
    return file_locked(folder / LOCK, f"another sweep is under way in {folder}: wait for its end, or {ELSE}", patience=0)


def unusable(folder: Path, error: Exception) -> DataError:
    """Returns the error for a folder that cannot be read or written."""
    return DataError(f"cannot use {folder} for the results: {error}; {ELSE}")


class _Own(msgspec.Struct):
    """The simulator's settings of an evaluation, and its planner that only thinks."""

    world: dict[str, str] = msgspec.field(default_factory=dict)
    beside: str = ""


class _Note(msgspec.Struct):
    """The types of what `sweep.json` says."""

    suite: str
    max_steps: int
    provider: str
    model: str = ""
    settings: _Own = msgspec.field(default_factory=_Own)
    edition: int = 1
    comparison: str = ""
    begun: str = ""
    last: str = ""
    plan: EvaluationPlan | None = None
    contestants: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)


def read_note(folder: Path) -> tuple[Mapping[str, Any], EvaluationPlan | None]:
    """Returns what a folder's `sweep.json` says, and the newest plan; None: an earlier version played it.

    Raises:
        DataError: it cannot be read, or does not say what was played.
    """
    path = folder / SETTINGS
    try:
        if path.is_fifo():  # reading it would wait for somebody who writes
            raise OSError("it is a pipe, not a file")
        values = json.loads(path.read_bytes())
        plan = msgspec.convert(values, _Note).plan
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}; {ELSE}") from error
    except (ValueError, RecursionError, BelvedereError) as error:
        raise DataError(f"{path} does not say what was played ({error}): repair it, or {ELSE}") from error
    return values, plan


def opened(folder: Path, stamp: Stamp, about: Mapping[str, Any] = NOTHING) -> tuple[ReadRows, Dates]:
    """Returns the episodes of earlier runs, and their dates. A half-written last line, left by a kill, is ended.

    Args:
        folder: the folder.
        stamp: what must be the same for all episodes.
        about: what else is noted in the folder: the newest plan, and what the contestants' names stand for.

    Raises:
        DataError: the folder cannot be read or written, or holds another sweep.
    """
    note = folder / SETTINGS
    begun = today = datetime.now(UTC).date().isoformat()
    before: Mapping[str, Any] = NOTHING
    if note.exists():
        before, _ = read_note(folder)
        begun = _checked(folder, before, stamp)
    contestants = {**before.get("contestants", {}), **about.get("contestants", {})}
    content = {**asdict(stamp), "begun": begun, "last": today, **about, "contestants": contestants}
    replace_file(note, json.dumps(content).encode(), CURE)
    close_last_line(folder)
    try:
        return read_rows(folder / ROWS, Played(suite(stamp.suite), contestants)), Dates(begun, today)
    except OSError as error:
        raise unusable(folder / ROWS, error) from error


def _checked(folder: Path, before: Mapping[str, Any], stamp: Stamp) -> str:
    """Returns the date of the first episode of a folder that holds the same sweep."""
    # Folders of earlier versions name no model (only `commonsense` was possible then), no edition (it was the first), and not
    # how text was compared (which cannot be told afterwards).
    before = {"model": before.get("provider"), "settings": {}, "edition": 1, "comparison": stamp.comparison, **before}
    for name, value in asdict(stamp).items():
        if before.get(name) != value:
            raise DataError(f"{folder} holds a sweep with other settings ({name} was {_short(before.get(name))}, now "
                            f"{_short(value)}): {ELSE}")
    return str(before.get("begun", ""))


def _short(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


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
        DataError: the file cannot be read; in all methods that change it: it cannot be written.
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
        """
        with self._lock:
            reservation = self._budget.reserve(tokens, source)
            self._under_way.append(reservation)
            self._write()
        return reservation

    def settle(self, reservation: Reservation, replies: Sequence[ModelReply], *, is_lost: bool = False) -> None:
        """Ends a call: with its reply, without one, or lost because its worker is gone."""
        with self._lock:
            self._under_way = [other for other in self._under_way if other is not reservation]
            self._budget.settle(reservation, replies, is_lost=is_lost)
            self._write()

    def add_cached(self, count: int) -> None:
        """Counts replies that came from the cache."""
        if count:
            with self._lock:
                self._cached += count
                self._write()

    def _write(self) -> None:
        """Writes the file in the state that is right if the process is killed now: calls under way count as lost."""
        spent = self._budget.spent
        lost = self._under_way
        counts = {"calls": spent.calls, "failed": spent.failed + len(lost), "cached": self._cached,
                  "tokens_in": spent.tokens_in + sum(r.tokens for r in lost), "tokens_out": spent.tokens_out}
        amounts = {"cost": spent.cost + sum(r.cost for r in lost), "seconds": spent.seconds}
        replace_file(self._path, json.dumps({**counts, **amounts}).encode(), CURE)


def _read(path: Path) -> Used:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Used(Spent())
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read ({error}): repair it, or choose another --out") from error
    if not isinstance(content, dict) or not all(_is_amount(content.get(name)) for name in (*COUNTS, *AMOUNTS)):
        raise DataError(f"{path} does not say what was spent: repair it, or choose another --out")
    counts = {name: int(content[name]) for name in COUNTS}
    cached = counts.pop("cached")
    return Used(replace(Spent(**counts), cost=float(content["cost"]), seconds=float(content["seconds"])), cached)


def _is_amount(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


THOUSAND, MILLION = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Costs:
    """What was used, and the number of episodes it was used for, over all runs of a folder.

    Attributes:
        priced: whether the model's price is known.
        done: number of finished episodes.
        left: number of episodes to be played.
        before: what earlier runs used; it is part of `used`.
    """

    used: Used
    priced: bool
    done: int
    left: int
    before: Used = Used(Spent())

    @property
    def in_all(self) -> float | None:
        """The estimated total cost, or total tokens if no price is known, at the present rate; None: unknown."""
        if not self.done:
            return None
        spent = self.used.spent
        return (spent.cost if self.priced else spent.tokens) / self.done * (self.done + self.left)

    @property
    def short(self) -> str:
        """The costs for the end of a progress bar: `12 calls, 3.4k tokens, cost 0.02 of about 1.9`."""
        spent, total = self.used.spent, self.in_all
        calls, tokens = f"{amount(spent.calls)} calls", f"{amount(spent.tokens)} tokens"
        if self.priced:
            return f"{calls}, {tokens}, cost {spent.cost:.3g}" + ("" if total is None else f" of about {total:.3g}")
        return f"{calls}, {tokens}" + ("" if total is None else f" of about {amount(total)}")

    @property
    def lines(self) -> tuple[str, ...]:
        """The costs at the end: calls, tokens in and out, cost, cached replies; and an estimate for what is left.

        After earlier runs in the same folder, the calls of this run alone come first.
        """
        spent = self.used.spent
        cost = f"cost {spent.cost:.4g}" if self.priced else "no price known (give --prices MODEL=IN/OUT)"
        failed = f" ({spent.failed:,} failed)" if spent.failed else ""
        used = (f"used in all runs of this sweep: {spent.calls:,} calls{failed}, {spent.tokens_in:,} tokens in, "
                f"{spent.tokens_out:,} out, {cost}; {self.used.cached:,} replies from the cache")
        if self.before != Used(Spent()):
            calls, cached = spent.calls - self.before.spent.calls, self.used.cached - self.before.cached
            used = f"this run: {calls:,} calls, {cached:,} replies from the cache; {used}"
        total = self.in_all
        if not self.left or total is None:
            return (used,)
        left = f"{total - spent.cost:.3g} more" if self.priced else f"{amount(total - spent.tokens)} tokens more"
        return (used, f"the {self.left:,} episodes left may cost about {left}, at the rate so far")


def amount(number: float) -> str:
    """Returns a count in few characters: 950, 3.4k, 12M."""
    for size, unit in ((MILLION, "M"), (THOUSAND, "k")):
        if number >= size:
            share = number / size
            return f"{share:.0f}{unit}" if share >= 10 else f"{share:.1f}{unit}"
    return f"{number:.0f}"
