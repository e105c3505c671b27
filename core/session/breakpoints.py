"""Conditions on which a run pauses: quantities of the planner's mind, not only its actions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.commands import Breakpoint
from core.errors import UsageError
from core.facets import Belief, BlockingTree, Facet, Ranking
from core.world import Action


class Breakpoints:
    """Each check returns why to pause, or nothing."""

    def __init__(self) -> None:
        self._points: list[Breakpoint] = []
        self._used_up: list[Breakpoint] = []
        self._tokens = 0
        self._blocked: frozenset[str] = frozenset()

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """Those that are set."""
        return tuple(self._points)

    def add(self, point: Breakpoint) -> None:
        """Set one."""
        if point not in self._points:
            self._points.append(point)

    def remove(self, point: Breakpoint) -> None:
        """Clear one.

        Raises:
            UsageError: it is not set.
        """
        if point not in self._points:
            raise UsageError("no such breakpoint is set")
        self._points.remove(point)

    def used_up(self) -> tuple[Breakpoint, ...]:
        """Those to be hit once that were hit and forgotten since this was asked last."""
        found = tuple(self._used_up)
        self._used_up.clear()
        return found

    def at_turn(self, turn: int) -> str:
        """A turn begins."""
        return self._hit("turn", lambda p: turn == p.level, f"breakpoint: turn {turn}")

    def before(self, action: Action) -> str:
        """An action was chosen."""
        return self._hit("action", lambda p: str(action).startswith(p.text), f"breakpoint: before {action}")

    def on_tokens(self, more: int) -> str:
        """Tokens were used."""
        self._tokens += more
        return self._hit("tokens", lambda p: self._tokens > p.level, f"breakpoint: {self._tokens} tokens used")

    def on_facet(self, facet: Facet) -> str:
        """The planner shows something."""
        if isinstance(facet, Belief):
            bits = _entropy(facet)
            return self._hit("entropy", lambda p: bits > p.level, f"breakpoint: entropy {bits:.2f} bits")
        if isinstance(facet, Ranking):
            values = sorted((a.value for a in facet.actions if a.value is not None), reverse=True)
            if len(values) > 1:
                gap = values[0] - values[1]
                return self._hit("gap", lambda p: gap < p.level, f"breakpoint: the best two differ by {gap:.2f}")
        if isinstance(facet, BlockingTree):
            return self._on_tree(facet)
        return ""

    def _on_tree(self, tree: BlockingTree) -> str:
        blocking = [node.text for node in tree.nodes if node.kind == "condition" and node.state != "reached"]
        new = [text for text in blocking if text not in self._blocked]
        self._blocked = self._blocked.union(blocking)
        return self._hit("condition", lambda _: True, f"breakpoint: {new[0]}") if new else ""

    def _hit(self, on: str, test: Callable[[Breakpoint], bool], reason: str) -> str:
        for point in self._points:
            if point.on == on and test(point):
                if point.once:
                    self._points.remove(point)
                    self._used_up.append(point)
                return reason
        return ""


def _entropy(belief: Belief) -> float:
    """The largest entropy in bits of a wanted thing that is not found yet."""
    rows = [belief.probability[k] for k, wanted in enumerate(belief.wanted) if wanted and belief.located[k] is None]
    return max((float(-(row[row > 0] * np.log2(row[row > 0])).sum()) for row in rows), default=0.0)
