"""Graphs: nodes in layers from left to right, links as curves with text. Scrolled, dragged and scaled like all canvases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from core.views.addresses import Address, addresses_of
from core.views.values import Graph, Item, Link, Mark
from core.views.wording import cell_text, item_words
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.tones import draw_marks, edge_of, look_of
from gui.views.widget import AboutIndex, Choice, Key, ViewWidget, plain, tip
from gui.widgets import draw_block, draw_text
from gui.widgets.canvas import Canvas
from gui.widgets.painting import CENTRE
from gui.widgets.rect_layout import RectLayout, rows_in_lines

NODE, HEIGHT, COLUMN, ROW = 150.0, 42.0, 214.0, 54.0
"""Pixels at text size 100 %: width and height of a node, distance of two layers, distance of two rows."""
MARGIN, ARROW = 12.0, 5.0
READ_OUT = 30
"""The most nodes described to assistive tools."""
MOST_TIP, MOST_TEXTS = 12, 3
EMPTY = Graph((), ())


@dataclass(frozen=True, slots=True)
class Layout(RectLayout):
    """Nodes in layers.

    Attributes:
        ends: (m, 2) int64: source and target index of each link.
        depth: (n,) the layer of each node, from 0.
        order: the nodes from the first layer on, each after the one that leads to it.
    """

    ends: npt.NDArray[np.int64]
    depth: Sequence[int] = ()
    order: Sequence[int] = ()

    def links_within(self, x: float, y: float, width: float, height: float) -> list[int]:
        """Returns the indices of the links that may cross a rectangle."""
        if not len(self.ends):
            return []
        a, b = self.rects[self.ends[:, 0]], self.rects[self.ends[:, 1]]
        left, right = np.minimum(a[:, 0], b[:, 0]), np.maximum(a[:, 0] + a[:, 2], b[:, 0] + b[:, 2])
        top, bottom = np.minimum(a[:, 1], b[:, 1]), np.maximum(a[:, 1] + a[:, 3], b[:, 1] + b[:, 3])
        return [int(k) for k in np.flatnonzero((left < x + width) & (right > x) & (top < y + height) & (bottom + ROW > y))]


def lay_out(graph: Graph, scale: float = 1.0) -> Layout:
    """Returns the places of all nodes at a text scale.

    A node's layer is the least number of links that lead to it from a node without any before it; cycles begin at their first
    node. The first link out of a node goes on in its row.
    """
    count = len(graph.nodes)
    ends = np.array([(link.source, link.target) for link in graph.links], np.int64).reshape(-1, 2)
    if not count:
        return Layout(np.zeros((0, 4)), (0.0, 0.0), ends)
    ways: list[list[int]] = [[] for _ in range(count)]
    has_source = [False] * count
    for source, target in ends.tolist():
        if source != target:
            ways[source].append(target)
            has_source[target] = True
    parents, depth = [-1] * count, [-1] * count
    for start in (*(k for k in range(count) if not has_source[k]), *range(count)):
        if depth[start] < 0:
            depth[start] = 0
            _flood(start, ways, parents, depth)
    order = _in_lines(parents)
    rects = np.empty((count, 4))
    rects[:, 0], rects[:, 1] = np.array(depth) * COLUMN, np.array(rows_in_lines(order, parents, depth)) * ROW
    rects[:, 2], rects[:, 3] = NODE, HEIGHT
    rects *= scale
    rects[:, :2] += MARGIN
    right, bottom = (float(v) for v in (rects[:, :2] + rects[:, 2:]).max(axis=0))
    return Layout(rects, (right + MARGIN, bottom + MARGIN), ends, depth, order)


def _flood(start: int, ways: Sequence[Sequence[int]], parents: list[int], depth: list[int]) -> None:
    queue = [start]
    for node in queue:
        for other in ways[node]:
            if depth[other] < 0:
                parents[other], depth[other] = node, depth[node] + 1
                queue.append(other)


def _in_lines(parents: Sequence[int]) -> list[int]:
    below: list[list[int]] = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents):
        below[parent].append(node)
    order, waiting = list[int](), below[-1][::-1]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += below[node][::-1]
    return order


class GraphCanvas(Canvas[Layout]):
    """The canvas of a graph."""

    def __init__(self, theme: Theme, owner: GraphView):
        super().__init__(theme, "Graph", lay_out(EMPTY))
        self._owner = owner
        self.view = EMPTY
        self.current = -1
        self.selected: frozenset[int] = frozenset()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints everything that touches the visible rectangle; the links of the chosen node on top of the others."""
        layout, near = self.rect_layout, (sight.x(), sight.y(), sight.width(), sight.height())
        links = layout.links_within(*near)
        for k in sorted(links, key=lambda k: self.current in layout.ends[k]):
            self._link(painter, self.view.links[k])
        for k in layout.within(*near):
            self._node(painter, k, self.view.nodes[k])

    def _link(self, painter: QPainter, link: Link) -> None:
        theme, a, b = self.theme, self.item_rect(link.source), self.item_rect(link.target)
        tone = edge_of(link.marks)
        is_near = self.current in (link.source, link.target)
        colour = theme.colour(look_of(tone).ink if tone else "text" if is_near else "line_strong")
        path, end = QPainterPath(), QPointF(b.left(), b.center().y())
        if link.source == link.target:
            path.moveTo(a.right() - 30, a.top())
            path.cubicTo(a.right() - 34, a.top() - 16, a.right() + 2, a.top() - 16, a.right() - 10, a.top())
            end = QPointF(a.right() - 10, a.top())
        else:
            start = QPointF(a.right(), a.center().y())
            bend = max(abs(end.x() - start.x()) / 2, 30.0)
            path.moveTo(start)
            path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 2.0 if tone or is_near else 1.2))
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([end, end + QPointF(-ARROW, -ARROW * 0.7), end + QPointF(-ARROW, ARROW * 0.7)]))
        self._link_text(painter, link, path.pointAtPercent(0.5), is_near)

    def _link_text(self, painter: QPainter, link: Link, middle: QPointF, is_near: bool) -> None:
        texts = [_texts(link), *(cell_text(value, column.kind) for column, value in
                              zip(self.view.link_columns, link.values, strict=False) if value is not None)]
        text = " · ".join(self._owner.named(plain(part)) for part in texts if part)
        if text:
            wide = (COLUMN - NODE) * self.theme.scale - 4 if not is_near else 150 * self.theme.scale
            room = QRectF(middle.x() - wide / 2, middle.y() - self.theme.px(15), wide, self.theme.px(14))
            draw_text(painter, self.theme, room, text, "micro", "text" if is_near else "faint", 400, CENTRE)

    def _node(self, painter: QPainter, index: int, item: Item) -> None:
        theme, px, rect = self.theme, self.theme.px, self.item_rect(index)
        tone = edge_of(item.marks)
        line = "selection" if index == self.current or index in self.selected else look_of(tone).ink if tone else "line_strong"
        fill = "hover" if index == self.under else look_of(tone).fill if tone else "raised"
        draw_block(painter, theme, rect, fill, line, px(5), 2.0 if index == self.current or index in self.selected else 1.0)
        inside = rect.adjusted(px(8), px(3), -px(6), -px(3))
        draw_text(painter, theme, QRectF(inside.x(), inside.y(), inside.width(), px(17)), self._owner.named(plain(item.text)),
                  "small", "text", 600 if tone else 500)
        low = QRectF(inside.x(), inside.bottom() - px(17), inside.width(), px(17))
        values = "  ".join(f"{plain(column.title, 20)} {plain(cell_text(value, column.kind), 40)}" for column, value in
                           zip(self.view.columns, item.values, strict=False) if value is not None)
        text = values or self._owner.named(plain(item.note or item.place))
        marks = item.marks[:3]
        took = draw_text(painter, theme, low.adjusted(0, 0, -px(14) * len(marks), 0), text, "micro", "muted") if text else 0.0
        if marks:
            low.setLeft(min(low.x() + took, low.right() - px(14) * len(marks)))
            draw_marks(painter, theme, low, marks)


