"""The scrolled surface a blocking tree is painted on."""

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
    """Pan by dragging, zoom with Ctrl and the wheel; click, double-click and right-click items; arrows walk the branches."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Blocking tree")
        self._painter, self.places, self._look = BlockingPainter(theme), Places(), Look()
        self.claims: Callable[[int], bool] = lambda key: False
        """Whether a plain key is for the tree now, and not for the window."""
        self.hovered.connect(self._tell)

    def show_places(self, places: Places, look: Look) -> None:
        """Paint another tree, or the same with another selection; the place in sight stays."""
        self.places, self._look = places, look
        self.picture_changed()

    def extent(self) -> tuple[float, float]:
        """Of the whole tree."""
        return self.places.size if self.places.items else (0.0, 0.0)

    def rect_of(self, index: int) -> Rect | None:
        """Where an item lies."""
        if not 0 <= index < len(self.places.items):
            return None
        x, y, w, h = (float(v) for v in self.places.rects[index])
        return x, y, w, h

    def item_near(self, x: float, y: float) -> int:
        """The item under a point, or -1."""
        return self.places.at(x, y)

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """The items and links in sight."""
        return self._painter.paint(painter, self.places, replace(self._look, under=self.under), sight)

    def point_of(self, index: int) -> QPoint:
        """The middle of an item, in the viewport."""
        x, y, w, h = (float(v) for v in self.places.rects[index])
        return (QPointF(x + w / 2, y + h / 2) * self.scale + self._origin()).toPoint()

    def event(self, event: QEvent) -> bool:
        """Keep the tree's keys from shortcuts of the window while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) \
                and event.modifiers() == Qt.KeyboardModifier.NoModifier and self.claims(event.key()):
            event.accept()
            return True
        return super().event(event)

    def _tell(self, index: int) -> None:
        self.show_tip(self.places.items[index].node.text if 0 <= index < len(self.places.items) else "")
