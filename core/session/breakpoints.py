"""Breakpoints: expressions at which a run pauses or writes a line, which are set, and their texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.common.errors import UsageError
from core.common.recorded import ADDED


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A condition at which the run pauses, or at which a line is written.

    Attributes:
        expression: the condition in the language of `core.session.expressions`, such as `gap < 0.2 and turn > 3`.
        once: remove the breakpoint after its first hit.
        log: write a line into the log and the recording, and never pause (a tracepoint).
        from_hit: the first time it takes effect; earlier times are only counted.
    """

    expression: str
    once: bool = False
    log: bool = field(default=False, metadata=ADDED)
    from_hit: int = field(default=1, metadata=ADDED)

    @property
    def title(self) -> str:
        """The condition and, if it does not simply stop, what it does: `turn == 12, once`."""
        return ", ".join((self.expression, *self.manner))

    @property
    def manner(self) -> tuple[str, ...]:
        """How it differs from one that stops the run each time, in words."""
        return (*(("once",) if self.once else ()), *(("log only",) if self.log else ()),
                *((f"from hit {self.from_hit}",) if self.from_hit > 1 else ()))

    @property
    def turn(self) -> int | None:
        """The turn at which it stops the run, if it is about nothing else."""
        found = None if self.log else re.fullmatch(r"\s*turn\s*==\s*([0-9]{1,9})\s*", self.expression)
        return None if found is None else int(found.group(1))


def quoted(text: str) -> str:
    """Returns a text as an expression holds it, in quotation marks."""
    mark = "'" if '"' in text else '"'
    return f"{mark}{text.replace(mark, ' ')}{mark}"


def before_action(text: str) -> str:
    """Returns the expression that is true before an action that begins with the text."""
    return f"action == {quoted(text)}"


def upgraded(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the fields of a recorded breakpoint. Earlier versions recorded a kind, a text and a level."""
    on, text, value = fields.get("on"), fields.get("text", ""), fields.get("level", 0.0)
    if not (isinstance(on, str) and isinstance(text, str) and isinstance(value, int | float) and abs(value) < 10**64):
        return fields  # it is refused as damaged, unless it is of this version
    level = f"{value:.12g}"
    known = {"action": before_action(text), "turn": f"turn == {level}", "entropy": f"entropy > {level}",
             "gap": f"gap < {level}", "tokens": f"tokens > {level}", "condition": 'new_condition != ""',
             "divergence": "diverged"}
    if on not in known:
        return fields
    rest = {name: value for name, value in fields.items() if name not in ("on", "text", "level")}
    return {**rest, "expression": known[on]}


@dataclass(frozen=True, slots=True)
class Hit:
    """One stop at a breakpoint, or one line of a tracepoint.

    Attributes:
        at: seconds since the session began.
        what: the action or values that matched, such as `before open fridge_1` or `gap 0.15, turn 4`.
        count: how often this breakpoint was true so far, from 1.
    """

    at: float
    turn: int
    branch: int
    point: Breakpoint
    what: str
    count: int


class Breakpoints:
    """The breakpoints that are set.

    Args:
        check: raises UsageError if an expression cannot be used.

    Attributes:
        active: those that are enabled, in the order they were set.
    """

    def __init__(self, check: Callable[[str], object]):
        self._check = check
        self._enabled: dict[Breakpoint, bool] = {}
        self.active: tuple[Breakpoint, ...] = ()

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that are set."""
        return tuple(self._enabled)

    def add(self, point: Breakpoint) -> None:
        """Sets a breakpoint and enables it.

        Raises:
            UsageError: its expression is wrong.
        """
        self._check(point.expression)
        self._enabled[point] = True
        self._update()

    def remove(self, point: Breakpoint) -> None:
        """Clears a breakpoint.

        Raises:
            UsageError: it is not set.
        """
        self._require(point)
        del self._enabled[point]
        self._update()

    def enable(self, point: Breakpoint, *, enabled: bool) -> None:
        """Enables a breakpoint, or disables it and keeps it.

        Raises:
            UsageError: it is not set.
        """
        self._require(point)
        self._enabled[point] = enabled
        self._update()

    def _require(self, point: Breakpoint) -> None:
        if point not in self._enabled:
            raise UsageError("no such breakpoint is set")

    def _update(self) -> None:
        self.active = tuple([point for point, enabled in self._enabled.items() if enabled])


def hit_words(hit: Hit, named: Callable[[str], str] = str) -> str:
    """Returns a hit as one sentence: what, where and why. `named` puts names in place of ids."""
    where = "" if hit.what == f"turn {hit.turn}" else f" in turn {hit.turn}"
    return f"{named(stopped_words(hit))}{where}: {why_words(hit)}"


def stopped_words(hit: Hit) -> str:
    """Returns what a run stopped at, or what was logged: `Stopped before “open fridge_1”`."""
    if hit.point.log:
        return f"Logged: {hit.what}"
    if hit.what.startswith("before "):
        return f"Stopped before “{hit.what.removeprefix('before ')}”"
    return f"Stopped at the beginning of turn {hit.turn}" if hit.what == f"turn {hit.turn}" else f"Stopped: {hit.what}"


def why_words(hit: Hit) -> str:
    """Returns which breakpoint it was: `breakpoint “gap < 0.2”, hit 2`."""
    return f"{'tracepoint' if hit.point.log else 'breakpoint'} “{hit.point.expression}”, hit {hit.count}"
