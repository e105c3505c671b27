"""Algorithm 1 of the LLM-MCTS paper in plain Python, line by line as it is printed, beside the compiled search.

Two lines have a second form: UCB1 in place of line 29, and the weighted mean of the released code in place of line 34.

Both play the same random problems with the same sampled worlds and the same answers of a policy. The transcript replays the
random actions of each rollout from the search's log, because the algorithm does not say which are drawn.
"""

from __future__ import annotations

import math
import zlib
from collections import defaultdict

import numpy as np
from hypothesis import assume, event, given
from hypothesis import strategies as st

from core.search.macros import ADMISSIBLE
from core.search.model import HELD, IN_HAND, KIND, NEAR, PUT, State, satisfied
from core.search.problem import Problem, Want
from core.search.rollouts import REWARD
from core.search.search import Answer, Key, Options, Request, Search
from tests.core.search.problems import Task, act, tasks

History = tuple[tuple[int, tuple[tuple[int, int], ...]], ...]
"""The action a and the observation o (objects found, and where) of each step since the root."""
DIGITS = 9
"""Scores that differ less are equal: the search and the transcript round differently."""


def opinion(done: tuple[int, ...], actions: list[int]) -> Answer:
    """Weights that depend on the actions done before, a fifth of them 0; sometimes none."""
    numbers = {a: zlib.crc32(repr((done, a)).encode()) for a in actions}
    weights = {a: number / 2**32 if number % 5 else 0.0 for a, number in numbers.items()}
    return weights if any(weights.values()) else {}


class Opinions:
    """The policy as the search asks it."""

    def __init__(self) -> None:
        self.answers: dict[Key, Answer] = {}

    def answer(self, key: Key) -> Answer | None:
        return self.answers.get(key)

    def take(self, request: Request) -> None:
        done = tuple(step for macro in request.path for step in macro)
        self.answers[request.key] = opinion(done, [m.action for m in request.moves])


class Transcript:
    """The algorithm. N(h) is None while h is not in T."""

    def __init__(self, task: Task, search: Search, options: Options):
        self.task, self.search, self.options = task, search, options
        self.n_h: dict[History, int] = {}
        self.n: defaultdict[tuple[History, int], int] = defaultdict(int)
        self.q: defaultdict[tuple[History, int], float] = defaultdict(float)
        self.returns: defaultdict[tuple[History, int], list[float]] = defaultdict(list)
        self.asked: set[History] = set()
        self.rollout: list[int] = []

    def run(self, number: int) -> float:
        """Lines 4 and 5: one simulation."""
        s = self.task.knowledge.copy()
        s.where[list(self.task.ghosts)] = self.search.world(number)
        repeated = self.search.repeated(number)
        self.rollout = list(repeated.steps[repeated.depth:])
        self.have = satisfied(self.task.problem.model, s.where)
        return self.simulate(s, (), False, 0)

    def simulate(self, s: State, h: History, done: bool, d: int) -> float:
        if d >= self.options.depth or done:  # lines 20 to 22; the released code gives the depth that stands for epsilon
            return 0.0
        if h not in self.n_h:  # lines 23 to 27
            self.n_h[h] = 0
            return self.roll_out(s, d)
        actions = [m.action for m in (self.task.problem.moves(s, ADMISSIBLE) if h else self.search.moves)]
        if not actions:
            return 0.0
        prior = self.prior(h, actions)  # line 28
        a = self.by_ucb1(h, actions) if self.options.selection == "ucb1" else self.by_puct(h, actions, prior)
        o, r, done = self.step(s, a)  # line 30
        returned = r + self.options.discount * self.simulate(s, (*h, (a, o)), done, d + 1)  # lines 31 and 32
        self.n[h, a] += 1  # line 33
        self.n_h[h] += 1
        self.returns[h, a].append(returned)
        if self.options.backup == "softmax":  # the released code, with T = 10
            weights = [math.exp(r / 10) for r in self.returns[h, a]]
            self.q[h, a] = sum(w * r for w, r in zip(weights, self.returns[h, a], strict=True)) / sum(weights)
        else:
            self.q[h, a] += (returned - self.q[h, a]) / self.n[h, a]  # line 34
        return returned

    def by_puct(self, h: History, actions: list[int], prior: dict[int, float]) -> int:
        """Line 29. Of equal scores an action tried before counts more, then, where nothing was tried, the more probable one."""
        score = [self.q[h, a] + self.options.exploration * prior[a] * math.sqrt(self.n_h[h]) / (self.n[h, a] + 1)
                 for a in actions]
        self.check_clear(h, actions, score)
        return actions[max(range(len(actions)), key=lambda k: (
            round(score[k], DIGITS), self.n[h, actions[k]] > 0, 0.0 if self.n[h, actions[k]] else prior[actions[k]], -k))]

    def check_clear(self, h: History, actions: list[int], score: list[float]) -> None:
        """Gives the example up if two of the best actions have equal scores by different returns.

        Which one the search takes is then decided by how it rounds, and any is right.
        """
        best = round(max(score), DIGITS)
        tied = {tuple(self.returns[h, a]) for a, one in zip(actions, score, strict=True) if round(one, DIGITS) == best}
        assume(len(tied - {()}) < 2)

    def by_ucb1(self, h: History, actions: list[int]) -> int:
        """The same line in UCT (Kocsis and Szepesvári 2006): each action once, then by Q + c sqrt(ln N / n)."""
        tried = [self.n[h, a] for a in actions]
        if not all(tried):
            return actions[tried.index(0)]
        score = [self.q[h, a] + self.options.exploration * math.sqrt(math.log(sum(tried)) / self.n[h, a]) for a in actions]
        self.check_clear(h, actions, score)
        return actions[max(range(len(actions)), key=lambda k: (round(score[k], DIGITS), -k))]

    def prior(self, h: History, actions: list[int]) -> dict[int, float]:
        """Section 2.3: lambda/|A| + (1 - lambda) times the policy's share."""
        if len(actions) > 1:
            self.asked.add(h)
        weights, mixing = opinion(tuple(a for a, _ in h), actions), self.options.mixing
        if not weights:
            return dict.fromkeys(actions, 1 / len(actions))
        total = sum(weights.values())
        return {a: mixing / len(actions) + (1 - mixing) * weights[a] / total for a in actions}

    def roll_out(self, s: State, d: int) -> float:
        """Lines 10 to 18."""
        total, factor = 0.0, 1.0
        assert len(self.rollout) <= self.options.depth - d
        for k, a in enumerate(self.rollout):
            _, r, done = self.step(s, a)
            total, factor = total + factor * r, factor * self.options.discount
            assert not done or k == len(self.rollout) - 1
        return total

    def step(self, s: State, a: int) -> tuple[tuple[tuple[int, int], ...], float, bool]:
        """G(s, a): a reward for reaching the goal, else 0."""
        model, known = self.task.problem.model, s.known.copy()
        assert act(self.task.problem, s, self.task.ghosts, a)
        found = tuple((i, int(s.where[i])) for i in self.task.ghosts if s.known[i] and not known[i])
        if a & KIND != PUT:
            return found, 0.0, False
        before, self.have = self.have, satisfied(model, s.where)
        done = self.have >= model.size
        return found, REWARD if done and self.have > before else 0.0, done


