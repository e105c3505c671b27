"""Selects the nodes of a search to draw: visited nodes, the best line and unfolded nodes. The rest become pills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.planning.facets import SearchTree, TreeNode

LEAST_VISITS = 3


@dataclass(frozen=True, slots=True)
class Folding:
    """What the operator wants to see.

    Attributes:
        least: nodes with fewer visits are folded.
        unfolded: keys of the nodes whose children are all drawn.
        kept: keys of nodes drawn with any number of visits: pinned or found nodes.
        order: key -> position among its siblings, while siblings must not move.
    """

    least: int = LEAST_VISITS
    unfolded: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    order: Mapping[int, int] = field(default_factory=dict)


class Item(NamedTuple):
    """A drawn item: a node, or a pill that stands for folded children of its parent.

    Attributes:
        node: None for a pill.
        key: identifies the path from the root. It stays the same from one search facet to the next.
        parent: index of its parent in the list of items, -1 for the root.
        chance: the share of this observation after the same action; None if nothing was observed after that action.
        hidden: the number of actions that a pill stands for.
        visits: visits of the node, or of all nodes that a pill stands for.
    """

    node: TreeNode | None
    key: int
    parent: int
    depth: int
    expected: bool = False
    chance: float | None = None
    hidden: int = 0
    visits: int = 0


def fold(tree: SearchTree, folding: Folding) -> list[Item]:
    """Returns the items in drawing order from top to bottom: each item before its children, the best line first."""
    if not tree.nodes:
        return []
    children: dict[int, list[TreeNode]] = {}
    for node in tree.nodes:
        children.setdefault(node.parent, []).append(node)
    expected = frozenset(tree.expected)
    root = tree.nodes[0]
    items: list[Item] = []
    waiting = [Item(root, 0, -1, 0, root.id in expected, visits=root.visits)]
    while waiting:
        item = waiting.pop()
        at = len(items)
        items.append(item)
        if item.node is not None:
            waiting += reversed(_below(item, at, children.get(item.node.id, ()), expected, folding))
    return items


def _below(item: Item, at: int, nodes: Sequence[TreeNode], expected: frozenset[int], folding: Folding) -> list[Item]:
    """Returns the drawn children of an item, and a pill for the others."""
    if not nodes:
        return []
    least = 0 if item.key in folding.unfolded else folding.least
    kept, rest = list[TreeNode](), list[TreeNode]()
    for node in nodes:
        wanted = node.visits >= least or node.id in expected or (folding.kept and key_of(item.key, node) in folding.kept)
        (kept if wanted else rest).append(node)
    chances = _chances(nodes) if any(n.observed for n in nodes) else {}
    found = [Item(n, key_of(item.key, n), at, item.depth + 1, n.id in expected, chances.get(n.id), visits=n.visits)
             for n in kept]
    found.sort(key=lambda i: (folding.order.get(i.key, len(folding.order)), not i.expected, -i.visits))
    if rest:
        count, visits = len({n.action for n in rest}), sum(n.visits for n in rest)
        found.append(Item(None, hash((item.key, "folded")), at, item.depth + 1, hidden=count, visits=visits))
    return found


def key_of(parent: int, node: TreeNode) -> int:
    """Returns the key of a node, given its parent's key."""
    return hash((parent, node.action, node.observed))


def path_keys(tree: SearchTree, node_id: int) -> list[int]:
    """Returns the keys on the path from the root to a node."""
    nodes = {n.id: n for n in tree.nodes}
    way: list[TreeNode] = []
    at = nodes.get(node_id)
    while at is not None and at.parent >= 0:
        way.append(at)
        at = nodes.get(at.parent)
    keys = [0]
    for node in reversed(way):
        keys.append(key_of(keys[-1], node))
    return keys


def _chances(nodes: Sequence[TreeNode]) -> dict[int, float]:
    """Returns node id -> share of its observation among all observations after the same action."""
    visits: dict[object, int] = {}
    for node in nodes:
        visits[node.action] = visits.get(node.action, 0) + node.visits
    seeing = {n.action for n in nodes if n.observed}
    return {n.id: n.visits / max(1, visits[n.action]) for n in nodes if n.action in seeing}
