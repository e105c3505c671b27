"""The visible part of the timeline: converts pixels to turns and moments, and scrolls."""

from __future__ import annotations

from collections.abc import Container

from core.planning.facets import Moment
from core.recording.failures.labels import KeyMoment, Proposal, TurnResult
from core.session.annotation import Annotation
from core.session.turns import Mark
from gui.theme import Theme
from gui.timeline.layout import BlockLayout, Rows, is_beside, lay_out, seconds_at
from gui.timeline.model import ByTurn, Flag, Marks, Story, flag_of
from gui.timeline.tracks import TrackWindow

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
        failure: why the run failed, if it did and that is known.
    """

    def __init__(self, theme: Theme, tracks: TrackWindow):
        self._theme, self._tracks = theme, tracks
        self.story, self.layout, self.rows = Story(), BlockLayout(), Rows.of(theme, 0)
        self.offset, self.follow, self.wall = 0.0, True, False
        self.failure: Proposal | None = None
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

    def flags(self, untracked: ByTurn[Annotation], unsaved: Container[str] = ()) -> tuple[Flag, ...]:
        """Returns the visible marks and the nearest outside, labels that have no track, and the key moments of a failure.

        Flags of `unsaved` labels say so.
        """
        shown, blocks = self.shown(), self.story.blocks
        first, last = (blocks[k].moment.turn for k in (shown[0], shown[-1])) if shown else (0, 1)

        def belongs(what: Mark | Annotation) -> bool:
            return blocks.place_of(Moment(what.branch, what.turn)) is not None

        marks = self._marks.of(self.story.marks).within(first, last, belongs)
        labels = untracked.within(first, last,
                                  lambda label: belongs(label) or is_beside(Moment(label.branch, label.turn), blocks))
        shown_all: tuple[Mark | Annotation | KeyMoment, ...] = (*marks, *labels, *self._key_moments())
        return tuple(flag_of(one, self.story.names, unsaved) for one in shown_all)

    def _key_moments(self) -> list[KeyMoment]:
        """Returns the key moments of a failure, the most telling one of each turn. A divergence has a mark already."""
        told: dict[Moment, KeyMoment] = {}
        for one in self.failure.moments if self.failure is not None else ():
            if one.kind != "divergence" and (one.moment not in told or one.kind == "cause"):
                told[one.moment] = one
        return list(told.values())

    def result_of(self, moment: Moment) -> TurnResult | None:
        """What a turn of a failed run brought; None if that is not known."""
        return self.failure.course.get(moment) if self.failure is not None else None
