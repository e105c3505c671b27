"""Positions on the timeline: of rows, turns, moments and marks, in pixels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.shared_list import LazyList
from core.planning.facets import Moment
from gui.theme import Theme
from gui.timeline.model import Block, Blocks, Flag


class EvenSpans(LazyList[tuple[float, float]]):
    """Left edge and width of a number of blocks of equal width."""

    __slots__ = ("_length", "_width")

    def __init__(self, length: int, width: float):
        self._length, self._width = length, width

    def __len__(self) -> int:
        return self._length

    def at(self, place: int) -> tuple[float, float]:
        """Left edge and width of one block."""
        return place * self._width, self._width


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Positions of blocks: left edge and width of each, in pixels of the content."""

    spans: Sequence[tuple[float, float]] = ()

    @property
    def end(self) -> float:
        """The right edge of the last block."""
        return sum(self.spans[-1]) if self.spans else 0.0

    def index_at(self, x: float) -> int:
        """The index of the block at x; the first before all blocks, the last after them."""
        return max(0, bisect_right(self.spans, x, key=_left) - 1)


def _left(span: tuple[float, float]) -> float:
    return span[0]


def lay_out(blocks: Sequence[Block], room: float, least: float, *, wall: bool = False) -> BlockLayout:
    """Positions blocks with widths in proportion to their work time, none narrower than `least`, `room` wide or more in total.

    Args:
        blocks: in order.
        room: pixels for all blocks.
        least: least width of a block in pixels.
        wall: True for widths in proportion to wall-clock time, which includes waiting for a person.
    """
    if len(blocks) * least > room:  # then all blocks have the least width, and the times of blocks out of view are not needed
        return BlockLayout(EvenSpans(len(blocks), least))
    seconds = [b.wall if wall else b.seconds for b in blocks]
    fixed: set[int] = set()
    while True:
        free = room - least * len(fixed)
        total = sum(s for k, s in enumerate(seconds) if k not in fixed) or 1.0
        small = {k for k, s in enumerate(seconds) if k not in fixed and s * free / total < least}
        if not small:
            break
        fixed |= small
    spans, x = [], 0.0
    for k, s in enumerate(seconds):
        width = least if k in fixed else s * free / total
        spans.append((x, width))
        x += width
    return BlockLayout(tuple(spans))


def x_at(seconds: float, blocks: Blocks, layout: BlockLayout) -> float:
    """Returns the x of a moment in pixels of the content; the left edge before the first turn, the right after the last."""
    if not blocks:
        return 0.0
    k = blocks.last_begun(seconds)
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    return left + width * min(1.0, max(0.0, (seconds - began) / max(1e-6, ended - began)))


def seconds_at(x: float, blocks: Blocks, layout: BlockLayout) -> float:
    """Returns the moment at a pixel of the content; between turns, the end of the earlier one."""
    if not blocks:
        return 0.0
    k = layout.index_at(x)
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    return began + min(1.0, max(0.0, (x - left) / max(1e-6, width))) * (ended - began)


def is_beside(moment: Moment, blocks: Blocks) -> bool:
    """Returns True for what is before the first turn, or in the turn behind the last one, which has no block."""
    if not blocks:
        return moment.turn <= 1
    last = blocks[len(blocks) - 1].moment
    return not moment.turn or (moment.branch == last.branch and moment.turn == last.turn + 1)


def x_of(flag: Flag, blocks: Blocks, layout: BlockLayout) -> float | None:
    """Returns the position of a mark within its turn, by its time; None if its turn is not on the line shown.

    What is before the first turn is at the left edge, what is in a turn that ended the run without an action at the right edge.
    """
    k = blocks.place_of(flag.moment)
    if k is None:
        return None if not is_beside(flag.moment, blocks) else layout.end if flag.moment.turn else 0.0
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    part = min(1.0, max(0.0, (flag.at - began) / max(0.01, ended - began)))
    return left + width * part


@dataclass(frozen=True, slots=True)
class Rows:
    """Positions of the rows in pixels: label column, ruler, turns, marks, tracks."""

    left: float
    right: float
    turns: float
    turns_high: float
    marks: float
    row_high: float
    track_step: float

    @classmethod
    def of(cls, theme: Theme, width: float) -> Rows:
        """Returns the rows for a width, at the theme's text size."""
        px = theme.px
        return cls(px(132), width - px(14), px(28), px(34), px(64), px(18), px(20))

    def track(self, k: int) -> float:
        """The top of a track."""
        return self.marks + self.track_step * (k + 1)

    @property
    def room(self) -> float:
        """The width of the content."""
        return max(1.0, self.right - self.left)
