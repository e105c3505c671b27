"""The scrolled, scaled surface that trees and graphs are painted on."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from gui.theme import Theme

Rect = tuple[float, float, float, float]

SMALLEST, FIT_LARGEST, LARGEST = 0.9, 1.25, 2.5
"""Under 90 % nothing could be read: it scrolls instead."""
DRAG = 4
"""Pixels the pointer moves before a press becomes a drag."""


class Canvas(QAbstractScrollArea):
    """Pan by dragging, zoom with Ctrl and the wheel, keys along the branches.

    A subclass says how large its picture is, where its items lie, and paints what is in sight.
    """

    clicked = Signal(int)
    unfold = Signal(int)
    menu = Signal(int, QPoint)
    hovered = Signal(int)
    moved = Signal()
    """The operator scrolled or dragged: the view no longer follows."""
    resized = Signal()
    """The room is another, and the picture laid out for it may be too."""
    stepped = Signal(int)
    """An arrow key, as its Qt key code."""

    def __init__(self, theme: Theme, name: str):
        super().__init__()
        self.theme = theme
        self.scale = 1.0
        self.under = -1
        self._fitted = False
        self._pressed: QPointF | None = None
        self._dragged = False
        self._tip = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(name)

    # --- for subclasses ----------------------------------------------------
    def extent(self) -> tuple[float, float]:
        """Width and height of the whole picture at 100 %; 0, 0 while there is none."""
        raise NotImplementedError

    def rect_of(self, index: int) -> Rect | None:
        """Where an item lies: x, y, width, height; None: there is no such item."""
        raise NotImplementedError

    def item_near(self, x: float, y: float) -> int:
        """The item under a point of the picture, or -1."""
        raise NotImplementedError

    def paint_sight(self, painter: QPainter, sight: QRectF) -> None:
        """Draw all that touches a rectangle, in the picture's own coordinates."""
        raise NotImplementedError

    # --- for owners --------------------------------------------------------
    def picture_changed(self) -> None:
        """Another picture; the place in sight stays."""
        self._measure()
        self._refit()
        self.viewport().update()

    def show_tip(self, text: str) -> None:
        """What the pointer rests on, in words."""
        self._tip = text

    def fit(self) -> None:
        """As much as can be read: between 90 and 125 %."""
        if self.extent()[0] <= 0:
            return
        self.scale = self.scale_for(self.extent())
        self._measure()
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(0)
        self.viewport().update()

    def scale_for(self, size: tuple[float, float]) -> float:
        """The scale at which a picture of a size at 100 % fits, between 90 and 125 %."""
        width, height = size
        fitting = min(self.viewport().width() / max(1.0, width), self.viewport().height() / max(1.0, height))
        return max(SMALLEST, min(FIT_LARGEST, fitting))

    @property
    def fitted(self) -> bool:
        """Whether the picture is kept fitted: the operator chose no scale."""
        return self._fitted

    def keep_fitted(self) -> None:
        """Fit now, and again whenever picture or room change, until the operator chooses a scale."""
        self._fitted = True
        self._refit()

    def _refit(self) -> None:
        if self._fitted:
            at = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
            self.fit()
            for bar, value in zip((self.horizontalScrollBar(), self.verticalScrollBar()), at, strict=True):
                bar.setValue(value)

    def show_item(self, index: int, *, first: bool = False) -> None:
        """Bring an item into sight; `first`: to the upper left."""
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

    def _measure(self) -> None:
        if self.extent()[0] <= 0:
            return
        for bar, size, page in zip((self.horizontalScrollBar(), self.verticalScrollBar()), self.extent(),
                                   (self.viewport().width(), self.viewport().height()), strict=True):
            bar.setRange(0, max(0, int(size * self.scale - page)))
            bar.setPageStep(page)
            bar.setSingleStep(40)

    def _origin(self) -> QPointF:
        """Where the picture's corner lies in the viewport: a low one is centred in height."""
        spare = max(0.0, self.viewport().height() - self.extent()[1] * self.scale) / 2
        return QPointF(-self.horizontalScrollBar().value(), spare - self.verticalScrollBar().value())

    def _item_at(self, point: QPointF) -> int:
        place = (point - self._origin()) / self.scale
        return self.item_near(place.x(), place.y())

    # --- Qt ----------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """What is in sight."""
        del event
        if self.extent()[0] <= 0:
            return
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), self.theme.colour("surface"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        origin = self._origin()
        painter.translate(origin)
        painter.scale(self.scale, self.scale)
        sight = QRectF(-origin.x() / self.scale, -origin.y() / self.scale, self.viewport().width() / self.scale,
                       self.viewport().height() / self.scale)
        self.paint_sight(painter, sight)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Other room."""
        super().resizeEvent(event)
        self._measure()
        self._refit()
        self.resized.emit()

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
        self._fitted = False
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
        if index != self.under:
            self.under = index
            self.viewport().update()
            self.hovered.emit(index)
