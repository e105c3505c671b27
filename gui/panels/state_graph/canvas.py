"""The surface the state-space graph is painted on."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas import Canvas, Rect
from gui.panels.state_graph.layout import Layout, nothing
from gui.panels.state_graph.painting import GraphPainter, Look
from gui.theme import Theme


class GraphCanvas(Canvas):
    """The layout of a graph, and how it is to look."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "State graph")
        self._painter = GraphPainter(theme)
        self._layout, self._look = nothing(), Look()

    def show_layout(self, layout: Layout, look: Look) -> None:
        """Paint another picture; the place in sight stays."""
        self._layout, self._look = layout, look
        self.picture_changed()

    def extent(self) -> tuple[float, float]:
        """The layout's size."""
        return self._layout.size

    def rect_of(self, index: int) -> Rect | None:
        """Where a state lies."""
        if not 0 <= index < len(self._layout.nodes):
            return None
        x, y, width, height = (float(v) for v in self._layout.rects[index])
        return x, y, width, height

    def item_near(self, x: float, y: float) -> int:
        """The state under a point."""
        found = self._layout.within(x, y, 0.01, 0.01)
        return found[0] if found else -1

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """What is in sight."""
        self._painter.paint(painter, self._layout, replace(self._look, under=self.under), sight)
