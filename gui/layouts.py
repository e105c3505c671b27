"""Where panels stand, per planner, and how large. Pure data and arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Group = tuple[str, ...]
"""Panels in one place, as tabs; the first is raised."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One arrangement around the frames, at 1440 × 900.

    Attributes:
        left: groups from top to bottom, and so on.
        wide: (left, right) widths.
        shares: heights within left and right, as shares.
        high: height of the bottom.
        across: the bottom takes the full width, under left and right.
    """

    left: tuple[Group, ...]
    right: tuple[Group, ...]
    bottom: tuple[Group, ...] = ()
    wide: tuple[int, int] = (347, 420)
    left_shares: tuple[int, ...] = ()
    right_shares: tuple[int, ...] = ()
    high: int = 312
    across: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every panel it places."""
        return tuple(name for groups in (self.left, self.right, self.bottom) for group in groups for name in group)


SEARCHING = Layout(
    left=(("ranking",), ("calls", "parameters", "log")),
    right=(("belief",), ("scatter", "scene", "goal", "runs")),
    bottom=(("tree",),),
    left_shares=(276, 368),
    right_shares=(401, 243),
)
PLAIN = Layout(
    left=(("facets", "parameters"), ("calls", "log", "runs")),
    right=(("scene", "goal"),),
    wide=(347, 396),
    left_shares=(312, 332),
)
LEARNING = Layout(
    left=(("score", "goal"), ("calls", "parameters", "log")),
    right=(("learnings",), ("facets", "scene", "runs")),
    bottom=(("state_graph",),),
    left_shares=(240, 404),
    right_shares=(401, 243),
)
STATEFUL = Layout(
    left=(("dictionary",), ("plan", "goal", "parameters", "log")),
    right=(("calls",), ("scene", "facets", "runs")),
    wide=(372, 360),
    left_shares=(376, 268),
    right_shares=(444, 200),
)
BLOCKING = Layout(
    left=(("candidates", "parameters", "runs"),),
    right=(("calls", "scene", "goal", "log"),),
    bottom=(("blocking",),),
    wide=(332, 396),
    high=287,
    across=True,
)
PROGRAMMED = Layout(
    left=(("ranking",), ("calls", "parameters", "log")),
    right=(("program",), ("goal", "scene", "facets", "runs")),
    wide=(347, 420),
    left_shares=(276, 368),
    right_shares=(430, 214),
)
REACTING = Layout(
    left=(("ranking",), ("facets", "log", "runs")),
    right=(("calls", "parameters"), ("goal", "scene")),
    wide=(347, 396),
    left_shares=(376, 268),
    right_shares=(401, 243),
)
LAYOUTS: Mapping[str, Layout] = MappingProxyType({
    "llm-mcts": SEARCHING, "oracle": PLAIN, "bcr": BLOCKING, "llm-state": STATEFUL, "neoplanner": LEARNING,
    "progprompt": PROGRAMMED, "ff-replan": REACTING, "inner-monologue": REACTING,
})
"""By planner; others take the searching one."""
WIDE = frozenset({"tree", "blocking", "state_graph", "compare"})
"""Panels that belong under the frames, where a layout does not place them otherwise."""


def layout_of(planner: str) -> Layout:
    """The arrangement a planner begins with."""
    return LAYOUTS.get(planner, SEARCHING)


def widths(layout: Layout, window: int, scale: float = 1.0) -> tuple[int, int]:
    """Left and right widths in a window: extra width goes 60 % to the centre, 20 % to each side; narrow windows shrink all.

    Larger text asks for wider sides, up to 29 and 31 % of the window.
    """
    extra = max(0, window - 1440) // 5
    factor = max(0.8, min(1.0, window / 1440))
    left, right = (wide * factor + extra for wide in layout.wide)
    return round(max(left, min(left * scale, window * 0.29))), round(max(right, min(right * scale, window * 0.31)))


def shared(total: int, shares: tuple[int, ...], count: int) -> list[int]:
    """A height split by shares; equally where there are none."""
    parts = shares if len(shares) == count else (1,) * count
    whole = sum(parts)
    return [max(1, total * part // whole) for part in parts]
