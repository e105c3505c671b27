"""Counts the calls of our own Python functions: work that is the same on every machine, however fast and busy it is."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any, Self

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "gui", "sim")
KERNEL = "core/search"
"""Left out: what of it is machine code differs between environments."""
FEW = 60
"""So little work needs no budget: a cache that is warm or not counts for more."""
INLINED = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>"})
"""Comprehensions are calls up to Python 3.11 only."""


class OwnCalls:
    """Counts within its block the calls on the present thread. Steps of a generator count as calls.

    Attributes:
        codes: how often each code object was entered, others' included.
    """

    def __init__(self) -> None:
        self.codes: Counter[CodeType] = Counter()
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = sys.getprofile()
        sys.setprofile(self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.setprofile(self._before)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leaves out what is called within the block, such as a test that asks again and again whether something has come."""
        sys.setprofile(self._before)
        try:
            yield
        finally:
            sys.setprofile(self._note)

    def _note(self, frame: FrameType, kind: str, argument: object) -> None:
        if kind == "call":
            self.codes[frame.f_code] += 1

    def by_package(self) -> Counter[str]:
        """Returns the number of calls in each of our packages, such as `core/session`, without the search's kernel."""
        found: Counter[str] = Counter()
        for code, number in self.codes.items():
            place = _place(code.co_filename)
            if place and place != KERNEL and code.co_name not in INLINED:
                found[place] += number
        return found

    def of(self, function: Callable[..., Any]) -> int:
        """Returns how often a Python function was called."""
        return self.codes[function.__code__]


def _place(filename: str) -> str:
    """Returns the package of a file of ours in two names, and "" for other files."""
    path = Path(filename)
    if not path.is_relative_to(ROOT):
        return ""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] in PACKAGES else ""


def check(spent: Mapping[str, float], budgets: Mapping[str, float], few: float = FEW) -> None:
    """Asserts that no work exceeds its budget, and that no budget is so large that twice the work would stay within it.

    Args:
        spent: the work, by name.
        budgets: what is allowed. Work without a budget is refused if it is more than `few`.
        few: see `FEW`.
    """
    table = "\n".join(f"{name:24} {spent.get(name, 0):12.1f} of {budget:12.1f}" for name, budget in budgets.items())
    over = {name for name, budget in budgets.items() if spent.get(name, 0) > budget}
    assert not over, f"more work than allowed: {sorted(over)}\n{table}"
    loose = {name for name, budget in budgets.items() if budget >= 2 * spent.get(name, 0) and budget > 0}
    assert not loose, f"less work than half of the budget, which hides the next doubling; lower it: {sorted(loose)}\n{table}"
    new = {name: number for name, number in spent.items() if name not in budgets and number > few}
    assert not new, f"work without a budget: {new}"
