"""A search as facets: the ranking of the root's actions, and the most visited part of the tree."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from core.facets import RankedAction, Ranking, SearchTree, TreeNode
from core.rearrangement import Rearrangement
from core.search.layout import Layout
from core.search.model import FETCH, GRAB, HELD, KIND, LAY, LOOK, OPEN, PUT
from core.search.search import Search
from core.search.wording import to_actions
from core.world import Action

MOST_NODES = 5000


def ranking(search: Search, mind: Rearrangement, budget: int) -> Ranking:
    """The root's actions, best first."""
    order, visits, priors, values = search.ranked(), search.visits(), search.priors(), search.values()
    total, held = max(1, int(visits.sum())), int(search.knowledge.robot[HELD])
    best = max((v for v in values if v is not None), default=0.0)
    names = mind.names
    found = []
    for e in order:
        value = values[e]
        steps = to_actions(mind.layout, names, search.moves[e].steps, held)
        found.append(RankedAction(steps, float(priors[e]), int(visits[e]), value, int(visits[e]) / total,
                                  None if value is None else best - value))
    return Ranking(tuple(found), search.simulations, budget, expected(search, mind))


def expected(search: Search, mind: Rearrangement) -> tuple[Action, ...]:
    """The line it expects to be played: the most visited action, the most visited observation, and so on."""
    line = _line(search)
    steps = tuple(step for macro in search.line(line[-1]) for step in macro) if line else ()
    return to_actions(mind.layout, mind.names, steps, int(search.knowledge.robot[HELD]))


def _line(search: Search) -> list[int]:
    """Returns the nodes of the expected line, without the root."""
    tree, node, found = search.tree, 0, list[int]()
    while True:
        edges = tree.edges(node)
        if not any(tree.edge_visits[e] for e in edges):
            return found
        edge = search.ranked()[0] if node == 0 else max(edges, key=lambda e: tree.edge_visits[e])
        children = tree.children(edge)
        if not children:
            return found
        node = max(children, key=lambda child: (tree.node_visits[child], -child))
        found.append(node)


class _Actions:
    """The last primitive action of each edge, as an action of the world."""

    def __init__(self, layout: Layout, names: Sequence[str]):
        self._layout, self._names = layout, names
        self._made: dict[tuple[int, int], Action] = {}

    def __call__(self, action: int, held: int) -> Action:
        """Returns the action that an edge's action ends with; `held` is the object in the hand before it, or -1."""
        kind, index = action & KIND, action & ~KIND
        last = {LOOK: OPEN, FETCH: GRAB, LAY: PUT}.get(kind, kind) + index
        key = last, held
        if key not in self._made:
            (self._made[key],) = to_actions(self._layout, self._names, (last,), held)
        return self._made[key]


def tree(search: Search, mind: Rearrangement, most: int = MOST_NODES) -> SearchTree:
    """The most visited nodes, parents before children, in time that depends on how many are shown."""
    names, layout, labels, found = mind.names, mind.layout, mind.table.labels, search.tree
    actions = _Actions(layout, names)
    root_value = max((v for v in search.values() if v is not None), default=0.0)
    nodes = [TreeNode(0, -1, None, (), int(found.node_visits[0]), root_value, 1.0)]
    line, expected_ids, folded = set(_line(search)), [0], 0
    waiting = [(-nodes[0].visits, 0, 0, int(search.knowledge.robot[HELD]))]
    while waiting:
        _, parent, node, held = heapq.heappop(waiting)
        children = [(child, edge) for edge in found.edges(node) for child in found.children(edge)]
        for child, edge in sorted(children, key=lambda pair: -found.node_visits[pair[0]]):
            if len(nodes) >= most:
                folded += 1
                continue
            action, visits = int(found.edge_action[edge]), int(found.node_visits[child])
            seen = tuple((labels[s] if s < len(labels) else names[s], layout.places[p].id) for s, p in found.observed(child))
            nodes.append(TreeNode(len(nodes), parent, actions(action, held), seen, visits, found.value(edge) or 0.0,
                                  float(found.edge_prior[edge]), bool(found.node_reached[child])))
            if child in line:
                expected_ids.append(nodes[-1].id)
            heapq.heappush(waiting, (-visits, nodes[-1].id, child, _held_after(action, held)))
    return SearchTree(tuple(nodes), folded, tuple(expected_ids))


def _held_after(action: int, held: int) -> int:
    """Returns the object in the hand after an action, or -1."""
    kind = action & KIND
    return action & ~KIND if kind in (GRAB, FETCH) else -1 if kind in (PUT, LAY) else held
