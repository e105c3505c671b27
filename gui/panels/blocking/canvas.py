"""The blocking tree as it is painted: the shapes of the paper's figure, their legend, and the scrolled canvas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPainterPath, QPen, QPolygonF

from core.planners.bcr.recorded_types import BlockingNode
from gui.panels.blocking.layout import Item, Layout, nothing
from gui.theme import Theme
from gui.widgets import CENTRE, LEFT, draw_text, text_width
from gui.widgets.canvas import Canvas
from gui.widgets.text import PaintedWidget


class ShapeColours(NamedTuple):
    """The colour tokens of a shape: outline, fill, text."""

    line: str
    fill: str
    text: str


COLOURS: Mapping[str, ShapeColours] = {
    "goal": ShapeColours("text", "raised", "text"),
    "blocked": ShapeColours("blocked", "bad_bg", "bad"),
    "condition": ShapeColours("condition", "warn_bg", "condition"),
    "resolution": ShapeColours("resolution", "raised", "resolution"),
    "candidate": ShapeColours("line_strong", "raised", "text"),
    "chosen": ShapeColours("good", "good_bg", "good"),
    "banned": ShapeColours("line_strong", "surface", "faint"),
}
CUT = 0.24
"""The share of an octagon's height by which its corners are cut."""
LEGEND = (("blocked", "blocked"), ("condition", "condition"), ("resolution", "resolution"), ("candidate", "candidate"),
          ("chosen", "selected"))
"""The shapes of the legend, and their names."""
SECOND_LINES = {"goal": "goal", "action": "blocked", "resolution": "resolves it", "condition": ""}
"""The second line of a node that has none of its own, by its kind."""


def draw_shape(painter: QPainter, shape: str, rect: QRectF) -> None:
    """Draws an octagon, diamond, pill or rectangle with the painter's pen and brush.

    Args:
        painter: its pen draws the outline, its brush the fill.
        shape: a key of `COLOURS`, or "pill". Goals and resolutions are rectangles.
        rect: the bounding rectangle.
    """
    if shape == "condition":
        middle = rect.center()
        painter.drawPolygon(QPolygonF([QPointF(rect.left(), middle.y()), QPointF(middle.x(), rect.top()),
                                       QPointF(rect.right(), middle.y()), QPointF(middle.x(), rect.bottom())]))
    elif shape == "blocked":
        cut, x, y, right, low = CUT * rect.height(), rect.left(), rect.top(), rect.right(), rect.bottom()
        corners = ((x + cut, y), (right - cut, y), (right, y + cut), (right, low - cut), (right - cut, low), (x + cut, low),
                   (x, low - cut), (x, y + cut))
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
    elif shape in ("pill", "candidate", "chosen", "banned"):
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    else:
        painter.drawRoundedRect(rect, 3, 3)


