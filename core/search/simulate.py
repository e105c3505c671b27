"""The compiled Monte Carlo tree search over beliefs: Algorithm 1 of the LLM-MCTS paper with improvements.

`run` simulates until it must return to Python: a chunk of simulations is done, the budget is used, the policy must be called,
or the tree needs more memory. One simulation is `start_trial`, `_simulate` (selects actions, expands nodes and samples a
world) and `_backup`. Read the functions from top to bottom.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.search.compilation.kernel import Entry, kernel
from core.search.macros import MACROS, list_actions
from core.search.model import KIND, PUT, Ints, Model, State, is_last, next_step, reveal, reveals, satisfied, step
from core.search.policy_table import PolicyTable, find, write_key
from core.search.rollouts import (
    GREEDY,
    UNIFORM,
    Belief,
    Random,
    Scratch,
    gained,
    greedy_rollout,
    mixed,
    uniform_rollout,
    write_trail,
)
from core.search.tree import EDGES, FOUND, NODES, Log, Longs, Tree, Trials

DONE, PAUSED, ASKS, FULL = range(4)
"""Why `run` returned: the budget is used; a chunk is done; trials wait for the policy; the tree needs more memory."""

UNKNOWN_HISTORY, ROLLED_OUT = -1, -2
"""Values of `Tree.node_edges` before a node has edges: it is new; or it has had its rollout (literal only)."""

COMMON, EACH, ONE = range(3)
"""Which worlds are sampled: the n-th simulation of every root action gets the n-th world; always a new one; always the same."""

RETURN_SCALE = 10.0
"""What returns are divided by in the weights of the released code, which calls it T."""

SIMULATIONS, LIMIT, PAUSE, WAITING, ANSWERED, QUESTIONS, FORCED, WORLDS = range(8)
"""Indices into `progress`: simulations done; simulations to do; simulations at which to pause; waiting trials; whether their
requests were answered (0, 1); requests that may still be made (-1: no limit; at 0 no trial waits); entries of `forced` still
to use; worlds sampled."""


class Settings(NamedTuple):
    """The search settings with choices as integers.

    Attributes:
        horizon: the maximum number of steps of a simulation.
        exploration: c of PUCT.
        discount: the discount factor of each step.
        actions: MACROS, RELEVANT or ADMISSIBLE.
        rollout: GREEDY, UNIFORM or NONE.
        shared: whether each object at its target earns a share of the reward.
        urgency: whether an unvisited edge gets the value of the best edge of its node.
        worlds: COMMON, EACH or ONE.
        asks: whether there is a policy to call; without one all priors are uniform.
        earned: the visits of a node before the policy is called for it.
        mixing: the share of the prior that is uniform over the actions.
        world_seed: the seed of the sampled worlds.
        literal: whether visits are counted, and the policy is called, as Algorithm 1 is printed: a new history, the root
            included, gets a rollout before it has edges; the rollout is no visit; the policy is called for each history.
        ucb1: whether actions are selected by UCB1, without priors, instead of PUCT.
        softmax: whether Q is a weighted mean of the returns, see `weight_of`.
    """

    horizon: int
    exploration: float
    discount: float
    actions: int
    rollout: int
    shared: bool
    urgency: bool
    worlds: int
    asks: bool
    earned: int
    mixing: float
    world_seed: np.uint64
    literal: bool
    ucb1: bool
    softmax: bool


@Entry
def run(model: Model, belief: Belief, root: State, settings: Settings, tree: Tree, tried: Longs, trials: Trials, log: Log,
        table: PolicyTable, forced: Ints, scratch: Scratch, random: Random, progress: Longs) -> int:
    """Simulates until it must return to Python.

    Args:
        model: the goal and the map.
        belief: the belief over the ghosts' locations.
        root: what the robot knows now.
        settings: the search settings.
        tree: is extended.
        tried: [edges of the root] simulations of each root edge, for COMMON worlds.
        trials: trials that wait for the policy are continued first.
        log: receives the simulations until it is full.
        table: the policy's answers so far.
        forced: root edges to take next, from the end.
        scratch: is overwritten.
        random: the random stream of the rollouts.
        progress: see SIMULATIONS and the names after it.

    Returns:
        DONE, PAUSED, ASKS or FULL.
    """
    if progress[ANSWERED]:
        if not _resume(model, belief, settings, tree, tried, trials, log, table, forced, scratch, random, progress):
            return FULL
        progress[ANSWERED] = 0
        if progress[WAITING] > 0:
            return ASKS
    while progress[SIMULATIONS] + progress[WAITING] < progress[LIMIT]:
        if progress[SIMULATIONS] >= progress[PAUSE]:
            return PAUSED
        if not _has_capacity(tree, scratch, belief):
            return FULL
        waiting = progress[WAITING]
        row = trials.order[waiting]
        start_trial(model, root, trials, row)
        if _simulate(model, belief, settings, tree, tried, trials, row, table, forced, scratch, progress):
            _backup(model, belief, settings, tree, trials, row, log, scratch, random, progress)
            continue
        again = _has_waiting_twin(trials, row, waiting)
        _add_virtual_loss(tree, trials, row, 1)
        progress[WAITING] = waiting + 1
        if again or waiting + 1 == trials.order.size or trials.node[row] == 0:
            return ASKS
    return ASKS if progress[WAITING] > 0 else DONE


@kernel
def _has_capacity(tree: Tree, scratch: Scratch, belief: Belief) -> bool:
    """Returns True if the tree has memory for one more simulation."""
    used = tree.used
    return bool(used[NODES] < tree.node_visits.size and used[EDGES] + scratch.actions.size <= tree.edge_action.size
                and used[FOUND] + belief.ghosts.size <= tree.found.shape[0])


@kernel
def _resume(model: Model, belief: Belief, settings: Settings, tree: Tree, tried: Longs, trials: Trials, log: Log,
            table: PolicyTable, forced: Ints, scratch: Scratch, random: Random, progress: Longs) -> bool:
    """Continues the trials that waited for the policy. Returns False if the tree lacks memory for that.

    A trial that reaches another state for which the policy must be called waits again.
    """
    waited, progress[WAITING] = progress[WAITING], 0
    for k in range(waited):
        if not _has_capacity(tree, scratch, belief):
            for j in range(k, waited):
                _wait_again(trials, j, progress)
            return False
        row = trials.order[k]
        _add_virtual_loss(tree, trials, row, -1)
        if _simulate(model, belief, settings, tree, tried, trials, row, table, forced, scratch, progress):
            _backup(model, belief, settings, tree, trials, row, log, scratch, random, progress)
        else:
            _add_virtual_loss(tree, trials, row, 1)
            _wait_again(trials, k, progress)
    return True


@kernel
def _wait_again(trials: Trials, k: int, progress: Longs) -> None:
    """Moves the k-th row to the end of the waiting trials."""
    waiting = progress[WAITING]
    trials.order[k], trials.order[waiting] = trials.order[waiting], trials.order[k]
    progress[WAITING] = waiting + 1


@kernel
def _has_waiting_twin(trials: Trials, row: int, waiting: int) -> bool:
    """Returns True if another waiting trial has the same knowledge state."""
    for k in range(waiting):
        other, same = trials.order[k], True
        for j in range(trials.key.shape[1]):
            if trials.key[other, j] != trials.key[row, j]:
                same = False
                break
        if same:
            return True
    return False


@kernel
def _add_virtual_loss(tree: Tree, trials: Trials, row: int, sign: int) -> None:
    """Adds a visit with return 0 to the edges of a waiting trial, so that the next trial takes another path.

    Args:
        tree: is changed.
        trials: the trials.
        row: the waiting trial.
        sign: 1 to add the virtual loss, -1 to remove it.
    """
    for k in range(trials.length[row]):
        edge = trials.edge[row, k]
        tree.edge_visits[edge] += sign
        tree.edge_weight[edge] += sign  # a return of 0 has the weight 1
        tree.node_visits[tree.edge_node[edge]] += sign


@kernel
def start_trial(model: Model, root: State, trials: Trials, row: int) -> None:
    """Initializes a trial at the root."""
    for k in range(root.robot.size):
        trials.robot[row, k] = root.robot[k]
    for k in range(root.opened.size):
        trials.opened[row, k], trials.looked[row, k] = root.opened[k], root.looked[k]
    for k in range(root.where.size):
        trials.where[row, k], trials.known[row, k] = root.where[k], root.known[k]
    trials.node[row], trials.depth[row], trials.length[row] = 0, 0, 0
    trials.drawn[row], trials.world[row], trials.done[row] = False, -1, False
    trials.reached[row] = satisfied(model, root.where)


@kernel
def state_of(trials: Trials, row: int) -> State:
    """Returns the simulated state of a trial, as views."""
    return State(trials.robot[row], trials.opened[row], trials.where[row], trials.known[row], trials.looked[row])


# --- selection and expansion ------------------------------------------------------------------------------------------------
@kernel
def _simulate(model: Model, belief: Belief, settings: Settings, tree: Tree, tried: Longs, trials: Trials, row: int,
              table: PolicyTable, forced: Ints, scratch: Scratch, progress: Longs) -> bool:
    """Traverses the tree until a leaf, the goal or the horizon. Returns False if the policy must be called first."""
    state = state_of(trials, row)
    if settings.literal and progress[SIMULATIONS] == 0 and tree.node_edges[0] > 0:
        _sample_world(model, belief, settings, tried, trials, row, 0, progress)
        return True  # lines 23 to 27: the root is a new history too
    while trials.depth[row] < settings.horizon and not trials.done[row]:
        node = trials.node[row]
        if _needs_rollout(model, state, settings, tree, node, scratch):
            return True
        if not tree.node_asked[node] and (node == 0 or tree.node_visits[node] >= settings.earned):
            write_key(model, state, belief.ghosts, settings.actions == MACROS, trials.key[row])
            trials.key[row, -1] = node if settings.literal else 0
            if not _set_priors(settings, tree, node, table, trials.key[row]):
                if progress[QUESTIONS] != 0:
                    return False
                tree.node_asked[node] = True
        if tree.node_edges[node] == 0:
            return True
        if node == 0 and progress[FORCED] > 0:
            progress[FORCED] -= 1
            edge = forced[progress[FORCED]]
        else:
            edge = _select(tree, settings, node)
        if node == 0 and not trials.drawn[row]:
            _sample_world(model, belief, settings, tried, trials, row, edge, progress)
        apply_edge(model, belief, settings, tree, trials, row, edge, scratch)
    return True


@kernel
def _needs_rollout(model: Model, state: State, settings: Settings, tree: Tree, node: int, scratch: Scratch) -> bool:
    """Returns True if this is the first visit of a node. At the second one it is expanded."""
    if tree.node_edges[node] >= 0:
        return False
    if tree.node_visits[node] == 0 and tree.node_edges[node] == UNKNOWN_HISTORY:
        if settings.literal:
            tree.node_edges[node] = ROLLED_OUT
        return True
    _expand(model, state, settings, tree, node, scratch)
    return False


@kernel
def _expand(model: Model, state: State, settings: Settings, tree: Tree, node: int, scratch: Scratch) -> None:
    """Adds an edge for each action available in the node's state, with uniform priors."""
    add_edges(tree, node, scratch.actions, list_actions(model, state, settings.actions, scratch.actions), settings.asks)


