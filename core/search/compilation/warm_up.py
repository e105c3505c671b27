"""Calls every compiled function of the search as a search does, so that its machine code is compiled or loaded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.search.macros import MACROS
from core.search.model import IN_HAND, NOWHERE, State, placed
from core.search.policy_table import empty_table, with_answer
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.search import Answer, Key, Options, Search, knowledge_key
from core.search.tree import most_visited

_LAYOUT = Layout((("kitchen_1", "kitchen"),), (Place("fridge_1", "fridge", "inside", 0, True),
                                              Place("table_1", "table", "on", 0, False)))


class _SaysNothing:
    """A policy with empty answers."""

    def answer(self, key: Key) -> Answer | None:
        """Returns an empty answer."""
        del key
        return {}


def _example() -> tuple[Problem, State]:
    problem = Problem(_LAYOUT, (Want((0,), (1,), 1),), 1)
    return problem, knowledge_of((0, -1, -1, -1), np.zeros(2, np.bool_), (NOWHERE,), np.array([False, True]))


def _search() -> None:
    problem, knowledge = _example()
    search = Search(problem, knowledge, (0,), np.array([[1.0, 0.0]]), Options(), _SaysNothing(), np.random.default_rng(0), 9)
    for _ in search.run(lambda: 2):
        pass
    most_visited(search.tree, 2)
    search.summary()
    search.world(0)
    search.repeated(0)


def _ask_rules() -> None:
    problem, knowledge = _example()
    for _, steps in problem.moves(knowledge, MACROS):
        problem.step(knowledge.copy(), steps[0])
    key = np.frombuffer(knowledge_key(problem, knowledge), np.int32).copy()
    with_answer(empty_table(2, len(key), 2), key, {0: 1.0})
    placed(problem.model, knowledge.where, 0)
    problem.is_reached(knowledge)


def _act_greedily() -> None:
    problem, knowledge = _example()
    problem.greedy(knowledge, np.array([1.0, 0.0]))
    problem.look(knowledge, np.array([1.0, 0.0]))
    useless = knowledge_of((0, 0, -1, 1), np.zeros(2, np.bool_), (NOWHERE, IN_HAND), np.array([False, True]))
    Problem(_LAYOUT, (Want((0,), (1,), 1),), 2).relief(useless)


STEPS: tuple[Callable[[], object], ...] = (_search, _ask_rules, _act_greedily)
"""A tiny search through each entry of the kernel, with the types that planners use."""


def warm_up() -> None:
    """Loads all machine code, and compiles what the cache lacks."""
    for step in STEPS:
        step()
