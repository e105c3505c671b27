"""Recorded turns that are replayed before a run goes on: used to continue from where a recording was taken over."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from core.session.commands import Command
from core.session.events import Who
from core.world.vocabulary import Action, Outcome, in_words


@dataclass(frozen=True, slots=True)
class Scripted:
    """One past turn that is replayed without planning.

    Attributes:
        commands: what the operator changed in this turn, executed before its action.
        action: the executed action; None: the turn under way, in which the planner decides as usual.
        told: whether the planner is updated with the outcome.
        ok: whether the action succeeded. If it now comes out differently, the rest of the script is dropped.
    """

    commands: tuple[Command, ...] = ()
    action: Action | None = None
    by: Who = "planner"
    because: str = ""
    instead_of: Action | None = None
    told: bool = True
    ok: bool = True


class Script:
    """The recorded turns that are still to be replayed."""

    def __init__(self, steps: Iterable[Scripted]):
        self._steps = deque(steps)
        self._expected = True

    def __bool__(self) -> bool:
        return bool(self._steps)

    def next(self) -> Scripted:
        """Removes and returns the next turn."""
        step = self._steps.popleft()
        self._expected = step.ok
        return step

    def check_outcome(self, outcome: Outcome) -> str:
        """Takes the outcome of a replayed turn.

        If it differs from the record, drops the rest and returns why; else returns "".
        """
        if outcome.ok == self._expected:
            return ""
        self.forget()
        how = "was done" if outcome.ok else f"was refused: {outcome.reason}"
        return f"this turn went differently when played again: “{in_words(outcome.action)}” {how}; the run goes on from here"

    def forget(self) -> None:
        """Drops the remaining turns."""
        self._steps.clear()
