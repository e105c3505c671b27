"""Repeats logged simulations of a search exactly, with the functions of the search itself.

The tree keeps the path of each simulation, the log its world and the state of its random stream. A repeated simulation gives
the same return, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.search.compilation.decorator import compiled
from core.search.model import KIND, NOTHING, OVERSHOOT, PUT, Floats, Ints, Model, State, placed, reveal, reveals, step
from core.search.rollouts import Belief, Random, Scratch
from core.search.simulate import Settings, apply_edge, enter_world, estimate, start_trial, weight_of
from core.search.tree import Log, Longs, Tree, Trials

NEVER = 0
"""Used in place of a step if a literal is not reached."""


class Summary(NamedTuple):
    """The m logged simulations in numbers, W literals.

    Attributes:
        first: [m] the root edge; -1 if the simulation has no edge (the first one of Algorithm 1).
        steps: [m] primitive actions.
        reached: [m, W] the step, from 1, at which each literal is first complete; NEVER if it is not.
    """

    first: Ints
    steps: Ints
    reached: Ints


class Totals(NamedTuple):
    """What some simulations gave to the E edges of the tree, added in the order of the search.

    Attributes:
        visits: [E] the number of simulations through each edge.
        weights: [E] the sum of their weights.
        returns: [E] the weighted sum of their returns.
    """

    visits: Longs
    weights: Floats
    returns: Floats


@compiled
def path_to(tree: Tree, leaf: int, path: Ints) -> int:
    """Writes the edges from the root to a node into `path`, and returns their number."""
    count, node = 0, leaf
    while tree.node_parent[node] >= 0:
        path[count] = tree.node_parent[node]
        node = tree.edge_node[path[count]]
        count += 1
    for k in range(count // 2):
        path[k], path[count - 1 - k] = path[count - 1 - k], path[k]
    return count


@compiled
def repeat(model: Model, belief: Belief, root: State, settings: Settings, tree: Tree, trials: Trials, log: Log, number: int,
           scratch: Scratch, random: Random, returns: Floats, ends: Ints) -> int:
    """Repeats a simulation in row 0 of `trials`.

    Args:
        model: the goal and the map.
        belief: the belief of the search.
        root: what the robot knew.
        settings: the settings of the search.
        tree: the finished tree; it is not changed.
        trials: one row; its `edge` receives the edges of the path.
        log: the log of the search.
        number: the number of the simulation.
        scratch: its `trail` receives the primitive actions, followed by NOTHING.
        random: is overwritten.
        returns: [edges + 1] receives the return from each edge of the path, then that of the rollout.
        ends: [edges] receives the number of primitive actions up to the end of each edge of the path.

    Returns:
        The number of edges of the path.
    """
    scratch.trail[:] = NOTHING
    start_trial(model, root, trials, 0)
    if log.world[number] >= 0:
        enter_world(model, belief, settings, trials, 0, log.world[number])
    path = trials.edge[0]
    count = path_to(tree, log.leaf[number], path)
    for k in range(count):
        apply_edge(model, belief, settings, tree, trials, 0, path[k], scratch)  # writes the same edge to the same place
        ends[k] = trials.depth[0]
    random[0] = log.random[number]
    returns[count] = estimate(model, belief, settings, trials, 0, scratch, random)
    for k in range(count - 1, -1, -1):
        returns[k] = trials.reward[0, k] + trials.discount[0, k] * returns[k + 1]
    return count


@compiled
def summarise(model: Model, belief: Belief, root: State, settings: Settings, tree: Tree, trials: Trials, log: Log,
              scratch: Scratch, random: Random, returns: Floats, ends: Ints, summary: Summary) -> None:
    """Fills a summary of the first simulations, one for each row of `summary`. See `repeat` for the other arguments."""
    for number in range(summary.first.size):
        count = repeat(model, belief, root, settings, tree, trials, log, number, scratch, random, returns, ends)
        summary.first[number] = trials.edge[0, 0] if count > 0 else -1
        start_trial(model, root, trials, 0)
        if log.world[number] >= 0:
            enter_world(model, belief, settings, trials, 0, log.world[number])
        summary.reached[number, :] = NEVER
        state = State(trials.robot[0], trials.opened[0], trials.where[0], trials.known[0], trials.looked[0])
        steps = 0
        while steps < scratch.trail.size and scratch.trail[steps] != NOTHING:
            primitive = scratch.trail[steps]
            steps += 1
            step(model, state, primitive)
            if reveals(primitive):
                reveal(model, state, belief.ghosts, scratch.found)
            elif (primitive & KIND) == PUT:
                _note_reached(model, state, steps, summary.reached[number])
        summary.steps[number] = steps


@compiled
def _note_reached(model: Model, state: State, steps: int, reached: Ints) -> None:
    for want in range(reached.size):
        if reached[want] == NEVER and placed(model, state.where, want) >= model.number[want]:
            reached[want] = steps


@compiled
def sample_worlds(model: Model, belief: Belief, root: State, settings: Settings, trials: Trials, numbers: Ints,
                  places: Ints) -> None:
    """Fills `places`, [n, ghosts], with the locations of the ghosts in the worlds with these n numbers."""
    for k in range(numbers.size):
        start_trial(model, root, trials, 0)
        enter_world(model, belief, settings, trials, 0, numbers[k])
        for ghost in range(belief.ghosts.size):
            places[k, ghost] = trials.where[0, belief.ghosts[ghost]]


@compiled
def add_up(model: Model, belief: Belief, root: State, settings: Settings, tree: Tree, trials: Trials, log: Log, size: int,
           scratch: Scratch, random: Random, returns: Floats, ends: Ints, totals: Totals) -> None:
    """Adds what the first `size` simulations of the log gave to each edge to `totals`. See `repeat` for the other arguments."""
    for number in range(size):
        count = repeat(model, belief, root, settings, tree, trials, log, number, scratch, random, returns, ends)
        for k in range(count):
            edge, weight = trials.edge[0, k], weight_of(returns[k], settings.softmax)
            totals.visits[edge] += 1
            totals.weights[edge] += weight
            totals.returns[edge] += weight * returns[k]


def empty_summary(simulations: int, literals: int) -> Summary:
    """Returns a summary for so many simulations."""
    first, steps = np.zeros(simulations, np.int32), np.zeros(simulations, np.int32)
    return Summary(first, steps, np.zeros((simulations, literals), np.int32))


def with_trail(scratch: Scratch, horizon: int) -> Scratch:
    """Returns the scratch memory with room for the primitive actions of one simulation."""
    return scratch._replace(trail=np.full(horizon + OVERSHOOT, NOTHING, np.int32))
