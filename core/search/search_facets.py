"""The facets of a search: the ranking of the root actions, and the most visited part of the tree."""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from core.planning.search_facets import RankedAction, Ranking, SearchTree, TreeNode
from core.planning.simulation_facets import Simulations
from core.search.model import FETCH, GRAB, HELD, KIND, LAY, LOOK, OPEN, PUT
from core.search.rearrangement import Rearrangement
from core.search.search import Search
from core.search.translation import to_actions
from core.search.tree import most_visited
from core.world.vocabulary import Action

MOST_NODES, MOST_MEANWHILE = 1000, 250
"""The maximum number of nodes shown of a finished and of a running search. A running one is shown ten times a second."""


def ranking(search: Search, task: Rearrangement, budget: int) -> Ranking:
    """Returns the root actions, best first."""
    order, visits, priors, values = search.ranked(), search.visits(), search.priors(), search.values()
    total, actions = max(1, int(visits.sum())), search.actions(task.names)
    best = max((v for v in values if v is not None), default=0.0)
    found = []
    for e in order:
        value = values[e]
        found.append(RankedAction(actions[e], float(priors[e]), int(visits[e]), value, int(visits[e]) / total,
                                  None if value is None else best - value))
    return Ranking(tuple(found), search.simulations, budget, expected(search, task))


def simulations(search: Search, task: Rearrangement) -> Generator[tuple[()], None, Simulations]:
    """Returns the logged simulations of a search. Yields checkpoints between parts that take a few milliseconds."""
    count, summary = search.logged, (yield from search.summary())
    numbers = search.log.world[:count]
    sampled, where, rows = np.unique(numbers, return_index=True, return_inverse=True)
    sampled_rows = rows.reshape(-1) - int(count > 0 and sampled[0] < 0)
    labels, names = task.table.labels, task.names
    arrays = (summary.first, sampled_rows.astype(np.int32), search.log.returned[:count].copy(), summary.steps, summary.reached,
              summary.placed[where[sampled >= 0]])
    for array in arrays:
        array.setflags(write=False)
    action, world, returned, steps, reached, placed = arrays
    return Simulations(
        search.actions(names), action, world, returned, steps, reached, task.due,
        tuple(labels[g] if g < len(labels) else names[g] for g in search.ghosts),
        tuple((place.id, place.relation) for place in task.layout.places), placed)


def expected(search: Search, task: Rearrangement) -> tuple[Action, ...]:
    """Returns the principal variation: the most visited action, its most visited observation, and so on."""
    line = _line(search)
    steps = tuple(step for macro in search.line(line[-1]) for step in macro) if line else ()
    return to_actions(task.layout, task.names, steps, int(search.knowledge.robot[HELD]))


def _line(search: Search) -> list[int]:
    """Returns the nodes of the principal variation, without the root."""
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


def tree(search: Search, task: Rearrangement, most: int = MOST_NODES) -> SearchTree:
    """Returns the most visited nodes, in descending order and parents first, in time that depends on the number shown."""
    found, names, layout, labels = search.tree, task.names, task.layout, task.table.labels
    shown, parents, folded = most_visited(found, most)
    edges = found.node_parent[shown]
    action_of, visits_of = found.edge_action[edges].tolist(), found.node_visits[shown].tolist()
    weights, tries = found.edge_weight[edges], found.edge_visits[edges].tolist()
    values = (found.edge_total[edges] / np.where(weights > 0, weights, 1.0)).tolist()
    values[0] = max((v for v in search.values() if v is not None), default=0.0)
    reached, priors = found.node_reached[shown].tolist(), found.edge_prior[edges].tolist()
    made: dict[tuple[int, int], Action] = {}
    held_after = [int(search.knowledge.robot[HELD])]
    nodes = [TreeNode(0, -1, None, (), visits_of[0], values[0], 1.0)]
    finding = found.node_found[shown, 1].tolist()
    for k, parent in enumerate(parents.tolist()[1:], 1):
        action, held = action_of[k], held_after[parent]
        if (action, held) not in made:
            (made[action, held],) = to_actions(layout, names, (_last_step(action),), held)
        seen = tuple((labels[s] if s < len(labels) else names[s], layout.places[p].id)
                     for s, p in found.observed(int(shown[k]))) if finding[k] else ()
        nodes.append(TreeNode(k, parent, made[action, held], seen, visits_of[k], values[k], priors[k], reached[k],
                              tries[k] if tries[k] > visits_of[k] else 0))
        held_after.append(_held_after(action, held))
    line = {0, *_line(search)}
    expected_ids = tuple(k for k, node in enumerate(shown.tolist()) if node in line)
    return SearchTree(tuple(nodes), folded, expected_ids)


def _last_step(action: int) -> int:
    """Returns the primitive action that completes an edge's action."""
    kind, index = action & KIND, action & ~KIND
    return {LOOK: OPEN, FETCH: GRAB, LAY: PUT}.get(kind, kind) + index


def _held_after(action: int, held: int) -> int:
    """Returns the object in the hand after an action, or -1."""
    kind = action & KIND
    return action & ~KIND if kind in (GRAB, FETCH) else -1 if kind in (PUT, LAY) else held
