"""Selects the most visited nodes of a search tree, in time that depends on the number selected, not on the size of the tree."""

from __future__ import annotations

import numpy as np

from core.search.compilation.decorator import compiled
from core.search.model import Ints
from core.search.tree import NODES, Tree


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


@compiled
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
        _sink(tree, waiting, size)
        first = tree.node_edge[node]
        for edge in range(first, first + max(0, tree.node_edges[node])):
            child = tree.edge_child[edge]
            while child >= 0:
                _rise(tree, waiting, size, child, place)
                size += 1
                child = tree.node_next[child]
    return size


@compiled
def _comes_first(tree: Tree, one: int, other: int) -> bool:
    """Returns True if one node is selected before another."""
    visits, others = tree.node_visits[one], tree.node_visits[other]
    return bool(visits > others or (visits == others and one < other))


@compiled
def _rise(tree: Tree, waiting: Ints, at: int, node: int, parent: int) -> None:
    """Inserts a node into the heap, which has `at` entries."""
    while at > 0 and _comes_first(tree, node, waiting[(at - 1) // 2, 0]):
        above = (at - 1) // 2
        waiting[at, 0], waiting[at, 1] = waiting[above, 0], waiting[above, 1]
        at = above
    waiting[at, 0], waiting[at, 1] = node, parent


@compiled
def _sink(tree: Tree, waiting: Ints, size: int) -> None:
    """Removes the top of the heap; its last entry is at `size`."""
    node, parent, at = waiting[size, 0], waiting[size, 1], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _comes_first(tree, waiting[below + 1, 0], waiting[below, 0]):
            below += 1
        if not _comes_first(tree, waiting[below, 0], node):
            break
        waiting[at, 0], waiting[at, 1] = waiting[below, 0], waiting[below, 1]
        at = below
    waiting[at, 0], waiting[at, 1] = node, parent
