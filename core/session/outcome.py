"""How an episode came out, where it has several branches, each with an end of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.goals.literals import LiteralProgress
from core.session.events import Ended, Event, Payload, Rewound, Standing, Switched, TurnBegan

CUT_OFF = "cut off"
"""Why an episode has no end: its recording stops before one is told."""
LEFT = "left for another branch"
"""Why a branch has no end: the run went on elsewhere."""


@dataclass(frozen=True, slots=True)
class BranchState:
    """How far a branch had come when it was played last.

    Attributes:
        progress: what of the goal was reached.
        ended: its end; None while it has none.
        ended_at: the number of the event that told its end; -1 while it has none.
    """

    progress: tuple[LiteralProgress, ...]
    ended: Ended | None = None
    ended_at: int = -1

    @property
    def over(self) -> bool:
        """Whether it came to an end by itself: reached the goal, used up its steps, or gave up."""
        return self.ended is not None and not self.ended.cut


States = Mapping[int, BranchState]
NO_STATES: States = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an episode, or one branch of it, came to.

    Attributes:
        reason: `goal reached`, `steps used up`, why the planner gave up, `stopped by the operator`, `cut off`, or
            `left for another branch`.
    """

    branch: int
    success: bool
    reason: str
    progress: tuple[LiteralProgress, ...] = ()

    @property
    def words(self) -> str:
        """`reached`, or `not reached: steps used up`."""
        return "reached" if self.success else f"not reached: {self.reason}"


def stated(states: States, branch: int, number: int, what: Payload) -> States:
    """The states of all branches after one more event.

    An end is final: another one told of a branch that has ended is ignored. Only a turn begun on it makes it go on.
    """
    old = states.get(branch)
    match what:
        case TurnBegan(progress=progress):
            new = BranchState(progress)
        case Standing(progress=progress) if old is None or old.ended is None:
            new = BranchState(progress)
        case Ended(progress=progress) if old is None or old.ended is None:
            new = BranchState(progress, what, number)
        case _:
            return states
    return MappingProxyType({**states, branch: new})


def outcome_of_branch(states: States, branch: int, present: int) -> Outcome:
    """What one branch came to."""
    state = states.get(branch, BranchState(()))
    if state.ended is None:
        return Outcome(branch, False, CUT_OFF if branch == present else LEFT, state.progress)
    return Outcome(branch, state.ended.success, state.ended.reason, state.progress)


def outcome_of(states: States, present: int) -> Outcome:
    """What the episode came to.

    That is the end of its present branch, if that came to an end by itself. If the operator cut it short, or it goes on, it is
    the end of the branch that came to an end by itself last: going back to look, and then closing the window, does not
    undo what was reached. If no branch ended by itself, it is where the present one was cut.
    """
    over = [number for number, state in states.items() if state.over]
    if present not in over and over:
        return outcome_of_branch(states, max(over, key=lambda number: states[number].ended_at), present)
    return outcome_of_branch(states, present, present)


class Outcomes:
    """Follows the outcome of an episode, event by event."""

    def __init__(self) -> None:
        self._states, self._present = NO_STATES, 0

    def hear(self, event: Event) -> Outcome:
        """The outcome after one more event, were it the last."""
        self._present = branch_of(event)
        self._states = stated(self._states, self._present, event.number, event.what)
        return outcome_of(self._states, self._present)


def branch_of(event: Event) -> int:
    """The branch that is present after an event: some events lead to another one."""
    return event.what.branch if isinstance(event.what, Rewound | Switched) else event.branch