class Legend(PaintedWidget):
    """Shows each shape at a small size, with its meaning."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.setAccessibleName("Octagon: blocked action; diamond: blocking condition; rectangle: resolution; pill: candidate, "
                               "with a check: selected; dashed: possibly")
        self.setToolTip("Dashed: may or may not have the wanted effect. Orchid outline: by the operator.")
        self.restyle()

    def restyle(self) -> None:
        """Takes the sizes of the theme again."""
        px = self._theme.px
        wide = sum(px(37) + text_width(self._theme, words, "small") for _, words in LEGEND)
        self.setFixedSize(int(wide), px(22))

    def paint(self, painter: QPainter) -> None:
        """Paints the five shapes with their labels."""
        theme, px, x = self._theme, self._theme.px, 4.0
        for shape, words in LEGEND:
            painter.setPen(QPen(theme.colour(COLOURS[shape].line), 1.5))
            painter.setBrush(theme.colour(COLOURS[shape].fill))
            draw_shape(painter, shape, QRectF(x, px(5), px(18), px(12)))
            took = draw_text(painter, theme, QRectF(x + px(23), 0, px(120), px(22)), words, "small", "muted")
            x += px(37) + took


def _colours_of(item: Item) -> ShapeColours:
    """Returns the colours of an item: by state for a pill, by shape for others."""
    if item.hidden:
        return COLOURS["candidate"]
    return COLOURS[item.node.state if item.shape == "pill" else item.shape]


class BlockingCanvas(Canvas[Layout]):
    """A canvas of tree items.

    Dragging pans, Ctrl and the wheel zoom. Items take clicks, double clicks and right clicks. The arrow keys move along the
    branches.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, "Blocking tree", nothing())
        self._selected = frozenset[int]()
        self.claims: Callable[[int], bool] = lambda key: False
        """Returns True if the tree handles a key without modifiers now, so that the window's shortcut must not."""
        self.hovered.connect(
            lambda index: self.show_tip(self.rect_layout.items[index].node.text if index >= 0 else ""))

    def show_layout(self, layout: Layout, selected: frozenset[int]) -> None:
        """Shows another tree or another selection. The scroll position is kept.

        Args:
            layout: the layout of the tree.
            selected: indices of the outlined items.
        """
        self.rect_layout, self._selected = layout, selected
        self.picture_changed()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints the visible items and edges. The edges of the live branch are painted above the others."""
        layout = self.rect_layout
        for live in (False, True):
            for k, item in enumerate(layout.items):
                if item.parent >= 0 and item.live == live:
                    self._edge(painter, k, sight)
        for k in layout.within(sight.x(), sight.y(), sight.width(), sight.height()):
            rect = self.item_rect(k)
            self._item(painter, layout.items[k], rect, under=k == self.under)
            if k in self._selected:
                painter.setPen(QPen(self.theme.colour("selection"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                draw_shape(painter, layout.items[k].shape, rect.adjusted(-3, -3, 3, 3))

    def event(self, event: QEvent) -> bool:
        """Claims the tree's keys before the window's shortcuts while the canvas has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) \
                and event.modifiers() == Qt.KeyboardModifier.NoModifier and self.claims(event.key()):
            event.accept()
            return True
        return super().event(event)

    # --- painting ----------------------------------------------------------
    def _edge(self, painter: QPainter, k: int, sight: QRectF) -> None:
        layout, item = self.rect_layout, self.rect_layout.items[k]
        x, y, w, h = layout.rects[item.parent].tolist()
        cx, cy, _, ch = layout.rects[k].tolist()
        start, end = QPointF(x + w, y + h / 2), QPointF(cx, cy + ch / 2)
        if not QRectF(start, end).normalized().adjusted(-1, -1, 1, 1).intersects(sight):
            return
        path, bend = QPainterPath(start), (end.x() - start.x()) * 0.5
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        pen = QPen(self.theme.colour("text" if item.live else "line_strong"), 2 if item.live else 1.2)
        if item.hidden:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _item(self, painter: QPainter, item: Item, rect: QRectF, *, under: bool) -> None:
        node, theme = item.node, self.theme
        colours = _colours_of(item)
        pen = QPen(theme.colour("operator_act" if node.by_operator and not item.hidden else colours.line),
                   1.2 if item.shape == "pill" and node.state == "candidate" else 2)
        if item.hidden or (node.kind == "action" and not node.certain and node.state == "candidate"):
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.colour("hover" if under else colours.fill))
        draw_shape(painter, item.shape, rect)
        if item.shape == "pill":
            self._pill(painter, item, rect, colours)
        else:
            self._two_lines(painter, node, rect, colours, item.shape)

    def _two_lines(self, painter: QPainter, node: BlockingNode, rect: QRectF, colours: ShapeColours, shape: str) -> None:
        theme, px = self.theme, self.theme.px
        inset = rect.width() * 0.12 if shape == "condition" else px(6)
        first, second = node.short if any(node.short) else (node.text, "")
        second = second or SECOND_LINES[node.kind]
        if node.state == "reached":
            second = f"✓ {second}"
        room = rect.adjusted(inset, 0, -inset, 0)
        half = px(14) if second else px(8)
        tone = "muted" if node.state == "reached" and node.kind != "goal" else colours.text
        draw_text(painter, theme, QRectF(room.x(), rect.center().y() - half, room.width(), px(16)), first, "small", tone, 650,
                  CENTRE)
        if second:
            narrow = rect.width() * 0.1 if shape == "condition" else 0.0
            below = QRectF(room.x() + narrow, rect.center().y(), room.width() - 2 * narrow, px(14))
            draw_text(painter, theme, below, second, "micro", "muted", 400, CENTRE)

    def _pill(self, painter: QPainter, item: Item, rect: QRectF, colours: ShapeColours) -> None:
        theme, px, node = self.theme, self.theme.px, item.node
        if item.hidden:
            draw_text(painter, theme, rect, f"+{item.hidden} more", "small", "muted", 500, CENTRE)
            return
        icon = {"chosen": "check", "banned": "ban"}.get(node.state, "")
        x = rect.x() + px(13)
        if icon:
            painter.drawPixmap(int(x - px(3)), int(rect.center().y() - px(6)), theme.pixmap(icon, px(12), colours.text))
            x += px(14)
        room = QRectF(x, rect.y(), rect.right() - x - px(9), rect.height())
        weight = 650 if node.state == "chosen" else 500
        took = draw_text(painter, theme, room, node.text, "small", colours.text, weight, LEFT)
        if node.state == "banned":
            painter.setPen(QPen(theme.colour("faint"), 1.2))
            y = rect.center().y() + 0.5
            painter.drawLine(QPointF(x, y), QPointF(x + min(took, room.width()), y))
