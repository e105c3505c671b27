"""What makes a session leave what it is doing."""

from __future__ import annotations

from core import commands as c
from core.events import Rewound, Switched
from core.session.history import History, TurnStart
from core.session.voice import Voice


class Interrupt(Exception):  # noqa: N818 - not an error: the operator wants something else
    """Leave what is being done."""


class Stopped(Interrupt):
    """End the run."""


class Overridden(Interrupt):
    """Do the operator's action instead."""

    def __init__(self, command: c.Override):
        super().__init__(str(command.action))
        self.command = command


class Jump(Interrupt):
    """Go on somewhere else in the history."""

    def __init__(self, command: c.Rewind | c.Fork | c.Switch):
        super().__init__(str(command))
        self.command = command
        self.resample = not isinstance(command, c.Switch) and command.resample

    def take(self, history: History, voice: Voice) -> TurnStart:
        """Change branches, and tell; returns where to go on."""
        command, parent = self.command, history.current
        if isinstance(command, c.Switch):
            start = history.switch(command.branch)
            voice.tell(Switched(command.branch, start.turn))
            return start
        branch = history.divide(command.turn, resample=command.resample)
        voice.tell(Rewound(command.turn, branch.number, parent, isinstance(command, c.Fork), command.resample))
        return branch.turns[-1]
