"""The search tree and the running simulations as flat arrays that the compiled search fills, and its most visited nodes.

They are selected in time that depends on the number selected, not on the size of the tree.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from core.search.compilation.kernel import Entry, kernel
from core.search.model import Flags, Floats, Ints

Longs = npt.NDArray[np.int64]

NODES, EDGES, FOUND = range(3)
"""Indices into `Tree.used`."""


class Tree(NamedTuple):
    """A tree of action-observation histories, with capacity for n nodes, e edges and f found objects. Node 0 is the root.

    The edges of a node are contiguous. The children of an edge, one for each observation, form a linked list.

    Attributes:
        node_visits: [n] simulations through the node, including trials that wait for the policy.
        node_edge: [n] index of its first edge.
        node_edges: [n] number of its edges; negative until it is expanded, see `simulate.UNKNOWN_HISTORY`.
        node_asked: [n] whether its priors are final; otherwise they are uniform until the node has enough visits for a request.
        node_next: [n] the next child of the same edge, or -1.
        node_parent: [n] the edge that leads to it; -1 at the root.
        node_found: [n, 2] first entry and number of entries in `found`: the objects found on the way to it.
        node_reached: [n] whether the goal is reached there.
        edge_node: [e] the node it leaves.
        edge_action: [e] its action.
        edge_prior: [e] its prior probability.
        edge_visits: [e] simulations through it, including trials that wait for the policy.
        edge_weight: [e] sum of the weights of their returns, see `simulate.weight_of`; for a plain mean equal to the visits.
        edge_total: [e] sum of their returns, weighted. Q is edge_total / edge_weight.
        edge_child: [e] its first child, or -1.
        found: [f, 2] object and location.
        used: [3] the number of nodes, edges and found entries in use.
    """

    node_visits: Longs
    node_edge: Ints
    node_edges: Ints
    node_asked: Flags
    node_next: Ints
    node_parent: Ints
    node_found: Ints
    node_reached: Flags
    edge_node: Ints
    edge_action: Ints
    edge_prior: Floats
    edge_visits: Longs
    edge_weight: Floats
    edge_total: Floats
    edge_child: Ints
    found: Ints
    used: Longs

    def edges(self, node: int) -> range:
        """Returns the edges of a node."""
        first = int(self.node_edge[node])
        return range(first, first + max(0, int(self.node_edges[node])))

    def children(self, edge: int) -> list[int]:
        """Returns the nodes an edge leads to."""
        found, child = [], int(self.edge_child[edge])
        while child >= 0:
            found.append(child)
            child = int(self.node_next[child])
        return found

    def observed(self, node: int) -> list[tuple[int, int]]:
        """Returns the (object, location) pairs found between a node's parent and the node."""
        first, count = self.node_found[node].tolist()
        return [(item, location) for item, location in self.found[first:first + count].tolist()]

    def line(self, node: int) -> list[int]:
        """Returns the nodes on the path from the root to a node, without the root."""
        found = []
        while self.node_parent[node] >= 0:
            found.append(node)
            node = int(self.edge_node[self.node_parent[node]])
        return found[::-1]

    def value(self, edge: int) -> float | None:
        """Returns Q of an edge; None before its first visit."""
        return float(self.edge_total[edge] / self.edge_weight[edge]) if self.edge_visits[edge] else None


def empty_tree(nodes: int, edges: int, found: int) -> Tree:
    """Returns a tree without nodes, with the given capacities. Unused entries are 0."""
    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int32)

    def longs(size: int) -> Longs:
        return np.zeros(size, np.int64)

    def flags(size: int) -> Flags:
        return np.zeros(size, np.bool_)

    return Tree(longs(nodes), ints(nodes), ints(nodes), flags(nodes), ints(nodes), ints(nodes), ints(nodes, 2), flags(nodes),
                ints(edges), ints(edges), np.zeros(edges), longs(edges), np.zeros(edges), np.zeros(edges), ints(edges),
                ints(found, 2), longs(3))


MOST_COPIED = 200_000
"""The maximum number of entries that are copied between two checkpoints: less than a millisecond."""


def grown(tree: Tree, nodes: int, edges: int, found: int) -> Generator[tuple[()], None, Tree]:
    """Returns a copy of the tree with capacity for twice the used entries plus the given numbers.

    Yields a checkpoint after every `MOST_COPIED` entries and before it allocates a longer array: a tree of 100,000 simulations
    takes a tenth of a second.
    """
    used, more = tree.used.tolist(), (nodes, edges, found)
    sizes = {kind: (count, 2 * count + extra) for kind, count, extra in zip(("node", "edge", "found"), used, more, strict=True)}
    arrays: list[npt.NDArray[Any]] = []
    left = MOST_COPIED
    for name, old in zip(Tree._fields, cast(Iterable[npt.NDArray[Any]], tree), strict=True):
        count, size = sizes.get(name.partition("_")[0], (len(old), len(old)))
        if size > MOST_COPIED:
            yield ()
        array = np.zeros((size, *old.shape[1:]), old.dtype)
        first = 0
        while first < count:
            last = min(count, first + left)
            array[first:last] = old[first:last]
            first, left = last, left - (last - first)
            if not left:
                left = MOST_COPIED
                yield ()
        arrays.append(array)
    return Tree(*arrays)