@kernel
def add_edges(tree: Tree, node: int, actions: Ints, count: int, asks: bool) -> None:
    """Adds `count` edges to a node, with uniform priors.

    Args:
        tree: is extended.
        node: the node.
        actions: [≥ count] the actions of the edges.
        count: the number of edges.
        asks: whether there is a policy to call.
    """
    first = tree.used[EDGES]
    tree.node_edge[node], tree.node_edges[node] = first, count
    tree.node_asked[node] = not asks or count <= 1
    for k in range(count):
        edge = first + k
        tree.edge_node[edge], tree.edge_action[edge], tree.edge_child[edge] = node, actions[k], -1
        tree.edge_prior[edge], tree.edge_visits[edge] = 1.0 / count, 0
        tree.edge_weight[edge], tree.edge_total[edge] = 0.0, 0.0
    tree.used[EDGES] = first + count


@kernel
def _set_priors(settings: Settings, tree: Tree, node: int, table: PolicyTable, key: Ints) -> bool:
    """Sets a node's priors from the policy's answer. Returns False if there is no answer yet.

    prior(a|h) = mixing/|A| + (1 - mixing) * answer(a|h), section 2.3; uniform if the reply was not usable.
    """
    k = find(table, key)
    if k < 0:
        return False
    tree.node_asked[node] = True
    first, count = tree.node_edge[node], tree.node_edges[node]
    total = 0.0
    for edge in range(first, first + count):
        weight = 0.0
        for j in range(table.start[k], table.start[k + 1]):
            if table.actions[j] == tree.edge_action[edge]:
                weight = table.weights[j]
        tree.edge_prior[edge] = weight
        total += weight
    for edge in range(first, first + count):
        if total > 0.0:
            tree.edge_prior[edge] = settings.mixing / count + (1.0 - settings.mixing) * tree.edge_prior[edge] / total
        else:
            tree.edge_prior[edge] = 1.0 / count
    return True