def nearly_done(task: Task, keep: int) -> Task:
    """The same home with an object in the hand, which belongs to any of some places: random actions reach the goal often."""
    model, knowledge = task.problem.model, task.knowledge.copy()
    item = int(knowledge.robot[HELD])
    if item < 0:
        item = min(np.flatnonzero(knowledge.known).tolist(), default=-1)
        assume(item >= 0)
        knowledge.where[item], knowledge.robot[[HELD, NEAR]] = IN_HAND, (item, -1)
    targets = tuple(k for k in np.flatnonzero(model.usable & ~model.barred[item]).tolist() if (keep >> k) % 2)
    assume(targets)
    problem = Problem(task.problem.layout, (Want((item,), targets, 1),), len(model.barred), model.barred, model.in_goal)
    return task._replace(problem=problem, knowledge=knowledge)


def histories(search: Search) -> dict[History, int]:
    """The history of each node of the tree."""
    found, tree = {}, search.tree
    for node in range(int(tree.used[0])):
        h = tuple((int(tree.edge_action[tree.node_parent[k]]), tuple((int(i), int(p)) for i, p in tree.observed(k)))
                  for k in tree.line(node))
        found[h] = node
    return found


@given(tasks, st.integers(1, 2**20), st.integers(1, 60), st.integers(1, 8), st.sampled_from((0.3, 2.0, 24.0)),
       st.sampled_from((0.5, 0.95, 1.0)), st.sampled_from((0.0, 0.5, 1.0)), st.sampled_from(("uniform", "none")),
       st.sampled_from(("puct", "puct", "ucb1")), st.sampled_from(("mean", "mean", "softmax")))
def test_the_search_is_algorithm_1(task: Task, keep: int, simulations: int, depth: int, exploration: float, discount: float,
                                   mixing: float, rollout: str, selection: str, backup: str) -> None:
    options = Options(exploration=exploration, discount=discount, depth=depth, actions="admissible", rollout=rollout,
                      reward="goal", urgency=False, worlds="each", final="value", mixing=mixing, counting="paper",
                      selection=selection, backup=backup)
    task, policy = nearly_done(task, keep), Opinions()
    search = Search(task.problem, task.knowledge, task.ghosts, task.belief, options, policy, np.random.default_rng(1), depth)
    assume(search.moves)
    for requests in search.run(lambda: simulations):
        for request in requests:
            policy.take(request)
    transcript = Transcript(task, search, options)
    returned = [transcript.run(k) for k in range(simulations)]
    event(f"rewards: {sum(r > 0 for r in returned) > 0}")
    assert np.allclose(search.log.returned[:simulations], returned)
    assert search.log.world[:simulations].tolist() == list(range(simulations)), "line 4: another state in each simulation"
    nodes, tree = histories(search), search.tree
    assert transcript.n_h.keys() <= nodes.keys()
    for h, node in nodes.items():
        assert tree.node_visits[node] == transcript.n_h.get(h, 0)
        for edge in tree.edges(node):
            a, visits = int(tree.edge_action[edge]), int(tree.edge_visits[edge])
            assert visits == transcript.n[h, a]
            assert math.isclose(tree.value(edge) or 0.0, transcript.q[h, a], abs_tol=1e-9)
    assert len(policy.answers) == len(transcript.asked), "line 28: each history is asked about, once"
    values = [transcript.q[(), move.action] for move in search.moves]
    assert math.isclose(values[search.ranked()[0]], max(values), abs_tol=1e-9), "line 8"
