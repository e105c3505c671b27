"""The commands an operator can give to a running session: one table, one class a command.

A class says what the command is (its fields: frozen, plain data, safe to post from any thread), how it is executed (`execute`
and, once the session has emitted that, `follow_up`), what it changes in the settings (`settings_after`), how it is undone
(`opposite`), and its line in the log (`log` or `line`, `icon`). Every class named here is recorded under its name.
"""

from core.session.command import Command
from core.session.commands.branches import ChangeWorld, Fork, Rewind, Switch
from core.session.commands.choice import Ban, Deepen, Edit, EditCompanion, Override, SetGoal, SetParameter, Unban
from core.session.commands.replies import Answer, AskAgain, AskAside, GiveReply, Retry, UseModel
from core.session.commands.run import (
    ClearBreakpoint,
    EnableBreakpoint,
    Hold,
    Pause,
    Release,
    Resume,
    SetBreakpoint,
    SetLimits,
    SetPace,
    SetSteps,
    Step,
    Stop,
)
from core.session.commands.views import Annotate, KeepPictures, ListActions, ListChanges, Look, Relabel

__all__ = [
    "Annotate", "Answer", "AskAgain", "AskAside", "Ban", "ChangeWorld", "ClearBreakpoint", "Command", "Deepen", "Edit",
    "EditCompanion", "EnableBreakpoint", "Fork", "GiveReply", "Hold", "KeepPictures", "ListActions", "ListChanges", "Look",
    "Override", "Pause", "Relabel", "Release", "Resume", "Retry", "Rewind", "SetBreakpoint", "SetGoal", "SetLimits", "SetPace",
    "SetParameter", "SetSteps", "Step", "Stop", "Switch", "Unban", "UseModel",
]
