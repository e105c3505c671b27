"""The search tree and the running simulations as flat arrays that the compiled search fills."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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
        node_edges: [n] number of its edges; -1 until it is expanded.
        node_asked: [n] whether its priors are final; otherwise they are uniform until the node has enough visits for a request.
        node_next: [n] the next child of the same edge, or -1.
        node_parent: [n] the edge that leads to it; -1 at the root.
        node_found: [n, 2] first entry and number of entries in `found`: the objects found on the way to it.
        node_reached: [n] whether the goal is reached there.
        edge_node: [e] the node it leaves.
        edge_action: [e] its action.
        edge_prior: [e] its prior probability.
        edge_visits: [e] simulations through it, including trials that wait for the policy.
        edge_total: [e] sum of their returns.
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
        """Returns the mean return of an edge; None before its first visit."""
        visits = int(self.edge_visits[edge])
        return float(self.edge_total[edge]) / visits if visits else None


def empty_tree(nodes: int, edges: int, found: int) -> Tree:
    """Returns a tree without nodes, with the given capacities. Unused entries are 0."""
    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int32)

    def longs(size: int) -> Longs:
        return np.zeros(size, np.int64)

    def flags(size: int) -> Flags:
        return np.zeros(size, np.bool_)

    return Tree(longs(nodes), ints(nodes), ints(nodes), flags(nodes), ints(nodes), ints(nodes), ints(nodes, 2), flags(nodes),
                ints(edges), ints(edges), np.zeros(edges), longs(edges), np.zeros(edges), ints(edges), ints(found, 2), longs(3))


def grown(tree: Tree, nodes: int, edges: int, found: int) -> Tree:
    """Returns a copy of the tree with capacity for twice the used entries plus the given numbers."""
    used_nodes, used_edges, used_found = tree.used.tolist()
    new = empty_tree(2 * used_nodes + nodes, 2 * used_edges + edges, 2 * used_found + found)
    arrays: Iterable[tuple[str, npt.NDArray[Any], npt.NDArray[Any]]] = zip(Tree._fields, tree, new, strict=True)
    for name, old, array in arrays:
        kind = name.partition("_")[0]
        count = {"node": used_nodes, "edge": used_edges, "found": used_found}.get(kind, len(old))
        array[:count] = old[:count]
    return new


class Trials(NamedTuple):
    """The simulations in progress: the running one and those that wait for the policy. B rows; H is the horizon in steps.

    Attributes:
        order: [B] rows, the waiting ones first.
        robot, opened, where, known, looked: [B, ...] the simulated state, as in `State`.
        node: [B] its current node.
        depth: [B] primitive steps executed.
        reached: [B] objects at their targets.
        drawn: [B] whether the ghosts' locations were sampled.
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
                  ints(), ints(), ints(), flags(), flags(), ints(), ints(horizon), np.zeros((rows, horizon)),
                  np.zeros((rows, horizon)), ints(key))
