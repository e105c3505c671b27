"""Pointer and keys on the annotation tracks: dragging edges and points, selecting, deleting, opening."""

from __future__ import annotations

from collections.abc import Callable

from core.session.annotation import Annotation
from core.world.vocabulary import in_words, named
from gui.recordings.labelling import Labelling
from gui.timeline.blocks import Blocks
from gui.timeline.by_turn import ByTurn
from gui.timeline.labels import Labels, PixelRange
from gui.timeline.layout import BlockLayout
from gui.timeline.tracks import Bar, Grip, dragged, grip_at
from gui.widgets import Names
from gui.widgets.numbers import clock


class LabelEditor:
    """Handles the annotations on the tracks. A drag is applied on release, as one undo step.

    Args:
        labelling: the labels.
        open_label: opens an annotation for editing.
    """

    def __init__(self, labelling: Labelling, open_label: Callable[[Annotation], object]):
        self._labelling, self._open, self._labels = labelling, open_label, Labels(labelling)
        self.bars: tuple[Bar, ...] = ()
        """The visible bars."""
        self.chosen = ""
        """The id of the annotation that Delete and Enter apply to."""
        self._grip: Grip | None = None
        self._moved: Annotation | None = None

    @property
    def dragging(self) -> bool:
        """Whether an annotation is being dragged."""
        return self._grip is not None

    @property
    def untracked(self) -> ByTurn[Annotation]:
        """Labels that have no track."""
        return self._labels.untracked

    def show(self, blocks: Blocks, layout: BlockLayout, visible: PixelRange) -> None:
        """Updates the visible bars. An annotation that is dragged is where the pointer has it."""
        self.bars = self._labels.tracked.bars(blocks, layout, self._labelling.horizon(), visible, self._moved)

    def press(self, track: int, x: float) -> bool:
        """Takes the annotation at a pixel. Returns True if there is one."""
        self._grip, self._moved = grip_at(self.bars, track, x), None
        self.chosen = self._grip.bar.annotation.id if self._grip is not None else ""
        return self._grip is not None

    def move(self, seconds: float) -> None:
        """Drags the annotation to another moment, in seconds."""
        if self._grip is not None:
            self._moved = dragged(self._grip, seconds)

    def release(self) -> None:
        """Ends the drag and applies it."""
        grip, moved = self._grip, self._moved
        self._grip = self._moved = None
        if grip is not None and moved is not None:
            what = "Move" if grip.bar.is_point else "Drag an edge of"
            self._labelling.change(grip.bar.annotation, moved, f"{what} {moved.label}")

    def now(self) -> Annotation | None:
        """The chosen annotation, if it still exists."""
        return self._labelling.annotations.get(self.chosen)

    def open(self) -> None:
        """Opens the chosen annotation."""
        if (chosen := self.now()) is not None:
            self._open(chosen)

    def delete(self) -> None:
        """Deletes the chosen annotation."""
        if (chosen := self.now()) is not None:
            self._labelling.change(chosen, None, f"Delete {chosen.label}")

    def end_here(self) -> None:
        """Ends the chosen annotation if it is an open state."""
        if (chosen := self.now()) is not None and not chosen.paired:
            self._labelling.end(chosen)

    def edge(self, track: int, x: float) -> bool:
        """Whether there is an edge or point at a pixel, which can be dragged."""
        grip = grip_at(self.bars, track, x)
        return grip is not None and (grip.bar.is_point or grip.part != "body")

    def tip(self, track: int, x: float) -> str:
        """Describes the annotation at a pixel, or returns an empty text."""
        grip = grip_at(self.bars, track, x)
        return words(grip.bar.annotation) if grip is not None else ""


def words(a: Annotation) -> str:
    """Describes an annotation, for tooltips and screen readers."""
    span = clock(a.at) if not a.state else f"{clock(a.at)} to {clock(a.until)}" if a.until is not None else \
        f"{clock(a.at)}, still open"
    rating = f"rated {a.rating} of 5" if a.rating is not None else ""
    better = f"better: {named(in_words(a.better), Names().full)}" if a.better else ""
    return "\n".join(filter(None, (f"{a.label} · {span}", a.note, rating, better, f"by {a.annotator}" if a.annotator else "")))
