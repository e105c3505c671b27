"""The layout of a blocking tree: left to right, each parent midway between its children, long candidate lists folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from core.planners.bcr.recorded_types import BlockingNode, BlockingTree
from gui.widgets.rect_layout import RectLayout

FOLDED_FROM = 9
"""A node with more children than this shows only some of them. The rest is folded into one pill."""
SIZES: Mapping[str, tuple[float, float]] = {
    "goal": (126, 36), "blocked": (110, 40), "condition": (122, 56), "resolution": (98, 36), "pill": (196, 26),
}
"""Width and height of a node by its shape, in pixels at text size 100 %."""
ACROSS, DOWN, MARGIN = 24.0, 6.0, 12.0
MOST_ACROSS, MOST_DOWN = 120.0, 22.0
"""Pixels by which a gap between columns, and between leaves, may grow in a large panel."""
Spread = tuple[float, float]
"""Pixels added to each gap between columns and between leaves, at text size 100 %."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the drawing: a node, or a pill that stands for folded nodes.

    Attributes:
        node: the node, or the first of the folded nodes.
        parent: index of the parent among the items, -1 for a goal.
        depth: the column, 0 for a goal.
        hidden: the number of folded nodes, 0 for a node.
        live: whether it is on the path from a goal to the chosen candidate.
    """

    node: BlockingNode
    parent: int
    depth: int
    hidden: int = 0
    live: bool = False

    @property
    def shape(self) -> str:
        """Returns the shape it is drawn as, a key of `SIZES`."""
        if self.hidden or (self.node.kind == "action" and self.node.state != "blocked"):
            return "pill"
        return "blocked" if self.node.kind == "action" else self.node.kind


@dataclass(frozen=True, slots=True)
class Layout(RectLayout):
    """The layout of a tree with n items.

    Attributes:
        items: (n,) parents before their children.
    """

    items: tuple[Item, ...]

    def index(self, node_id: int) -> int:
        """Returns the index of a node's item, or -1 if the node is folded or unknown."""
        return next((k for k, item in enumerate(self.items) if item.node.id == node_id and not item.hidden), -1)


def nothing() -> Layout:
    """Returns the layout of an empty tree."""
    return Layout(np.zeros((0, 4)), (0.0, 0.0), ())


def lay_out(tree: BlockingTree, unfolded: frozenset[int], scale: float, spread: Spread = (0.0, 0.0)) -> Layout:
    """Returns the layout of a tree, with long lists of children folded.

    Args:
        tree: the blocking tree.
        unfolded: ids of the nodes whose children are all drawn.
        scale: the text scale, which multiplies all sizes.
        spread: pixels added to each gap between columns and between leaves, at text size 100 %.
    """
    items = _items(tree, unfolded)
    if not items:
        return nothing()
    widest = [max(SIZES[item.shape][0] for item in items if item.depth == depth)
              for depth in range(1 + max(item.depth for item in items))]
    columns = list(accumulate((width + ACROSS + spread[0] for width in widest), initial=MARGIN))
    rects = np.empty((len(items), 4))
    for k, item in enumerate(items):
        width, height = SIZES[item.shape]
        rects[k] = (columns[item.depth], 0.0, width, height)
    rects[:, 1] = _heights(items, DOWN + spread[1]) - rects[:, 3] / 2
    rects[:, 1] += MARGIN - rects[:, 1].min()
    rects *= scale
    right, bottom = (float(v) for v in (rects[:, :2] + rects[:, 2:]).max(axis=0))
    return Layout(rects, (right + MARGIN * scale, bottom + MARGIN * scale), tuple(items))


def spread_in(layout: Layout, width: float, height: float, scale: float) -> Spread:
    """Returns by how much the gaps may grow so that the tree fills the panel.

    Args:
        layout: the layout without spread.
        width: of the panel, in pixels divided by the zoom.
        height: of the panel, in pixels divided by the zoom.
        scale: the text scale.
    """
    if not layout.items:
        return 0.0, 0.0
    columns = 1 + max(item.depth for item in layout.items)
    leaves = len(layout.items) - len({item.parent for item in layout.items} - {-1})
    across = (width - layout.size[0]) / scale / max(1, columns - 1)
    down = (height - layout.size[1]) / scale / max(1, leaves)
    return min(MOST_ACROSS, max(0.0, across)), min(MOST_DOWN, max(0.0, down))


