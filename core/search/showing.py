"""A search as facets: the ranking of the root's actions and the tree."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from core.facets import RankedAction, Ranking, SearchTree, TreeNode
from core.rearrangement import Rearrangement
from core.search.model import Macro
from core.search.nodes import Node
from core.search.puct import Search
from core.search.wording import to_actions
from core.world import Action

MOST_NODES = 5000


def ranking(search: Search, mind: Rearrangement, budget: int) -> Ranking:
    """The root's actions, best first."""
    root, order = search.root, search.ranked()
    visits = max(1, sum(root.counts))
    values = [root.value(e) for e in order]
    best = max((v for v in values if v is not None), default=0.0)
    steps = _Words(mind, search.knowledge.state[3])
    found = [
        RankedAction(steps(root.actions[e]), root.priors[e], root.counts[e], v, root.counts[e] / visits,
                     None if v is None else best - v)
        for e, v in zip(order, values, strict=True) if root.actions is not None
    ]
    return Ranking(tuple(found), search.simulations, budget, expected(search, mind))


def expected(search: Search, mind: Rearrangement) -> tuple[Action, ...]:
    """The line it expects to be played: the most visited action, the most visited observation, and so on."""
    steps = _Words(mind, search.knowledge.state[3])
    return tuple(action for node, edge, _ in _line(search) for action in steps((node.actions or [])[edge]))


def _line(search: Search) -> list[tuple[Node, int, Node]]:
    found, node = [], search.root
    while node.actions and any(node.counts):
        edge = search.ranked()[0] if node is search.root else max(range(len(node.counts)), key=lambda e: node.counts[e])
        if not node.children[edge]:
            break
        child = max(node.children[edge].values(), key=lambda n: n.visits)
        found.append((node, edge, child))
        node = child
    return found


class _Words:
    """Macros as actions, with what the hand holds kept along the line."""

    def __init__(self, mind: Rearrangement, held: int):
        self._layout, self._things, self._held = mind.layout, mind.names, held

    def __call__(self, macro: Macro) -> tuple[Action, ...]:
        return to_actions(self._layout, self._things, macro, self._held)


def tree(search: Search, mind: Rearrangement) -> SearchTree:
    """The most visited nodes, parents before children."""
    names, layout, labels = mind.names, mind.layout, mind.table.labels
    root_value = max((v for e in range(len(search.root.counts)) if (v := search.root.value(e)) is not None), default=0.0)
    nodes = [TreeNode(0, -1, None, (), search.root.visits, root_value, 1.0)]
    ids, line = {id(search.root): 0}, {id(child) for _, _, child in _line(search)}
    waiting: list[tuple[int, int, Node]] = [(-search.root.visits, 0, search.root)]
    expected_ids, folded, count = [0], 0, 1
    while waiting:
        _, _, node = heapq.heappop(waiting)
        for edge, observed, child in _children(node):
            if len(nodes) >= MOST_NODES:
                folded += 1
                continue
            found = tuple((labels[s] if s < len(labels) else names[s], layout.places[p].id) for s, p in observed)
            action = to_actions(layout, names, (node.actions or [])[edge], search.knowledge.state[3])[-1]
            value = node.value(edge) or 0.0
            nodes.append(TreeNode(count, ids[id(node)], action, found, child.visits, value, node.priors[edge],
                                  child.reached))
            ids[id(child)] = count
            if id(child) in line:
                expected_ids.append(count)
            heapq.heappush(waiting, (-child.visits, count, child))
            count += 1
    return SearchTree(tuple(nodes), folded, tuple(expected_ids))


def _children(node: Node) -> Sequence[tuple[int, tuple[tuple[int, int], ...], Node]]:
    found = [(edge, observed, child) for edge, children in enumerate(node.children) for observed, child in children.items()]
    return sorted(found, key=lambda x: -x[2].visits)
