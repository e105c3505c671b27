"""The layout of a state graph and the canvas that paints it.

A state's column is the least number of actions that lead to it from a start. The first known way from a state continues on
its row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from core.planners.neoplanner.recorded_types import StateEdge, StateGraph, StateNode
from gui.theme import Theme
from gui.widgets import RIGHT, draw_mark, draw_text, text_width
from gui.widgets.canvas import Canvas
from gui.widgets.numbers import value, whole
from gui.widgets.painting import draw_level
from gui.widgets.rect_layout import RectLayout, rows_in_lines

NODE, HEIGHT, COLUMN, ROW = 132.0, 50.0, 160.0, 58.0
"""Pixels at text size 100 %: width and height of a state, distance of two columns, distance of two rows."""
MARGIN = 12.0


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


def lay_out(graph: StateGraph, scale: float = 1.0) -> Layout:
    """Returns the positions of all states at a text scale.

    A state keeps its column while the graph grows, unless a shorter way is found.
    """
    if not graph.nodes:
        return nothing()
    index = {node.id: k for k, node in enumerate(graph.nodes)}
    edges = [e for e in graph.edges if e.source in index and e.target in index and e.source != e.target]
    starts = [index[s] for s in graph.start if s in index] or [0]
    parents, order, depth = _spanning(len(graph.nodes), starts, edges, index)
    rects = np.empty((len(graph.nodes), 4))
    rects[:, 0] = np.array(depth) * COLUMN
    rects[:, 1] = np.array(rows_in_lines(order, parents, depth)) * ROW
    rects[:, 2], rects[:, 3] = NODE, HEIGHT
    rects *= scale
    rects[:, :2] += MARGIN
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
    size = right + MARGIN, bottom + MARGIN
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


HIGH, MIDDLING = 2 / 3, 1 / 3
"""Shares of the largest value from which a state counts as good, or as medium."""
TIP = 5.0


@dataclass(frozen=True, slots=True)
class GraphMarks:
    """Which states of a graph are marked.

    Attributes:
        here: the id of the robot's state; `path`: ids of the states ahead; `start`: ids where episodes began.
        chosen: the id of the state the operator clicked, or -1.
    """

    here: int = -1
    path: frozenset[int] = frozenset()
    start: frozenset[int] = frozenset()
    chosen: int = -1


def value_tone(share: float) -> str:
    """Returns the colour token of a value, given as a share of the largest."""
    return "good" if share >= HIGH else "warn" if share >= MIDDLING else "idle"


class GraphCanvas(Canvas[Layout]):
    """The canvas of a graph."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "State graph", nothing())
        self._marks = GraphMarks()

    def show_layout(self, layout: Layout, marks: GraphMarks) -> None:
        """Shows another layout. The view does not move."""
        self.rect_layout, self._marks = layout, marks
        self.picture_changed()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints everything that touches the visible rectangle."""
        layout, near = self.rect_layout, (sight.x(), sight.y(), sight.width(), sight.height())
        for k in layout.links_within(*near):
            self._link(painter, layout.links[k])
        for k in layout.within(*near):
            self._node(painter, k)

    # --- edges ---------------------------------------------------------------
    def _link(self, painter: QPainter, link: Link) -> None:
        """Paints an edge.

        Edges that place a state are solid, other edges dashed. Edges of the plan are bold. Edges with a positive reward have a
        diamond, those with a negative one an octagon.
        """
        theme = self.theme
        chosen = self._marks.chosen in (link.edge.source, link.edge.target)
        tone = "accent" if link.on_path else "selection" if chosen else "line_strong" if link.tree else "line"
        pen = QPen(theme.colour(tone), 2.4 if link.on_path else 1.4 if link.tree or chosen else 1.0)
        if not link.tree and not link.on_path:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        curve, end = _curve(self.rect_layout, link)
        painter.drawPath(curve)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour(tone))
        painter.drawPolygon(QPolygonF([end, end + QPointF(-TIP, -TIP * 0.6), end + QPointF(-TIP, TIP * 0.6)]))
        if link.edge.reward:
            middle, gain = curve.pointAtPercent(0.5), link.edge.reward > 0
            draw_mark(painter, "diamond" if gain else "octagon", middle.x(), middle.y(), theme.px(4),
                      theme.colour("good" if gain else "bad"))

    # --- states ----------------------------------------------------------------
    def _node(self, painter: QPainter, k: int) -> None:
        theme, node, rect = self.theme, self.rect_layout.nodes[k], self.item_rect(k)
        here, ahead = node.id == self._marks.here, node.id in self._marks.path
        fill = "accent_bg" if here else "hover" if k == self.under else "raised"
        painter.setBrush(theme.colour(fill))
        planned = here or ahead
        pen = QPen(theme.colour("accent" if planned else "muted" if node.frontier else "line"), 1.8 if planned else 1)
        if node.frontier:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        if node.id == self._marks.chosen:
            painter.setPen(QPen(theme.colour("selection"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(-2.5, -2.5, 2.5, 2.5), 6, 6)
        share, track = node.value / self.rect_layout.top, QRectF(rect.x() + 4, rect.y() + 4, theme.px(4), rect.height() - 8)
        draw_level(painter, theme, track, min(1.0, share), value_tone(share))
        self._words(painter, k, rect)

    def _words(self, painter: QPainter, k: int, rect: QRectF) -> None:
        theme, px, node = self.theme, self.theme.px, self.rect_layout.nodes[k]
        here = node.id == self._marks.here
        line = QRectF(rect.x() + px(13), rect.y() + px(3), rect.width() - px(18), px(15))
        if here or node.id in self._marks.start:
            side = px(12)
            picture = theme.pixmap("follow" if here else "first", side, "accent" if here else "muted")
            painter.drawPixmap(QPointF(line.right() - side, line.y() + 1), picture)
        draw_text(painter, theme, line.adjusted(0, 0, -px(15), 0), node.title, "small", "text", 650 if here else 500)
        came = self.rect_layout.came.get(k, "")
        draw_text(painter, theme, line.translated(0, px(15)), came or "start", "micro", "muted" if came else "faint")
        foot = line.translated(0, px(29))
        took = draw_text(painter, theme, foot, f"n {whole(node.visits)}  V {value(node.value, 1)}", "micro", "muted")
        self._tries(painter, node, foot.adjusted(took + px(6), 0, 0, 0))

    def _tries(self, painter: QPainter, node: StateNode, foot: QRectF) -> None:
        """Paints at the right how many actions were tried, and behind an octagon how many of them were refused."""
        theme, px = self.theme, self.theme.px
        if node.refused:
            text = whole(node.refused)
            wide = text_width(theme, text, "micro", 600)
            draw_text(painter, theme, foot, text, "micro", "bad", 600, RIGHT)
            draw_mark(painter, "octagon", foot.right() - wide - px(7), foot.center().y(), px(4), theme.colour("bad"))
            foot = foot.adjusted(0, 0, -wide - px(16), 0)
        words = (f"{whole(node.tried)} tried", whole(node.tried))
        fitting = next((w for w in words if text_width(theme, w, "micro") <= foot.width()), "")
        draw_text(painter, theme, foot, fitting, "micro", "faint", 400, RIGHT)


def _curve(layout: Layout, link: Link) -> tuple[QPainterPath, QPointF]:
    """Returns the curve from the right of one state to the left of another, and its end. A way back runs below both states."""
    ax, ay, aw, ah = (float(v) for v in layout.rects[link.source])
    bx, by, _, bh = (float(v) for v in layout.rects[link.target])
    start, end = QPointF(ax + aw, ay + ah / 2), QPointF(bx, by + bh / 2)
    path = QPainterPath(start)
    if bx > ax:
        bend = max(20.0, (end.x() - start.x()) * 0.5)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
    else:
        low = max(ay + ah, by + bh) + 6
        path.cubicTo(QPointF(start.x() + 24, low), QPointF(end.x() - 24, low), end)
    return path, end
