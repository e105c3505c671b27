"""The blocking tree's painter: the visible edges, shapes and texts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from core.planners.bcr.recorded_types import BlockingNode
from gui.panels.blocking.layout import Item, Places
from gui.panels.blocking.shapes import DRESS, Dress, draw_shape
from gui.theme import Theme
from gui.widgets import CENTRE, LEFT, draw_text


@dataclass(frozen=True, slots=True)
class Look:
    """What the painter needs besides the layout.

    Attributes:
        selected: indices of the outlined items.
        under: index of the item under the pointer, or -1.
    """

    selected: Collection[int] = ()
    under: int = -1


class BlockingPainter:
    """Paints a layout in its own coordinates. The caller scales and translates the `QPainter`."""

    def __init__(self, theme: Theme):
        self._theme = theme

    def paint(self, painter: QPainter, places: Places, look: Look, sight: QRectF) -> None:
        """Paints the visible part of a tree. The edges of the live branch are painted above the others.

        Args:
            painter: scaled and translated by the caller.
            places: the layout.
            look: the outlined items and the one under the pointer.
            sight: the visible rectangle, in the coordinates of the layout.
        """
        for live in (False, True):
            for k, item in enumerate(places.items):
                if item.parent >= 0 and item.live == live:
                    self._edge(painter, places, k, sight)
        for k in places.within(sight.x(), sight.y(), sight.width(), sight.height()):
            rect = QRectF(*(float(v) for v in places.rects[k]))
            self._item(painter, places.items[k], rect, under=k == look.under)
            if k in look.selected:
                painter.setPen(QPen(self._theme.colour("selection"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                draw_shape(painter, places.items[k].shape, rect.adjusted(-3, -3, 3, 3))

    def _edge(self, painter: QPainter, places: Places, k: int, sight: QRectF) -> None:
        item = places.items[k]
        x, y, w, h = places.rects[item.parent]
        cx, cy, _, ch = places.rects[k]
        start, end = QPointF(x + w, y + h / 2), QPointF(cx, cy + ch / 2)
        if not QRectF(start, end).normalized().adjusted(-1, -1, 1, 1).intersects(sight):
            return
        path, bend = QPainterPath(start), (end.x() - start.x()) * 0.5
        path.cubicTo(start + QPointF(bend, 0), end - QPointF(bend, 0), end)
        pen = QPen(self._theme.colour("text" if item.live else "line_strong"), 2 if item.live else 1.2)
        if item.hidden:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)

    def _item(self, painter: QPainter, item: Item, rect: QRectF, *, under: bool) -> None:
        node, theme = item.node, self._theme
        dress = dress_of(item)
        pen = QPen(theme.colour("operator_act" if node.by_operator and not item.hidden else dress.line),
                   1.2 if item.shape == "pill" and node.state == "candidate" else 2)
        if item.hidden or (node.kind == "action" and not node.certain and node.state == "candidate"):
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.colour("hover" if under else dress.fill))
        draw_shape(painter, item.shape, rect)
        if item.shape == "pill":
            self._pill(painter, item, rect, dress)
        else:
            self._two_lines(painter, node, rect, dress, item.shape)

    def _two_lines(self, painter: QPainter, node: BlockingNode, rect: QRectF, dress: Dress, shape: str) -> None:
        theme, px = self._theme, self._theme.px
        inset = rect.width() * 0.12 if shape == "condition" else px(6)
        first, second = node.short if any(node.short) else (node.text, "")
        second = second or _aside(node)
        if node.state == "reached":
            second = f"✓ {second}"
        room = rect.adjusted(inset, 0, -inset, 0)
        half = px(14) if second else px(8)
        tone = "muted" if node.state == "reached" and node.kind != "goal" else dress.text
        draw_text(painter, theme, QRectF(room.x(), rect.center().y() - half, room.width(), px(16)), first, "small", tone, 650,
                  CENTRE)
        if second:
            narrow = rect.width() * 0.1 if shape == "condition" else 0.0
            below = QRectF(room.x() + narrow, rect.center().y(), room.width() - 2 * narrow, px(14))
            draw_text(painter, theme, below, second, "micro", "muted", 400, CENTRE)

    def _pill(self, painter: QPainter, item: Item, rect: QRectF, dress: Dress) -> None:
        theme, px, node = self._theme, self._theme.px, item.node
        if item.hidden:
            draw_text(painter, theme, rect, f"+{item.hidden} more", "small", "muted", 500, CENTRE)
            return
        icon = {"chosen": "check", "banned": "ban"}.get(node.state, "")
        x = rect.x() + px(13)
        if icon:
            painter.drawPixmap(int(x - px(3)), int(rect.center().y() - px(6)), theme.pixmap(icon, px(12), dress.text))
            x += px(14)
        room = QRectF(x, rect.y(), rect.right() - x - px(9), rect.height())
        weight = 650 if node.state == "chosen" else 500
        took = draw_text(painter, theme, room, node.text, "small", dress.text, weight, LEFT)
        if node.state == "banned":
            painter.setPen(QPen(theme.colour("faint"), 1.2))
            y = rect.center().y() + 0.5
            painter.drawLine(QPointF(x, y), QPointF(x + min(took, room.width()), y))


def dress_of(item: Item) -> Dress:
    """Returns the colours of an item: by state for a pill, by shape for others."""
    if item.hidden:
        return DRESS["candidate"]
    return DRESS[item.node.state if item.shape == "pill" else item.shape]


def _aside(node: BlockingNode) -> str:
    """Returns the second line of a node that has none of its own."""
    return {"goal": "goal", "action": "blocked", "resolution": "resolves it", "condition": ""}[node.kind]
