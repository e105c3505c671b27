"""The scrolled, scaled surface a tree is painted on."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from gui.panels.tree.layout import Layout
from gui.panels.tree.painting import Look, TreePainter
from gui.theme import Theme

SMALLEST, FIT_LARGEST, LARGEST = 0.9, 1.25, 2.5
"""Under 90 % nothing could be read: it scrolls instead."""
DRAG = 4
"""Pixels the pointer moves before a press becomes a drag."""


class TreeCanvas(QAbstractScrollArea):
    """Pan by dragging, zoom with Ctrl and the wheel, keys along the branches."""

    clicked = Signal(int)
    unfold = Signal(int)
    menu = Signal(int, QPoint)
    hovered = Signal(int)
    moved = Signal()
    """The operator scrolled or dragged: the view no longer follows."""
    stepped = Signal(int)
    """An arrow key, as its Qt key code."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._painter = theme, TreePainter(theme)
        self._layout: Layout | None = None
        self._look: Look | None = None
        self.scale = 1.0
        self._pressed: QPointF | None = None
        self._dragged = False
        self._tip = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName("Search tree")

    # --- what it shows -----------------------------------------------------
    def show_layout(self, layout: Layout, look: Look) -> None:
        """Paint another picture of the search; the place in sight stays."""
        self._layout, self._look = layout, replace(look, under=self._look.under if self._look is not None else -1)
        self._measure()
        self.viewport().update()

    def show_tip(self, text: str) -> None:
        """What the pointer rests on, in words."""
        self._tip = text

    def fit(self) -> None:
        """As much as can be read: between 90 and 125 %."""
        if self._layout is not None:
            width, height = self._layout.size
            fitting = min(self.viewport().width() / max(1.0, width), self.viewport().height() / max(1.0, height))
            self.scale = max(SMALLEST, min(FIT_LARGEST, fitting))
            self._measure()
            self.horizontalScrollBar().setValue(0)
            self.verticalScrollBar().setValue(0)
            self.viewport().update()

    def show_item(self, index: int, *, first: bool = False) -> None:
        """Bring an item into sight; `first`: to the upper left."""
        if self._layout is None or not 0 <= index < len(self._layout.items):
            return
        x, y, w, h = (float(v) * self.scale for v in self._layout.rects[index])
        for bar, low, size, page in ((self.horizontalScrollBar(), x, w, self.viewport().width()),
                                     (self.verticalScrollBar(), y, h, self.viewport().height())):
            if first or low < bar.value():
                bar.setValue(int(low - 8))
            elif low + size > bar.value() + page:
                bar.setValue(int(low + size - page + 8))

    def _measure(self) -> None:
        if self._layout is None:
            return
        for bar, size, page in zip((self.horizontalScrollBar(), self.verticalScrollBar()), self._layout.size,
                                   (self.viewport().width(), self.viewport().height()), strict=True):
            bar.setRange(0, max(0, int(size * self.scale - page)))
            bar.setPageStep(page)
            bar.setSingleStep(40)

    def _origin(self) -> QPointF:
        """Where the layout's corner lies in the viewport: a small tree is centred in height."""
        spare = 0.0
        if self._layout is not None:
            spare = max(0.0, self.viewport().height() - self._layout.size[1] * self.scale) / 2
        return QPointF(-self.horizontalScrollBar().value(), spare - self.verticalScrollBar().value())

    def _item_at(self, point: QPointF) -> int:
        if self._layout is None:
            return -1
        place = (point - self._origin()) / self.scale
        found = self._layout.at(place.x(), place.y())
        return -1 if found is None else found

    # --- Qt ----------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """What is in sight."""
        del event
        if self._layout is None or self._look is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        origin = self._origin()
        painter.translate(origin)
        painter.scale(self.scale, self.scale)
        sight = QRectF(-origin.x() / self.scale, -origin.y() / self.scale, self.viewport().width() / self.scale,
                       self.viewport().height() / self.scale)
        self._painter.paint(painter, self._layout, self._look, sight)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Other room."""
        super().resizeEvent(event)
        self._measure()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Begin a click or a drag; the right button opens the menu."""
        self._pressed, self._dragged = event.position(), False
        if event.button() == Qt.MouseButton.RightButton:
            self._pressed = None
            self.menu.emit(self._item_at(event.position()), event.globalPosition().toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drag, or follow the pointer."""
        if self._pressed is None:
            self._hover(self._item_at(event.position()))
            return
        way = event.position() - self._pressed
        if self._dragged or way.manhattanLength() > DRAG:
            self._dragged = True
            self._pressed = event.position()
            self.horizontalScrollBar().setValue(int(self.horizontalScrollBar().value() - way.x()))
            self.verticalScrollBar().setValue(int(self.verticalScrollBar().value() - way.y()))
            self.moved.emit()
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """A click, unless it was a drag."""
        if self._pressed is not None and not self._dragged:
            self.clicked.emit(self._item_at(event.position()))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Unfold."""
        self._pressed = None
        index = self._item_at(event.position())
        if index >= 0:
            self.unfold.emit(index)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """With Ctrl the scale, about the pointer; else scroll."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            self.moved.emit()
            self.viewport().update()
            return
        point, before = event.position(), self._origin()
        place = (point - before) / self.scale
        self.scale = max(SMALLEST, min(LARGEST, self.scale * 1.0015 ** event.angleDelta().y()))
        self._measure()
        self.horizontalScrollBar().setValue(int(place.x() * self.scale - point.x()))
        self.verticalScrollBar().setValue(int(place.y() * self.scale - point.y()))
        self.moved.emit()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Arrow keys go along the branches; other keys are the panel's."""
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if event.key() in arrows and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.stepped.emit(event.key())
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The pointer goes."""
        self._hover(-1)
        super().leaveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Tips belong to items, not to the widget."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip, self.viewport())
            return True
        return super().viewportEvent(event)

    def _hover(self, index: int) -> None:
        if self._look is not None and index != self._look.under:
            self._look = replace(self._look, under=index)
            self.viewport().update()
            self.hovered.emit(index)
