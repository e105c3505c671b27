"""Turns that are known beforehand: a run that goes on from where a recording was taken over first plays them again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from core.session.commands import Command
from core.session.events import Who
from core.world.action_phrases import in_words
from core.world.vocabulary import Action, Outcome


@dataclass(frozen=True, slots=True)
class Scripted:
    """One turn of the past, played without thinking.

    Attributes:
        commands: what the operator changed in this turn, obeyed before its action.
        action: what was done; None: the turn under way, which the planner thinks about as usual.
        told: whether the planner hears what came of it.
        ok: whether the world let it happen; where it does otherwise now, the rest of the script is not played.
    """

    commands: tuple[Command, ...] = ()
    action: Action | None = None
    by: Who = "planner"
    because: str = ""
    instead_of: Action | None = None
    told: bool = True
    ok: bool = True


class Script:
    """What is left of the past to be played."""

    def __init__(self, steps: Iterable[Scripted]):
        self._steps = deque(steps)
        self._expected = True

    def __bool__(self) -> bool:
        return bool(self._steps)

    def next(self) -> Scripted:
        """The next turn."""
        step = self._steps.popleft()
        self._expected = step.ok
        return step

    def hear(self, outcome: Outcome) -> str:
        """What came of it. Where the world is not the recorded one the rest is dropped; why, in words, or nothing."""
        if outcome.ok == self._expected:
            return ""
        self.forget()
        how = "was done" if outcome.ok else f"was refused: {outcome.reason}"
        return f"this turn went differently when played again: “{in_words(outcome.action)}” {how}; the run goes on from here"

    def forget(self) -> None:
        """No more of it."""
        self._steps.clear()
