"""What the baselines have in common: they remember what they saw and did, look again each turn, and do what is possible.

They keep no belief and search no tree of their own; what they do next is a program's line, a classical plan's step, or what a
model says.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from core.goals.literals import Goal
from core.goals.tracker import GoalTracker
from core.planners.shared.rearrangement_planner import Turn
from core.planning.facets import Facet, GoalProgress, Plan, RankedAction, Ranking
from core.planning.planner import Decision, Planner, Thought
from core.planning.regression import Memory
from core.search.phrases import Names
from core.world.affordances import affordances
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, Value

PATIENCE = 12
"""Refusals in a row after which it gives up rather than loop."""
MOST_HISTORY = 1000
"""Actions remembered."""


@dataclass(frozen=True, slots=True)
class Deed(Value):
    """An action that was tried, and what came of it."""

    action: Action
    ok: bool
    reason: str = ""


class ReactivePlanner(Planner):
    """Base of the baselines: a subclass says what is done next, in `choose`."""

    shows: ClassVar[frozenset[type[Facet]]] = frozenset({GoalProgress, Plan, Ranking})

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """A new episode."""
        self._aim, self._schemas = GoalTracker(goal), schemas
        self._verbs = frozenset(schema.verb for schema in schemas)
        self._world, self._memory = KnownWorld(all_seen=self.omniscient), Memory()
        self._history: tuple[Deed, ...] = ()
        self._refusals = 0
        self._stale = False
        self._seed = seed
        self._rng = np.random.default_rng((seed, 307))
        self.forget()

    @abstractmethod
    def choose(self, seen: Observation) -> Turn:
        """Decide; None when the operator changed something meanwhile: it is then called again.

        `seen` has all furniture known from before as landmarks.
        """

    def forget(self) -> None:
        """The goal has changed: drop what was thought about the old one."""

    def turned(self) -> None:
        """What the goal means for known things has changed: plans made before may be for other things."""

    # --- the operator -----------------------------------------------------------
    def set_goal(self, goal: Goal) -> None:
        """Another goal; what was seen stays known."""
        self._aim = GoalTracker(goal)
        self._aim.see(self._world)
        self.forget()
        self.restart()

    def ban(self, actions: frozenset[Action]) -> None:
        """Leave these out from now on; a decision under way is made anew."""
        super().ban(actions)
        self.restart()

    def reseed(self, round_: int) -> None:
        """Draw other random numbers."""
        self._rng = np.random.default_rng((self._seed, 307, round_))

    def restart(self) -> None:
        """What a decision under way stands on has changed."""
        self._stale, self._refusals = True, 0

    def interrupted(self) -> bool:
        """Whether an operator changed, during this thought, what it stands on."""
        return self._stale

    # --- a turn -----------------------------------------------------------------
    def update(self, outcome: Outcome) -> None:
        """Hear what was done, whoever chose it."""
        self._memory.hear(outcome)
        self._refusals = 0 if outcome.ok else self._refusals + 1
        self._history = (*self._history[1 - MOST_HISTORY:], Deed(outcome.action, outcome.ok, outcome.reason))

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """How far the goal is reached."""
        self._take_in(observation)
        return (self.progress(),)

    def _take_in(self, observation: Observation) -> None:
        """Take an observation, and turn where the goal now means other things."""
        self._world.see(observation)
        if self._aim.see(self._world, self._memory.no_space):
            self.turned()

    def plan(self, observation: Observation) -> Thought:
        """Think until there is a decision; begin anew when an operator changed something meanwhile."""
        self._take_in(observation)
        while True:
            self._stale = False
            reports = self.progress()
            yield reports
            if reports.reached:
                return Decision(None, "the goal is reached")
            if self._refusals >= PATIENCE:
                return Decision(None, f"{self._refusals} actions in a row were refused")
            if self.interrupted():
                continue
            decision = yield from self.choose(self._mapped(observation))
            if decision is not None and not self.interrupted():
                return decision

    def _mapped(self, seen: Observation) -> Observation:
        """What is seen now, with all furniture known from before as landmarks: a map is kept, what lies about is not."""
        known = (e for e in self._world.entities.values() if e.category == "furniture" and e.id not in seen.by_id)
        return replace(seen, landmarks=tuple(known))

    # --- what subclasses use ------------------------------------------------------
    def progress(self) -> GoalProgress:
        """How far the goal is reached, as far as is known."""
        return GoalProgress(self._aim.progress())

    def possible(self, seen: Observation) -> tuple[Action, ...]:
        """What could be done now, without what is banned or was just refused."""
        return affordances(seen, self._schemas, self.banned | self._memory.refused)

    def names(self) -> Names:
        """What things are called."""
        return Names(self._world.entities.values(), self._schemas)


def considered(actions: Sequence[Action], chosen: Action) -> Ranking:
    """The actions a decision was made among, the chosen one first (the papers' "actions considered per decision")."""
    rest = (action for action in actions if action != chosen)
    ranked = [RankedAction((chosen,), 1.0, 0, None, 0.0, None), *(RankedAction((a,), 0.0, 0, None, 0.0, None) for a in rest)]
    return Ranking(tuple(ranked), 0, 0, (chosen,))
