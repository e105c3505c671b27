"""Repeats logged simulations of a search exactly, with the functions of the search itself.

The tree keeps the path of each simulation, the log its world and the state of its random stream. A repeated simulation gives
the same return, to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.search.compilation.kernel import Entry, kernel
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
        placed: [m, G] the locations of the ghosts in its world; 0 if none was sampled.
    """

    first: Ints
    steps: Ints
    reached: Ints
    placed: Ints


class Sums(NamedTuple):
    """What simulations gave to each of the e edges of a tree, added in the order of the search.

    Attributes:
        visits: [e] the simulations through the edge.
        weights: [e] the sum of the weights of their returns.
        totals: [e] the weighted sum of their returns.
    """

    visits: Longs
    weights: Floats
    totals: Floats


@kernel
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


@kernel
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


@Entry
def summarise(model: Model, belief: Belief, root: State, settings: Settings, tree: Tree, trials: Trials, log: Log,
              scratch: Scratch, random: Random, returns: Floats, ends: Ints, first: int, summary: Summary, sums: Sums) -> None:
    """Fills a summary of the simulations from number `first` on, one for each row of it, and adds what they gave to `sums`.

    The other arguments are those of `repeat`.
    """
    for row in range(summary.first.size):
        number = first + row
        count = repeat(model, belief, root, settings, tree, trials, log, number, scratch, random, returns, ends)
        summary.first[row] = trials.edge[0, 0] if count > 0 else -1
        _add_up(settings, trials, count, returns, sums)
        start_trial(model, root, trials, 0)
        if log.world[number] >= 0:
            enter_world(model, belief, settings, trials, 0, log.world[number])
            for ghost in range(belief.ghosts.size):
                summary.placed[row, ghost] = trials.where[0, belief.ghosts[ghost]]
        summary.reached[row, :] = NEVER
        state = State(trials.robot[0], trials.opened[0], trials.where[0], trials.known[0], trials.looked[0])
        steps = 0
        while steps < scratch.trail.size and scratch.trail[steps] != NOTHING:
            primitive = scratch.trail[steps]
            steps += 1
            step(model, state, primitive)
            if reveals(primitive):
                reveal(model, state, belief.ghosts, scratch.found)
            elif (primitive & KIND) == PUT:
                _note_reached(model, state, steps, summary.reached[row])
        summary.steps[row] = steps


@kernel
def _note_reached(model: Model, state: State, steps: int, reached: Ints) -> None:
    for want in range(reached.size):
        if reached[want] == NEVER and placed(model, state.where, want) >= model.number[want]:
            reached[want] = steps


@kernel
def _add_up(settings: Settings, trials: Trials, count: int, returns: Floats, sums: Sums) -> None:
    for k in range(count):
        edge, weight = trials.edge[0, k], weight_of(returns[k], settings.softmax)
        sums.visits[edge] += 1
        sums.weights[edge] += weight
        sums.totals[edge] += weight * returns[k]


def empty_summary(simulations: int, literals: int, ghosts: int) -> Summary:
    """Returns a summary for so many simulations."""
    first, steps = np.zeros(simulations, np.int32), np.zeros(simulations, np.int32)
    return Summary(first, steps, np.zeros((simulations, literals), np.int32), np.zeros((simulations, ghosts), np.int32))


def empty_sums(edges: int) -> Sums:
    """Returns the sums of no simulation."""
    return Sums(np.zeros(edges, np.int64), np.zeros(edges), np.zeros(edges))


def part_of(summary: Summary, first: int, last: int) -> Summary:
    """Returns the rows from `first` to before `last`, as views."""
    return Summary(*(rows[first:last] for rows in summary))


def with_trail(scratch: Scratch, horizon: int) -> Scratch:
    """Returns the scratch memory with room for the primitive actions of one simulation."""
    return scratch._replace(trail=np.full(horizon + OVERSHOOT, NOTHING, np.int32))
