"""The interrupts with which an operator's command makes a run leave what it is doing."""

from __future__ import annotations

from core.session.command import Command
from core.session.event_bus import EventBus
from core.session.events import Rewound, Switched
from core.session.history import History, TurnStart
from core.world.vocabulary import Action


class Interrupt(Exception):  # noqa: N818 - not an error: the operator wants something else
    """Base class: the present activity must be left."""


class Stopped(Interrupt):
    """Ends the run. `str` returns the reason."""


class Overridden(Interrupt):
    """Executes the operator's action in place of the planner's.

    Attributes:
        told: whether the planner is updated with the outcome.
    """

    def __init__(self, command: Command, action: Action, why: str, *, told: bool):
        super().__init__(str(action))
        self.command, self.action, self.why, self.told = command, action, why, told


class Jump(Interrupt):
    """Continues at another point of the history: where another branch was left.

    Attributes:
        resample: ask the model again and use other random numbers.
        then: a command to execute there before the turn begins; None: none.
    """

    resample = False
    then: Command | None = None

    def __init__(self, branch: int | None):
        super().__init__()
        self._branch = branch

    def take(self, history: History, bus: EventBus, left: TurnStart) -> TurnStart:
        """Changes the branch and emits that. Returns where to continue. `left` is where the current branch is left."""
        start = history.switch(history.numbered(self._branch).number)
        bus.emit(Switched(history.current, start.turn))
        return start


class JumpBack(Jump):
    """Continues from the beginning of a turn on a new branch; `turn` None: from the turn under way, as it is now."""

    def __init__(self, turn: int | None, branch: int | None, *, resample: bool, forks: bool, then: Command | None):
        super().__init__(branch)
        self._turn, self.resample, self._forks, self.then = turn, resample, forks, then

    def take(self, history: History, bus: EventBus, left: TurnStart) -> TurnStart:
        """Divides the branch and emits that. Returns where to continue. `left` is where the current branch is left."""
        turn = history.branch.turns[-1].turn if self._turn is None else self._turn
        present = self._turn is None and history.branch.ended is None
        branch = history.divide(turn, resample=self.resample, branch=self._branch)
        assert branch.parent is not None, "it leaves another one"
        bus.emit(Rewound(turn, branch.number, branch.parent, self._forks, self.resample, present))
        if present:
            branch.turns[-1] = left  # the turn begins on the new branch with its edits
        return branch.turns[-1]
