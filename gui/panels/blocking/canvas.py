"""The scrolled surface a blocking tree is painted on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip

from gui.panels.blocking.painting import BlockingPainter, Look
from gui.panels.blocking.places import Places
from gui.theme import Theme

DRAG = 4
"""Pixels the pointer moves before a press becomes a drag."""
SPARE = 10.0


class BlockingCanvas(QAbstractScrollArea):
    """Pan by dragging; click, double-click and right-click items; arrow keys go along the branches."""

    clicked = Signal(int)
    opened = Signal(int)
    menu = Signal(int, QPoint)
    moved = Signal()
    """The operator scrolled or dragged: the view no longer follows."""
    stepped = Signal(int)

    def __init__(self, theme: Theme):
        super().__init__()
        self._painter, self.places, self._look = BlockingPainter(theme), Places(), Look()
        self._pressed: QPointF | None = None
        self._dragged = False
        self.claims: Callable[[int], bool] = lambda key: False
        """Whether a plain key is for the tree now, and not for the window."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName("Blocking tree")

    def show_places(self, places: Places, look: Look) -> None:
        """Paint another tree, or the same with another selection; the place in sight stays."""
        self.places, self._look = places, replace(look, under=self._look.under)
        self._measure()
        self.viewport().update()

    def show_item(self, index: int) -> None:
        """Bring an item into sight, with as little scrolling as needed."""
        if not 0 <= index < len(self.places.items):
            return
        x, y, w, h = (float(v) for v in self.places.rects[index])
        for bar, low, size, page in ((self.horizontalScrollBar(), x, w, self.viewport().width()),
                                     (self.verticalScrollBar(), y, h, self.viewport().height())):
            if low - SPARE < bar.value():
                bar.setValue(int(low - SPARE))
            elif low + size + SPARE > bar.value() + page:
                bar.setValue(int(low + size - page + SPARE))
        self.viewport().update()

    def point_of(self, index: int) -> QPoint:
        """The middle of an item, in the viewport."""
        x, y, w, h = (float(v) for v in self.places.rects[index])
        return (QPointF(x + w / 2, y + h / 2) + self._origin()).toPoint()

    def _measure(self) -> None:
        for bar, size, page in zip((self.horizontalScrollBar(), self.verticalScrollBar()), self.places.size,
                                   (self.viewport().width(), self.viewport().height()), strict=True):
            bar.setRange(0, max(0, int(size - page)))
            bar.setPageStep(page)
            bar.setSingleStep(40)

    def _origin(self) -> QPointF:
        """Where the tree's corner lies in the viewport: a low tree is centred in height."""
        spare = max(0.0, self.viewport().height() - self.places.size[1]) / 2
        return QPointF(-self.horizontalScrollBar().value(), spare - self.verticalScrollBar().value())

    def _item_at(self, point: QPointF) -> int:
        place = point - self._origin()
        return self.places.at(place.x(), place.y())

    # --- Qt ----------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """What is in sight."""
        del event
        painter, origin = QPainter(self.viewport()), self._origin()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(origin)
        sight = QRectF(-origin.x(), -origin.y(), self.viewport().width(), self.viewport().height())
        self._painter.paint(painter, self.places, self._look, sight)
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
            self._dragged, self._pressed = True, event.position()
            for bar, by in ((self.horizontalScrollBar(), way.x()), (self.verticalScrollBar(), way.y())):
                bar.setValue(int(bar.value() - by))
            self.moved.emit()
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """A click, unless it was a drag."""
        if self._pressed is not None and not self._dragged:
            self.clicked.emit(self._item_at(event.position()))
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose a candidate, or unfold."""
        self._pressed = None
        index = self._item_at(event.position())
        if index >= 0:
            self.opened.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Arrow keys go along the branches; other keys are the panel's."""
        arrows = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right)
        if event.key() in arrows and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.stepped.emit(event.key())
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Keep the tree's keys from shortcuts of the window while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) \
                and event.modifiers() == Qt.KeyboardModifier.NoModifier and self.claims(event.key()):
            event.accept()
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """The pointer goes."""
        self._hover(-1)
        super().leaveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Tips belong to items, not to the widget."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self._look.under
            text = self.places.items[index].node.text if 0 <= index < len(self.places.items) else ""
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def _hover(self, index: int) -> None:
        if index != self._look.under:
            self._look = replace(self._look, under=index)
            self.viewport().update()
