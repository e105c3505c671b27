"""A view of pyqtgraph with the theme's fonts and colours, safe against garbage collection while it paints.

Importing pyqtgraph takes about 0.4 s, so only modules that are loaded with the first chart import this one.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QGraphicsItem, QGraphicsScene, QWidget

from gui.theme import Theme

MARGIN = 30
"""Pixels around an axis in which the labels of its first and last tick may lie."""


class Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis that shows the labels of its first and last tick too, and keeps its picture between paint events."""

    def __init__(self, orientation: str):
        super().__init__(orientation)
        self.forget()

    def forget(self) -> None:
        """Drops the kept picture. Qt itself keeps parts of it when the size changes, which then show beside the new ones."""
        self.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def boundingRect(self) -> QRectF:  # noqa: N802 - Qt's name
        """Returns the axis's rectangle and the room around it: pyqtgraph leaves out labels that reach beyond."""
        rect: QRectF = super().boundingRect()
        return rect.adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)


class PlotView(pg.PlotWidget):  # type: ignore[misc]
    """One plot, owned by its parent widget, without pyqtgraph's menus, buttons and mouse modes.

    Python code runs while the view paints, and that code may start the garbage collector. If the top-level widget above the
    view is referenced by nothing but a reference cycle, the collector deletes it, and Qt deletes the view in the middle of its
    own paint event: a crash. `paintEvent` therefore holds a reference to the top-level widget. Widgets between the two belong
    to their parents, so the one reference keeps all of them.

    Attributes:
        theme: the fonts and colours.
        plot: the plot item of pyqtgraph inside the view.
        is_built: False until a subclass has its items. Before that, it takes neither sizes nor styles.
    """

    is_built = False

    def __init__(self, theme: Theme, name: str, parent: QWidget):
        super().__init__(parent, axisItems={side: Axis(side) for side in ("left", "bottom")}, enableMenu=False)
        self.theme = theme
        self.plot: Any = self.getPlotItem()
        # pyqtgraph's items change their size before they tell so. Qt's index then keeps those that are gone, and crashes.
        self.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        menu: QWidget = self.plot.ctrlMenu  # pyqtgraph makes it all the same; without a parent it would outlive the view
        menu.setParent(self, menu.windowFlags())
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=False, y=False)
        box = self.plot.getViewBox()
        box.disableAutoRange()
        box.setDefaultPadding(0.0)
        box.setFlag(QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape, False)  # marks may reach over the axes
        box.sigResized.connect(self._forget_axes)
        self.setAccessibleName(name)

    def _forget_axes(self) -> None:
        for side in ("left", "bottom"):
            self.plot.getAxis(side).forget()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the plot, with the top-level widget kept alive meanwhile."""
        window = self.window()
        super().paintEvent(event)
        del window

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the theme again when it changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.is_built:
            self.restyle()

    def restyle(self) -> None:
        """Gives both axes and the background the theme's colours and fonts."""
        theme = self.theme
        self.setBackground(theme.colour("surface"))
        for side in ("bottom", "left"):
            axis = self.plot.getAxis(side)
            axis.setPen(theme.colour("line_strong"))
            axis.setTickPen(theme.colour("line_strong"))
            axis.setTextPen(theme.colour("muted"))
            axis.setStyle(tickFont=theme.font("micro"), tickLength=0, hideOverlappingLabels=False, tickAlpha=0.30)
            axis.enableAutoSIPrefix(False)
            axis.label.setFont(theme.font("small"))
            axis.forget()
