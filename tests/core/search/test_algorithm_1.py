"""Algorithm 1 of the LLM-MCTS paper, worked out by hand on a world of three rooms with a scripted policy.

The robot stands in the hall with a mug, which belongs on the table in the kitchen. c = 1, discount 0.9, mixing 0.4, reward 10.
Rollouts return 0 here, so that every number can be followed; uniform rollouts have tests of their own. The policy says: in the
hall go to the kitchen, in the kitchen walk to the table, at the table put the mug down.

Priors, 0.4/|A| + 0.6 for the policy's action and 0.4/|A| for the others (section 2.3):
  hall: kitchen 0.4/2 + 0.6 = 0.8, bedroom 0.2.   kitchen: |A| = 3, table 0.4/3 + 0.6 = 11/15, others 2/15.
  at the table: |A| = 3, put 11/15, others 2/15.

Simulation by simulation (h0 hall, h1 kitchen, h2 at the table):
  1  h0 is not in T: added, rollout 0 (lines 23 to 26). N(h0) = 0.
  2  h0: sqrt(N) = 0, all scores 0: the most probable action, kitchen. h1 is new: rollout 0. N(h0, kitchen) = 1, N(h0) = 1.
  3  h0: kitchen 0 + 0.8 * 1/2 = 0.4, bedroom 0.2 * 1/1 = 0.2. h1: N = 0, table. h2 is new: rollout 0.
     N(h1, table) = 1, N(h0, kitchen) = 2.
  4  h0: kitchen 0.8 * sqrt(2)/3 = 0.377, bedroom 0.2 * sqrt(2) = 0.283. h1: table 11/15 * 1/2 = 0.367, others 2/15 = 0.133.
     h2: N = 0, put. The goal is reached: r = 10. R = 10 at h2, 9 at h1, 8.1 at h0.
     Q(h2, put) = 10; Q(h1, table) = 0 + (9 - 0)/2 = 4.5; Q(h0, kitchen) = 0 + (8.1 - 0)/3 = 2.7.
  5  h0: kitchen 2.7 + 0.8 * sqrt(3)/4 = 3.05, bedroom 0.35. h1: table 4.5 + 0.35. h2: put 10 + 0.37. R = 10, 9, 8.1.
     Q(h2, put) = 10; Q(h1, table) = 4.5 + (9 - 4.5)/3 = 6; Q(h0, kitchen) = 2.7 + (8.1 - 2.7)/4 = 4.05.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.planners.llm_mcts.planner import PAPER, PRESETS, LlmMcts
from core.search.model import GO, HELD, IN_HAND, PUT, WALK
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.search import Answer, Key, Options, Request, Search

LAYOUT = Layout((("hall_1", "hall"), ("kitchen_1", "kitchen"), ("bedroom_1", "bedroom")),
                (Place("table_1", "table", "on", 1, False), Place("bed_1", "bed", "on", 2, False)))
PROBLEM = Problem(LAYOUT, (Want((0,), (0,), 1),), 1)
HALL, KITCHEN, BEDROOM = range(3)
TABLE = 0
TO_KITCHEN, TO_TABLE, DOWN = GO + KITCHEN, WALK + TABLE, PUT + TABLE
OPTIONS = Options(exploration=1.0, discount=0.9, depth=10, actions="admissible", rollout="none", reward="goal", urgency=False,
                  worlds="each", final="value", mixing=0.4, counting="paper")


class Scripted:
    """Says where the mug goes, once for each history it is asked about."""

    def __init__(self) -> None:
        self.answers: dict[Key, Answer] = {}
        self.histories: list[tuple[int, ...]] = []

    def answer(self, key: Key) -> Answer | None:
        return self.answers.get(key)

    def take(self, request: Request) -> None:
        self.histories.append(tuple(step for macro in request.path for step in macro))
        chosen = (set(map(int, (m.action for m in request.moves))) & {DOWN}) or {TO_TABLE, TO_KITCHEN}
        self.answers[request.key] = {a: 1.0 for a in chosen & {m.action for m in request.moves}}


def searched(simulations: int, options: Options = OPTIONS) -> tuple[Search, Scripted]:
    policy, holding = Scripted(), np.full(4, -1)
    holding[[0, HELD]] = HALL, 0
    knowledge = knowledge_of(tuple(int(x) for x in holding), np.zeros(2, np.bool_), (IN_HAND,), np.ones(2, np.bool_))
    search = Search(PROBLEM, knowledge, (), np.zeros((0, 2)), options, policy, np.random.default_rng(0), 10)
    for requests in search.run(lambda: simulations):
        for request in requests:
            policy.take(request)
    return search, policy


def statistics(search: Search, *path: int) -> tuple[int, dict[int, tuple[int, float]]]:
    """N(h), and for each action tried there N(h, a) and Q(h, a), rounded to nine digits."""
    tree, node = search.tree, 0
    for action in path:
        (edge,) = [e for e in tree.edges(node) if tree.edge_action[e] == action]
        node = int(tree.edge_child[edge])
    tried = {int(tree.edge_action[e]): (int(tree.edge_visits[e]), round(tree.value(e) or 0.0, 9))
             for e in tree.edges(node) if tree.edge_visits[e]}
    return int(tree.node_visits[node]), tried


def test_the_priors_mix_the_policy_with_all_actions_alike() -> None:
    search, _ = searched(3)
    tree = search.tree
    assert {int(tree.edge_action[e]): float(tree.edge_prior[e]) for e in tree.edges(0)} == pytest.approx(
        {TO_KITCHEN: 0.8, GO + BEDROOM: 0.2})
    kitchen = int(tree.edge_child[next(e for e in tree.edges(0) if tree.edge_action[e] == TO_KITCHEN)])
    assert {int(tree.edge_action[e]): float(tree.edge_prior[e]) for e in tree.edges(kitchen)} == pytest.approx(
        {TO_TABLE: 11 / 15, GO + HALL: 2 / 15, GO + BEDROOM: 2 / 15})


def test_counts_and_values_after_each_simulation() -> None:
    assert statistics(searched(1)[0]) == (0, {})
    assert statistics(searched(2)[0]) == (1, {TO_KITCHEN: (1, 0.0)})
    third = searched(3)[0]
    assert statistics(third) == (2, {TO_KITCHEN: (2, 0.0)})
    assert statistics(third, TO_KITCHEN) == (1, {TO_TABLE: (1, 0.0)})
    fourth = searched(4)[0]
    assert statistics(fourth) == (3, {TO_KITCHEN: (3, 2.7)})
    assert statistics(fourth, TO_KITCHEN) == (2, {TO_TABLE: (2, 4.5)})
    assert statistics(fourth, TO_KITCHEN, TO_TABLE) == (1, {DOWN: (1, 10.0)})
    fifth = searched(5)[0]
    assert statistics(fifth) == (4, {TO_KITCHEN: (4, 4.05)})
    assert statistics(fifth, TO_KITCHEN) == (3, {TO_TABLE: (3, 6.0)})
    assert statistics(fifth, TO_KITCHEN, TO_TABLE) == (2, {DOWN: (2, 10.0)})


def test_where_the_square_root_and_the_count_decide() -> None:
    """With c = 48. Simulations 1 to 5 are as above: c scales all scores, and Q only adds to the way that is taken.

    Line 29 at h0, where N(h0) is the number of simulations after the first, and the bedroom has N(h0, bedroom) = 0:
      5  kitchen 2.7 + 48 * 0.8 sqrt(3)/4 = 19.33, bedroom 48 * 0.2 sqrt(3) = 16.63.
      6  kitchen 4.05 + 48 * 0.8 * 2/5 = 19.41, bedroom 48 * 0.2 * 2 = 19.20: kitchen. With sqrt(N + 1): 21.22 and 21.47, the
         bedroom. R = 8.1 again: Q(h0, kitchen) = 4.05 + (8.1 - 4.05)/5 = 4.86.
      7  kitchen 4.86 + 48 * 0.8 sqrt(5)/6 = 19.17, bedroom 48 * 0.2 sqrt(5) = 21.47: bedroom. With N(h, a) for N(h, a) + 1:
         kitchen 4.86 + 48 * 0.8 sqrt(5)/5 = 22.03. The bedroom is a new history: rollout 0, Q = 0.
    Line 8: Q(h0, kitchen) = 4.86 is the largest.
    """
    eager = replace(OPTIONS, exploration=48.0)
    assert statistics(searched(6, eager)[0]) == (5, {TO_KITCHEN: (5, 4.86)})
    seventh = searched(7, eager)[0]
    assert statistics(seventh) == (6, {TO_KITCHEN: (5, 4.86), GO + BEDROOM: (1, 0.0)})
    assert seventh.best().action == TO_KITCHEN


def test_a_simulation_ends_at_the_goal_and_at_the_maximum_depth() -> None:
    """Lines 20 to 22: the history after the goal gets no visit, and at depth 2 the mug is never put down."""
    assert statistics(searched(9)[0], TO_KITCHEN, TO_TABLE, DOWN) == (0, {})
    short = searched(9, replace(OPTIONS, depth=2))[0]
    assert statistics(short, TO_KITCHEN)[1][TO_TABLE][1] == 0
    assert statistics(short, TO_KITCHEN, TO_TABLE) == (0, {})


def test_the_visits_of_a_history_are_those_of_its_actions() -> None:
    search, _ = searched(200)
    tree = search.tree
    for node in range(int(tree.used[0])):
        assert tree.node_visits[node] == sum(tree.edge_visits[e] for e in tree.edges(node))
    assert tree.node_visits[0] == search.simulations - 1


def test_the_policy_is_asked_about_each_history_once() -> None:
    curious = replace(OPTIONS, exploration=100.0)
    _, literal = searched(200, curious)
    assert len(literal.histories) == len(set(literal.histories)) == len(literal.answers)
    _, usual = searched(200, replace(curious, counting="usual"))
    assert len(usual.histories) < len(literal.histories), "histories that lead to the same state share an answer"


def test_the_preset_paper_searches_like_this() -> None:
    """Appendix E: 100 simulations. The other numbers are those of the released code."""
    literal = replace(OPTIONS, rollout="uniform", exploration=24.0, discount=0.95, depth=20, mixing=0.5)
    assert LlmMcts(PAPER).options() == literal
    assert PAPER.simulations == 100
    assert LlmMcts(PRESETS["paper-code"]).options() == replace(literal, worlds="one", backup="softmax")
