"""How an episode came out, which may have several branches with an end each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.goals.literals import LiteralProgress
from core.session.events import STOPPED, Ended, Event, Payload, Rewound, Standing, Switched, TurnBegan

CUT_OFF = "cut off"
"""The reason of an episode without an end: its recording stops before one is reported."""
LEFT = "left for another branch"
"""The reason of a branch without an end: the run went on on another branch."""


@dataclass(frozen=True, slots=True)
class BranchState:
    """The state a branch had reached when it was last played.

    Attributes:
        progress: the progress towards the goal.
        ended: its end; None while it has none.
        ended_at: the number of the event that reported its end; -1 while it has none.
    """

    progress: tuple[LiteralProgress, ...]
    ended: Ended | None = None
    ended_at: int = -1

    @property
    def over(self) -> bool:
        """True if it ended by itself: it reached the goal, used up its steps, or gave up."""
        return self.ended is not None and not self.ended.cut


States = Mapping[int, BranchState]
NO_STATES: States = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an episode, or of one branch of it.

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


def states_after(states: States, branch: int, number: int, what: Payload) -> States:
    """Returns the states of all branches after one more event.

    An end is final: a further end of an ended branch is ignored. Only a turn that begins on the branch makes it go on.
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
    """Returns the outcome of one branch."""
    state = states.get(branch, BranchState(()))
    if state.ended is None:
        return Outcome(branch, False, CUT_OFF if branch == present else LEFT, state.progress)
    return Outcome(branch, state.ended.success, state.ended.reason, state.progress)


def outcome_of(states: States, present: int) -> Outcome:
    """Returns the outcome of the episode.

    It is the end of the present branch, if that ended by itself. If the operator stopped it, or it is not over, the outcome is
    the end of the branch that was the last to end by itself: going back to look, and then closing the window, does not undo
    what was reached. If no branch ended by itself, it is the point where the present branch was cut.
    """
    over = [number for number, state in states.items() if state.over]
    if present not in over and over:
        return outcome_of_branch(states, max(over, key=lambda number: states[number].ended_at), present)
    return outcome_of_branch(states, present, present)


def reason_in_words(reason: str) -> str:
    """Returns why an episode ended, in the few words of a list of runs."""
    return {CUT_OFF: "not finished", STOPPED: "stopped"}.get(reason, reason)


def branch_of(event: Event) -> int:
    """Returns the branch that is present after an event. Some events lead to another branch."""
    return event.what.branch if isinstance(event.what, Rewound | Switched) else event.branch
