"""The runs of this window as panels show them, and the operator's requests about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

RunState = Literal["now", "shown", "kept", "recorded"]
RunAction = Literal["open", "save", "go on", "remove"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run of this window.

    Attributes:
        number: counts from 1 in the order the runs began.
        planner: name of the planner.
        scene: name of the scene.
        seed: the run's seed.
        goal: text of the goal.
        state: `now`: the run under way; `shown`: reopened and on display; `kept`: autosaved, not saved under a name;
            `recorded`: saved as a recording.
        outcome: how it ended, in one or two words.
        reached: whether the goal was reached.
        turns: number of turns on all branches.
        seconds: work time of its turns.
        branches: number of branches.
        changes: number of changes by the operator.
        labels: number of labels.
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
    """The list of runs, newest first."""

    changed = Signal()
    asked = Signal(str, int)
    """A RunAction and the number of the run it is about."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[RunRow, ...] = ()

    def show(self, rows: tuple[RunRow, ...]) -> None:
        """Replaces the list."""
        if rows != self.rows:
            self.rows = rows
            self.changed.emit()

    def ask(self, act: RunAction, number: int) -> None:
        """Emits a request about a run."""
        self.asked.emit(act, number)