@kernel
def _select(tree: Tree, settings: Settings, node: int) -> int:
    """Returns the edge with the highest PUCT score: Q + c * prior * sqrt(N + 1) / (n + 1); sqrt(N) if literal (line 29).

    With `urgency`, an unvisited edge has the value of the best visited one, else 0. Of unvisited edges the one with the highest
    prior is taken, also at a new node if literal, where N and with it all scores are 0. With `ucb1`: see `_select_by_ucb1`.
    """
    if settings.ucb1:
        return _select_by_ucb1(tree, settings, node)
    first = tree.node_edge[node]
    root = settings.exploration * np.sqrt(tree.node_visits[node] + (0.0 if settings.literal else 1.0))
    best, chosen, fresh, top = -np.inf, first, -1, 0.0
    for edge in range(first, first + tree.node_edges[node]):
        visits = tree.edge_visits[edge]
        if visits > 0:
            value = tree.edge_total[edge] / tree.edge_weight[edge]
            top = max(top, value)
            score = value + root * tree.edge_prior[edge] / (1 + visits)
            if score > best:
                best, chosen = score, edge
        elif fresh < 0 or tree.edge_prior[edge] > tree.edge_prior[fresh]:
            fresh = edge
    if fresh >= 0 and (top if settings.urgency else 0.0) + root * tree.edge_prior[fresh] > best:
        chosen = fresh
    return int(chosen)


