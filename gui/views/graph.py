"""Graphs: nodes in layers from left to right, links as curves with text. Scrolled, dragged and scaled like all canvases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QPainter, QPainterPath, QPen, QPolygonF

from core.views.addresses import Address, addresses_of
from core.views.values import DASHED, HERE, NOW, START, Graph, Item, Link, Mark, Tone
from core.views.wording import cell_text, item_words
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.tones import draw_tone, edge_of, look_of
from gui.views.widget import AboutIndex, Choice, Key, ViewWidget, plain, tip
from gui.widgets import draw_text, text_width, tool_action
from gui.widgets.canvas import Canvas
from gui.widgets.painting import CENTRE, draw_level
from gui.widgets.rect_layout import RectLayout, rows_in_lines

NODE, HEIGHT, COLUMN, ROW = 140.0, 50.0, 168.0, 60.0
"""Pixels at text size 100 %: width and height of a node, distance of two layers, distance of two rows."""
HIGH, MIDDLING = 2 / 3, 1 / 3
"""Shares of the largest weight from which a node counts as good, or as medium."""
MARGIN, ARROW = 12.0, 5.0
ICONS: Mapping[Mark, str] = {HERE: "follow", NOW: "follow", START: "first"}
"""The icons of the nodes where the planner is, and where it began."""
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
        came: by node, the index of the link that leads to it from the node before it, -1 if none does.
    """

    ends: npt.NDArray[np.int64]
    depth: Sequence[int] = ()
    order: Sequence[int] = ()
    came: Sequence[int] = ()

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

    A node's layer is the least number of links that lead to it from a node that is marked as a start, or without any before it;
    cycles begin at their first node. The first link out of a node goes on in its row.
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
    starts = [k for k, node in enumerate(graph.nodes) if START in node.marks]
    for start in (*starts, *(k for k in range(count) if not has_source[k]), *range(count)):
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
    came = [-1] * count
    for k, (source, target) in enumerate(ends.tolist()):
        if parents[target] == source and came[target] < 0:
            came[target] = k
    return Layout(rects, (right + MARGIN, bottom + MARGIN), ends, depth, order, came)


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
        self.levels: Sequence[float] = ()
        """By node, its weight as a share of the largest; empty without a weight."""

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints everything that touches the visible rectangle; the links of the chosen node on top of the others."""
        layout, near = self.rect_layout, (sight.x(), sight.y(), sight.width(), sight.height())
        links = layout.links_within(*near)
        for k in sorted(links, key=lambda k: (self.current in layout.ends[k], bool(self.view.links[k].marks))):
            link = self.view.links[k]
            self._link(painter, link, is_first=layout.came[link.target] == k)
        for k in layout.within(*near):
            self._node(painter, k, self.view.nodes[k])

    def _link(self, painter: QPainter, link: Link, *, is_first: bool) -> None:
        """Paints a link: dashed if its target is placed by another one, bold in the colour of what the planner does."""
        theme = self.theme
        tone: Tone | None = "planner" if any(mark.tone == "planner" for mark in link.marks) else None
        is_near = self.current in (link.source, link.target)
        colour = theme.colour(look_of(tone).ink if tone else "selection" if is_near else "line_strong")
        path, end = _curve(self.item_rect(link.source), self.item_rect(link.target), is_loop=link.source == link.target)
        pen = QPen(colour, 2.4 if tone else 1.4 if is_near or is_first else 1.0)
        if not (is_first or tone):
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([end, end + QPointF(-ARROW, -ARROW * 0.7), end + QPointF(-ARROW, ARROW * 0.7)]))
        middle = path.pointAtPercent(0.5)
        for mark in [mark for mark in link.marks if mark.tone in ("good", "bad")][:1]:
            draw_tone(painter, theme, middle.x(), middle.y(), theme.px(4), mark.tone)
        if is_near:
            self._link_text(painter, link, middle)

    def _link_text(self, painter: QPainter, link: Link, middle: QPointF) -> None:
        texts = [_texts(link), *(cell_text(value, column.kind) for column, value in
                              zip(self.view.link_columns, link.values, strict=False) if value is not None)]
        text = " · ".join(self._owner.named(plain(part)) for part in texts if part)
        if text:
            wide = 150 * self.theme.scale
            room = QRectF(middle.x() - wide / 2, middle.y() - self.theme.px(17), wide, self.theme.px(14))
            draw_text(painter, self.theme, room, text, "micro", "text", 400, CENTRE)

    def _node(self, painter: QPainter, index: int, item: Item) -> None:
        theme, px, rect = self.theme, self.theme.px, self.item_rect(index)
        tone, is_chosen = edge_of(item.marks), index == self.current or index in self.selected
        line = "selection" if is_chosen else look_of(tone).ink if tone else "line_strong"
        fill = "hover" if index == self.under else look_of(tone or "plain").fill if is_present(item) else "raised"
        pen = QPen(theme.colour(line), 2.0 if is_chosen or tone else 1.0)
        if DASHED.intersection(item.marks):
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.colour(fill or "raised"))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), px(5), px(5))
        inside = rect.adjusted(px(8), px(3), -px(6), -px(3))
        if self.levels:
            share = self.levels[index]
            track = QRectF(rect.x() + px(4), rect.y() + px(4), px(4), rect.height() - px(8))
            draw_level(painter, theme, track, share, "good" if share >= HIGH else "warn" if share >= MIDDLING else "idle")
            inside.setLeft(rect.x() + px(13))
        marks = [mark for mark in item.marks if mark in ICONS or (mark.tone != tone and mark not in DASHED)][:3]
        room = QRectF(inside.x(), inside.y(), inside.width() - px(14) * len(marks), px(16))
        name = self._owner.named(plain(item.brief or item.text))
        draw_text(painter, theme, room, name, "small", "text", 600 if tone else 500)
        for k, mark in enumerate(marks):
            x, side = inside.right() - px(14) * (len(marks) - k) + px(3), px(12)
            if mark in ICONS:
                picture = theme.pixmap(ICONS[mark], side, look_of(mark.tone).ink)
                painter.drawPixmap(QPointF(x, room.center().y() - side / 2), picture)
            else:
                draw_tone(painter, theme, x + side / 2, room.center().y(), px(4), mark.tone)
        came = self.rect_layout.came[index]
        how = _texts(self.view.links[came]) if came >= 0 else next((mark.word for mark in item.marks if mark == START), "")
        second = self._owner.named(plain(how or item.note or item.place))
        draw_text(painter, theme, room.translated(0, px(15)), second, "micro", "muted")
        low = QRectF(inside.x(), inside.bottom() - px(16), inside.width(), px(16))
        for column, value in zip(self.view.columns, item.values, strict=False):
            text = "" if value is None else f"{plain(column.title, 20)} {plain(cell_text(value, column.kind), 40)}"
            if text and (wide := text_width(theme, text, "micro")) <= low.width():
                draw_text(painter, theme, low, text, "micro", "muted")
                low.setLeft(low.x() + wide + px(7))


def is_present(item: Item) -> bool:
    """Returns whether an item is marked as the present one."""
    return HERE in item.marks or NOW in item.marks


def _curve(a: QRectF, b: QRectF, *, is_loop: bool) -> tuple[QPainterPath, QPointF]:
    """Returns the curve from the right of one node to the left of another, and its end. A way back runs below both nodes."""
    start, end = QPointF(a.right(), a.center().y()), QPointF(b.left(), b.center().y())
    if is_loop:
        start, end = QPointF(a.right() - 30, a.top()), QPointF(a.right() - 10, a.top())
        path = QPainterPath(start)
        path.cubicTo(a.right() - 34, a.top() - 16, a.right() + 2, a.top() - 16, end.x(), end.y())
        return path, end
    path = QPainterPath(start)
    if b.left() > a.left():
        bend = max((end.x() - start.x()) / 2, 20.0)
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
    else:
        low = max(a.bottom(), b.bottom()) + 6
        path.cubicTo(QPointF(start.x() + 24, low), QPointF(end.x() - 24, low), end)
    return path, end


class GraphView(ViewWidget[Graph]):
    """Shows a graph, following what is marked as present. Arrow keys go along links and within a layer."""

    is_picture = True

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self.canvas = GraphCanvas(theme, self)
        self._about, self._addresses = AboutIndex(()), tuple[Address, ...]()
        self._scale = 0.0
        self._follow = tool_action(self, theme, "Follow the present node", "follow", self._go, checkable=True, checked=True,
                                   key="V")
        self._fit = tool_action(self, theme, "Fit", "fit", self._fit_all, key="0")
        vbox(theme, self.canvas, on=self, spacing=0, margins=FLUSH)
        self.setFocusProxy(self.canvas)
        self.canvas.clicked.connect(self._click)
        self.canvas.unfold.connect(lambda _: self.opened.emit())
        self.canvas.menu.connect(self._ask_menu)
        self.canvas.hovered.connect(lambda index: self.canvas.show_tip(self._tip(index)))
        self.canvas.stepped.connect(self._step)
        self.canvas.moved.connect(lambda: self._follow.setChecked(False))

    def tools(self) -> tuple[QAction, ...]:
        """Returns fitting and following."""
        return self._fit, self._follow

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
        k = next((k for k, column in enumerate(view.columns) if view.weight and column.title == view.weight), -1)
        found = [node.values[k] if 0 <= k < len(node.values) else None for node in view.nodes]
        weights = [float(value) if isinstance(value, int | float) else 0.0 for value in found]
        top = max(weights, default=0.0)
        self.canvas.levels = [min(1.0, max(0.0, weight / top)) if top > 0 else 0.0 for weight in weights] if k >= 0 else ()
        if same:
            self.canvas.viewport().update()
        else:
            self._lay_out()
        first = sorted(view.nodes, key=lambda node: not any(mark.tone == "planner" for mark in node.marks))[:READ_OUT]
        words = "; ".join(plain(self.named(item_words(node, view.columns))) for node in first)
        self.canvas.setAccessibleName(view.title or "Graph")
        self.canvas.setAccessibleDescription(f"{len(view.nodes):,} nodes, {len(view.links):,} links: {words}")
        self._go()

    def _present(self) -> int:
        """Returns the index of the node that is marked as present, or -1."""
        return next((k for k, node in enumerate(self.canvas.view.nodes) if is_present(node)), -1)

    def _go(self) -> None:
        """Scrolls to what the planner does next, as far as the present node stays in view, if following is on."""
        if self._follow.isChecked() and (present := self._present()) >= 0:
            marked = [k for k, node in enumerate(self.canvas.view.nodes) if any(mark.tone == "planner" for mark in node.marks)]
            for k in (*sorted(marked, key=lambda k: -self.canvas.rect_layout.rects[k, 0]), present):
                self.canvas.show_item(k)

    def _fit_all(self) -> None:
        self._follow.setChecked(False)
        self.canvas.fit()

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

    def natural_width(self) -> int:
        """Returns the width of the whole picture at 100 %."""
        return int(self.canvas.rect_layout.size[0])

    # --- the operator --------------------------------------------------------
    def _click(self, index: int) -> None:
        """Chooses a node. A click on it again, or beside the nodes, lets it go."""
        self._choose(-1 if index == self.canvas.current else index, tell=True)

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
        target = (self._present() if self._present() >= 0 else layout.order[0]) if at < 0 else self._beside(layout, at, key)
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
