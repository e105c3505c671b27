"""The scrolled canvas on which a blocking tree is painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter

from gui.panels.blocking.layout import Places
from gui.panels.blocking.painting import BlockingPainter, Look
from gui.theme import Theme
from gui.widgets.canvas import Canvas, Rect


class BlockingCanvas(Canvas):
    """A canvas of tree items.

    Dragging pans, Ctrl and the wheel zoom. Items take clicks, double clicks and right clicks. The arrow keys move along the
    branches.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, "Blocking tree")
        self._painter, self.places, self._look = BlockingPainter(theme), Places(), Look()
        self.claims: Callable[[int], bool] = lambda key: False
        """Returns True if the tree handles a key without modifiers now, so that the window's shortcut must not."""
        self.hovered.connect(self._tell)

    def show_places(self, places: Places, look: Look) -> None:
        """Shows another tree or another selection. The scroll position is kept.

        Args:
            places: the layout of the tree.
            look: the outlined items.
        """
        self.places, self._look = places, look
        self.picture_changed()

    def extent(self) -> tuple[float, float]:
        """Returns the width and height of the whole tree, in pixels at zoom 1."""
        return self.places.size if self.places.items else (0.0, 0.0)

    def rect_of(self, index: int) -> Rect | None:
        """Returns the rectangle of an item as (x, y, width, height), or None if there is no such item."""
        if not 0 <= index < len(self.places.items):
            return None
        x, y, w, h = (float(v) for v in self.places.rects[index])
        return x, y, w, h

    def item_near(self, x: float, y: float) -> int:
        """Returns the index of the item at a point of the tree, or -1."""
        return self.places.at(x, y)

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints the visible items and edges."""
        return self._painter.paint(painter, self.places, replace(self._look, under=self.under), sight)

    def point_of(self, index: int) -> QPoint:
        """Returns the centre of an item in viewport pixels."""
        x, y, w, h = (float(v) for v in self.places.rects[index])
        return (QPointF(x + w / 2, y + h / 2) * self.scale + self._origin()).toPoint()

    def event(self, event: QEvent) -> bool:
        """Claims the tree's keys before the window's shortcuts while the canvas has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) \
                and event.modifiers() == Qt.KeyboardModifier.NoModifier and self.claims(event.key()):
            event.accept()
            return True
        return super().event(event)

    def _tell(self, index: int) -> None:
        self.show_tip(self.places.items[index].node.text if 0 <= index < len(self.places.items) else "")
