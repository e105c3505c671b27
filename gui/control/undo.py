"""Undo and redo of the operator's last action of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand

from core.app.run_request import Request
from core.common.parameters import Value
from core.session import events as e
from core.session.command import Command, Wording
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
        self._context.undo.push(Step(words, partial(self._switch, after), partial(self._switch, before), done=True))


class Step(QUndoCommand):
    """A step of the undo stack, made of two functions.

    Args:
        words: its name.
        do: does it; called when the step is pushed, and when it is done again.
        undo: undoes it.
        done: it has happened already, so that pushing it does nothing.
    """

    def __init__(self, words: str, do: Callable[[], object], undo: Callable[[], object], *, done: bool = False):
        super().__init__(words)
        self._do, self._undo, self._done = do, undo, done

    def redo(self) -> None:
        """Does it."""
        if not self._done:
            self._do()
        self._done = False

    def undo(self) -> None:
        """Undoes it."""
        self._undo()


class CommandStep(Step):
    """Posts a command, and its opposite when it is undone.

    Args:
        words: name of the step; empty: the command's own.
        opposite: the command that undoes it; None: the opposite that the command declares.
    """

    def __init__(self, context: Context, words: str, command: Command, opposite: Command | None = None):
        opposite = opposite or command.opposite()
        assert opposite is not None, "a command without an opposite is no step"
        super().__init__(words or command.title(Wording()), partial(context.post, command), partial(context.post, opposite))


class RequestStep(CommandStep):
    """Posts a command that also changes the request of the next runs.

    Args:
        change: returns the request with the new value.
        restore: returns a request with the value of the former request, its second argument.
    """

    def __init__(self, context: Context, words: str, command: Command, opposite: Command | None,
                 change: Callable[[Request], Request], restore: Callable[[Request, Request], Request]):
        super().__init__(context, words, command, opposite)
        self._context, self._change, self._restore = context, change, restore
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
        super().__init__(context, words, SetParameter(name, value), SetParameter(name, before),
                         lambda request: replace(request, parameters={**request.parameters, name: value}),
                         lambda request, former: replace(request, parameters=former.parameters))


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