class Trials(NamedTuple):
    """The simulations in progress: the running one and those that wait for the policy. B rows; H is the horizon in steps.

    Attributes:
        order: [B] rows, the waiting ones first.
        robot, opened, where, known, looked: [B, ...] the simulated state, as in `State`.
        node: [B] its current node.
        depth: [B] primitive steps executed.
        reached: [B] objects at their targets.
        drawn: [B] whether the ghosts' locations were sampled.
        world: [B] the number of its world; -1 before that.
        done: [B] whether it has reached the goal.
        length: [B] actions executed.
        edge: [B, H] the edges it has taken.
        reward: [B, H] the discounted reward of each action.
        discount: [B, H] the discount after each action.
        key: [B, K] the key of the knowledge state for which it waits.
    """

    order: Ints
    robot: Ints
    opened: Flags
    where: Ints
    known: Flags
    looked: Flags
    node: Ints
    depth: Ints
    reached: Ints
    drawn: Flags
    world: Ints
    done: Flags
    length: Ints
    edge: Ints
    reward: Floats
    discount: Floats
    key: Ints


def empty_trials(rows: int, locations: int, objects: int, horizon: int, key: int) -> Trials:
    """Returns rows for simulations of a problem of the given size."""
    def ints(*columns: int) -> Ints:
        return np.zeros((rows, *columns), np.int32)

    def flags(*columns: int) -> Flags:
        return np.zeros((rows, *columns), np.bool_)

    return Trials(np.arange(rows, dtype=np.int32), ints(4), flags(locations), ints(objects), flags(objects), flags(locations),
                  ints(), ints(), ints(), flags(), ints(), flags(), ints(), ints(horizon), np.zeros((rows, horizon)),
                  np.zeros((rows, horizon)), ints(key))


class Log(NamedTuple):
    """The first m simulations of a search, in the order in which their returns were added to the tree.

    With it, each of them can be repeated exactly, see `core.search.retrace`.

    Attributes:
        leaf: [m] the node where the simulation left the tree.
        world: [m] the number of its world; -1: none was sampled.
        random: [m] the state of the random stream before the rollout.
        returned: [m] the discounted return from the root.
    """

    leaf: Ints
    world: Ints
    random: npt.NDArray[np.uint64]
    returned: Floats


def empty_log(size: int) -> Log:
    """Returns a log for so many simulations."""
    return Log(np.zeros(size, np.int32), np.full(size, -1, np.int32), np.zeros(size, np.uint64), np.zeros(size))


def most_visited(tree: Tree, most: int) -> tuple[Ints, Ints, int]:
    """Returns the most visited nodes, in descending order and each after its parent; among equals, the older comes first.

    Args:
        tree: n nodes.
        most: the maximum number of nodes, at least 1.

    Returns:
        [m] the nodes, m ≤ `most`; [m] the position of each one's parent in that list, -1 for the root; the number of their
        children that are left out.
    """
    count = int(tree.used[NODES])
    shown = np.empty((min(most, count), 2), np.int32)
    left_out = select(tree, np.empty((count, 2), np.int32), shown)  # the untouched part of the large array costs no memory
    return shown[:, 0], shown[:, 1], left_out


@Entry
def select(tree: Tree, waiting: Ints, shown: Ints) -> int:
    """Fills `shown` with nodes and the positions of their parents, best first.

    Args:
        tree: at least m nodes, all below the root.
        waiting: [n, 2] memory for a heap of the children of selected nodes; the next one to select is on top.
        shown: [m, 2] receives the nodes and parents.

    Returns:
        The number of nodes left in the heap.
    """
    waiting[0, 0], waiting[0, 1] = 0, -1
    size = 1
    for place in range(len(shown)):
        node = waiting[0, 0]
        shown[place, 0], shown[place, 1] = node, waiting[0, 1]
        size -= 1
        _heap_pop(tree, waiting, size)
        first = tree.node_edge[node]
        for edge in range(first, first + max(0, tree.node_edges[node])):
            child = tree.edge_child[edge]
            while child >= 0:
                _heap_push(tree, waiting, size, child, place)
                size += 1
                child = tree.node_next[child]
    return size


@kernel
def _is_before(tree: Tree, one: int, other: int) -> bool:
    """Returns True if one node is selected before another."""
    visits, others = tree.node_visits[one], tree.node_visits[other]
    return bool(visits > others or (visits == others and one < other))


@kernel
def _heap_push(tree: Tree, waiting: Ints, at: int, node: int, parent: int) -> None:
    """Inserts a node into the heap, which has `at` entries."""
    while at > 0 and _is_before(tree, node, waiting[(at - 1) // 2, 0]):
        above = (at - 1) // 2
        waiting[at, 0], waiting[at, 1] = waiting[above, 0], waiting[above, 1]
        at = above
    waiting[at, 0], waiting[at, 1] = node, parent


@kernel
def _heap_pop(tree: Tree, waiting: Ints, size: int) -> None:
    """Removes the top of the heap; its last entry is at `size`."""
    node, parent, at = waiting[size, 0], waiting[size, 1], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _is_before(tree, waiting[below + 1, 0], waiting[below, 0]):
            below += 1
        if not _is_before(tree, waiting[below, 0], node):
            break
        waiting[at, 0], waiting[at, 1] = waiting[below, 0], waiting[below, 1]
        at = below
    waiting[at, 0], waiting[at, 1] = node, parent
