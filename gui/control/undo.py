"""Undo and redo of the operator's last action of any kind."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.session import commands as c
from core.session import events as e
from core.session.snapshot import Snapshot
from gui.control.context import Context
from gui.control.undo_commands import Final, Irreversible, MoveStep
from gui.widgets import Namer


class UndoHistory(QObject):
    """Puts actions that are known only from the run's events on the undo stack, and undoes the last one.

    Overrides and answers cannot be undone, because they have taken effect in the run. A rewind, fork or change of branch is
    undone by going back to the branch that was left.
    """

    message = Signal(str, str)
    refused = Signal(object)
    """Final: the last action cannot be undone."""

    def __init__(self, context: Context):
        super().__init__()
        self._context, self._namer = context, Namer()
        self._own: list[int] = []
        """Branches that undo itself switches to; these switches are not pushed on the stack."""
        context.asked_undo.connect(self.undo)

    # --- the operator ----------------------------------------------------------
    def undo(self) -> None:
        """Undoes the last action."""
        stack = self._context.undo
        if not stack.canUndo():
            self.message.emit("Nothing to undo in this run; earlier runs are in the Runs list", "muted")
            return
        last = stack.command(stack.index() - 1)
        if isinstance(last, Irreversible):
            self.refused.emit(last.final)
            return
        words = stack.undoText()
        stack.undo()
        self.message.emit(f"Undone: {words}", "muted")

    def redo(self) -> None:
        """Redoes the action that was undone last."""
        stack = self._context.undo
        if not stack.canRedo():
            self.message.emit("Nothing to redo", "muted")
            return
        words = stack.redoText()
        stack.redo()
        self.message.emit(f"Done again: {words}", "muted")

    # --- from the run ------------------------------------------------------------
    def take_events(self, new_run: bool, events: Sequence[e.Event], snapshot: Snapshot) -> None:
        """Takes events of the run, and the newest snapshot."""
        if new_run:
            self._own.clear()
            self._namer.forget()
        names = self._namer.of(snapshot.seen)
        for event in events:
            match event.what:
                case e.CommandTaken(ok=True, command=c.Override(action=action)):
                    self._push(Irreversible(Final(f"Override: {names.phrase(action)}", event.branch, event.turn)))
                case e.CommandTaken(ok=True, command=c.Answer(ask=number)):
                    self._push(Irreversible(Final(f"Answer to call {number}", event.branch, event.turn)))
                case e.CommandTaken(ok=True, command=c.UseModel(name=name)):
                    self._push(Irreversible(Final(f"Provider: {name}")))
                case e.Rewound(turn=turn, branch=branch, parent=parent, forked=forked):
                    word = "Fork" if forked else "Rewind"
                    self._push(MoveStep(f"{word} to turn {turn}", self._switch, parent, branch))
                case e.Switched(branch=branch):
                    self._switched(event.branch, branch)

    def _switched(self, before: int, branch: int) -> None:
        if branch in self._own:
            self._own.remove(branch)
        else:
            self._push(MoveStep(f"Go to branch {branch}", self._switch, before, branch))

    def _switch(self, branch: int) -> None:
        self._own.append(branch)
        self._context.post(c.Switch(branch))

    def _push(self, step: Irreversible | MoveStep) -> None:
        self._context.undo.push(step)
