"""Searches to try: their options, a policy that answers by a fixed rule, and what their trees hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from core.search.search import Answer, Key, Options, Request, Search, finished
from core.search.tree import Tree
from tests.core.search.problems import Task, random_task
from tests.long_tests import combinations

STEPS_LEFT = 15


class Rule:
    """A policy that prefers actions by their numbers, says nothing usable now and then, and writes down what it was asked.

    Attributes:
        asked: the keys, in order.
        together: how many were asked at the same time, each time.
        requests: all that was asked.
    """

    def __init__(self, quiet: int = 5):
        self._answers: dict[Key, Answer] = {}
        self._quiet = quiet
        self.asked: list[Key] = []
        self.together: list[int] = []
        self.requests: list[Request] = []

    def answer(self, key: Key) -> Answer | None:
        """What it was asked before, it knows."""
        return self._answers.get(key)

    def take(self, requests: tuple[Request, ...]) -> None:
        """Answers questions."""
        self.together.append(len(requests))
        for request in requests:
            self.asked.append(request.key)
            self.requests.append(request)
            quiet = self._quiet and sum(request.key) % self._quiet == 0
            self._answers[request.key] = {} if quiet else {m.action: 1.0 + m.action % 7 for m in request.moves[::2]}


def searched(task: Task, options: Options, simulations: int, policy: Rule | None = None, seed: int = 0,
             between: Callable[[Search], None] = lambda search: None) -> Search:
    """A search that has done so many simulations; `between` is called at each checkpoint."""
    search = begun(task, options, policy, seed)
    go_on(search, simulations, policy, between)
    return search


def begun(task: Task, options: Options, policy: Rule | None = None, seed: int = 0) -> Search:
    """A search that has done nothing yet."""
    return Search(task.problem, task.knowledge, task.ghosts, task.belief, options, policy, np.random.default_rng(seed),
                  STEPS_LEFT)


def go_on(search: Search, simulations: int, policy: Rule | None = None,
          between: Callable[[Search], None] = lambda search: None) -> None:
    """Simulates until there are so many."""
    for requests in search.run(lambda: simulations):
        if requests:
            assert policy is not None
            policy.take(requests)
        else:
            between(search)


def contents(tree: Tree) -> list[Any]:
    """All that a tree holds, without the room that is left."""
    nodes, edges, found = tree.used.tolist()
    used = {"node": nodes, "edge": edges, "found": found}
    return [array[:used.get(name.partition("_")[0])].tolist() for name, array in tree._asdict().items()]


def every_option() -> Iterator[tuple[Options, bool]]:
    """Yields ways of searching, and whether a policy is asked: all pairs of options, in a long test run all combinations."""
    for actions, rollout, worlds, reward, urgency, final, counting, selection, backup, batch in combinations(
            ("macros", "relevant", "admissible"), ("greedy", "uniform", "none"), ("common", "each", "one"),
            ("literals", "goal"), (True, False), ("visits", "value"), ("usual", "paper"), ("puct", "ucb1"),
            ("mean", "softmax"), (0, 1, 4)):
        yield Options(actions=actions, rollout=rollout, worlds=worlds, reward=reward, urgency=urgency, final=final,
                      batch=max(1, batch), earned=batch // 2, counting=counting, selection=selection,
                      backup=backup), batch > 0


def digests() -> Iterator[str]:
    """For each way of searching, a digest of a tree, of the ranking and of the summary of its simulations."""
    for seed, (options, asks) in enumerate(every_option()):
        policy = Rule() if asks else None
        search = searched(random_task(seed), options, 30, policy, seed)
        summary = [rows.tolist() for rows in finished(search.summary())]
        everything = json.dumps([contents(search.tree), search.ranked(), policy.together if policy else [], summary,
                                 search.repeated(29)])
        yield f"{hashlib.sha256(everything.encode()).hexdigest()} {search.tree.used.tolist()}"
