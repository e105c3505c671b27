"""Painted scroll areas, and the scaled canvas on which trees and graphs are painted."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QToolTip

from gui.theme import Theme
from gui.widgets.painting import SMOOTH
from gui.widgets.rect_layout import Rect, RectLayout

SMALLEST, FIT_LARGEST, LARGEST = 0.9, 1.25, 2.5
"""Limits of the scale. Below 90 % nothing could be read, so the canvas scrolls instead."""
DRAG = 4
"""Distance in pixels that the pointer moves before a press becomes a drag."""


class PaintedArea(QAbstractScrollArea):
    """A scroll area whose content a subclass measures and paints, with smooth edges."""

    def __init__(self, theme: Theme, name: str, *, wide: bool = False):
        """Builds an area. `wide`: the content can be wider than the area, so that it scrolls horizontally too."""
        super().__init__()
        self.theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        if not wide:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(name)

    def measure(self) -> None:
        """Sets the ranges of the scroll bars for the present content and size."""
        raise NotImplementedError

    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints what lies in a rectangle of the viewport."""
        raise NotImplementedError

    def tip_at(self, point: QPointF) -> str:
        """Returns the tooltip at a point of the viewport."""
        del point
        return ""

    @staticmethod
    def set_range(bar: QScrollBar, extent: float, page: float, step: int) -> None:
        """Sets the range of a scroll bar for a content of length `extent` of which `page` is visible. All are in pixels."""
        bar.setRange(0, max(0, int(extent - page)))
        bar.setPageStep(int(page))
        bar.setSingleStep(step)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Measures the content again."""
        super().resizeEvent(event)
        self.measure()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Calls `paint`."""
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(SMOOTH)
            self.paint(painter, event.rect())

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Shows the tooltip of what is under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self.viewport())
            return True
        return super().viewportEvent(event)


L = TypeVar("L", bound=RectLayout)


