"""How an episode came out, which may have several branches with an end each, and a summary of the run in a few numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.goals.literals import LiteralProgress
from core.session import commands as c
from core.session import events as e
from core.session.events import Ended, Event, Payload, Rewound, Standing, Switched, TurnBegan

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
    the
    end of the branch that was the last to end by itself: going back to look, and then closing the window, does not undo what
    was reached. If no branch ended by itself, it is the point where the present branch was cut.
    """
    over = [number for number, state in states.items() if state.over]
    if present not in over and over:
        return outcome_of_branch(states, max(over, key=lambda number: states[number].ended_at), present)
    return outcome_of_branch(states, present, present)


class Outcomes:
    """Follows the outcome of an episode, event by event."""

    def __init__(self) -> None:
        self._states, self._present = NO_STATES, 0

    def update(self, event: Event) -> Outcome:
        """Takes one more event. Returns the outcome if it were the last one."""
        self._present = branch_of(event)
        self._states = states_after(self._states, self._present, event.number, event.what)
        return outcome_of(self._states, self._present)


def branch_of(event: Event) -> int:
    """Returns the branch that is present after an event. Some events lead to another branch."""
    return event.what.branch if isinstance(event.what, Rewound | Switched) else event.branch



@dataclass(frozen=True, slots=True)
class RunSummary:
    """A summary of a run.

    Attributes:
        turns: number of completed turns, on all branches.
        steps: for each branch, the number of completed turns that lead to its last state, with those of its parents.
        seconds: seconds of work.
        branches: number of branches.
        acts: number of commands with which the operator changed the run.
        labels: number of labels that were given or changed.
        states: the state each branch has reached, and its end.
        branch: the branch that is played.
    """

    planner: str = ""
    simulator: str = ""
    scene: str = ""
    seed: int = 0
    goal: str = ""
    turns: int = 0
    steps: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    seconds: float = 0.0
    branches: int = 1
    acts: int = 0
    labels: int = 0
    states: States = field(default_factory=lambda: NO_STATES)
    branch: int = 0

    @property
    def came_to(self) -> Outcome:
        """The outcome of the run, as a recording of it reports it."""
        return outcome_of(self.states, self.branch)

    @property
    def length(self) -> int:
        """The number of turns in which the run came to its outcome: those of one line of branches."""
        return self.steps.get(self.came_to.branch, 0)

    @property
    def is_over(self) -> bool:
        """True if the branch that is played has ended."""
        state = self.states.get(self.branch)
        return state is not None and state.ended is not None

    @property
    def is_worth_keeping(self) -> bool:
        """True if dropping the run would lose something. A run that was only prepared holds nothing."""
        return bool(self.turns or self.acts or self.labels)

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        reason = self.came_to.reason
        return {CUT_OFF: "not finished", e.STOPPED: "stopped"}.get(reason, reason)


def summarised(summary: RunSummary, event: e.Event) -> RunSummary:
    """Returns the summary after one more event."""
    branch = branch_of(event)
    summary = replace(summary, branch=branch, states=states_after(summary.states, branch, event.number, event.what),
                      seconds=event.worked)
    match event.what:
        case e.Began() as began:
            return replace(summary, planner=began.planner, simulator=began.simulator, scene=began.scene, seed=began.seed,
                           goal=began.goal.text)
        case e.Acted():
            return replace(_with_steps(summary, event.branch, event.turn), turns=summary.turns + 1)
        case e.Rewound(turn=turn):
            return replace(_with_steps(summary, branch, turn - 1), branches=summary.branches + 1)
        case e.Annotated() | e.Relabelled():
            return replace(summary, labels=summary.labels + 1)
        case e.CommandTaken(ok=True, command=command):
            return _after_command(summary, command)
        case _:
            return summary


def _with_steps(summary: RunSummary, branch: int, steps: int) -> RunSummary:
    return replace(summary, steps=MappingProxyType({**summary.steps, branch: steps}))


def _after_command(summary: RunSummary, command: c.Command) -> RunSummary:
    goal = command.goal.text if isinstance(command, c.SetGoal) else summary.goal
    return replace(summary, goal=goal, acts=summary.acts + 1) if command.is_intervention else summary
