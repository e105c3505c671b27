"""The surface the state-space graph is painted on."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.panels.state_graph.layout import Layout, nothing
from gui.panels.state_graph.painting import GraphPainter, Look
from gui.theme import Theme
from gui.widgets.rect_layout import RectLayoutCanvas


class GraphCanvas(RectLayoutCanvas[Layout]):
    """The layout of a graph, and how it is to look."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "State graph", nothing())
        self._painter, self._look = GraphPainter(theme), Look()

    def show_layout(self, layout: Layout, look: Look) -> None:
        """Paint another picture; the place in sight stays."""
        self.laid, self._look = layout, look
        self.picture_changed()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """What is in sight."""
        return self._painter.paint(painter, self.laid, replace(self._look, under=self.under), sight)
