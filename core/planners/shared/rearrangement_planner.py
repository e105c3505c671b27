"""The base class of planners for rearrangement tasks: the steps of a turn, operator edits, and literals beyond placement."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from core.common.parameters import Parameters, parameter
from core.goals.literals import Goal, Literal
from core.planning.belief_facets import Belief
from core.planning.exploration import next_chore
from core.planning.facets import Facet, GoalProgress, Plan
from core.planning.planner import Decision, RestartingPlanner, Sent, Turn, Yielded
from core.planning.regression import Stuck
from core.search.macros import ADMISSIBLE, MACROS
from core.search.model import HELD, Floats, State
from core.search.problem import Macro, Problem
from core.search.rearrangement import Rearrangement
from core.search.translation import to_actions
from core.world.affordances import useful
from core.world.vocabulary import Action, ActionSchema, Observation, Outcome, WorldKind

PATIENCE = 6
"""Refusals in a row after which the planner gives up instead of looping."""
MOST_HISTORY = 1000
"""The maximum number of remembered actions."""
AS_PLANNED = "as planned"
REMEDY = "needed first, the world said"
REMAINING = "what remains of the goal"


@dataclass(frozen=True)
class RearrangementParameters(Parameters):
    """Parameters of the belief."""

    ban_goal_places: bool = parameter(True, "a thing still missing is not believed to lie at the goal's own places")


class RearrangementPlanner(RestartingPlanner):
    """Base class of planners that move objects. A subclass provides the belief and the choice of the next action."""

    shows: ClassVar[frozenset[type[Facet]]] = frozenset({Belief, GoalProgress, Plan})
    edits: ClassVar[frozenset[type[Facet]]] = frozenset({Belief})
    plays: ClassVar[frozenset[WorldKind]] = frozenset({"rooms"})
    searches: ClassVar[bool] = True
    parameters: RearrangementParameters

    def begin(self, goal: Goal, schemas: tuple[ActionSchema, ...], seed: int) -> None:
        """Starts a new episode."""
        self._every_schema = schemas
        self._task = Rearrangement(goal, schemas, all_seen=self.omniscient, clutter=self.sees_clutter(),
                                   ban_goal_places=self.parameters.ban_goal_places)
        self._rng = np.random.default_rng((seed, 211))
        self._queue: tuple[Action, ...] = ()
        self._expected: Action | None = None
        self._history: tuple[Action, ...] = ()
        self._refusals = 0
        self._chosen: dict[Literal, str] = {}

    @property
    def _schemas(self) -> tuple[ActionSchema, ...]:
        """The verbs that are of use to the goal."""
        return useful(self._every_schema, self._task.aim.asked.verbs, self._task.world.agent.posture)

    # --- for subclasses to implement ------------------------------------------
    @abstractmethod
    def prepare(self) -> Generator[Yielded, Sent, None]:
        """Requests what the belief needs."""

    @abstractmethod
    def choose(self, problem: Problem, knowledge: State) -> Turn:
        """Returns the decision. Called if something is left to move, fetch or search."""

    def sees_clutter(self) -> bool:
        """Returns True if objects that occur in no literal are part of the problem."""
        return False

    def forget(self) -> None:
        """Discards answers that depend on the goal or the belief. Called when either changes."""

    # --- operator edits -------------------------------------------------------
    def accept(self, facet: Facet) -> None:
        """Applies an operator's belief and restarts a decision in progress.

        Raises:
            UsageError: the belief is about other places, or its values are not probabilities.
        """
        if not isinstance(facet, Belief):
            super().accept(facet)
            return
        self._task.take(facet)
        self.forget()
        self.restart()

    def set_goal(self, goal: Goal) -> None:
        """Replaces the goal; observations are kept."""
        self._task.set_goal(goal)
        self._chosen = {}
        self.forget()
        self.restart()

    def restart(self) -> None:
        """Discards the macro in progress and starts the decision again."""
        super().restart()
        self._queue, self._refusals = (), 0

    def update(self, outcome: Outcome) -> None:
        """Records the executed action, no matter who chose it."""
        self._task.update(outcome)
        self._refusals = 0 if outcome.ok else self._refusals + 1
        self._history = (*self._history[1 - MOST_HISTORY:], outcome.action)
        if not outcome.ok or outcome.action != self._expected:
            self._queue = ()
        self._expected = None

    # --- a turn -----------------------------------------------------------------
    def last_look(self, observation: Observation) -> Iterable[Facet]:
        """Returns the progress of the goal and the belief."""
        self._task.see(observation)
        return self._task.progress(), self._task.facet()

    def look(self, observation: Observation) -> None:
        """Processes an observation; if the goal refers to other objects now, the macro in progress ends."""
        if self._task.see(observation):
            self._queue = ()

    def attempt(self) -> Turn:
        """Decides, and remembers the action it expects to be executed."""
        decision = yield from self._turn()
        self._expected = decision.action if decision is not None else None
        return decision

    def _turn(self) -> Turn:
        reports = self._task.progress()
        yield reports
        if reports.reached:
            return Decision(None, "the goal is reached")
        if self._refusals >= PATIENCE:
            return Decision(None, f"{self._refusals} actions in a row were refused")
        remedy = self._task.refusals.memory.remedies.next(self.banned, self._task.verbs)
        if remedy is not None:
            self._queue = ()
            return (yield from self.decide((remedy,), REMEDY))
        yield from self.prepare()
        if self.interrupted():
            return None
        yield self._task.facet()
        if self.interrupted():
            return None
        if self._queue and self._queue[0] not in self.banned:
            return (yield from self._continue_macro())
        problem, knowledge = self._task.problem()
        if chore := self._chore_of_held():
            return (yield from self.decide((chore,), REMAINING))
        if self._workable(problem, knowledge):
            return (yield from self.choose(problem, knowledge))
        return (yield from self._work_on_literals(problem, knowledge))

    def _continue_macro(self) -> Turn:
        """Executes the next action of the current macro. What was shown when it was chosen is of that turn."""
        return (yield from self._follow(self._queue, AS_PLANNED, continues=True))

    def _follow(self, actions: tuple[Action, ...], because: str, *, continues: bool = False) -> Turn:
        """Decides for the first of several actions; the others follow in the next turns."""
        decision = yield from self.decide(actions, because, continues=continues)
        if decision is not None:
            self._queue = actions[1:]
        return decision

    def _workable(self, problem: Problem, knowledge: State) -> bool:
        """Returns True if something is left to move, fetch or search."""
        return not problem.is_reached(knowledge) and bool(problem.greedy(knowledge, self.weights()))

    def weights(self) -> Floats:
        """Returns the expected number of objects still to be found at each place: [places]."""
        total: Floats = self._task.ghosts()[1].sum(axis=0)
        return total

    def _work_on_literals(self, problem: Problem, knowledge: State) -> Turn:
        """Works on the literals beyond placement. Searches for objects they need, and clears full places."""
        task = self._task
        try:
            action = self._next_chore()
        except Stuck as stuck:
            way = self._way_to_hidden(problem, knowledge) or problem.look(knowledge, self.weights()) \
                or _look(problem, knowledge)
            if way:
                return (yield from self.decided(knowledge, way, f"looking, because {stuck}"))
            return Decision(None, f"every place was looked into: {stuck}")
        if action is None and task.aim.hidden:
            way = self._way_to_hidden(problem, knowledge)
            if way:
                return (yield from self.decided(knowledge, way, f"looking for {', '.join(task.aim.hidden)}"))
        if action is None:
            missing = ", ".join(dict.fromkeys(task.exhausted()))
            return Decision(None, f"every place was looked into, without {missing}" if missing else "nothing more can be done")
        if action in self.banned:
            return (yield from self.otherwise(problem, knowledge, action))
        return (yield from self.decide((action,), REMAINING))

    def _next_chore(self) -> Action | None:
        task = self._task
        return next_chore(task.goal, task.world.merged(), task.refusals.memory, task.verbs, self._chosen)

    def _chore_of_held(self) -> Action | None:
        """Returns the next action with an object in the hand that must be prepared or used before others are moved."""
        with suppress(Stuck):
            action = self._next_chore() if self._task.uses_held else None
            return None if action in self.banned else action
        return None

    def _way_to_hidden(self, problem: Problem, knowledge: State) -> Macro:
        """Returns the way to an unsearched place that the goal refers to; no other place is searched for it."""
        return _look(problem, knowledge, frozenset(self._task.aim.hidden))

    def otherwise(self, problem: Problem, knowledge: State, banned: Action | None = None) -> Turn:
        """Decides for another action instead of a banned one: the first macro without banned or refused actions."""
        refused = self.banned | self._task.refusals.memory.refused
        for _, macro in (*problem.moves(knowledge, MACROS), *problem.moves(knowledge, ADMISSIBLE)):
            actions = self.actions_of(knowledge, macro)
            if refused.isdisjoint(actions):
                return (yield from self.decided(knowledge, macro, f"{banned or 'what it would do'} is banned"))
        return Decision(None, "all that could be done is banned or was just refused")

    def actions_of(self, knowledge: State, macro: Macro) -> tuple[Action, ...]:
        """Returns primitive actions of the model as actions of the world."""
        return to_actions(self._task.layout, self._task.names, macro, int(knowledge.robot[HELD]))

    def decided(self, knowledge: State, macro: Macro, because: str) -> Turn:
        """Decides for the first action of a macro; the others follow in the next turns unless something new is seen."""
        actions = self.actions_of(knowledge, macro)
        banned = next((action for action in actions if action in self.banned), None)
        if banned is not None:
            return (yield from self.otherwise(self._task.problem()[0], knowledge, banned))
        return (yield from self._follow(actions, because))


def _look(problem: Problem, knowledge: State, among: frozenset[str] | None = None) -> Macro:
    """Returns the best way to search one of the places with these ids (None: any place), with uniform weights."""
    weights = np.array([float(among is None or p.id in among) for p in problem.layout.places])
    return problem.look(knowledge, weights)
