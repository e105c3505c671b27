"""The surface a search tree is painted on."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas import Canvas, Rect
from gui.panels.tree.layout import Layout, nothing
from gui.panels.tree.painting import Look, TreePainter
from gui.theme import Theme
from gui.widgets import Names


class TreeCanvas(Canvas):
    """The layout of a tree, and how it is to look."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Search tree")
        self._painter = TreePainter(theme)
        self._layout, self._look = nothing(), Look(Names())

    def show_layout(self, layout: Layout, look: Look) -> None:
        """Paint another picture of the search; the place in sight stays."""
        self._layout, self._look = layout, look
        self.picture_changed()

    def extent(self) -> tuple[float, float]:
        """The layout's size."""
        return self._layout.size

    def rect_of(self, index: int) -> Rect | None:
        """Where a node or pill lies."""
        if not 0 <= index < len(self._layout.items):
            return None
        x, y, width, height = (float(v) for v in self._layout.rects[index])
        return x, y, width, height

    def item_near(self, x: float, y: float) -> int:
        """The node or pill under a point."""
        found = self._layout.at(x, y)
        return -1 if found is None else found

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """What is in sight."""
        self._painter.paint(painter, self._layout, replace(self._look, under=self.under), sight)
