"""The base class of reactive planners: they remember what they saw and did, and choose from the possible actions each turn.

They keep no belief and search no tree. The next action is a line of a program, a step of a classical plan, or the reply of a
model.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np

from core.goals.kinds import is_a
from core.goals.literals import Goal
from core.goals.tracker import GoalTracker
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.names import Names
from core.planning.planner import Decision, RestartingPlanner, Turn
from core.planning.regression import Memory
from core.planning.search_facets import Ranking
from core.world.affordances import affordances, useful
from core.world.known_world import KnownWorld
from core.world.vocabulary import Action, ActionSchema, Done, Observation, Outcome

PATIENCE = 12
"""Refusals in a row after which the planner gives up instead of looping."""
MOST_HISTORY = 1000
"""The maximum number of remembered actions."""


class ReactivePlanner(RestartingPlanner):
    """Base class of the reactive planners. A subclass implements `choose`."""

    shows: ClassVar[frozenset[type[Facet]]] = frozenset({GoalProgress, Plan, Ranking})

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        self._aim, self._every_schema = GoalTracker(goal), schemas
        self._verbs = frozenset(schema.verb for schema in schemas)
        self._world, self._memory = KnownWorld(all_seen=self.omniscient), Memory()
        self._history: tuple[Done, ...] = ()
        self._refusals = 0
        self._seed = seed
        self._rng = np.random.default_rng((seed, 307))
        self.forget()

    @abstractmethod
    def choose(self, seen: Observation) -> Turn:
        """Returns the decision, or None if the operator changed something during planning; `choose` is then called again.

        Args:
            seen: the observation, with all known furniture as landmarks.
        """

    def forget(self) -> None:
        """Discards plans for the old goal. Called when the goal is replaced."""

    def turned(self) -> None:
        """Discards plans when the goal refers to other objects than before, because more objects are known."""

    # --- operator edits ---------------------------------------------------------
    def set_goal(self, goal: Goal) -> None:
        """Replaces the goal; observations are kept."""
        self._aim = GoalTracker(goal)
        self._aim.see(self._world)
        self.forget()
        self.restart()

    def reseed(self, round_: int) -> None:
        """Switches to another stream of random numbers."""
        self._rng = np.random.default_rng((self._seed, 307, round_))

    def restart(self) -> None:
        """Starts the decision in progress again, and counts refusals from zero."""
        super().restart()
        self._refusals = 0

    # --- a turn -----------------------------------------------------------------
    def update(self, outcome: Outcome) -> None:
        """Records the executed action, no matter who chose it."""
        self._memory.update(outcome)
        self._refusals = 0 if outcome.ok else self._refusals + 1
        self._history = (*self._history[1 - MOST_HISTORY:], Done(outcome.action, outcome.ok, outcome.reason))

    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal."""
        self.look(observation)
        return (self.progress(),)

    def look(self, observation: Observation) -> None:
        """Processes an observation, and calls `turned` if the goal now refers to other objects."""
        self._seen = observation
        self._world.see(observation)
        if self._aim.see(self._world, self._memory.no_space):
            self.turned()

    def attempt(self) -> Turn:
        """Chooses, unless the goal is reached or too many actions were refused."""
        reports = self.progress()
        yield reports
        if reports.reached:
            return Decision(None, "the goal is reached")
        if self._refusals >= PATIENCE:
            return Decision(None, f"{self._refusals} actions in a row were refused")
        return None if self.interrupted() else (yield from self.choose(self._with_map(self._seen)))

    def _with_map(self, seen: Observation) -> Observation:
        """Returns the observation with all known furniture as landmarks. The map is kept, the positions of objects are not."""
        known = (e for e in self._world.entities.values() if e.category == "furniture" and e.id not in seen.by_id)
        return replace(seen, landmarks=tuple(known))

    # --- for subclasses -------------------------------------------------------------
    @property
    def _schemas(self) -> tuple[ActionSchema, ...]:
        """The verbs that are of use to the goal."""
        return useful(self._every_schema, self._aim.asked.verbs, self._world.agent.posture)

    def progress(self) -> GoalProgress:
        """Returns the progress of the goal, as far as it is known."""
        return GoalProgress(self._aim.progress())

    def possible(self, seen: Observation) -> tuple[Action, ...]:
        """Returns the possible actions without those that are banned or were just refused."""
        named = {part for x in self._aim.asked.literals if x.is_about_robot for part in x.subject.split("|")}
        return affordances(seen, self._schemas, self.banned | self._memory.refused,
                           lambda entity: any(is_a(entity, name) for name in named))

    def names(self) -> Names:
        """Returns the display names."""
        return Names(self._world.entities.values(), self._schemas)
