"""The operator's edits of the belief: drags are shown at once, finished edits are undoable."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from core.planning.belief import Act, edited, is_same, put_back, row_of
from core.planning.belief_facets import Belief
from core.session.snapshot import Snapshot
from gui.control.context import Context, EditableFacet
from gui.widgets.numbers import probability

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
        self._facet = EditableFacet(context, Belief, self.changed.emit)
        self._before_drag: Belief | None = None
        self._dragged: Belief | None = None

    @property
    def belief(self) -> Belief | None:
        """Returns the belief to show. During a drag this is the dragged belief; newer ones are shown after the drag."""
        return self._dragged or self._facet.shown

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Takes the snapshot that the panel shows."""
        self._facet.show_snapshot(snapshot)

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
        label, old, new = before.objects[row], row_of(before, row), row_of(after, row)
        self._facet.push_edit(f"{words} {self._name(row, column)}", lambda now: put_back(now, label, before.places, new),
                              lambda now: put_back(now, label, before.places, old), (label, row, column) if nudge else None)


def _set_to(belief: Belief, row: int, column: int) -> str:
    return f"set to {_value(belief, row, column)}"


def _value(belief: Belief, row: int, column: int) -> str:
    return probability(float(belief.probability[row, column])) or "0"