@kernel
def _select_by_ucb1(tree: Tree, settings: Settings, node: int) -> int:
    """Returns the first unvisited edge, else that with the highest Q + c * sqrt(ln(N) / n), N the visits of all edges.

    Source: Kocsis and Szepesvári 2006, UCT.
    """
    first, total = tree.node_edge[node], 0
    for edge in range(first, first + tree.node_edges[node]):
        if tree.edge_visits[edge] == 0:
            return int(edge)
        total += tree.edge_visits[edge]
    best, chosen, log = -np.inf, first, math.log(total)  # the logarithm of numpy may differ in the last bit
    for edge in range(first, first + tree.node_edges[node]):
        visits = tree.edge_visits[edge]
        score = tree.edge_total[edge] / tree.edge_weight[edge] + settings.exploration * np.sqrt(log / visits)
        if score > best:
            best, chosen = score, edge
    return int(chosen)


@kernel
def _sample_world(model: Model, belief: Belief, settings: Settings, tried: Longs, trials: Trials, row: int, edge: int,
                  progress: Longs) -> None:
    """Samples the next world for a trial."""
    number = 0
    if settings.worlds == COMMON:
        number = tried[edge]  # the root's edges have the first indices
        tried[edge] += 1
    elif settings.worlds == EACH:
        number = progress[WORLDS]
    progress[WORLDS] += 1
    enter_world(model, belief, settings, trials, row, number)


@kernel
def enter_world(model: Model, belief: Belief, settings: Settings, trials: Trials, row: int, number: int) -> None:
    """Samples the ghosts' locations from the belief for a trial at the root. World number n is always the same."""
    ghosts, last = belief.ghosts, belief.cumulative.shape[1] - 1
    where = trials.where[row]
    for k in range(ghosts.size):
        draw = mixed(settings.world_seed + np.uint64(number * ghosts.size + k + 1) * np.uint64(0x9E3779B97F4A7C15))
        low, high = 0, last
        while low < high:
            middle = (low + high) // 2
            if belief.cumulative[k, middle] < draw:
                low = middle + 1
            else:
                high = middle
        where[ghosts[k]] = low
    trials.drawn[row], trials.world[row] = True, number
    trials.reached[row] = satisfied(model, where)


