"""The expert: full observation, regression planning, handcrafted order. An upper bound, and where examples come from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from core.goals.achieved import GoalWatch
from core.goals.grounding import concrete
from core.goals.literals import Goal, Literal, progress, satisfying
from core.planners.shared.rearrangement_planner import REMEDY
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.planner import Decision, Planner, Thought
from core.planning.regression import LAST_STATES, Memory, Regression, Stuck
from core.world.action_phrases import in_words
from core.world.vocabulary import GRABBABLE, Action, ActionSchema, Observation, Outcome

PATIENCE = 6
"""Refusals in a row after which it gives up rather than loop."""


class Oracle(Planner):
    """Completes rearrangement and appliance goals in any world that speaks the common vocabulary."""

    name: ClassVar[str] = "oracle"
    title: ClassVar[str] = "Oracle"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Plan, GoalProgress})
    omniscient: ClassVar[bool] = True

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Forget the last episode; the expert draws nothing by chance, so the seed is not used."""
        del seed
        self._verbs = frozenset(schema.verb for schema in schemas)
        self._goal, self._memory, self._refusals = goal, Memory(), 0
        self._past = GoalWatch()
        self._chosen: dict[Literal, str] = {}
        self._way: tuple[Action, ...] = ()

    def guide(self, way: tuple[Action, ...]) -> None:
        """Follow the world's own way while it leads on."""
        self._way = way

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """How far the goal is reached."""
        return (GoalProgress(progress(self._goal, observation, self._past.see(observation))),)

    def plan(self, observation: Observation) -> Thought:
        """The first action towards the first literal that can be worked on."""
        record = self._past.see(observation)
        yield GoalProgress(progress(self._goal, observation, record))
        goal = concrete(self._goal, observation, record, self._memory.no_space)
        reports = progress(goal, observation, record)
        if all(r.reached for r in reports):
            return Decision(None, "the goal is reached")
        if self._way and self._way[0] not in self.banned:
            yield Plan(self._way, "the world's own way")
            return Decision(self._way[0], "the world's own way")
        if self._refusals >= PATIENCE:
            return Decision(None, f"{self._refusals} actions in a row were refused")
        remedy = self._memory.remedies.next(self.banned, self._verbs)
        if remedy is not None:
            yield Plan((remedy,), REMEDY)
            return Decision(remedy, REMEDY)
        keep = frozenset(s for r in reports if r.literal.predicate != "is" for s in r.subjects[:r.literal.count])
        reasons = []
        regression = Regression(observation, self._memory, keep, self._verbs, free_hand=observation.agent.hands > 1)
        pending = [r.literal for r in reports if not r.reached]
        for literal in sorted(pending, key=lambda x: _order(x, observation)):
            try:
                action = self._towards(literal, regression, keep)
            except Stuck as stuck:
                reasons.append(f"{literal}: {stuck}")
                continue
            if action is not None and action not in self.banned:
                yield Plan((action,), str(literal))
                if action not in self.banned:  # an operator may have said so just now
                    return Decision(action, str(literal))
            if action is not None:
                reasons.append(f"{literal}: “{in_words(action)}” is banned")
        return Decision(None, "; ".join(reasons) or "no action brings the goal nearer")

    def _towards(self, literal: Literal, regression: Regression, keep: frozenset[str]) -> Action | None:
        """The next action for a literal, by the easiest subject not needed elsewhere; a choice is kept while it leads on."""
        done = set(satisfying(literal, regression.world))
        stuck: Stuck | None = None
        subjects = regression.instances(literal.subject)
        for subject in sorted(subjects, key=lambda s: s.id != self._chosen.get(literal)):
            carried = literal.predicate == "is" or GRABBABLE in subject.properties
            slips = (subject.id, "") in regression.memory.no_space
            if subject.id in done or slips or not carried or (subject.id in keep and literal.predicate != "is"):
                continue
            try:
                action = regression.worked_on(literal, subject.id)
            except Stuck as error:
                stuck = error
                continue
            self._chosen[literal] = subject.id
            return action
        raise stuck or Stuck(f"there is no {literal.subject} left to use")

    def update(self, outcome: Outcome) -> None:
        """Learn from refusals; one that rules a place out for good is progress."""
        known = len(self._memory.too_small)
        self._memory.hear(outcome)
        if self._way and outcome.action == self._way[0]:
            self._way = self._way[1:] if outcome.ok else ()
        learned = len(self._memory.too_small) > known
        self._refusals = 0 if outcome.ok or learned else self._refusals + 1


def _order(literal: Literal, world: Observation) -> tuple[int, int, str]:
    """Slice, cook and wash first, then move things (those in the hand first), then doors and switches, then what is held."""
    in_hand = any(world.by_id[h].cls == literal.subject or h == literal.subject for h in world.agent.holding)
    rank = {"is": 0, "inside": 1, "on": 1, "holds": 3}[literal.predicate]
    if literal.predicate == "is" and literal.states & LAST_STATES:
        rank = 2
    return rank, not in_hand, str(literal)
