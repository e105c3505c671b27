"""What planners of rearrangement tasks have in common: a turn from observation to decision, an operator's edits, the chores."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal
from core.planning.facets import Belief, Facet, GoalProgress, Plan
from core.planning.planner import Decision, Planner, Sent, Thought, Yielded
from core.planning.regression import Stuck
from core.planning.subgoals import next_chore
from core.search.macros import ADMISSIBLE, MACROS
from core.search.model import HELD, Floats, State
from core.search.phrases import to_actions
from core.search.problem import Macro, Problem
from core.search.rearrangement import Rearrangement
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

PATIENCE = 6
"""Refusals in a row after which it gives up rather than loop."""
MOST_HISTORY = 1000
"""Actions remembered."""
AS_PLANNED = "as planned"
REMEDY = "needed first, the world said"
Turn = Generator[Yielded, Sent, Decision | None]
"""One try at a decision; None: the operator changed something, begin anew."""


@dataclass(frozen=True)
class RearrangementParameters(Parameters):
    """What is known beforehand."""

    ban_goal_places: bool = parameter(True, "a thing still missing is not believed to lie at the goal's own places")


class RearrangementPlanner(Planner):
    """Base of planners that move things: a subclass says what is believed and what is done next."""

    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, GoalProgress, Plan})
    edits: ClassVar[frozenset[type[Facet]]] = frozenset({Belief})
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms"})
    searches: ClassVar[bool] = True
    clutter: ClassVar[bool] = False

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """A new episode."""
        self._schemas = schemas
        self._mind = Rearrangement(goal, schemas, all_seen=self.omniscient, clutter=self.sees_clutter(),
                                   ban_goal_places=self.settings().ban_goal_places)
        self._rng = np.random.default_rng((seed, 211))
        self._queue: tuple[Action, ...] = ()
        self._expected: Action | None = None
        self._history: tuple[Action, ...] = ()
        self._refusals = 0
        self._stale = False
        self._shown: tuple[Facet, ...] = ()

    # --- what a subclass says -------------------------------------------------
    @abstractmethod
    def settings(self) -> RearrangementParameters:
        """The present parameters."""

    @abstractmethod
    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Ask for what the belief needs."""

    @abstractmethod
    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Decide, when something is left to move, fetch or look for."""

    def sees_clutter(self) -> bool:
        """Whether things that no literal asks for are part of the problem."""
        return False

    def forget(self) -> None:
        """The goal has changed, or an operator the belief: drop what was said about the old one."""

    # --- the operator ---------------------------------------------------------
    def accept(self, facet: Facet) -> None:
        """Take an operator's belief; thinking under way begins anew with it.

        Raises:
            UsageError: a belief about other places, or values that are no probabilities.
        """
        if not isinstance(facet, Belief):
            super().accept(facet)
            return
        self._mind.table.take(facet)
        self.forget()
        self._restart()

    def set_goal(self, goal: Goal) -> None:
        """Another goal; what was seen stays known."""
        self._mind.set_goal(goal)
        self.forget()
        self._restart()

    def ban(self, actions: frozenset[Action]) -> None:
        """Leave these out from now on; thinking under way begins anew without them."""
        super().ban(actions)
        self._restart()

    def _restart(self) -> None:
        self._queue, self._stale, self._refusals = (), True, 0

    def interrupted(self) -> bool:
        """Whether an operator changed, during this thought, what it stands on."""
        return self._stale

    def update(self, outcome: Outcome) -> None:
        """Hear what was done, whoever chose it."""
        self._mind.hear(outcome)
        self._refusals = 0 if outcome.ok else self._refusals + 1
        self._history = (*self._history[1 - MOST_HISTORY:], outcome.action)
        if not outcome.ok or outcome.action != self._expected:
            self._queue = ()
        self._expected = None

    # --- a turn -----------------------------------------------------------------
    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Where things are now."""
        self._mind.see(observation)
        return self._mind.progress(), self._mind.facet()

    def plan(self, observation: Observation) -> Thought:
        """Think until there is a decision; begin anew when an operator changed the belief or the goal meanwhile."""
        if self._mind.see(observation):
            self._queue = ()
        while True:
            self._stale = False
            decision = yield from self._turn()
            if decision is not None and not self.interrupted():
                self._expected = decision.action
                return decision

    def _turn(self) -> Turn:
        reports = self._mind.progress()
        yield reports
        if reports.reached:
            return Decision(None, "the goal is reached")
        if self._refusals >= PATIENCE:
            return Decision(None, f"{self._refusals} actions in a row were refused")
        remedy = self._mind.refusals.memory.remedies.next(self.banned, self._mind.verbs)
        if remedy is not None:
            return (yield from self._remedied(remedy))
        yield from self.prepare()
        if self.interrupted():
            return None
        yield self._mind.facet()
        if self.interrupted():
            return None
        if self._queue and self._queue[0] not in self.banned:
            return (yield from self._go_on())
        problem, knowledge = self._mind.problem()
        if self._workable(problem, knowledge):
            return (yield from self.choose(problem, knowledge))
        return (yield from self._chore(problem, knowledge))

    def _remedied(self, remedy: Action) -> Turn:
        """What the world said should be done first."""
        self._queue = ()
        yield Plan((remedy,), REMEDY)
        return None if self.interrupted() else Decision(remedy, REMEDY)

    def _go_on(self) -> Turn:
        """The next action of the macro under way, with the pictures of the thought it came from."""
        action, rest = self._queue[0], self._queue[1:]
        yield from self._shown
        yield Plan((action, *rest), AS_PLANNED)
        if self.interrupted():
            return None
        self._queue = rest
        return Decision(action, AS_PLANNED)

    def _workable(self, problem: Problem, knowledge: State) -> bool:
        """Whether anything is left to move, fetch or look for."""
        return not problem.is_reached(knowledge) and bool(problem.greedy(knowledge, self.weights()))

    def weights(self) -> Floats:
        """Returns [places]: the expected number of things still to be found there."""
        total: Floats = self._mind.ghosts()[1].sum(axis=0)
        return total

    def _chore(self, problem: Problem, knowledge: State) -> Turn:
        """What the goal asks beyond moving things, and clearing what is full; what that needs is looked for."""
        mind = self._mind
        try:
            action = next_chore(mind.goal, mind.world.merged(), mind.refusals.memory, mind.verbs)
        except Stuck as stuck:
            way = self._to_hidden(problem, knowledge) or _look(problem, knowledge)
            if way:
                return (yield from self.decided(knowledge, way, f"looking, because {stuck}"))
            return Decision(None, f"every place was looked into: {stuck}")
        if action is None and mind.aim.hidden:
            way = self._to_hidden(problem, knowledge)
            if way:
                return (yield from self.decided(knowledge, way, f"looking for {', '.join(mind.aim.hidden)}"))
        if action is None:
            missing = ", ".join(dict.fromkeys(mind.exhausted()))
            return Decision(None, f"every place was looked into, without {missing}" if missing else "nothing more can be done")
        if action in self.banned:
            return (yield from self.otherwise(problem, knowledge, action))
        yield Plan((action,), "what remains of the goal")
        return None if self.interrupted() else Decision(action, "what remains of the goal")

    def _to_hidden(self, problem: Problem, knowledge: State) -> Macro:
        """The way to a place the goal names and has not been looked into: no other place is worth a step."""
        return _look(problem, knowledge, frozenset(self._mind.aim.hidden))

    def otherwise(self, problem: Problem, knowledge: State, banned: Action | None = None) -> Turn:
        """What could be done instead of something banned: the first way that nobody forbids."""
        refused = self.banned | self._mind.refusals.memory.refused
        for _, macro in (*problem.moves(knowledge, MACROS), *problem.moves(knowledge, ADMISSIBLE)):
            actions = self.actions_of(knowledge, macro)
            if refused.isdisjoint(actions):
                return (yield from self.decided(knowledge, macro, f"{banned or 'what it would do'} is banned"))
        return Decision(None, "all that could be done is banned or was just refused")

    def actions_of(self, knowledge: State, macro: Macro) -> tuple[Action, ...]:
        """Returns primitive actions of the model as actions of the world."""
        return to_actions(self._mind.layout, self._mind.names, macro, int(knowledge.robot[HELD]))

    def decided(self, knowledge: State, macro: Macro, because: str) -> Turn:
        """The first action of a macro now, the others in the turns that follow unless something new is seen."""
        actions = self.actions_of(knowledge, macro)
        banned = next((action for action in actions if action in self.banned), None)
        if banned is not None:
            return (yield from self.otherwise(self._mind.problem()[0], knowledge, banned))
        yield Plan(actions, because)
        if self.interrupted():
            return None
        self._queue = actions[1:]
        return Decision(actions[0], because)


def _look(problem: Problem, knowledge: State, among: frozenset[str] | None = None) -> Macro:
    """The best way to look into one of the places with these ids (None: any place), all of them alike."""
    weights = np.array([float(among is None or p.id in among) for p in problem.layout.places])
    return problem.look(knowledge, weights)
