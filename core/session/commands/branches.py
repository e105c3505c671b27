"""Commands about the history: they go back, fork, change branches, and change the world of a fork."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from core.common.recorded import ADDED
from core.session.command import Command, MarkKind, Wording
from core.session.commands.replies import GiveReply
from core.simulator.base import WorldChange

if TYPE_CHECKING:
    from core.session.run import Run


@dataclass(frozen=True, slots=True)
class ChangeWorld(Command):
    """Changes the world of the simulator before a turn begins. The planner is not told; it learns of it by what the robot sees.

    It is executed only in a fork (`Fork.then`), so that the branch with the unchanged world is kept.
    """

    icon = "boxes"
    is_intervention = is_replayed = True
    change: WorldChange

    def execute(self, run: Run) -> None:
        run.change_world(self.change)

    def follow_up(self, run: Run) -> None:
        run.emit_standing()

    def mark(self) -> tuple[MarkKind, str]:
        return "world", f"world changed: {self.change.words()}"

    def line(self, wording: Wording) -> str:
        return f"World changed: {self.change.words(wording.name)}"


@dataclass(frozen=True, slots=True)
class Rewind(Command):
    """Goes back to the beginning of a turn and continues from there. The later turns are kept as history.

    Attributes:
        resample: ask the model again and use other random numbers; if False, the run repeats itself exactly.
        branch: the branch of the turn; None: the present one.
        to: `decision`: pause as soon as the action of that turn is chosen. A step that is posted afterwards may come too late,
            because a run that has ended, or that is not paused, goes on at once. Empty: as the run went on before.
    """

    is_intervention = True
    turn: int
    resample: bool = False
    branch: int | None = field(default=None, metadata=ADDED)
    to: Literal["", "decision"] = field(default="", metadata=ADDED)

    def execute(self, run: Run) -> None:
        run.go_back(self.turn, self.branch, resample=self.resample, forks=False, then=None)

    def follow_up(self, run: Run) -> None:
        if self.to:
            run.pause_control.resume("choice")


@dataclass(frozen=True, slots=True)
class Fork(Command):
    """Continues on a new branch from the beginning of a turn. `Switch` returns to the old branch where it was left.

    Attributes:
        turn: None: the turn under way as it is now, with its edits, bans, parameters and goal.
        resample: as in `Rewind`.
        branch: as in `Rewind`.
        then: is executed on the new branch before its turn begins; None: nothing is.
    """

    is_intervention = True
    turn: int | None = None
    resample: bool = False
    branch: int | None = field(default=None, metadata=ADDED)
    then: GiveReply | ChangeWorld | None = field(default=None, metadata=ADDED)

    def execute(self, run: Run) -> None:
        if isinstance(self.then, ChangeWorld):
            run.world.check_change(self.then.change, self.turn, self.branch)
        run.go_back(self.turn, self.branch, resample=self.resample, forks=True, then=self.then)


@dataclass(frozen=True, slots=True)
class Switch(Command):
    """Continues another branch where it was left. A branch that has ended is only displayed."""

    is_intervention = True
    branch: int

    def execute(self, run: Run) -> None:
        run.switch(self.branch)
