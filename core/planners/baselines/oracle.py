"""The expert: full observation, regression planning, handcrafted order. It is an upper bound and the source of examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from core.goals.literals import Goal, Literal, progress, satisfying
from core.goals.tracker import GoalWatch, concrete
from core.planners.shared.rearrangement_planner import REMEDY
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.planner import Decision, Planner, Thought
from core.planning.regression import LAST_STATES, Memory, Regression, Stuck
from core.world.action_phrases import in_words
from core.world.vocabulary import GRABBABLE, Action, ActionSchema, Observation, Outcome

PATIENCE = 6
"""Refusals in a row after which the planner gives up instead of looping."""


class Oracle(Planner):
    """The expert for rearrangement and appliance goals in any world with the common vocabulary."""

    name: ClassVar[str] = "oracle"
    title: ClassVar[str] = "Oracle"
    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Plan, GoalProgress})
    omniscient: ClassVar[bool] = True

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode. The expert uses no random numbers, so the seed is ignored."""
        del seed
        self._verbs = frozenset(schema.verb for schema in schemas)
        self._goal, self._memory, self._refusals = goal, Memory(), 0
        self._watch = GoalWatch()
        self._chosen: dict[Literal, str] = {}
        self._gold_path: tuple[Action, ...] = ()

    def guide(self, way: tuple[Action, ...]) -> None:
        """Stores the world's own sequence of actions, which is followed as long as it succeeds."""
        self._gold_path = way

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal."""
        return (GoalProgress(progress(self._goal, observation, self._watch.see(observation))),)

    def plan(self, observation: Observation) -> Thought:
        """Decides for the first action towards the first literal that can be worked on."""
        record = self._watch.see(observation)
        yield GoalProgress(progress(self._goal, observation, record))
        goal = concrete(self._goal, observation, record, self._memory.no_space)
        reports = progress(goal, observation, record)
        if all(r.reached for r in reports):
            return Decision(None, "the goal is reached")
        if self._gold_path and self._gold_path[0] not in self.banned:
            yield Plan(self._gold_path, "the world's own way")
            return Decision(self._gold_path[0], "the world's own way")
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
                if action not in self.banned:  # an operator may have banned it during the yield
                    return Decision(action, str(literal))
            if action is not None:
                reasons.append(f"{literal}: “{in_words(action)}” is banned")
        return Decision(None, "; ".join(reasons) or "no action brings the goal nearer")

    def _towards(self, literal: Literal, regression: Regression, keep: frozenset[str]) -> Action | None:
        """Returns the next action for a literal, with the easiest subject not needed elsewhere.

        The subject is kept as long as it can be used.
        """
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
        """Learns from a refusal. A refusal that rules out a place permanently counts as progress."""
        known = len(self._memory.too_small)
        self._memory.hear(outcome)
        if self._gold_path and outcome.action == self._gold_path[0]:
            self._gold_path = self._gold_path[1:] if outcome.ok else ()
        learned = len(self._memory.too_small) > known
        self._refusals = 0 if outcome.ok or learned else self._refusals + 1


def _order(literal: Literal, world: Observation) -> tuple[int, int, str]:
    """Returns the sort key of a literal: preparing, moving (held objects first), doors and switches, holding."""
    in_hand = any(world.by_id[h].cls == literal.subject or h == literal.subject for h in world.agent.holding)
    rank = {"is": 0, "inside": 1, "on": 1, "holds": 3}[literal.predicate]
    if literal.predicate == "is" and literal.states & LAST_STATES:
        rank = 2
    return rank, not in_hand, str(literal)
