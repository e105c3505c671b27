"""Positions on the timeline: of turns, moments and marks in pixels of the content, and of the visible part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.common.lazy_list import LazyList
from core.planning.moment import Moment
from core.session.annotation import Annotation
from core.session.turns import Mark
from gui.theme import Theme
from gui.timeline.model import Block, Blocks, ByTurn, Flag, Marks, Story, flag_of
from gui.timeline.painter import Rows
from gui.timeline.tracks import TrackWindow


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


def x_of(flag: Flag, blocks: Blocks, layout: BlockLayout) -> float | None:
    """Returns the position of a mark within its turn, by its time; None if its turn is not on the line shown."""
    k = blocks.place_of(flag.moment)
    if k is None:
        return None
    (began, ended), (left, width) = blocks.span(k), layout.spans[k]
    part = min(1.0, max(0.0, (flag.at - began) / max(0.01, ended - began)))
    return left + width * part


SHARE = 0.84
"""Share of the width that turns fill while the run goes on. The rest shows how many are left."""


class Viewport:
    """The story laid out in a width.

    Attributes:
        story: what is shown.
        layout: positions of the blocks.
        rows: positions of the rows.
        offset: pixels scrolled to the right.
        follow: whether the view stays at the newest turn.
        wall: whether widths are wall-clock time rather than work time.
    """

    def __init__(self, theme: Theme, tracks: TrackWindow):
        self._theme, self._tracks = theme, tracks
        self.story, self.layout, self.rows = Story(), BlockLayout(), Rows.of(theme, 0)
        self.offset, self.follow, self.wall = 0.0, True, False
        self._marks = Marks()

    def arrange(self, story: Story, width: int) -> None:
        """Lays out another story, or the story in another width."""
        self.story, self.rows = story, Rows.of(self._theme, width)
        share = 1.0 if story.ended else SHARE
        self.layout = lay_out(story.blocks, self.rows.room * share, self._theme.px(26), wall=self.wall)
        most = max(0.0, self.layout.end - self.rows.room * share)
        self.offset = most if self.follow else min(self.offset, most)

    def scroll(self, pixels: float) -> None:
        """Scrolls left by a number of pixels. At the right end the view follows the newest turn again."""
        most = max(0.0, self.layout.end - self.rows.room * SHARE)
        self.offset = min(most, max(0.0, self.offset - pixels))
        self.follow = self.offset >= most

    def content_x(self, x: float) -> float:
        """Converts an x of the widget to an x of the content."""
        return x - self.rows.left + self.offset

    def moment_at(self, x: float) -> Moment | None:
        """The turn at a pixel, or None."""
        if not self.story.blocks or x < self.rows.left:
            return None
        return self.story.blocks[self.layout.index_at(self.content_x(x))].moment

    def seconds_at(self, x: float) -> float:
        """The moment at a pixel, in seconds."""
        return seconds_at(self.content_x(x), self.story.blocks, self.layout)

    def track_at(self, y: float) -> int:
        """The track at a pixel; -1 if there is none."""
        k = int((y - self.rows.track(0)) // self.rows.track_step)
        return k + self._tracks.first if 0 <= k < self._tracks.count else -1

    def block_of(self, moment: Moment | None) -> int:
        """The index of a turn's block; of the newest block if the turn has none."""
        found = self.story.blocks.place_of(moment) if moment is not None else None
        return found if found is not None else len(self.story.blocks) - 1

    @property
    def pixels(self) -> tuple[float, float]:
        """The visible range of the content."""
        return self.offset, self.offset + self.rows.room

    def shown(self) -> range:
        """The indices of the visible blocks."""
        low, high = self.pixels
        return range(self.layout.index_at(low), self.layout.index_at(high) + 1) if self.story.blocks else range(0)

    def flags(self, untracked: ByTurn[Annotation]) -> tuple[Flag, ...]:
        """Returns the visible marks and the nearest outside, then the labels that have no track."""
        shown, blocks = self.shown(), self.story.blocks
        if not shown:
            return ()
        first, last = blocks[shown[0]].moment.turn, blocks[shown[-1]].moment.turn

        def belongs(what: Mark | Annotation) -> bool:
            return blocks.place_of(Moment(what.branch, what.turn)) is not None

        marks = self._marks.of(self.story.marks).within(first, last, belongs)
        labels = untracked.within(first, last, belongs)
        return *(flag_of(mark, self.story.names) for mark in marks), *(flag_of(label, self.story.names) for label in labels)
