"""The operator's edits of the belief: drags are shown at once, finished edits are undoable, keys and the palette offer them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from core.planning.belief import Act, Row, edited, is_same, put_back, row_of
from core.planning.facets import Belief
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.panels.base import Offer
from gui.panels.belief.layout import Cell
from gui.widgets.numbers import probability

MERGES = 1
"""The merge id of nudges. Successive nudges of one cell are one step on the undo stack."""


class EditRow(QUndoCommand):
    """An undoable edit of one row. Undo keeps what the planner has observed since the edit.

    Args:
        words: describes the edit, for the undo list and the log.
        before: the belief before the edit.
        after: the belief after the edit.
        row: the row that differs.
        now: returns the newest belief, or None if there is none.
        say: shows a belief and posts it to the session, with the reason.
        nudge: the cell, if further nudges of it merge with this edit. None otherwise.
    """

    def __init__(self, words: str, before: Belief, after: Belief, row: int, now: Callable[[], Belief | None],
                 say: Callable[[Belief, str], None], nudge: tuple[int, int] | None = None):
        super().__init__(words)
        self._label, self._places = before.objects[row], before.places
        self._old, self._new = row_of(before, row), row_of(after, row)
        self._now, self._say, self._nudge = now, say, nudge

    def redo(self) -> None:
        """Applies the new row to the newest belief."""
        self._put(self._new, self.text())

    def undo(self) -> None:
        """Restores the old row in the newest belief."""
        self._put(self._old, f"undo: {self.text()}")

    def _put(self, row: Row, why: str) -> None:
        now = self._now()
        made = put_back(now, self._label, self._places, row) if now is not None else None
        if made is None:
            self.setObsolete(True)
        else:
            self._say(made, why)

    def id(self) -> int:
        """Returns the merge id: `MERGES` for a nudge, -1 if the edit is not merged."""
        return MERGES if self._nudge is not None else -1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802 - Qt's name
        """Merges a later nudge of the same cell into this edit. Returns whether it did."""
        if not isinstance(other, EditRow) or other._nudge != self._nudge or other._label != self._label:
            return False
        self._new = other._new
        self.setText(other.text())
        return True


WORDS: dict[Act, str] = {
    "pin": "pinned", "unpin": "unpinned", "zero": "zeroed", "allow": "allowed", "reset": "cleared the edits of"}


class Editor(QObject):
    """Edits the belief that the panel shows. The edits apply to the newest belief.

    Args:
        context: gives the undo stack, the preview and whether the run is live.
        name: returns the text of a cell (row, index of the location) for the log, such as "apple in the fridge".
    """

    changed = Signal()

    def __init__(self, context: Context, name: Callable[[int, int], str]):
        super().__init__()
        self._context, self._name = context, name
        self._held = EditableFacet(context, Belief)
        self._before_drag: Belief | None = None
        self._dragged: Belief | None = None

    @property
    def belief(self) -> Belief | None:
        """Returns the belief to show. During a drag this is the dragged belief; newer ones are shown after the drag."""
        return self._dragged or self._held.shown

    def hear(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows."""
        self._held.show_snapshot(snapshot)

    def may_edit(self, row: int) -> str:
        """Returns why a row cannot be edited. Empty if it can."""
        belief = self.belief
        if belief is None or not self._context.live:
            return "read-only: this is the past"
        if row >= len(belief.located):
            return "not in this belief"
        return "already found" if belief.located[row] is not None else ""

    def drag(self, row: int, column: int, value: float) -> None:
        """Shows a probability for a cell during a drag, and requests a preview of the planner's reaction.

        Args:
            row: the row of the belief.
            column: the index of the location in the belief.
            value: the probability.
        """
        belief = self.belief
        if belief is None or self.may_edit(row):
            return
        if self._before_drag is None:
            self._before_drag = belief
        if self._before_drag.places == belief.places and row < len(self._before_drag.objects):
            self._dragged = edited(self._before_drag, row, column, value)
            self._context.preview.ask(f"{self._name(row, column)} is {_value(self._dragged, row, column)}", edit=self._dragged)
            self.changed.emit()

    def drop(self, row: int, column: int, *, nudge: bool = False) -> None:
        """Ends a drag. Makes it an edit unless the value is the same as before the drag.

        Args:
            row: the row of the belief.
            column: the index of the location in the belief.
            nudge: whether successive edits of this cell merge into one step on the undo stack.
        """
        before, after = self._before_drag, self._dragged
        self._before_drag = self._dragged = None
        if before is None or after is None:
            return
        if is_same(before, after, row):
            self._context.preview.clear()
            self.changed.emit()
            return
        self._context.preview.release()
        self._push(before, after, row, column, _set_to(after, row, column), nudge=nudge)

    def take_back(self) -> None:
        """Cancels a drag and shows the belief from before it."""
        self._before_drag = self._dragged = None
        self.changed.emit()

    def act(self, row: int, column: int, act: float | Act) -> None:
        """Edits a cell.

        Args:
            row: the row of the belief.
            column: the index of the location in the belief.
            act: a probability to set, or the name of the edit.
        """
        belief = self.belief
        if belief is None or self.may_edit(row):
            return
        after = edited(belief, row, column, act)
        self._push(belief, after, row, column, WORDS[act] if isinstance(act, str) else _set_to(after, row, column))

    def _push(self, before: Belief, after: Belief, row: int, column: int, words: str, *, nudge: bool = False) -> None:
        if after is before:
            self.changed.emit()
            return
        said, cell = f"{words} {self._name(row, column)}", (row, column) if nudge else None
        self._context.undo.push(EditRow(said, before, after, row, lambda: self._held.current, self._say, cell))

    def _say(self, belief: Belief, why: str) -> None:
        self._held.post_edit(belief, why)
        self.changed.emit()


