"""One simulation of a search, repeated: its steps as a facet, its world as a belief, and its path in the tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.planning.belief_facets import Belief
from core.planning.search_facets import SearchTree
from core.planning.simulation_facets import SimulatedStep, SimulatedUpdate, SimulationSteps
from core.search import search_facets
from core.search.model import HELD, KIND, PUT, State, reveal, reveals, satisfied
from core.search.rearrangement import Rearrangement
from core.search.rollouts import gained
from core.search.search import Repeated, Search
from core.search.translation import to_actions
from core.search.tree import most_visited


def simulation_steps(search: Search, task: Rearrangement, repeated: Repeated) -> SimulationSteps:
    """Returns the steps of a simulation, executed once more by the rules, and what it changed in the tree."""
    labels, names, layout, model = task.table.labels, task.names, task.layout, search.problem.model
    actions = to_actions(layout, names, repeated.steps, int(search.knowledge.robot[HELD]))

    def name(item: int) -> str:
        return labels[item] if item < len(labels) else names[item]

    state, ghosts = _in_world(search, repeated.world), np.array(search.ghosts, np.int32)
    found, memory = list[SimulatedStep](), np.zeros(len(ghosts), np.int32)
    have, factor = satisfied(model, state.where), 1.0
    for k, (primitive, action) in enumerate(zip(repeated.steps, actions, strict=True)):
        search.problem.step(state, primitive)
        seen, reward = 0, 0.0
        if reveals(primitive):
            seen = reveal(model, state, ghosts, memory)
        elif (primitive & KIND) == PUT:
            now = satisfied(model, state.where)
            if k < repeated.depth or k < search.horizon:
                reward = float(gained(model, have, now, search.options.reward == "literals"))
            have = now
        objects = tuple((name(item), layout.places[state.where[item]].id) for item in memory[:seen].tolist())
        found.append(SimulatedStep(action, k < repeated.depth, objects, reward, factor * reward))
        factor *= search.options.discount
    where = search.world(repeated.world) if repeated.world >= 0 else []
    placed = tuple((name(item), layout.places[k].id, layout.places[k].relation)
                   for item, k in zip(search.ghosts, where, strict=False))
    return SimulationSteps(repeated.number, placed, tuple(found), _updates(search, task, repeated), repeated.returns[0])


def _in_world(search: Search, world: int) -> State:
    state = search.knowledge.copy()
    if world >= 0:
        state.where[list(search.ghosts)] = search.world(world)
    return state


def _updates(search: Search, task: Rearrangement, repeated: Repeated) -> tuple[SimulatedUpdate, ...]:
    actions = to_actions(task.layout, task.names, repeated.steps, int(search.knowledge.robot[HELD]))
    return tuple(SimulatedUpdate(actions[end - 1], returned, visits, total / weight if visits else None,
                                 (total + more * returned) / (weight + more))
                 for end, returned, (visits, weight, total), more in zip(
                     repeated.ends, repeated.returns, repeated.before, repeated.weights, strict=False))


def sampled_belief(search: Search, task: Rearrangement, repeated: Repeated) -> Belief:
    """Returns the belief as it would be if the sampled world were known."""
    belief = task.facet()
    if repeated.world < 0:
        return belief
    probability = belief.probability.copy()
    for item, where in zip(search.ghosts, search.world(repeated.world), strict=True):
        if item < len(task.table) and where < probability.shape[1]:
            probability[item] = 0.0
            probability[item, where] = 1.0
    probability.setflags(write=False)
    return replace(belief, probability=probability)


def tree_along(search: Search, task: Rearrangement, repeated: Repeated) -> SearchTree:
    """Returns the tree with the path of a simulation in place of the principal variation, as far as it is among those shown."""
    shown = most_visited(search.tree, search_facets.MOST_NODES)[0].tolist()
    path = {0, *search.tree.line(int(search.log.leaf[repeated.number]))}
    return replace(search_facets.tree(search, task), expected=tuple(k for k, node in enumerate(shown) if node in path))
