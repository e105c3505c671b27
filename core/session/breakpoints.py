"""Breakpoints: conditions on the planner's state and actions at which a run pauses, the check of them, and their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from core.common.errors import UsageError
from core.planners.bcr.recorded_types import BlockingTree
from core.planning.facets import Belief, Facet, Ranking
from core.world.vocabulary import Action, in_words

_OVER: Mapping[str, str] = MappingProxyType({
    "entropy": "belief entropy over {level:g} bits",
    "gap": "top-two gap under {level:g}",
    "tokens": "more than {level:,.0f} tokens",
    "turn": "turn {level:.0f}",
    "condition": "new blocking condition",
    "divergence": "the two planners differ",
})


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A condition at which the run pauses.

    Attributes:
        on: before an action whose text begins with `text`; at a turn; when the belief's largest entropy (bits) of a wanted row
            is over `level`; when the best two values differ by less than `level`; when the tokens used are over `level`; when
            a condition blocks the plan that has not blocked it before; when the companion would act differently.
        once: remove the breakpoint after its first hit.
    """

    on: Literal["action", "turn", "entropy", "gap", "tokens", "condition", "divergence"]
    text: str = ""
    level: float = 0.0
    once: bool = False

    @property
    def title(self) -> str:
        """What it stops at: `before open`, `turn 12`, `more than 5,000 tokens`."""
        if self.on == "action":
            return f"before {self.text}" if self.text else "before any action"
        return _OVER[self.on].format(level=self.level)


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


class Breakpoints:
    """Checks the breakpoints that are set. Each check returns why to pause, or ""; `take_hits` then returns the hits to emit.

    Attributes:
        silent: returns True while a recorded past is replayed: nothing is checked then.
    """

    def __init__(self) -> None:
        self._points: list[Breakpoint] = []
        self._disabled: set[Breakpoint] = set()
        self._counts: Counter[Breakpoint] = Counter()
        self._hits: list[tuple[Breakpoint, str, int]] = []
        self._tokens = 0
        self._blocked: frozenset[str] = frozenset()
        self.silent: Callable[[], bool] = lambda: False

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that are set."""
        return tuple(self._points)

    def add(self, point: Breakpoint) -> None:
        """Sets a breakpoint and enables it."""
        self._disabled.discard(point)
        if point not in self._points:
            self._points.append(point)

    def remove(self, point: Breakpoint) -> None:
        """Clears a breakpoint.

        Raises:
            UsageError: it is not set.
        """
        self._require(point)
        self._points.remove(point)
        self._disabled.discard(point)

    def enable(self, point: Breakpoint, *, enabled: bool) -> None:
        """Enables a breakpoint, or disables it and keeps it.

        Raises:
            UsageError: it is not set.
        """
        self._require(point)
        if enabled:
            self._disabled.discard(point)
        else:
            self._disabled.add(point)

    def _require(self, point: Breakpoint) -> None:
        if point not in self._points:
            raise UsageError("no such breakpoint is set")

    def take_hits(self) -> tuple[tuple[Breakpoint, str, int], ...]:
        """Returns the hits since the last call: the breakpoint, what matched, and the number of its hits so far."""
        hits, self._hits = tuple(self._hits), []
        return hits

    def at_turn(self, turn: int) -> str:
        """Checks the beginning of a turn."""
        return self._hit("turn", lambda p: turn == p.level, f"turn {turn}")

    def before(self, action: Action) -> str:
        """Checks a chosen action."""
        return self._hit("action", lambda p: str(action).startswith(p.text), f"before {in_words(action)}")

    def at_divergence(self, what: str) -> str:
        """Checks a decision with which the companion disagrees."""
        return self._hit("divergence", lambda _: True, what)

    def on_tokens(self, more: int) -> str:
        """Checks the tokens used, which are `more` than before."""
        self._tokens += more
        return self._hit("tokens", lambda p: self._tokens > p.level, f"{self._tokens} tokens used")

    def on_facet(self, facet: Facet) -> str:
        """Checks a facet that the planner shows."""
        if isinstance(facet, Belief):
            bits = _entropy(facet)
            return self._hit("entropy", lambda p: bits > p.level, f"entropy {bits:.2f} bits")
        if isinstance(facet, Ranking):
            values = sorted((a.value for a in facet.actions if a.value is not None), reverse=True)
            if len(values) > 1:
                gap = values[0] - values[1]
                return self._hit("gap", lambda p: gap < p.level, f"the best two differ by {gap:.2f}")
        if isinstance(facet, BlockingTree):
            return self._on_tree(facet)
        return ""

    def _on_tree(self, tree: BlockingTree) -> str:
        blocking = [node.text for node in tree.nodes if node.kind == "condition" and node.state != "reached"]
        new = [text for text in blocking if text not in self._blocked]
        self._blocked = self._blocked.union(blocking)
        return self._hit("condition", lambda _: True, new[0]) if new else ""

    def _hit(self, on: str, test: Callable[[Breakpoint], bool], what: str) -> str:
        if self.silent():
            return ""
        found = [p for p in self._points if p.on == on and p not in self._disabled and test(p)]
        for point in found:
            self._counts[point] += 1
            self._hits.append((point, what, self._counts[point]))
            if point.once:
                self._points.remove(point)
        return f"breakpoint: {what}" if found else ""


def _entropy(belief: Belief) -> float:
    """Returns the largest entropy, in bits, of a wanted object that is not found yet."""
    rows = [belief.probability[k] for k, wanted in enumerate(belief.wanted) if wanted and belief.located[k] is None]
    return max((float(-(row[row > 0] * np.log2(row[row > 0])).sum()) for row in rows), default=0.0)


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
    return f"breakpoint “{hit.point.title}”, hit {hit.count}"
