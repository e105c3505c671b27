"""The part of a search tree that is shown: its most visited nodes, found in time that depends on how many are wanted."""

from __future__ import annotations

import numpy as np

from core.search.compilation.decorator import compiled
from core.search.model import Ints
from core.search.tree import NODES, Tree


def most_visited(tree: Tree, most: int) -> tuple[Ints, Ints, int]:
    """Returns the most visited nodes, most visited first and each after its parent; of equals the older comes first.

    Args:
        tree: n nodes.
        most: how many are wanted, at least 1.

    Returns:
        [m] the nodes, m ≤ `most`; [m] the place of each one's parent among them, -1 for the root; how many children of theirs
        are left out.
    """
    count = int(tree.used[NODES])
    shown = np.empty((min(most, count), 2), np.int32)
    left_out = select(tree, np.empty((count, 2), np.int32), shown)  # memory for all that is never touched costs nothing
    return shown[:, 0], shown[:, 1], left_out


@compiled
def select(tree: Tree, waiting: Ints, shown: Ints) -> int:
    """Fills `shown` [m, 2] with nodes and the places of their parents, best first.

    Args:
        tree: at least m nodes, all below the root.
        waiting: [n, 2] memory for a heap of the children of what is shown, the next to be shown on top.
        shown: [m, 2] is written.

    Returns:
        How many are left in the heap.
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
    """Returns whether a node is shown before another."""
    visits, others = tree.node_visits[one], tree.node_visits[other]
    return bool(visits > others or (visits == others and one < other))


@compiled
def _rise(tree: Tree, waiting: Ints, at: int, node: int, parent: int) -> None:
    """Puts a node into the heap, which has `at` entries."""
    while at > 0 and _comes_first(tree, node, waiting[(at - 1) // 2, 0]):
        above = (at - 1) // 2
        waiting[at, 0], waiting[at, 1] = waiting[above, 0], waiting[above, 1]
        at = above
    waiting[at, 0], waiting[at, 1] = node, parent


@compiled
def _sink(tree: Tree, waiting: Ints, size: int) -> None:
    """Takes the top off the heap, whose last entry is at `size`."""
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
