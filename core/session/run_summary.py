"""A summary of a run in a few numbers, updated event by event. Lists of runs show it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from core.session import commands as c
from core.session import events as e
from core.session.outcome import CUT_OFF, NO_STATES, Outcome, States, branch_of, outcome_of, states_after

ACTS = (c.Edit, c.Ban, c.Unban, c.Override, c.SetParameter, c.SetGoal, c.Rewind, c.Fork, c.Switch, c.Answer)
"""Commands that count as interventions of the operator."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A summary of a run.

    Attributes:
        turns: number of completed turns, on all branches.
        seconds: work time of those turns (thinking, waiting for the model, acting), in seconds.
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
    summary = replace(summary, branch=branch, states=states_after(summary.states, branch, event.number, event.what))
    match event.what:
        case e.Began() as began:
            return replace(summary, planner=began.planner, simulator=began.simulator, scene=began.scene, seed=began.seed,
                           goal=began.goal.text)
        case e.Acted(thinking=thinking, waiting=waiting, acting=acting):
            return replace(summary, turns=summary.turns + 1, seconds=summary.seconds + thinking + waiting + acting)
        case e.Rewound():
            return replace(summary, branches=summary.branches + 1)
        case e.Annotated() | e.Relabelled():
            return replace(summary, labels=summary.labels + 1)
        case e.CommandTaken(ok=True, command=command):
            return _after_command(summary, command)
        case _:
            return summary


def _after_command(summary: RunSummary, command: c.Command) -> RunSummary:
    goal = command.goal.text if isinstance(command, c.SetGoal) else summary.goal
    return replace(summary, goal=goal, acts=summary.acts + 1) if isinstance(command, ACTS) else summary
