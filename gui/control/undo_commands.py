"""Steps of the undo stack: commands with an opposite, choices of a run's parts, and acts that cannot be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from PySide6.QtGui import QUndoCommand

from core.app.run_request import Request
from core.common.parameters import Value
from core.session.commands import Command, SetParameter
from gui.control.context import Context


class CommandStep(QUndoCommand):
    """Says a command when done, and its opposite when undone. Push it on the context's undo stack; pushing says it."""

    def __init__(self, context: Context, words: str, now: Command, opposite: Command):
        super().__init__(words)
        self._context, self._now, self._opposite = context, now, opposite

    def redo(self) -> None:
        """Say it."""
        self._context.post(self._now)

    def undo(self) -> None:
        """Say the opposite."""
        self._context.post(self._opposite)


class RequestStep(QUndoCommand):
    """A command that also changes what the next runs are asked to be.

    Args:
        change: takes the request as it is now and returns it with the new value (`change`) or the former one (`back`).
    """

    def __init__(self, words: str, say: Callable[[Command], None], become: Callable[[Callable[[Request], Request]], None],
                 now: tuple[Command, Callable[[Request], Request]], opposite: tuple[Command, Callable[[Request], Request]]):
        super().__init__(words)
        self._say, self._become, self._now, self._opposite = say, become, now, opposite

    def redo(self) -> None:
        """Say it, now and to the next runs."""
        self._do(self._now)

    def undo(self) -> None:
        """Say the opposite."""
        self._do(self._opposite)

    def _do(self, what: tuple[Command, Callable[[Request], Request]]) -> None:
        command, change = what
        self._become(change)
        self._say(command)


class ParameterSet(RequestStep):
    """Another value of a planner's parameter, for this run and the next ones."""

    def __init__(self, context: Context, words: str, name: str, value: Value, before: Value):
        super().__init__(words, context.post, context.become, (SetParameter(name, value), self._with),
                         (SetParameter(name, before), self._without))
        self._name, self._value = name, value
        self._former: Mapping[str, Value] = {}

    def _with(self, request: Request) -> Request:
        self._former = request.parameters
        return replace(request, parameters={**request.parameters, self._name: self._value})

    def _without(self, request: Request) -> Request:
        return replace(request, parameters=self._former)


class ChoiceStep(QUndoCommand):
    """Other parts for the run: a new run is prepared. Undoing prepares one of the former parts."""

    def __init__(self, words: str, prepare: Callable[[Request], None], before: Request, after: Request):
        super().__init__(words)
        self._prepare, self._before, self._after = prepare, before, after

    def redo(self) -> None:
        """Prepare a run of the new parts."""
        self._prepare(self._after)

    def undo(self) -> None:
        """Prepare a run of the former parts."""
        self._prepare(self._before)


class MoveStep(QUndoCommand):
    """The run went to another branch: undoing goes back to the branch it was on. It has happened when this is pushed."""

    def __init__(self, words: str, switch: Callable[[int], None], before: int, after: int):
        super().__init__(words)
        self._switch, self._before, self._after, self._done = switch, before, after, True

    def redo(self) -> None:
        """Go there again, from the second time on."""
        if self._done:
            self._done = False
        else:
            self._switch(self._after)

    def undo(self) -> None:
        """Go back."""
        self._switch(self._before)


@dataclass(frozen=True, slots=True)
class Final:
    """Why an act cannot be undone.

    Attributes:
        what: the act in words.
        turn: the turn to rewind to instead, of `branch`; 0: none.
    """

    what: str
    branch: int = 0
    turn: int = 0


class Irreversible(QUndoCommand):
    """An act that stays done. It keeps its place in the order of acts, so that no earlier one is undone instead."""

    def __init__(self, final: Final):
        super().__init__(final.what)
        self.final = final

    def redo(self) -> None:
        """It is done already."""

    def undo(self) -> None:
        """It stays done."""