class Canvas(PaintedArea, Generic[L]):
    """A canvas that is moved by dragging, scaled with Ctrl and the wheel, and followed along the branches with the arrow keys.

    It shows a layout, whose visible part a subclass paints.
    """

    clicked = Signal(int)
    unfold = Signal(int)
    menu = Signal(int, QPoint)
    hovered = Signal(int)
    moved = Signal()
    """Emitted when the operator scrolled or dragged. The view then no longer follows."""
    resized = Signal()
    """Emitted when the size changed. The layout of the picture may depend on it."""
    stepped = Signal(int)
    """Emitted with the Qt key code of an arrow key."""

    def __init__(self, theme: Theme, name: str, rect_layout: L):
        super().__init__(theme, name, wide=True)
        self.rect_layout = rect_layout
        self.scale = 1.0
        self.under = -1
        self._fitted = False
        self._pressed: QPointF | None = None
        self._dragged = False
        self._tip = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # what lies below is not painted

    # --- for subclasses ----------------------------------------------------
    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Paints everything that touches a rectangle, in the picture's own coordinates."""
        raise NotImplementedError

    # --- items ----------------------------------------------------------------
    def rect_of(self, index: int) -> Rect | None:
        """Returns the rectangle of an item in the picture, or None if there is no such item."""
        rects = self.rect_layout.rects
        if not 0 <= index < len(rects):
            return None
        x, y, width, height = rects[index].tolist()
        return x, y, width, height

    def item_rect(self, index: int) -> QRectF:
        """Returns the rectangle of an item that exists."""
        return QRectF(*self.rect_layout.rects[index].tolist())

    # --- for owners --------------------------------------------------------
    def picture_changed(self) -> None:
        """Updates the canvas after the picture changed. The view does not move."""
        self.measure()
        self._refit()
        self.viewport().update()

    def show_tip(self, text: str) -> None:
        """Sets the tooltip of the item under the pointer."""
        self._tip = text

    def tip_at(self, point: QPointF) -> str:
        """Returns the tooltip of the item under the pointer."""
        del point
        return self._tip

    def fit(self) -> None:
        """Scales the picture to fit, between 90 and 125 %, so that it stays readable."""
        if self.rect_layout.size[0] <= 0:
            return
        self.scale = self.scale_for(self.rect_layout.size)
        self.measure()
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def scale_for(self, size: tuple[float, float]) -> float:
        """Returns the scale, between 90 and 125 %, at which a picture of a size (at 100 %) fits best."""
        width, height = size
        fitting = min(self.viewport().width() / max(1.0, width), self.viewport().height() / max(1.0, height))
        return max(SMALLEST, min(FIT_LARGEST, fitting))

    @property
    def fitted(self) -> bool:
        """True if the picture is kept fitted, because the operator has not chosen a scale."""
        return self._fitted

    def keep_fitted(self) -> None:
        """Fits the picture now, and again when picture or size change, until the operator chooses a scale."""
        self._fitted = True
        self._refit()

    def _refit(self) -> None:
        if self._fitted:
            at = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
            self.fit()
            for bar, value in zip((self.horizontalScrollBar(), self.verticalScrollBar()), at, strict=True):
                bar.setValue(value)

    def show_item(self, index: int, *, first: bool = False) -> None:
        """Scrolls to an item. If `first` is True, the item goes to the upper left."""
        rect = self.rect_of(index)
        if rect is None:
            return
        x, y, w, h = (v * self.scale for v in rect)
        for bar, low, size, page in ((self.horizontalScrollBar(), x, w, self.viewport().width()),
                                     (self.verticalScrollBar(), y, h, self.viewport().height())):
            if first or low < bar.value():
                bar.setValue(int(low - 8))
            elif low + size > bar.value() + page:
                bar.setValue(int(low + size - page + 8))

    def measure(self) -> None:
        """Sets the ranges of the scroll bars for the present picture, scale and size."""
        width, height = self.rect_layout.size
        if width > 0:
            self.set_range(self.horizontalScrollBar(), width * self.scale, self.viewport().width(), 40)
            self.set_range(self.verticalScrollBar(), height * self.scale, self.viewport().height(), 40)

    def _origin(self) -> QPointF:
        """Returns the position of the picture's corner in the viewport. A low picture is centred vertically."""
        spare = max(0.0, self.viewport().height() - self.rect_layout.size[1] * self.scale) / 2
        return QPointF(-self.horizontalScrollBar().value(), spare - self.verticalScrollBar().value())

    def _item_at(self, point: QPointF) -> int:
        place = (point - self._origin()) / self.scale
        return self.rect_layout.at(place.x(), place.y())

    # --- Qt ----------------------------------------------------------------
    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints the visible part."""
        del rect
        painter.fillRect(self.viewport().rect(), self.theme.colour("surface"))
        if self.rect_layout.size[0] <= 0:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        origin = self._origin()
        painter.translate(origin)
        painter.scale(self.scale, self.scale)
        sight = QRectF(-origin.x() / self.scale, -origin.y() / self.scale, self.viewport().width() / self.scale,
                       self.viewport().height() / self.scale)
        self.paint_sight(painter, sight)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Updates the fit."""
        super().resizeEvent(event)
        self._refit()
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Begins a click or a drag. The right button opens the menu."""
        self._pressed, self._dragged = event.position(), False
        if event.button() == Qt.MouseButton.RightButton:
            self._pressed = None
            self.menu.emit(self._item_at(event.position()), event.globalPosition().toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drags the picture, or reports the item under the pointer."""
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
        """Emits `clicked` unless it was a drag."""
        if self._pressed is not None and not self._dragged:
            self.clicked.emit(self._item_at(event.position()))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `unfold` for the item under the pointer."""
        self._pressed = None
        index = self._item_at(event.position())
        if index >= 0:
            self.unfold.emit(index)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's name
        """Changes the scale around the pointer with Ctrl, otherwise scrolls."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            self.moved.emit()
            self.viewport().update()
            return
        point, before = event.position(), self._origin()
        place = (point - before) / self.scale
        self._fitted = False
        self.scale = max(SMALLEST, min(LARGEST, self.scale * 1.0015 ** event.angleDelta().y()))
        self.measure()
        self.horizontalScrollBar().setValue(int(place.x() * self.scale - point.x()))
        self.verticalScrollBar().setValue(int(place.y() * self.scale - point.y()))
        self.moved.emit()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `stepped` on arrow keys. Other keys are left to the panel."""
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if event.key() in arrows and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.stepped.emit(event.key())
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Clears the item under the pointer."""
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, index: int) -> None:
        if index != self.under:
            self.under = index
            self.viewport().update()
            self.hovered.emit(index)
