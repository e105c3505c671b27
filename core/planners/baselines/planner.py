"""Baselines without a language model: the oracle, and UCT."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import ClassVar

from core.common.parameters import Parameters
from core.goals.literals import Goal, GoalRecord, Literal, LiteralProgress
from core.goals.progress import GoalWatch, progress
from core.goals.tracker import concrete
from core.planners.shared.rearrangement_planner import REMEDY
from core.planners.shared.search_planner import SearchParameters, SearchPlanner
from core.planning.explanation import DecisionEvidence, Evidence, Sentence
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.goal_work import next_step, why_stuck
from core.planning.planner import Decision, Planner, Sent, Thought, Yielded
from core.planning.regression import Memory
from core.planning.sentences import planned, quoted, said
from core.search.search import Policy, Request
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome

PATIENCE = 6
"""Refusals in a row after which the planner gives up instead of looping."""
CHOICES = 50
"""How often in a turn other objects and places are chosen because a ban rules out the first ones."""


class Oracle(Planner):
    """The expert for rearrangement and appliance goals in any world with the common vocabulary."""

    name: ClassVar[str] = "oracle"
    title: ClassVar[str] = "Oracle"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Plan, GoalProgress})
    omniscient: ClassVar[bool] = True

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the goal part it works on."""
        return (*planned(decision, other), *_goal_part(decision))

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode. The expert uses no random numbers, so the seed is ignored."""
        del seed
        self._verbs = frozenset(schema.verb for schema in schemas)
        self._goal, self._memory, self._refusals = goal, Memory(), 0
        self._watch = GoalWatch(goal)
        self._chosen: dict[Literal, str] = {}
        self._gold_path: tuple[Action, ...] = ()

    def guide(self, way: tuple[Action, ...]) -> None:
        """Stores the world's own sequence of actions, which is followed to its end; a step that is refused is passed over."""
        self._gold_path = way

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal."""
        return (GoalProgress(progress(self._goal, observation, self._watch.see(observation))),)

    def plan(self, observation: Observation) -> Thought:
        """Decides for the first action towards the first literal that can be worked on."""
        record = self._watch.see(observation)
        asked = progress(self._goal, observation, record)
        yield GoalProgress(asked)
        reports = progress(concrete(self._goal, observation, record, self._memory.no_space), observation, record)
        if over := _why_over(asked, reports):
            return Decision(None, over)
        if self._gold_path and self._gold_path[0] not in self.banned:
            yield Plan(self._gold_path, "the world's own way")
            return Decision(self._gold_path[0], "the world's own way")
        if self._refusals >= PATIENCE:
            return Decision(None, f"{self._refusals} actions in a row were refused")
        remedy = self._memory.remedies.next(self.banned, self._verbs)
        if remedy is not None:
            yield Plan((remedy,), REMEDY)
            return Decision(remedy, REMEDY)
        while True:
            action, because = self._first_step(observation, record)
            if action is None:
                return Decision(None, because)
            yield Plan((action,), because)
            if action not in self.banned:  # an operator may have banned it during the yield
                return Decision(action, because)

    def _first_step(self, world: Observation, record: GoalRecord) -> tuple[Action | None, str]:
        """Returns the first action towards the first literal that can be worked on, and that literal; else None and why.

        What a ban rules out is replaced by other objects and places that the goal allows.
        """
        full = set(self._memory.no_space)
        for _ in range(CHOICES):
            goal = concrete(self._goal, world, record, full)
            step = next_step(progress(goal, world, record), world, self._memory, self._verbs, self._chosen, self.banned)
            again = {x if x not in full else (x[0], "") for x in step.ruled_out} - full
            if step.action is not None or not again:
                break
            full |= again
        return step.action, str(step.literal) if step.literal else why_stuck(step)

    def update(self, outcome: Outcome) -> None:
        """Learns from a refusal. A refusal that rules out a place permanently counts as progress."""
        known = len(self._memory.too_small)
        self._memory.update(outcome)
        if self._gold_path and outcome.action == self._gold_path[0]:
            self._gold_path = self._gold_path[1:]  # also after a refusal: the world's own solutions contain steps it refuses
        learned = len(self._memory.too_small) > known
        self._refusals = 0 if outcome.ok or learned else self._refusals + 1


def _goal_part(decision: DecisionEvidence) -> Iterator[Sentence]:
    """Yields how far the goal part is that the plan of the turn is for."""
    plan, goal = decision.fresh(Plan), decision.fresh(GoalProgress)
    part = next((p for p in goal.literals if plan is not None and str(p.literal) == plan.because), None) if goal else None
    if part is not None:
        yield said("goal", f"That plan is for the goal part {quoted(str(part.literal))}, which has {part.have} of "
                           f"{part.literal.count}.", Evidence("goal", "goal"),
                   figures={"have": part.have, "count": part.literal.count})


def _why_over(asked: tuple[LiteralProgress, ...], reports: tuple[LiteralProgress, ...]) -> str:
    """Returns why nothing is left to do; empty if something is.

    Args:
        asked: the progress of the goal as it was given.
        reports: the progress of what is to be worked on.
    """
    broken = next((r.literal for r in asked if r.literal.never and not r.reached), None)
    if broken is not None:
        return f"the goal cannot be reached any more: {broken}"
    return "the goal is reached" if all(r.reached for r in reports) else ""


class Uct(SearchPlanner):
    """Monte Carlo tree search without a language model."""

    name: ClassVar[str] = "uct"
    title: ClassVar[str] = "UCT"
    presets: ClassVar[Mapping[str, Parameters]] = {
        "paper": SearchParameters(
            exploration=24.0, depth=20, actions="admissible", rollout="uniform", reward="goal", urgency=False,
            selection="ucb1", worlds="each", strike_refused=False, loop_guard=False, ban_goal_places=False, final="value"),
        "macros": SearchParameters(),
    }
    parameters: SearchParameters

    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Does nothing: the belief is uniform."""
        yield from ()

    def policy(self) -> Policy | None:
        """Returns None: the priors are uniform."""
        return None

    def consult(self, requests: tuple[Request, ...]) -> Generator[Yielded, Sent, None]:
        """Does nothing: without a policy there are no requests."""
        del requests
        yield from ()
