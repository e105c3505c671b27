"""Undo and redo of the operator's last action of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from core.app.run_request import Request
from core.common.parameters import Value
from core.session import events as e
from core.session.command import NOTHING_SET, Command, Settings, Wording
from core.session.commands import SetParameter, Switch
from core.session.snapshot import Snapshot
from gui.control.context import Context
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
                case e.CommandTaken(ok=True, command=command) if command.is_final:
                    turn = event.turn if command.is_intervention else 0
                    self._push(Irreversible(Final(command.title(Wording(names.phrase)), event.branch, turn)))
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
        self._context.post(Switch(branch))

    def _push(self, step: Irreversible | MoveStep) -> None:
        self._context.undo.push(step)


class CommandStep(QUndoCommand):
    """A command with an opposite. Pushing the step on the context's undo stack posts the command.

    Args:
        words: name of the step; empty: the command's own.
        before: what was set in the run before the command.
    """

    def __init__(self, context: Context, words: str, command: Command, before: Settings = NOTHING_SET):
        super().__init__(words or command.title(Wording()))
        self._context, self._command, self._opposite = context, command, command.opposite(before)

    def redo(self) -> None:
        """Posts the command."""
        self._context.post(self._command)

    def undo(self) -> None:
        """Posts the opposite command."""
        if self._opposite is not None:
            self._context.post(self._opposite)


class RequestStep(CommandStep):
    """A command that also changes the request of the next runs.

    Args:
        change: returns the request with the new value.
        restore: returns a request with the value of the former request, its second argument.
    """

    def __init__(self, context: Context, words: str, command: Command, before: Settings,
                 change: Callable[[Request], Request], restore: Callable[[Request, Request], Request]):
        super().__init__(context, words, command, before)
        self._change, self._restore = change, restore
        self._former: Request | None = None

    def redo(self) -> None:
        """Changes the request and posts the command."""
        self._context.change_request(self._with)
        super().redo()

    def undo(self) -> None:
        """Changes the request back and posts the opposite command."""
        self._context.change_request(self._without)
        super().undo()

    def _with(self, request: Request) -> Request:
        self._former = request
        return self._change(request)

    def _without(self, request: Request) -> Request:
        return request if self._former is None else self._restore(request, self._former)


class ParameterSet(RequestStep):
    """Sets a parameter of the planner, for this run and the next ones."""

    def __init__(self, context: Context, words: str, name: str, value: Value, before: Value):
        super().__init__(context, words, SetParameter(name, value), NOTHING_SET,
                         lambda request: replace(request, parameters={**request.parameters, name: value}),
                         lambda request, former: replace(request, parameters=former.parameters))
        self._opposite = SetParameter(name, before)


class ChoiceStep(QUndoCommand):
    """Chooses other parts and prepares a run of them. Undoing prepares a run of the former parts."""

    def __init__(self, words: str, prepare: Callable[[Request], None], before: Request, after: Request):
        super().__init__(words)
        self._prepare, self._before, self._after = prepare, before, after

    def redo(self) -> None:
        """Prepares a run of the new parts."""
        self._prepare(self._after)

    def undo(self) -> None:
        """Prepares a run of the former parts."""
        self._prepare(self._before)


class MoveStep(QUndoCommand):
    """A move to another branch, pushed after it happened. Undoing returns to the branch the run was on."""

    def __init__(self, words: str, switch: Callable[[int], None], before: int, after: int):
        super().__init__(words)
        self._switch, self._before, self._after, self._done = switch, before, after, True

    def redo(self) -> None:
        """Goes to the branch again. The first call, by the push, does nothing."""
        if self._done:
            self._done = False
        else:
            self._switch(self._after)

    def undo(self) -> None:
        """Returns to the former branch."""
        self._switch(self._before)


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

    def redo(self) -> None:
        """Does nothing: the action has been done."""

    def undo(self) -> None:
        """Does nothing: the action cannot be undone."""
