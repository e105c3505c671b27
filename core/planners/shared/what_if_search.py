"""Searches for what-if questions: the same knowledge with another belief, other parameters or bans, without model requests."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from core.common.parameters import changed
from core.planners.shared.rearrangement_planner import RearrangementPlanner
from core.planning.facets import Belief, Facet, Plan
from core.planning.planner import WhatIf
from core.search import search_facets
from core.search.model import State
from core.search.problem import Problem
from core.search.search import Answer, Key, Policy, Search
from core.world.vocabulary import Observation

FIRST, FACTOR = 1_000, 4
"""The simulations of the first answer, and the factor between successive answers."""


class WhatIfPlanner(RearrangementPlanner):
    """Base class of planners that can answer what-if questions by a search."""

    _visited: dict[Key, None]  # the knowledge states of the loop guard

    @abstractmethod
    def policy(self) -> Policy | None:
        """Returns the heuristic policy, prepared for one decision."""

    @abstractmethod
    def search(self, problem: Problem, knowledge: State, policy: Policy | None) -> Search:
        """Returns a search for the current state, not started yet."""

    def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
        """Runs a new search with this planner's next random numbers. Yields nothing if there is nothing to search.

        Raises:
            UsageError: a parameter does not exist, or the belief is about other places.
        """
        task = self._task
        self.parameters = changed(self.parameters, dict(question.parameters))
        self.banned = self.banned if question.banned is None else question.banned
        task.see(observation)
        if isinstance(question.edit, Belief):
            task.table.take(question.edit)
            self._visited = {}  # as after an edit; the policy's answers are kept, because no new ones can be requested
        problem, knowledge = task.problem()
        if task.progress().reached or not self._workable(problem, knowledge):
            return
        most = min(question.simulations, int(dict(question.parameters).get("simulations", question.simulations)))
        policy = self.policy()
        search = self.search(problem, knowledge, policy and KnownAnswers(policy))
        mark = FIRST
        for _ in search.run(lambda: most):
            if mark <= search.simulations < most:
                mark *= FACTOR
                yield self._answer(search, most)
            else:
                yield ()
        yield self._answer(search, most)

    def _answer(self, search: Search, most: int) -> tuple[Facet, ...]:
        """Returns belief, ranking, tree and plan."""
        if not search.moves:
            return ()
        steps = self.actions_of(search.knowledge, search.best().steps)
        return (self._task.facet(), search_facets.ranking(search, self._task, most), search_facets.tree(search, self._task),
                Plan(steps, f"{search.simulations} simulations"))


class KnownAnswers:
    """A policy with the stored answers only; without an answer, all actions have the same prior."""

    def __init__(self, policy: Policy):
        self._policy = policy

    def answer(self, key: Key) -> Answer:
        """Returns the stored answer, or an empty one."""
        return self._policy.answer(key) or {}
