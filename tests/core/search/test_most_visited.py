"""The part of a tree that is shown is the same as if all of it were sorted."""

from __future__ import annotations

import numpy as np
import pytest

from core.search.model import NOWHERE
from core.search.problem import Layout, Place, Problem, Want, knowledge_of
from core.search.search import Options, Search
from core.search.tree import NODES, Tree, most_visited

LAYOUT = Layout(
    (("kitchen_1", "kitchen"), ("bedroom_1", "bedroom")),
    (Place("fridge_1", "fridge", "inside", 0, True), Place("table_1", "table", "on", 0, False),
     Place("box_1", "box", "inside", 1, True), Place("bed_1", "bed", "on", 1, False)))
THINGS = 3


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Of two thousand simulations: thousands of nodes, many with as many visits as others."""
    problem = Problem(LAYOUT, (Want((0, 1, 2), (0,), THINGS),), THINGS)
    knowledge = knowledge_of((0, -1, -1, -1), np.zeros(4, np.bool_), (NOWHERE,) * THINGS, np.zeros(4, np.bool_))
    belief, options = np.full((THINGS, 4), 0.25), Options(rollout="uniform", actions="relevant")
    search = Search(problem, knowledge, range(THINGS), belief, options, None, np.random.default_rng(0), 20)
    for _ in search.run(lambda: 2000):
        pass
    return search.tree


def parent_of(tree: Tree, node: int) -> int:
    return int(tree.edge_node[tree.node_parent[node]]) if tree.node_parent[node] >= 0 else -1


@pytest.mark.parametrize("most", [1, 2, 17, 300, 1_000_000])
def test_the_most_visited_come_first_and_the_rest_is_counted(tree: Tree, most: int) -> None:
    count = int(tree.used[NODES])
    assert count > 500
    by_hand = sorted(range(count), key=lambda node: (-tree.node_visits[node], node))[:most]
    shown, parents, left_out = most_visited(tree, most)
    assert shown.tolist() == by_hand
    assert [shown[p] if p >= 0 else -1 for p in parents] == [parent_of(tree, node) for node in by_hand]
    below = [node for node in range(1, count) if parent_of(tree, node) in set(by_hand)]
    assert left_out == len(set(below) - set(by_hand))


def test_parents_come_before_their_children(tree: Tree) -> None:
    _, parents, _ = most_visited(tree, 300)
    assert parents[0] == -1
    assert all(parent < place for place, parent in enumerate(parents))