class GraphView(ViewWidget[Graph]):
    """Shows a graph. Arrow keys go along links and within a layer."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self.canvas = GraphCanvas(theme, self)
        self._about, self._addresses = AboutIndex(()), tuple[Address, ...]()
        self._scale = 0.0
        vbox(theme, self.canvas, on=self, spacing=0, margins=FLUSH)
        self.setFocusProxy(self.canvas)
        self.canvas.clicked.connect(lambda index: self._choose(index, tell=True))
        self.canvas.unfold.connect(lambda _: self.opened.emit())
        self.canvas.menu.connect(self._ask_menu)
        self.canvas.hovered.connect(lambda index: self.canvas.show_tip(self._tip(index)))
        self.canvas.stepped.connect(self._step)

    def restyle(self) -> None:
        """Lays the graph out again if the text size changed."""
        super().restyle()
        if self._scale not in (0.0, self.theme.scale):
            self._lay_out()

    def _lay_out(self) -> None:
        self._scale = self.theme.scale
        self.canvas.rect_layout = lay_out(self.canvas.view, self._scale)
        self.canvas.picture_changed()

    def show_view(self, view: Graph) -> None:
        """Shows another graph; the chosen node stays chosen."""
        address = self._addresses[self.canvas.current] if self.canvas.current >= 0 else None
        same = [(link.source, link.target) for link in view.links] == self.canvas.rect_layout.ends.tolist()
        same = same and len(view.nodes) == len(self.canvas.view.nodes)
        self._about, self._addresses = AboutIndex(view.nodes), addresses_of(view)
        self.canvas.view, self.canvas.selected = view, frozenset()
        self.canvas.current = self._addresses.index(address) if address is not None and address in self._addresses else -1
        if same:
            self.canvas.viewport().update()
        else:
            self._lay_out()
        words = "; ".join(plain(self.named(item_words(node, view.columns))) for node in view.nodes[:READ_OUT])
        self.canvas.setAccessibleName(view.title or "Graph")
        self.canvas.setAccessibleDescription(f"{len(view.nodes):,} nodes, {len(view.links):,} links: {words}")

    def choice(self) -> Choice | None:
        """Returns the chosen node."""
        index = self.canvas.current
        if index < 0:
            return None
        item = self.canvas.view.nodes[index]
        return Choice(self._addresses[index], item.text, item.about, item.edits)

    def mark(self, keys: frozenset[Key]) -> None:
        """Marks the nodes about what is selected elsewhere."""
        found = frozenset(self._about.of(keys) if keys else ())
        if found != self.canvas.selected:
            self.canvas.selected = found
            if found and self.canvas.current not in found:
                self._choose(-1)
                self.canvas.show_item(min(found))
            self.canvas.viewport().update()

    def natural_height(self) -> int:
        """Returns the height of the whole picture at 100 %."""
        return int(self.canvas.rect_layout.size[1])

    # --- the operator --------------------------------------------------------
    def _choose(self, index: int, *, tell: bool = False) -> None:
        self.canvas.current = index
        self.canvas.viewport().update()
        if tell:
            self.chosen.emit()

    def _ask_menu(self, index: int, at: QPoint) -> None:
        if index >= 0:
            self._choose(index, tell=True)
            self.menu.emit(at)

    def _step(self, key: int) -> None:
        layout, at = self.canvas.rect_layout, self.canvas.current
        if not self.canvas.view.nodes:
            return
        target = layout.order[0] if at < 0 else self._beside(layout, at, key)
        if target >= 0:
            self._choose(target, tell=True)
            self.canvas.show_item(target)

    @staticmethod
    def _beside(layout: Layout, at: int, key: int) -> int:
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            own, other = (1, 0) if key == Qt.Key.Key_Left else (0, 1)
            return next((int(end[other]) for end in layout.ends if end[own] == at and end[other] != at), -1)
        column = sorted((k for k in range(len(layout.rects)) if layout.depth[k] == layout.depth[at]),
                        key=lambda k: float(layout.rects[k, 1]))
        place = column.index(at) + (1 if key == Qt.Key.Key_Down else -1)
        return column[place] if 0 <= place < len(column) else -1

    def _tip(self, index: int) -> str:
        view = self.canvas.view
        if not 0 <= index < len(view.nodes):
            return ""
        links = [link for link in view.links if link.source == index]
        lines = [f"{plain(_texts(link), 80)} → {plain(view.nodes[link.target].text, 80)}{_words(link.marks)}"
                 for link in links[:MOST_TIP]]
        lines += [f"… {len(links) - MOST_TIP:,} more"] if len(links) > MOST_TIP else []
        return self.named(tip(*item_words(view.nodes[index], view.columns).split(" · "), *lines))


def _texts(link: Link) -> str:
    """Returns what leads along a link, the first few of it."""
    return ", ".join(link.texts[:MOST_TEXTS]) + (" …" if len(link.texts) > MOST_TEXTS else "")


def _words(marks: Sequence[Mark]) -> str:
    return "".join(f" · {mark.word}" for mark in marks)
