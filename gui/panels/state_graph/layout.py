"""The layout of a state graph: a state's column is the least number of actions that lead to it from a start.

The first known way from a state continues on the row of that state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.planners.neoplanner.recorded_types import StateEdge, StateGraph, StateNode
from gui.widgets.rect_layout import RectLayout


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes in pixels at 100 %, including the text size."""

    node: float = 132
    height: float = 50
    column: float = 160
    row: float = 58
    margin: float = 12

    def scaled(self, factor: float) -> Sizes:
        """Returns the sizes for another text size."""
        return Sizes(self.node * factor, self.height * factor, self.column * factor, self.row * factor, self.margin)


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that is drawn.

    Attributes:
        source: index of the source state among the nodes; `target` likewise.
        tree: True if the target is placed by this edge.
        on_path: True if the plan uses this edge.
    """

    source: int
    target: int
    edge: StateEdge
    tree: bool
    on_path: bool


@dataclass(frozen=True, slots=True)
class Layout(RectLayout):
    """The states and their rectangles.

    Attributes:
        links: the m edges between states. The edges of the path are last, to be drawn on top.
        ends: (m, 2) int64: source and target index of each link.
        came: index of a node -> the action by which it is placed.
        index: id of a state -> its index among the nodes.
        top: the largest value of a state, and at least 0.1.
    """

    nodes: tuple[StateNode, ...]
    links: tuple[Link, ...]
    ends: npt.NDArray[np.int64]
    came: Mapping[int, str]
    index: Mapping[int, int]
    top: float

    def links_within(self, x: float, y: float, width: float, height: float) -> list[int]:
        """Returns the indices of the links that may cross a rectangle."""
        if not len(self.ends):
            return []
        a, b = self.rects[self.ends[:, 0]], self.rects[self.ends[:, 1]]
        left, right = np.minimum(a[:, 0], b[:, 0]), np.maximum(a[:, 0] + a[:, 2], b[:, 0] + b[:, 2])
        top, bottom = np.minimum(a[:, 1], b[:, 1]), np.maximum(a[:, 1] + a[:, 3], b[:, 1] + b[:, 3])
        near = (left < x + width) & (right > x) & (top < y + height) & (bottom > y)
        return [int(k) for k in np.flatnonzero(near)]


def nothing() -> Layout:
    """Returns the layout of an empty graph."""
    return Layout(np.zeros((0, 4)), (0.0, 0.0), (), (), np.zeros((0, 2), np.int64), {}, {}, 1.0)


def lay_out(graph: StateGraph, sizes: Sizes) -> Layout:
    """Returns the positions of all states. A state keeps its column while the graph grows, unless a shorter way is found."""
    if not graph.nodes:
        return nothing()
    index = {node.id: k for k, node in enumerate(graph.nodes)}
    edges = [e for e in graph.edges if e.source in index and e.target in index and e.source != e.target]
    starts = [index[s] for s in graph.start if s in index] or [0]
    parents, order, depth = _spanning(len(graph.nodes), starts, edges, index)
    rows = _rows(order, parents, depth)
    rects = np.empty((len(graph.nodes), 4))
    rects[:, 0] = sizes.margin + np.array(depth) * sizes.column
    rects[:, 1] = sizes.margin + np.array(rows) * sizes.row
    rects[:, 2], rects[:, 3] = sizes.node, sizes.height
    steps = set(zip(graph.path, graph.path[1:], strict=False))
    links = []
    for edge in edges:
        source, target = index[edge.source], index[edge.target]
        links.append(Link(source, target, edge, parents[target] == source, (edge.source, edge.target) in steps))
    links.sort(key=lambda link: (link.on_path, link.tree))
    came = {link.target: link.edge.actions[0] for link in links if link.tree and link.edge.actions}
    ends = np.array([(link.source, link.target) for link in links], np.int64).reshape(-1, 2)
    right, bottom = (float(v) for v in (rects[:, :2] + rects[:, 2:]).max(axis=0))
    top = max(0.1, *(node.value for node in graph.nodes))
    size = right + sizes.margin, bottom + sizes.margin
    return Layout(rects, size, graph.nodes, tuple(links), ends, came, index, top)


def _spanning(count: int, starts: Sequence[int], edges: Sequence[StateEdge],
              index: Mapping[int, int]) -> tuple[list[int], list[int], list[int]]:
    """Returns parents, order and depths of the nodes.

    A parent is the node before it on a shortest way, or -1. A depth is the least number of actions. The order has parents
    before children and keeps lines of first children together.
    """
    ways: dict[int, list[int]] = {}
    for edge in edges:
        ways.setdefault(index[edge.source], []).append(index[edge.target])
    parents, depth = [-1] * count, [-1] * count
    for start in (*starts, *range(count)):  # a state that no start leads to (after a refusal) starts its own line
        if depth[start] < 0:
            depth[start] = 0
            _flood(start, ways, parents, depth)
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)
    order: list[int] = []
    waiting = [*reversed(children.get(-1, []))]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += reversed(children.get(node, []))
    return parents, order, depth


def _flood(start: int, ways: Mapping[int, list[int]], parents: list[int], depth: list[int]) -> None:
    queue = [start]
    for node in queue:
        for other in ways.get(node, ()):
            if depth[other] < 0:
                parents[other], depth[other] = node, depth[node] + 1
                queue.append(other)


def _rows(order: Sequence[int], parents: Sequence[int], depth: Sequence[int]) -> list[int]:
    """Returns the row of each node: the highest row on which its whole line of first children is free."""
    first: dict[int, int] = {}
    for node in order:
        first.setdefault(parents[node], node)
    free = [0] * (1 + max(depth))
    rows = [-1] * len(order)
    for node in order:
        if rows[node] >= 0:
            continue
        line, at = [node], node
        while at in first:
            at = first[at]
            line.append(at)
        above = rows[parents[node]] if parents[node] >= 0 else 0
        row = max(above, *(free[depth[member]] for member in line))
        for member in line:
            rows[member] = row
            free[depth[member]] = row + 1
    return rows
