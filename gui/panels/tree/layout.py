"""What is drawn of a search and where: folded into items, laid out from left to right, without overlaps. No Qt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt

from core.planning.search_facets import SearchTree, TreeNode
from gui.control.context import Selected
from gui.widgets.rect_layout import RectLayout, rows_in_lines

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


NODE, ROOT, HEIGHT, COLUMN, ROW = 104.0, 64.0, 34.0, 119.0, 40.0
"""Pixels at text size 100 %: width of a node and of the root, height of both, distance of two columns, distance of two rows."""
MARGIN = 10.0


@dataclass(frozen=True, slots=True)
class Layout(RectLayout):
    """The items and their rectangles.

    Attributes:
        parents: (n,) int64: index of each item's parent among the items, -1 for the root.
        index: key -> index among the items.
        shown: the number of items that are nodes, not pills.
        most: visits of the most visited item other than the root.
        total: the number of nodes of the search, drawn or not.
    """

    items: tuple[Item, ...]
    parents: npt.NDArray[np.int64]
    index: Mapping[int, int]
    total: int
    shown: int
    most: int

    def edges_within(self, x: float, y: float, width: float, height: float) -> list[int]:
        """Returns the items whose edge to their parent may cross a rectangle."""
        r = self.rects
        if len(r) < 2:
            return []
        child = np.arange(1, len(r))
        parent = self.parents[1:]
        left, right = r[parent, 0] + r[parent, 2], r[child, 0]
        top, bottom = np.minimum(r[parent, 1], r[child, 1]), np.maximum(r[parent, 1] + r[parent, 3], r[child, 1] + r[child, 3])
        near = (left < x + width) & (right > x) & (top < y + height) & (bottom > y)
        return [int(k) for k in child[near]]


def nothing() -> Layout:
    """Returns the layout of an empty tree."""
    return Layout(np.zeros((0, 4)), (0.0, 0.0), (), np.zeros(0, np.int64), {}, 0, 0, 1)


def lay_out(tree: SearchTree, folding: Folding, scale: float = 1.0) -> Layout:
    """Folds a search and returns the positions of the items that are drawn, at a text scale."""
    items = fold(tree, folding)
    if not items:
        return nothing()
    parents, depths = [item.parent for item in items], [item.depth for item in items]
    depth = np.array(depths)
    rects = np.empty((len(items), 4))
    rects[:, 0] = np.where(depth == 0, 0.0, ROOT - NODE + depth * COLUMN)
    rects[:, 1] = np.array(rows_in_lines(range(len(items)), parents, depths)) * ROW
    rects[:, 2] = np.where(depth == 0, ROOT, NODE)
    rects[:, 3] = HEIGHT
    rects *= scale
    rects[:, :2] += MARGIN
    right, bottom = (float(x) for x in (rects[:, :2] + rects[:, 2:]).max(axis=0))
    index = {item.key: k for k, item in enumerate(items)}
    most = max((item.visits for item in items[1:]), default=1) or 1
    shown = sum(item.node is not None for item in items)
    size = right + MARGIN, bottom + MARGIN
    return Layout(rects, size, tuple(items), np.array(parents), index, len(tree.nodes) + tree.folded, shown, most)


def selected_items(layout: Layout, now: Selected | None, clicked: int | None) -> frozenset[int]:
    """Returns the indices of the selected items.

    This is the clicked node while its action is selected. Otherwise it is the nodes with the selected action that are nearest
    to the root.
    """
    if now is None or now.kind != "action":
        return frozenset()
    items = layout.items
    at = layout.index.get(clicked) if clicked is not None else None
    node = items[at].node if at is not None else None
    if at is not None and node is not None and node.action == now.action:
        return frozenset({at})
    same = [k for k, i in enumerate(items) if i.node is not None and i.node.action == now.action]
    least = min((items[k].depth for k in same), default=0)
    return frozenset(k for k in same if items[k].depth == least)


def next_item(layout: Layout, clicked: int | None, key: int) -> int:
    """Returns the index that an arrow key leads to, or -1.

    This is the parent, the first child, or the next branch in the same column; without a clicked node it is the first node.
    """
    items = layout.items
    nodes = [k for k, i in enumerate(items) if i.node is not None and i.node.action is not None]
    at = next((k for k in nodes if items[k].key == clicked), None)
    if at is None:
        return nodes[0] if nodes else -1
    if key == Qt.Key.Key_Left:
        return items[at].parent
    if key == Qt.Key.Key_Right:
        return next((k for k in nodes if items[k].parent == at), -1)
    column = [k for k in nodes if items[k].depth == items[at].depth]
    place = column.index(at) + (1 if key == Qt.Key.Key_Down else -1)
    return column[place] if 0 <= place < len(column) else -1
