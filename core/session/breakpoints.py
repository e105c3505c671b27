"""Breakpoints, stops at them, and both as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.session.commands import Breakpoint

_OVER: Mapping[str, str] = MappingProxyType({
    "entropy": "belief entropy over {level:g} bits",
    "gap": "top-two gap under {level:g}",
    "tokens": "more than {level:,.0f} tokens",
    "turn": "turn {level:.0f}",
    "condition": "new blocking condition",
})


@dataclass(frozen=True, slots=True)
class Hit:
    """One stop at a breakpoint.

    Attributes:
        at: seconds since the session began.
        what: the value or action that matched, such as `before open fridge_1` or `entropy 1.50 bits`.
        count: number of hits of this breakpoint so far, from 1.
    """

    at: float
    turn: int
    branch: int
    point: Breakpoint
    what: str
    count: int


def title(point: Breakpoint) -> str:
    """Returns what a breakpoint stops at: `before open`, `turn 12`, `more than 5,000 tokens`."""
    if point.on == "action":
        return f"before {point.text}" if point.text else "before any action"
    return _OVER[point.on].format(level=point.level)


def hit_words(hit: Hit) -> str:
    """Returns a stop as one sentence: what, where and why."""
    where = "" if hit.point.on == "turn" else f" in turn {hit.turn}"
    return f"{stopped_words(hit)}{where}: {why_words(hit)}"


def stopped_words(hit: Hit) -> str:
    """Returns what a run stopped at: `Stopped before “open fridge_1”`."""
    if hit.what.startswith("before "):
        return f"Stopped before “{hit.what.removeprefix('before ')}”"
    return f"Stopped at the beginning of turn {hit.turn}" if hit.point.on == "turn" else f"Stopped: {hit.what}"


def why_words(hit: Hit) -> str:
    """Returns which breakpoint it was: `breakpoint “before open”, hit 2`."""
    return f"breakpoint “{title(hit.point)}”, hit {hit.count}"
