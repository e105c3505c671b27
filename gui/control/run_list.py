"""The runs of this window as panels show them, and what the operator asks to do with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

RunState = Literal["now", "shown", "kept", "recorded"]
RunAct = Literal["open", "save", "go on", "remove"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of this window.

    Attributes:
        number: counts from 1 in the order the runs began.
        state: `now`: the run under way; `shown`: reopened and on the screen; `kept`: autosaved, not saved under a name;
            `recorded`: saved as a recording.
        outcome: how it ended, in one or two words.
        reached: whether the goal was reached.
        turns: turns on all branches.
        seconds: work time of its turns.
        changes: changes by the operator; `labels`: labels that were given.
        saved: whether it has a file of its own among the recordings.
    """

    number: int
    planner: str
    scene: str
    seed: int
    goal: str
    state: RunState
    outcome: str
    reached: bool
    turns: int
    seconds: float
    branches: int = 1
    changes: int = 0
    labels: int = 0
    saved: bool = False


class RunList(QObject):
    """The list, newest first."""

    changed = Signal()
    asked = Signal(str, int)
    """A RunAct and the number of the run it is about."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[RunRow, ...] = ()

    def show(self, rows: tuple[RunRow, ...]) -> None:
        """Replace the list."""
        if rows != self.rows:
            self.rows = rows
            self.changed.emit()

    def ask(self, act: RunAct, number: int) -> None:
        """Ask for something to be done with a run."""
        self.asked.emit(act, number)
