"""The canvas on which the search tree is painted."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.panels.tree.layout import Layout, nothing
from gui.panels.tree.painting import Look, TreePainter
from gui.theme import Theme
from gui.widgets import Names
from gui.widgets.rect_layout import RectLayoutCanvas


class TreeCanvas(RectLayoutCanvas[Layout]):
    """The canvas of a tree: its layout, and how to draw it."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Search tree", nothing())
        self._painter, self._look = TreePainter(theme), Look(Names())

    def show_layout(self, layout: Layout, look: Look) -> None:
        """Shows another layout. The view does not move."""
        self.laid, self._look = layout, look
        self.picture_changed()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints the visible part."""
        return self._painter.paint(painter, self.laid, replace(self._look, under=self.under), sight)
