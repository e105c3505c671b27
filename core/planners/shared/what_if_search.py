"""Searches beside the run: the same knowledge with another belief, other parameters or bans, and only the answers at hand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from core.common.parameters import changed
from core.planners.shared.rearrangement_planner import RearrangementPlanner
from core.planning.facets import Belief, Facet, Plan
from core.planning.what_if import WhatIf
from core.search import search_facets
from core.search.model import State
from core.search.nodes import Answer, Key, Policy
from core.search.problem import Problem
from core.search.search import Search
from core.world.vocabulary import Observation

FIRST, FACTOR = 1_000, 4
"""The first answer comes after so many simulations, each further one after so many times as many."""


class WhatIfPlanner(RearrangementPlanner):
    """Base of planners that can search for a what-if question."""

    _visited: dict[Key, None]  # what the loop guard remembers

    @abstractmethod
    def policy(self) -> Policy | None:
        """The heuristic policy, ready for one decision."""

    @abstractmethod
    def search(self, problem: Problem, knowledge: State, policy: Policy | None) -> Search:
        """A search of the present moment, not begun yet."""

    def what_if(self, question: WhatIf, observation: Observation) -> Iterator[tuple[Facet, ...]]:
        """A fresh search, with the random numbers that this planner would draw next; nothing where nothing is to be searched.

        Raises:
            UsageError: no such parameter, or a belief about other places than are known now.
        """
        mind = self._mind
        self.parameters = changed(self.parameters, dict(question.parameters))
        self.banned = self.banned if question.banned is None else question.banned
        mind.see(observation)
        if isinstance(question.edit, Belief):
            mind.table.take(question.edit)
            self._visited = {}  # as after an edit; answers of the policy stay, for there are no others
        problem, knowledge = mind.problem()
        if mind.progress().reached or not self._workable(problem, knowledge):
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
        """Belief, ranking, tree, and what would be done."""
        if not search.moves:
            return ()
        steps = self.actions_of(search.knowledge, search.best().steps)
        return (self._mind.facet(), search_facets.ranking(search, self._mind, most), search_facets.tree(search, self._mind),
                Plan(steps, f"{search.simulations} simulations"))


class KnownAnswers:
    """A policy that is never asked: where it was given no answer yet, all actions are alike."""

    def __init__(self, policy: Policy):
        self._policy = policy

    def answer(self, key: Key) -> Answer:
        """What was said of a state of knowledge; nothing if the policy was not asked."""
        return self._policy.answer(key) or {}
