"""The layout of a tree: left to right, the first child on its parent's row, without overlaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.planning.facets import SearchTree
from gui.panels.tree.folding import Folding, Item, fold
from gui.widgets.rect_layout import RectLayout


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in pixels at 100 %, including the text size."""

    node: float = 104
    height: float = 34
    column: float = 119
    row: float = 40
    root: float = 64
    margin: float = 10

    def scaled(self, factor: float) -> Sizes:
        """Returns the sizes for another text size."""
        return Sizes(self.node * factor, self.height * factor, self.column * factor, self.row * factor, self.root * factor,
                     self.margin)


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

    def index_of(self, key: int) -> int | None:
        """Returns the index of a key among the items, or None."""
        return self.index.get(key)


def nothing() -> Layout:
    """Returns the layout of an empty tree."""
    return Layout(np.zeros((0, 4)), (0.0, 0.0), (), np.zeros(0, np.int64), {}, 0, 0, 1)


def lay_out(tree: SearchTree, folding: Folding, sizes: Sizes) -> Layout:
    """Folds a search and returns the positions of the items that are drawn."""
    items = fold(tree, folding)
    if not items:
        return nothing()
    rows = _rows(items)
    depth = np.array([item.depth for item in items])
    rects = np.empty((len(items), 4))
    rects[:, 0] = np.where(depth == 0, 0.0, sizes.root + sizes.column - sizes.node + (depth - 1) * sizes.column) + sizes.margin
    rects[:, 1] = sizes.margin + np.array(rows) * sizes.row
    rects[:, 2] = np.where(depth == 0, sizes.root, sizes.node)
    rects[:, 3] = sizes.height
    right, bottom = (float(x) for x in (rects[:, :2] + rects[:, 2:]).max(axis=0))
    index = {item.key: k for k, item in enumerate(items)}
    most = max((item.visits for item in items[1:]), default=1) or 1
    shown = sum(item.node is not None for item in items)
    size, parents = (right + sizes.margin, bottom + sizes.margin), np.array([item.parent for item in items])
    return Layout(rects, size, tuple(items), parents, index, len(tree.nodes) + tree.folded, shown, most)


def _rows(items: Sequence[Item]) -> list[float]:
    """Returns the row of each item: the highest row on which its whole line of first children is free."""
    first: dict[int, int] = {}
    for k, item in enumerate(items):
        if item.parent >= 0 and item.parent not in first:
            first[item.parent] = k
    free: list[float] = [0.0] * (1 + max((i.depth for i in items), default=0))
    rows = [-1.0] * len(items)
    for k, item in enumerate(items):
        if rows[k] >= 0:
            continue
        line, at = [k], k
        while at in first:
            at = first[at]
            line.append(at)
        depth = item.depth
        row = max(*free[depth:depth + len(line)], rows[item.parent] if item.parent >= 0 else 0.0)
        for step, member in enumerate(line):
            rows[member] = row
            free[depth + step] = row + 1
    return rows