def _set_to(belief: Belief, row: int, column: int) -> str:
    return f"set to {_value(belief, row, column)}"


def _value(belief: Belief, row: int, column: int) -> str:
    return probability(float(belief.probability[row, column])) or "0"


LIKELY = 0.01
MOST_PLACES = 8
"""The maximum number of locations offered per wanted object, most likely first."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The panel's functions that the offers call.

    Attributes:
        key: handles a key for the selected cell, as the heatmap's `typed` does.
        edit: selects a cell and begins to edit its number.
        where: returns the name of a location with its preposition.
        may_edit: returns why a row cannot be edited. Empty if it can.
    """

    key: Callable[[str], object]
    edit: Callable[[Cell], object]
    where: Callable[[int], str]
    may_edit: Callable[[int], str]


def offers(belief: Belief, selected: Cell | None, hand: Hand) -> Iterator[Offer]:
    """Yields the edits of the selected cell, then those of the likely cells of wanted objects.

    Args:
        belief: the belief.
        selected: the selected cell, or None.
        hand: the panel's functions.
    """
    if selected is not None and not hand.may_edit(selected[0]):
        row, place = selected
        thing, where = belief.objects[row], hand.where(place)
        pinned, zeroed = bool(belief.pinned[row, place]), bool(belief.zeroed[row, place])
        yield Offer(f"edit {thing} {where}", partial(hand.key, "E"), "E", "edit")
        yield Offer(f"{'unpin' if pinned else 'pin'} {thing} {where}", partial(hand.key, "P"), "P", "pin")
        yield Offer(f"{'allow' if zeroed else 'zero'} {thing} {where}", partial(hand.key, "Z"), "Z", "zero")
        yield Offer(f"renormalise {thing}: undo its pins and edits", partial(hand.key, ""), icon="undo")
    for row, wanted in enumerate(belief.wanted):
        if not wanted or hand.may_edit(row):
            continue
        for place in _likely(belief, row):
            if (row, place) != selected:
                words = f"edit {belief.objects[row]} {hand.where(place)}"
                yield Offer(words, partial(hand.edit, (row, place)), icon="edit")


def _likely(belief: Belief, row: int) -> list[int]:
    order = np.argsort(-belief.probability[row], kind="stable")[:MOST_PLACES]
    return [int(place) for place in order if belief.probability[row, place] >= LIKELY]