def _live_ids(tree: BlockingTree) -> frozenset[int]:
    """Returns the ids of the chosen candidate and its ancestors."""
    parents = {n.id: n.parent for n in tree.nodes}
    found: set[int] = set()
    for node in tree.nodes:
        at = node.id if node.state == "chosen" else -1
        while at in parents and at not in found:
            found.add(at)
            at = parents[at]
    return frozenset(found)


def _items(tree: BlockingTree, unfolded: frozenset[int]) -> list[Item]:
    """Returns the items, parents before their children, siblings from top to bottom."""
    children: dict[int, list[BlockingNode]] = {}
    for node in tree.nodes:
        children.setdefault(node.parent, []).append(node)
    live, items = _live_ids(tree), list[Item]()
    stack: list[tuple[BlockingNode, int, int, int]] = [(n, -1, 0, 0) for n in reversed(children.get(-1, []))]
    while stack:
        node, parent, depth, hidden = stack.pop()
        items.append(Item(node, parent, depth, hidden, node.id in live and not hidden))
        if hidden:
            continue
        at, kept, rest = len(items) - 1, *_kept(children.get(node.id, []), unfolded)
        below = [(child, at, depth + 1, 0) for child in kept]
        if rest:
            below.append((rest[0], at, depth + 1, len(rest)))
        stack += reversed(below)
    return items


def _kept(nodes: Sequence[BlockingNode], unfolded: frozenset[int]) -> tuple[list[BlockingNode], list[BlockingNode]]:
    """Returns a node's drawn children and its folded ones.

    Plain candidates are folded first. Children in another state and those of an operator are drawn, up to
    `4 * FOLDED_FROM` of them.
    """
    if len(nodes) <= FOLDED_FROM or (nodes and nodes[0].parent in unfolded):
        return list(nodes), []
    important = [n for n in nodes if n.state != "candidate" or n.by_operator]
    plain = [n for n in nodes if n.state == "candidate" and not n.by_operator]
    room = max(0, FOLDED_FROM - 1 - len(important))
    shown = {n.id for n in (*important[:FOLDED_FROM * 4], *plain[:room])}
    return [n for n in nodes if n.id in shown], [n for n in nodes if n.id not in shown]


def _heights(items: Sequence[Item], down: float) -> npt.NDArray[np.float64]:
    """Returns the vertical centre of each item: (n,) float64, in pixels.

    Leaves are stacked. A parent is centred on its first and last child, but stays within the band of its own branch, so that
    it touches no other item.

    Args:
        items: parents before their children.
        down: the gap between leaves, in pixels.
    """
    children: dict[int, list[int]] = {}
    for k, item in enumerate(items):
        children.setdefault(item.parent, []).append(k)
    middles = np.zeros(len(items))
    below: dict[int, float] = {}
    for k in range(len(items) - 1, -1, -1):  # the height of each branch
        own = SIZES[items[k].shape][1] + down
        below[k] = max(own, sum(below[c] for c in children.get(k, ())))
    tops = {-1: 0.0}
    for parent in (-1, *range(len(items))):
        high = sum(below[c] for c in children.get(parent, ()))
        top = tops[parent] + (max(0.0, below[parent] - high) / 2 if parent >= 0 else 0.0)
        for c in children.get(parent, ()):
            tops[c] = top
            top += below[c]
    for k in range(len(items) - 1, -1, -1):
        kids = children.get(k)
        middles[k] = (middles[kids[0]] + middles[kids[-1]]) / 2 if kids else tops[k] + below[k] / 2
        low = tops[k] + (SIZES[items[k].shape][1] + down) / 2
        high = tops[k] + below[k] - (SIZES[items[k].shape][1] + down) / 2
        middles[k] = min(max(middles[k], low), high)
    return middles
