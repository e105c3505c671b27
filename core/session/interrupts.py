"""Exceptions that make a session leave what it is doing."""

from __future__ import annotations

from core.session import commands as c
from core.session.event_bus import EventBus
from core.session.events import Rewound, Switched
from core.session.history import History, TurnStart


class Interrupt(Exception):  # noqa: N818 - not an error: the operator wants something else
    """Base class: the present activity must be left."""


class Stopped(Interrupt):
    """Ends the run. `str` returns the reason."""


class Overridden(Interrupt):
    """Executes the operator's action in place of the planner's."""

    def __init__(self, command: c.Override):
        super().__init__(str(command.action))
        self.command = command


class Jump(Interrupt):
    """Continues at another point of the history."""

    def __init__(self, command: c.Rewind | c.Fork | c.Switch):
        super().__init__(str(command))
        self.command = command
        self.resample = not isinstance(command, c.Switch) and command.resample

    def take(self, history: History, bus: EventBus, left: TurnStart) -> TurnStart:
        """Changes the branch and emits that. Returns where to continue. `left` is where the current branch is left."""
        command = self.command
        if isinstance(command, c.Switch):
            start = history.switch(command.branch)
            bus.emit(Switched(command.branch, start.turn))
            return start
        turn = left.turn if command.turn is None else command.turn
        present = command.turn is None and history.branch.ended is None
        branch = history.divide(turn, resample=command.resample, branch=command.branch)
        assert branch.parent is not None, "it leaves another one"
        bus.emit(Rewound(turn, branch.number, branch.parent, isinstance(command, c.Fork), command.resample, present))
        if present:
            branch.turns[-1] = left  # the turn begins on the new branch with its edits
        return branch.turns[-1]
