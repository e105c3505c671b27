"""What the operator does to the belief: drags shown at once, acts said through the undo stack."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from core.commands import Edit
from core.facets import Belief
from gui.context import Context
from gui.panels.belief.editing import Act, edited
from gui.panels.belief.undoing import EditRow
from gui.widgets.numbers import probability

WORDS: dict[Act, str] = {
    "pin": "held", "release": "released", "zero": "zeroed", "allow": "allowed", "reset": "took back edits of"}


class Editor(QObject):
    """Holds the belief as the operator has it: the session's newest, until an edit, and then that until the session answers.

    Args:
        name: puts a cell into words, for the log: apple · fridge 1.
    """

    changed = Signal()

    def __init__(self, context: Context, name: Callable[[int, int], str]):
        super().__init__()
        self._context, self._name = context, name
        self._told: Belief | None = None
        self._mine: Belief | None = None
        self._before_drag: Belief | None = None
        self._told_then: Belief | None = None

    @property
    def belief(self) -> Belief | None:
        """What is shown."""
        return self._mine or self._told

    def hear(self, belief: Belief | None) -> None:
        """The session's newest belief; a drag under way is finished first."""
        if belief is not self._told:
            self._told = belief
            if self._before_drag is None:
                self._mine = None

    def may_edit(self, row: int) -> str:
        """Why a row cannot be edited, or empty."""
        belief = self.belief
        if belief is None or not self._context.live:
            return "read-only: this is the past"
        return "it was found" if belief.located[row] is not None else ""

    def drag(self, row: int, column: int, value: float) -> None:
        """Show a value for now."""
        belief = self.belief
        if belief is None or self.may_edit(row):
            return
        if self._before_drag is None:
            self._before_drag, self._told_then = belief, self._told
        if self._before_drag.places == belief.places and row < len(self._before_drag.objects):
            self._mine = edited(self._before_drag, row, column, value)
            self.changed.emit()

    def drop(self, row: int, column: int, *, nudge: bool = False) -> None:
        """The drag is over: that is an edit."""
        before, after = self._before_drag, self._mine
        self._before_drag = None
        if before is None or after is None:
            return
        self._mine = before if self._told is self._told_then and before is not self._told else None
        self._push(before, after, row, column, _set_to(after, row, column), nudge=nudge)

    def act(self, row: int, column: int, act: float | Act) -> None:
        """One act on a cell."""
        belief = self.belief
        if belief is None or self.may_edit(row):
            return
        after = edited(belief, row, column, act)
        self._push(belief, after, row, column, WORDS[act] if isinstance(act, str) else _set_to(after, row, column))

    def _push(self, before: Belief, after: Belief, row: int, column: int, words: str, *, nudge: bool = False) -> None:
        if after is before:
            return
        said, cell = f"{words} {self._name(row, column)}", (row, column) if nudge else None
        self._context.undo.push(EditRow(said, before, after, row, lambda: self.belief, self._say, cell))

    def _say(self, belief: Belief, why: str) -> None:
        self._mine = belief
        self._context.post(Edit(belief, why))
        self.changed.emit()


def _set_to(belief: Belief, row: int, column: int) -> str:
    return f"set to {probability(float(belief.probability[row, column])) or '0'}"
