"""Undo and redo of the operator's last action of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from core.session import events as e
from core.session.command import Wording
from core.session.commands import Switch
from core.session.snapshot import Snapshot
from gui.control.context import Context


class UndoHistory(QObject):
    """Puts actions that are known only from the run's events on the undo stack, and undoes the last one.

    Overrides and answers cannot be undone, because they have taken effect in the run. A rewind, fork or change of branch is
    undone by going back to the branch that was left.

    Args:
        context: it has the undo stack.
        catch_up: hands over the events that have arrived, so that the last action is on the stack when it is undone.
    """

    message = Signal(str, str)
    refused = Signal(object)
    """Final: the last action cannot be undone."""

    def __init__(self, context: Context, catch_up: Callable[[], None]):
        super().__init__()
        self._context, self._catch_up = context, catch_up
        self._own: list[int] = []
        """Branches that undo itself switches to; these switches are not pushed on the stack."""
        context.asked_undo.connect(self.undo)

    # --- the operator ----------------------------------------------------------
    def undo(self) -> None:
        """Undoes the last action."""
        self._catch_up()
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
        names = self._context.names.of(snapshot)
        for event in events:
            match event.what:
                case e.CommandTaken(ok=True, command=command) if command.is_final:
                    turn = event.turn if command.is_intervention else 0
                    self._context.undo.push(Irreversible(Final(command.title(Wording(names.phrase)), event.branch, turn)))
                case e.Rewound(turn=turn, branch=branch, parent=parent, forked=forked):
                    word = "Fork" if forked else "Rewind"
                    self._push_move(f"{word} to turn {turn}", parent, branch)
                case e.Switched(branch=branch):
                    self._switched(event.branch, branch)

    def _switched(self, before: int, branch: int) -> None:
        if branch in self._own:
            self._own.remove(branch)
        else:
            self._push_move(f"Go to branch {branch}", before, branch)

    def _switch(self, branch: int) -> None:
        self._own.append(branch)
        self._context.post(Switch(branch))

    def _push_move(self, words: str, before: int, after: int) -> None:
        """Pushes a move to another branch, which has happened. Undoing it returns to the branch the run was on."""
        self._context.push(words, partial(self._switch, after), partial(self._switch, before), done=True)


@dataclass(frozen=True, slots=True)
class Final:
    """Why an action cannot be undone.

    Attributes:
        what: the action as text.
        branch: the branch of `turn`.
        turn: the turn to rewind to instead; 0 if there is none.
    """

    what: str
    branch: int = 0
    turn: int = 0


class Irreversible(QUndoCommand):
    """An action that cannot be undone. It keeps its place in the undo order, so that no earlier action is undone instead."""

    def __init__(self, final: Final):
        super().__init__(final.what)
        self.final = final