@kernel
def apply_edge(model: Model, belief: Belief, settings: Settings, tree: Tree, trials: Trials, row: int, edge: int,
               scratch: Scratch) -> None:
    """Executes an edge's action in the sampled world and moves to the child for the observation."""
    state, action = state_of(trials, row), tree.edge_action[edge]
    reward, factor, found = 0.0, 1.0, 0
    while True:
        primitive = next_step(model, state, action)
        done = step(model, state, primitive)
        write_trail(scratch, settings.horizon - trials.depth[row], primitive)
        trials.depth[row] += 1
        if reveals(primitive):
            count = reveal(model, state, belief.ghosts, scratch.found)
            for k in range(count):
                scratch.observed[found] = scratch.found[k]
                found += 1
        elif (primitive & KIND) == PUT:
            now = satisfied(model, state.where)
            reward += factor * gained(model, trials.reached[row], now, settings.shared)
            trials.reached[row], trials.done[row] = now, now >= model.size
        factor *= settings.discount
        if not done or is_last(action, primitive):
            break
    k = trials.length[row]
    trials.edge[row, k], trials.reward[row, k], trials.discount[row, k] = edge, reward, factor
    trials.length[row] = k + 1
    trials.node[row] = _child_for(tree, edge, state, scratch.observed, found, trials.done[row])


@kernel
def _child_for(tree: Tree, edge: int, state: State, observed: Ints, count: int, reached: bool) -> int:
    """Returns the child of an edge for an observation (these objects at their locations). Creates it if necessary."""
    child = tree.edge_child[edge]
    while child >= 0:
        first = tree.node_found[child, 0]
        same = tree.node_found[child, 1] == count
        for k in range(count):
            same = same and tree.found[first + k, 0] == observed[k] and tree.found[first + k, 1] == state.where[observed[k]]
        if same:
            return int(child)
        child = tree.node_next[child]
    node, first = tree.used[NODES], tree.used[FOUND]
    for k in range(count):
        tree.found[first + k, 0], tree.found[first + k, 1] = observed[k], state.where[observed[k]]
    tree.used[NODES], tree.used[FOUND] = node + 1, first + count
    tree.node_next[node], tree.edge_child[edge] = tree.edge_child[edge], node
    tree.node_parent[node], tree.node_reached[node], tree.node_edges[node] = edge, reached, -1
    tree.node_found[node, 0], tree.node_found[node, 1] = first, count
    return int(node)


# --- rollout and backup -----------------------------------------------------------------------------------------------------
@kernel
def estimate(model: Model, belief: Belief, settings: Settings, trials: Trials, row: int, scratch: Scratch,
             random: Random) -> float:
    """Returns the discounted return of a rollout from the leaf of a trial; 0 if nothing is left to simulate."""
    steps = settings.horizon - trials.depth[row]
    if not trials.drawn[row] or trials.done[row] or steps <= 0:
        return 0.0
    state, have = state_of(trials, row), trials.reached[row]
    if settings.rollout == GREEDY:
        return float(greedy_rollout(model, belief, state, have, scratch, steps, settings.discount, settings.shared))
    if settings.rollout == UNIFORM:
        return float(uniform_rollout(model, belief, state, have, scratch, steps, settings.discount, settings.shared,
                                     settings.actions, random))
    return 0.0


@kernel
def weight_of(returned: float, softmax: bool) -> float:
    """Returns the weight of a return in Q: 1, or exp(return / 10), the softmax-weighted mean of the released code."""
    return math.exp(returned / RETURN_SCALE) if softmax else 1.0  # the exponential of numpy differs in the last bit


@kernel
def _backup(model: Model, belief: Belief, settings: Settings, tree: Tree, trials: Trials, row: int, log: Log, scratch: Scratch,
            random: Random, progress: Longs) -> None:
    """Runs a rollout from the leaf, adds the discounted return to all edges of the trial, and logs the trial."""
    leaf, number, before = trials.node[row], progress[SIMULATIONS], random[0]
    returned = estimate(model, belief, settings, trials, row, scratch, random)
    if not settings.literal:
        tree.node_visits[leaf] += 1
    for k in range(trials.length[row] - 1, -1, -1):
        edge = trials.edge[row, k]
        returned = trials.reward[row, k] + trials.discount[row, k] * returned
        tree.node_visits[tree.edge_node[edge]] += 1
        tree.edge_visits[edge] += 1
        weight = weight_of(returned, settings.softmax)
        tree.edge_weight[edge] += weight
        tree.edge_total[edge] += weight * returned
    if number < log.leaf.size:
        log.leaf[number], log.world[number], log.random[number] = leaf, trials.world[row], before
        log.returned[number] = returned
    progress[SIMULATIONS] += 1
