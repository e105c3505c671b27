"""The canvas of the search tree: paints the visible edges, nodes and pills."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from core.planning.search_facets import TreeNode
from gui.panels.tree.explanation import visits_words
from gui.panels.tree.layout import Item, Layout, nothing
from gui.theme import Theme
from gui.widgets import CENTRE, RIGHT, Names, draw_block, draw_mark, draw_text, glyph, loss_mark
from gui.widgets.canvas import Canvas
from gui.widgets.numbers import probability, value, whole
from gui.widgets.painting import draw_level

REWARD = 10.0
"""The reward for reaching the goal. A node with this value has a full level."""
FAR = 60.0
"""Distance outside the visible part, in pixels, beyond which only the direction to a child (up or down) is drawn."""
STEP = 0.4
"""The step, in pixels, to which the widths of edges are rounded."""
Rects = list[list[float]]
"""x, y, width and height of each item, in pixels of the layout. Lists, because single elements of an array are slow to read."""
LITTLE = 4
"""Nodes with fewer visits are faint unless they are on the best line."""


class Stroke(NamedTuple):
    """The look of an edge. Strokes are drawn in the order of these fields."""

    best: bool
    tone: str
    width: float
    dotted: bool


@dataclass(frozen=True, slots=True)
class TreeMarks:
    """How the items of a tree are named, coloured and marked.

    Attributes:
        root: the name of the root, such as `turn 7`.
        best: the value of the best action. Levels are coloured by the loss against it.
        selected: items outlined as selected.
        mentioned: returns True if a node's action is about the selected object.
        pinned: items of the pinned variation.
        found: items found by the text search.
    """

    names: Names
    root: str = "now"
    best: float = 0.0
    selected: Collection[int] = ()
    mentioned: Callable[[TreeNode], bool] = lambda node: False
    pinned: Collection[int] = ()
    found: Collection[int] = ()


def node_name(names: Names, node: TreeNode, root: str) -> str:
    """Returns the name of a node: the target of its action."""
    if node.action is None:
        return root
    return names.target(node.action) or node.action.verb.replace("_", " ")


class TreeCanvas(Canvas[Layout]):
    """The canvas of a tree."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Search tree", nothing())
        self._marks = TreeMarks(Names())

    def show_layout(self, layout: Layout, marks: TreeMarks) -> None:
        """Shows another layout. The view does not move."""
        self.rect_layout, self._marks = layout, marks
        self.picture_changed()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints everything that touches the visible rectangle."""
        layout = self.rect_layout
        near, rects = (sight.x(), sight.y(), sight.width(), sight.height()), layout.rects.tolist()
        self._edges(painter, rects, layout.edges_within(*near), sight)
        for k in layout.within(*near):
            item, rect = layout.items[k], QRectF(*rects[k])
            if item.node is None:
                self._pill(painter, item, rect, k == self.under)
            else:
                self._node(painter, item, item.node, rect, k)

    def _edges(self, painter: QPainter, rects: Rects, edges: Iterable[int], sight: QRectF) -> None:
        """Paints all edges of the same look in one stroke, the best line on top."""
        strokes: defaultdict[Stroke, QPainterPath] = defaultdict(QPainterPath)
        for (parent, end, side), stroke in self._strokes(rects, edges, sight).items():
            x, y, w, h = rects[parent]
            left, top = x + w, y + h / 2
            bend = (side - left) * 0.55
            path = strokes[stroke]
            path.moveTo(left, top)
            path.cubicTo(left + bend, top, side - bend, end, side, end)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for stroke in sorted(strokes):
            pen = QPen(self.theme.colour(stroke.tone), stroke.width)
            if stroke.dotted:
                pen.setStyle(Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.drawPath(strokes[stroke])

    def _strokes(self, rects: Rects, edges: Iterable[int], sight: QRectF) -> dict[tuple[int, float, float], Stroke]:
        """Returns the stroke of each edge by parent, height and left side of the child, in pixels.

        One edge, the strongest, stands for all children far above or far below. Hundreds of edges in the same few pixels took
        half of the painting time.
        """
        found: dict[tuple[int, float, float], Stroke] = {}
        highest, lowest = sight.top() - FAR, sight.bottom() + FAR
        for k in edges:
            parent = self.rect_layout.items[k].parent
            x, y, _, h = rects[k]
            key = parent, max(highest, min(lowest, y + h / 2)), x
            stroke = self._stroke(k)
            if (other := found.get(key)) is None or stroke > other:
                found[key] = stroke
        return found

    def _stroke(self, k: int) -> Stroke:
        layout = self.rect_layout
        item = layout.items[k]
        tone = "operator_act" if k in self._marks.pinned else "accent" if item.expected else "line_strong"
        width = 1.0 if item.node is None else 1 + round(3.2 * math.sqrt(item.visits / layout.most) / STEP) * STEP
        return Stroke(item.expected, tone, width, item.node is None)

    def _pill(self, painter: QPainter, item: Item, rect: QRectF, under: bool) -> None:
        theme, px = self.theme, self.theme.px
        text = f"+{item.hidden} actions" if item.depth <= 2 else f"+{item.hidden}"
        text = text.removesuffix("s") if item.hidden == 1 else text
        painter.setPen(QPen(theme.colour("muted" if under else "line_strong"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(theme.colour("hover" if under else "surface"))
        high = px(20)
        width = theme.metrics("small", 500).horizontalAdvance(text) + px(20)
        pill = QRectF(rect.x(), rect.center().y() - high / 2, width, high)
        painter.drawRoundedRect(pill, high / 2, high / 2)
        draw_text(painter, theme, pill, text, "small", "text" if under else "muted", 500, CENTRE, elide=False)
        rest = QRectF(pill.right() + px(5), pill.y(), max(0.0, rect.right() + px(8) - pill.right() - px(5)), high)
        draw_text(painter, theme, rest, f"N {whole(item.visits)}", "micro", "faint")

    def _node(self, painter: QPainter, item: Item, node: TreeNode, rect: QRectF, k: int) -> None:
        theme, px, strong = self.theme, self.theme.px, item.expected
        faint = node.visits < LITTLE and not strong and item.parent >= 0
        main, side = ("muted", "faint") if faint else ("text", "muted")
        fill = "accent_bg" if strong else "hover" if k == self.under else "raised"
        draw_block(painter, theme, rect, fill, "accent" if strong else "line", 5, 1.6 if strong else 1)
        self._outline(painter, node, rect, k)
        if node.visits and item.parent >= 0:
            track = QRectF(rect.x() + 3, rect.y() + 3, px(4), rect.height() - 6)
            draw_level(painter, theme, track, max(0.06, min(1.0, node.value / REWARD)),
                       loss_mark(max(0.0, self._marks.best - node.value), REWARD)[0])
        x = rect.x() + px(12)
        if node.action is not None:
            picture = theme.pixmap(glyph(node.action.verb), px(13), "accent" if strong else side)
            painter.drawPixmap(int(x - 1), int(rect.y() + px(4)), picture)
            x += px(16)
        room = QRectF(x, rect.y() + px(2), rect.right() - x - px(4), px(17))
        name = node_name(self._marks.names, node, self._marks.root)
        draw_text(painter, theme, room, name, "small", main, 650 if strong else 500)
        stats = visits_words(node)
        stats += f"  Q {value(node.value, 1)}" if node.action is not None and node.visits else ""
        line = QRectF(rect.x() + px(12), rect.y() + px(18), rect.width() - px(16), px(13))
        took = draw_text(painter, theme, line, stats, "micro", side)
        self._findings(painter, item, node, line.adjusted(took + px(4), 0, 0, 0))

    def _outline(self, painter: QPainter, node: TreeNode, rect: QRectF, k: int) -> None:
        marks = self._marks
        tone = "selection" if k in marks.selected or marks.mentioned(node) else "operator_act" if k in marks.pinned else ""
        tone = tone or ("warn" if k in marks.found else "")
        if tone:
            painter.setPen(QPen(self.theme.colour(tone), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)

    def _findings(self, painter: QPainter, item: Item, node: TreeNode, rect: QRectF) -> None:
        """Paints the mark of what was observed on the way to the node, and the flag if the goal is reached."""
        theme, px = self.theme, self.theme.px
        if node.reached:
            side = px(13)
            painter.drawPixmap(int(rect.right() - side), int(rect.y()), theme.pixmap("goal", side, "good"))
            rect = rect.adjusted(0, 0, -px(16), 0)
        if item.chance is None or rect.width() < px(14):
            return
        found = bool(node.observed)
        text = probability(item.chance) if found else "none"
        wide = theme.metrics("micro", 600).horizontalAdvance(text)
        if wide + px(9) > rect.width():
            text, wide = "", 0.0
        draw_text(painter, theme, rect, text, "micro", "warn" if found else "faint", 600, RIGHT, elide=False)
        x = rect.right() - wide - px(5)
        colour = theme.colour("glow" if found else "faint")
        draw_mark(painter, "circle" if found else "ring", x, rect.center().y() + 0.5, px(3), colour if found else None,
                  None if found else colour)
