"""The surface a search tree is painted on."""

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
    """The layout of a tree, and how it is to look."""

    def __init__(self, theme: Theme):
        super().__init__(theme, "Search tree", nothing())
        self._painter, self._look = TreePainter(theme), Look(Names())

    def show_layout(self, layout: Layout, look: Look) -> None:
        """Paint another picture of the search; the place in sight stays."""
        self.laid, self._look = layout, look
        self.picture_changed()

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """What is in sight."""
        return self._painter.paint(painter, self.laid, replace(self._look, under=self.under), sight)
