"""A run in a few numbers, as lists of runs show it: what its last snapshot holds."""

from __future__ import annotations

from dataclasses import dataclass

from core.session.outcome import Outcome, reason_in_words
from core.session.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A summary of a run.

    Attributes:
        turns: number of completed turns, on all branches.
        length: the number of turns in which the run came to its outcome: those of one line of branches.
        seconds: seconds of work.
        branches: number of branches.
        acts: number of commands with which the operator changed the run.
        labels: number of labels that were given or changed.
        came_to: the outcome of the run, as a recording of it reports it.
        is_over: whether the branch that is played has ended.
    """

    planner: str
    simulator: str
    scene: str
    seed: int
    goal: str
    turns: int
    length: int
    seconds: float
    branches: int
    acts: int
    labels: int
    came_to: Outcome
    is_over: bool

    @property
    def is_worth_keeping(self) -> bool:
        """True if dropping the run would lose something. A run that was only prepared holds nothing."""
        return bool(self.turns or self.acts or self.labels)

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        return reason_in_words(self.came_to.reason)


def summary_of(now: Snapshot) -> RunSummary:
    """Returns the summary of a run whose last snapshot is `now`."""
    began, goal, outcome = now.began, now.goal, now.outcome
    names = ("", "", "", 0) if began is None else (began.planner, began.simulator, began.scene, began.seed)
    return RunSummary(*names, "" if goal is None else goal.text, len(now.turns), steps_of(now, outcome.branch), now.worked,
                      len(now.branches), now.interventions, now.labelled, outcome, now.ended is not None)


def steps_of(now: Snapshot, branch: int) -> int:
    """Returns the number of completed turns that lead to the last state of a branch, with those of its parents."""
    own = next((turn.number for turn in reversed(now.turns) if turn.branch == branch), None)
    return own if own is not None else next((turn - 1 for number, _, turn in now.branches if number == branch), 0)
