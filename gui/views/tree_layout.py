"""The layout of a tree that is drawn: left to right, each parent midway between its children, long lists of children folded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from core.views.values import CHOSEN, Item, Shape, Tree
from gui.views.tones import edge_of
from gui.widgets.rect_layout import RectLayout

FOLDED_FROM = 9
"""An item with more children than this shows only some of them. The rest is folded into one pill."""
SIZES: Mapping[Shape, tuple[float, float]] = {
    "box": (112, 36), "octagon": (110, 40), "diamond": (122, 56), "pill": (196, 26), "": (112, 36)}
"""Width and height of an item by its shape, in pixels at text size 100 %."""
ACROSS, DOWN, MARGIN = 24.0, 6.0, 12.0
MOST_ACROSS, MOST_DOWN = 120.0, 22.0
"""Pixels by which a gap between columns, and between leaves, may grow in a large panel."""
Spread = tuple[float, float]
"""Pixels added to each gap between columns and between leaves, at text size 100 %."""


@dataclass(frozen=True, slots=True)
class Box:
    """A shape of the drawing: an item, or a pill that stands for folded items.

    Attributes:
        index: the index of the item, or of the first of the folded ones.
        item: that item.
        shape: the shape it is drawn as.
        parent: index of the parent among the boxes, -1 at the root.
        depth: the column, 0 at the root.
        hidden: the number of folded items, 0 for an item.
        live: whether it is on the path from a root to what is marked as chosen.
    """

    index: int
    item: Item
    shape: Shape
    parent: int
    depth: int
    hidden: int = 0
    live: bool = False


@dataclass(frozen=True, slots=True)
class TreeLayout(RectLayout):
    """The layout of a tree with n boxes.

    Attributes:
        boxes: (n,) parents before their children.
    """

    boxes: tuple[Box, ...] = ()

    def of(self, index: int) -> int:
        """Returns the box of an item by its index, or -1 if the item is folded or unknown."""
        return next((k for k, box in enumerate(self.boxes) if box.index == index and not box.hidden), -1)


NOTHING = TreeLayout(np.zeros((0, 4)), (0.0, 0.0))


def lay_out(boxes: Sequence[Box], scale: float, spread: Spread = (0.0, 0.0)) -> TreeLayout:
    """Returns the layout of a tree.

    Args:
        boxes: see `boxes_of`.
        scale: the text scale, which multiplies all sizes.
        spread: pixels added to each gap between columns and between leaves, at text size 100 %.
    """
    if not boxes:
        return NOTHING
    widest = [0.0] * (1 + max(box.depth for box in boxes))
    for box in boxes:
        widest[box.depth] = max(widest[box.depth], SIZES[box.shape][0])
    columns = list(accumulate((width + ACROSS + spread[0] for width in widest), initial=MARGIN))
    rects = np.empty((len(boxes), 4))
    for k, box in enumerate(boxes):
        width, height = SIZES[box.shape]
        rects[k] = (columns[box.depth], 0.0, width, height)
    rects[:, 1] = _heights(boxes, DOWN + spread[1]) - rects[:, 3] / 2
    rects[:, 1] += MARGIN - rects[:, 1].min()
    rects *= scale
    right, bottom = (float(v) for v in (rects[:, :2] + rects[:, 2:]).max(axis=0))
    return TreeLayout(rects, (right + MARGIN * scale, bottom + MARGIN * scale), tuple(boxes))


def spread_in(layout: TreeLayout, width: float, height: float, scale: float) -> Spread:
    """Returns by how much the gaps may grow so that the tree fills its room.

    Args:
        layout: the layout without spread.
        width: of the room, in pixels divided by the zoom.
        height: of the room, in pixels divided by the zoom.
        scale: the text scale.
    """
    if not layout.boxes:
        return 0.0, 0.0
    columns = 1 + max(box.depth for box in layout.boxes)
    leaves = len(layout.boxes) - len({box.parent for box in layout.boxes} - {-1})
    across = (width - layout.size[0]) / scale / max(1, columns - 1)
    down = (height - layout.size[1]) / scale / max(1, leaves)
    return min(MOST_ACROSS, max(0.0, across)), min(MOST_DOWN, max(0.0, down))


def live_of(items: Sequence[Item]) -> frozenset[int]:
    """Returns the indices of what is marked as chosen, and of everything above it."""
    found: set[int] = set()
    for k, item in enumerate(items):
        at = k if CHOSEN in item.marks else -1
        while at >= 0 and at not in found:
            found.add(at)
            at = items[at].parent
    return frozenset(found)


def boxes_of(tree: Tree, unfolded: Collection[int] = ()) -> list[Box]:
    """Returns the boxes of a tree, parents before their children, siblings from top to bottom; long lists are folded.

    Args:
        tree: the tree.
        unfolded: indices of the items whose children are all drawn.
    """
    items, children = tree.items, dict[int, list[int]]()
    for k, item in enumerate(items):
        children.setdefault(item.parent, []).append(k)
    live, boxes = live_of(items), list[Box]()
    stack = [(k, -1, 0, 0) for k in reversed(children.get(-1, []))]
    while stack:
        index, parent, depth, hidden = stack.pop()
        shape = "pill" if hidden else items[index].shape if items[index].shape in SIZES else "box"
        boxes.append(Box(index, items[index], shape, parent, depth, hidden, index in live and not hidden))
        if hidden:
            continue
        at, below = len(boxes) - 1, children.get(index, [])
        kept, rest = (below, []) if index in unfolded else _kept(items, below)
        stack += reversed([*((child, at, depth + 1, 0) for child in kept), *((k, at, depth + 1, len(rest)) for k in rest[:1])])
    return boxes


def _kept(items: Sequence[Item], below: list[int]) -> tuple[list[int], list[int]]:
    """Returns the children that are drawn and the folded ones: of many, those without an important mark are folded first."""
    if len(below) <= FOLDED_FROM:
        return below, []
    important = [k for k in below if edge_of(items[k].marks) is not None]
    plain = [k for k in below if edge_of(items[k].marks) is None]
    shown = {*important[:FOLDED_FROM * 4], *plain[:max(0, FOLDED_FROM - 1 - len(important))]}
    return [k for k in below if k in shown], [k for k in below if k not in shown]


def _heights(boxes: Sequence[Box], down: float) -> npt.NDArray[np.float64]:
    """Returns the vertical centre of each box: (n,) float64, in pixels.

    Leaves are stacked. A parent is centred on its first and last child, but stays within the band of its own branch, so that
    it touches no other box.

    Args:
        boxes: parents before their children.
        down: the gap between leaves, in pixels.
    """
    children: dict[int, list[int]] = {}
    for k, box in enumerate(boxes):
        children.setdefault(box.parent, []).append(k)
    own = [SIZES[box.shape][1] + down for box in boxes]
    middles, tops, branch = np.zeros(len(boxes)), {-1: 0.0}, list(own)
    for k in range(len(boxes) - 1, -1, -1):  # the height of each branch
        branch[k] = max(own[k], sum(branch[c] for c in children.get(k, ())))
    for parent in (-1, *range(len(boxes))):
        high = sum(branch[c] for c in children.get(parent, ()))
        top = tops[parent] + (max(0.0, branch[parent] - high) / 2 if parent >= 0 else 0.0)
        for c in children.get(parent, ()):
            tops[c] = top
            top += branch[c]
    for k in range(len(boxes) - 1, -1, -1):
        kids = children.get(k)
        middle = (middles[kids[0]] + middles[kids[-1]]) / 2 if kids else tops[k] + branch[k] / 2
        middles[k] = min(max(middle, tops[k] + own[k] / 2), tops[k] + branch[k] - own[k] / 2)
    return middles
