"""FF-Replan: determinizes, plans classically with Fast Downward, follows the plan until a surprise, and plans again.

Yoon, Fern, Givan: FF-Replan: A Baseline for Probabilistic Planning (2007), as compared with in the blocking-conditions paper
(section V-C). Preset `full` plans with all observed locations. Preset `limited` discards, before each plan, the location of
every goal object that is not in sight, so that all locations are possible again. An object never seen is assumed to be wherever
it suits the plan best. (The paper's full version was given the locations; here only the oracle is.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planners.ff_replan.solver import Solver, missing
from core.planners.ff_replan.task import Builder, Operator, Place, Scope, Surveyor, Task
from core.planners.shared.reactive_planner import ReactivePlanner
from core.planners.shared.rearrangement_planner import AS_PLANNED, REMEDY
from core.planning.explanation import DecisionEvidence, Sentence
from core.planning.exploration import next_look, remembered
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.planner import Decision, Sent, Turn, Yielded
from core.planning.regression import LAST_STATES, Regression
from core.planning.search_facets import Ranking, considered
from core.planning.sentences import offered, planned
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

NO_PLAN, EMPTY = "no plan leads to the goal with what is known", "the plan is empty"
REFUSED_FOR_GOOD = 2
"""The number of refusals after which plans no longer use an action."""


@dataclass(frozen=True)
class FfReplanParameters(Parameters):
    """Parameters of the classical plans."""

    knows: str = parameter("full", "locations in a plan: all that were seen (full), or only of what is in sight (limited)",
                           choices=("full", "limited"))
    seconds: float = parameter(30.0, "time for one plan", low=1, high=600, unit="s")
    plans: int = parameter(80, "plans made for a goal before it gives up", low=1, high=10_000)


class FfReplan(ReactivePlanner):
    """Follows optimistic classical plans by Fast Downward and replans after every surprise."""

    name: ClassVar[str] = "ff-replan"
    title: ClassVar[str] = "FF-Replan"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({GoalProgress, Plan, Ranking})
    presets: ClassVar[Mapping[str, Parameters]] = {
        "full": FfReplanParameters(), "limited": FfReplanParameters(knows="limited"),
    }
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms"})
    parameters: FfReplanParameters

    @classmethod
    def missing(cls) -> str:
        """Returns which packages of the extra `classical` are missing."""
        return missing("planner 'ff-replan'")

    @classmethod
    def why(cls, decision: DecisionEvidence, other: Action) -> tuple[Sentence, ...]:
        """Returns why an action was chosen: by the plan of the classical planner, and the actions of its task."""
        return (*planned(decision, other, "classical plan"), *offered(decision, other))

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        self._solver = Solver()
        self._ruled_out: frozenset[tuple[str, Place]] = frozenset()
        self._refused: Counter[Action] = Counter()
        self._tried: frozenset[Action] = frozenset()
        super().begin(goal, schemas, seed)

    def forget(self) -> None:
        """Discards the plan, which was for the old goal."""
        self._plan: tuple[Operator, ...] = ()
        self._task: Task | None = None
        self._made = 0
        self._lost: frozenset[str] = frozenset()
        self._expected: Action | None = None

    def turned(self) -> None:
        """Discards the plan, because the goal refers to other objects now."""
        self._plan = ()

    def restart(self) -> None:
        """Discards the plan and restarts the decision, because something it depends on has changed."""
        super().restart()
        self._plan = ()

    def update(self, outcome: Outcome) -> None:
        """Records the executed action. A refusal, or another action than the planned one, ends the plan."""
        super().update(outcome)
        if not outcome.ok:
            self._refused[outcome.action] += 1
        if not outcome.ok or outcome.action != self._expected:
            self._plan = ()
        self._expected = None

    # --- a decision ---------------------------------------------------------------------
    def choose(self, seen: Observation) -> Turn:
        """Follows the plan; makes another if there is none or an observation contradicts it."""
        remedy = self._memory.remedies.next(self._without(), self._verbs)
        if remedy is not None:
            return (yield from self._approach(seen, remedy, REMEDY))
        return (yield from self._planned(seen))

    def _planned(self, seen: Observation) -> Turn:
        """Decides for the next action of the plan, of a search that precedes it, or of a new plan."""
        if any(self._is_found(thing) for thing in self._lost):
            self._plan = ()
        while True:
            self._end_at_look()
            if self._plan:
                return (yield from self._follow())
            if self._made >= self.parameters.plans:
                return Decision(None, f"{self._made} plans did not reach the goal")
            survey = self._survey(seen)
            scope = survey.scope()
            first = self._search_first(seen, survey, scope)
            if first is not None:
                return (yield from first)
            reason = yield from self._replan(survey, scope)
            if self.interrupted():
                return None
            if reason == EMPTY and self._aim.hidden:
                return (yield from self._explore(seen, self._aim.hidden, self._aim.hidden))
            if reason == NO_PLAN and seen.partial and self._ruled_out:
                self._ruled_out = frozenset()  # outside a camera's view is not absent: search again from elsewhere
            elif reason:
                return Decision(None, reason)

    def _is_found(self, thing: str) -> bool:
        """Returns True if an object that a plan assumed to be lost is in sight now."""
        known = self._world.merged()
        return any(thing.partition("?")[0] in (e.id, e.cls) and e.id not in self._lost and e.category == "object"
                   for e in known.entities) if "?" in thing else thing in known.by_id

    def _end_at_look(self) -> None:
        """Ends a plan that has reached an observation: it found an object, or it did not, which is a surprise."""
        if self._plan and self._plan[0].action is None and self._plan[0].looks is not None:
            self._rule_out(self._plan[0].looks)
            self._plan = ()

    def _rule_out(self, looks: tuple[str, str]) -> None:
        thing, (spot, kind) = looks[0], looks[1].rsplit(" ", 1)
        self._ruled_out |= {(thing, (spot, kind))}

    def _follow(self) -> Turn:
        """Decides for the plan's next action."""
        operator, rest = self._plan[0], self._plan[1:]
        assert operator.action is not None, "looks are done with before"
        assert self._task is not None, "a plan has its task"
        actions = tuple(o.action for o in self._plan if o.action is not None)
        because = AS_PLANNED if len(actions) < self._length else f"plan {self._made} of {self._length} actions"
        yield considered(self._task.actions, operator.action)
        yield Plan(actions, because)
        if self.interrupted():
            return None
        self._expected, self._plan = operator.action, rest
        if operator.looks is not None:  # the observation changes the task, or is a surprise
            self._rule_out(operator.looks)
            self._plan = ()
        return Decision(operator.action, because)

    def _search_first(self, seen: Observation, survey: Surveyor, scope: Scope) -> Turn | None:
        """Returns the search that must precede planning; None if nothing must be seen first."""
        if scope.unknown:
            return self._explore(seen, scope.unknown)
        if self._aim.hidden and not scope.needs:
            return self._explore(seen, self._aim.hidden, self._aim.hidden)
        unsure = self._unverified_state(survey.regression, scope)
        return None if unsure is None else self._approach(seen, unsure)

    def _unverified_state(self, regression: Regression, scope: Scope) -> Action | None:
        """Returns the way to an entity known only from a map, whose state a plan must not assume; or None."""
        turned = [(n.thing, s) for n in scope.needs for s in sorted(n.literal.states & LAST_STATES)]
        steps = (regression.seen(thing, state) for thing, state in turned if thing in self._world.entities)
        return next((step for step in steps if step is not None and step not in self._without()), None)

    def _approach(self, seen: Observation, action: Action, because: str = "to see what is on and open there") -> Turn:
        yield considered(self.possible(seen), action)
        decision = yield from self.decide((action,), because)
        self._expected = decision.action if decision is not None else None
        return decision

    def _explore(self, seen: Observation, unknown: tuple[str, ...], among: tuple[str, ...] = ()) -> Turn:
        """Searches for something the goal needs that was never seen; without it, no task can be stated.

        Args:
            seen: the observation.
            unknown: the names for the reason.
            among: ids of the places to search; empty: all.
        """
        names = ", ".join(dict.fromkeys(unknown))
        action = next_look(self._world, self._verbs, self._without(), self._tried, partial=seen.partial, among=among)
        if action is None:
            return Decision(None, f"no way to {names} was found")
        decision = yield from self._approach(seen, action, f"looking for {names}")
        if decision is not None:
            self._tried |= {remembered(action, seen.agent.room)}
        return decision

    # --- planning -------------------------------------------------------------------------
    def _without(self) -> frozenset[Action]:
        again = (a for a, times in self._refused.items() if times >= REFUSED_FOR_GOOD)
        return self.banned | frozenset(self._memory.refused) | frozenset(again)

    def _survey(self, seen: Observation) -> Surveyor:
        regression = Regression(self._world.merged(), self._memory, frozenset(), self._verbs)
        return Surveyor(self._world, self._aim.plain, regression, limited=self.parameters.knows == "limited",
                        partial=seen.partial, in_sight=frozenset(seen.by_id), ruled_out=self._ruled_out,
                        no_space=self._memory.no_space)

    def _replan(self, survey: Surveyor, scope: Scope) -> Generator[Yielded, Sent, str]:
        """Makes a plan. Returns why there is none, or an empty string."""
        task = Builder(survey, scope, self._verbs, self._without(), self._memory.no_space).task()
        self._made += 1
        reports = self.progress()
        solver, ready = self._solver, False
        solver.begin(task, self.parameters.seconds)
        try:
            while not (ready := solver.ready()):
                yield reports  # nothing has changed: gives the operator an opportunity to act
                if self.interrupted():
                    return ""
        finally:
            if not ready:
                solver.drop()
        if solver.late:
            return f"no plan was found in {self.parameters.seconds:g} s"
        if solver.trouble:
            return f"Fast Downward failed: {solver.trouble}"
        if solver.plan is None:
            return NO_PLAN
        self._plan, self._task, self._lost = solver.plan, task, scope.lost
        self._length = sum(o.action is not None for o in solver.plan)
        return "" if solver.plan else EMPTY
