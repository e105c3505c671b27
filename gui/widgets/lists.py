"""Long lists: Qt's table view with one column, whose rows the list paints itself. Fifty thousand rows are as fast as five."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeAlias, TypeVar

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QHeaderView, QTableView

from gui.theme import Theme
from gui.widgets.painting import SMOOTH, draw_block

MOST_PICTURES = 200
NOWHERE = QModelIndex()
Key, Move = Qt.Key, QTableView.CursorAction
Index: TypeAlias = QModelIndex | QPersistentModelIndex
T = TypeVar("T")
MOVES = {Key.Key_Up: Move.MoveUp, Key.Key_Down: Move.MoveDown, Key.Key_PageUp: Move.MovePageUp,
         Key.Key_PageDown: Move.MovePageDown}


class Rows(QTableView):
    """A painted list. A subclass gives the number of rows, paints one row and describes it in words.

    The rows are painted in one loop, because a delegate called for each row makes a redraw an eighth slower.

    Attributes:
        chosen: a row was clicked or reached by the arrow keys.
        opened: a row was double-clicked, or Enter pressed on it.
        hovered: the pointer is over another row; -1 if it is over none.
        resized: the size of the list changed.
        under: the row under the pointer, or -1.
    """

    chosen = Signal(int)
    opened = Signal(int)
    hovered = Signal(int)
    resized = Signal()
    most_pictures = MOST_PICTURES
    """The maximum number of kept pictures of rows."""

    def __init__(self, theme: Theme, row: float = 22, head: float = 0):
        super().__init__()
        self.theme, self._row, self._head = theme, row, head
        self.under, self._gap_at = -1, -1
        self._keys: dict[int, Callable[[], None]] = {}
        self._pictures: dict[Hashable, QPixmap] = {}
        self._model = _Model(self)
        self.setModel(self._model)
        self.setCurrentIndex(NOWHERE)  # otherwise Qt makes the first row the current one when the list gets the focus
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalHeader(_Head(self))
        self.horizontalHeader().setVisible(head > 0)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(1)
        self.viewport().setMouseTracking(True)
        self._measure()

    # --- for subclasses ----------------------------------------------------
    def count(self) -> int:
        """Returns the number of rows."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one row."""
        raise NotImplementedError

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles, if there are any."""

    def row_words(self, index: int) -> str:
        """Describes one row in words, for assistive tools."""
        raise NotImplementedError

    def row_tip(self, index: int) -> str:
        """Returns the tooltip of a row."""
        del index
        return ""

    def row_key(self, index: int) -> Hashable:
        """Returns a key of everything that a row's look depends on, or None.

        A row with a key is painted once and its picture is kept. This suits lists whose rows seldom change.
        """
        del index
        return None

    def can_choose(self, index: int) -> bool:
        """Returns True if a row can be chosen. Headings cannot."""
        return 0 <= index < self.count()

    def paint_back(self, painter: QPainter, index: int, rect: QRectF, *, block: bool = False) -> None:
        """Marks the current row and the row under the pointer: with a rounded block, or with a bar at the left edge."""
        chosen, theme, px = index == self.current, self.theme, self.theme.px
        if not chosen and index != self.under:
            return
        fill, line = ("selection_bg", "selection") if chosen else ("hover", "")
        if block:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), fill, line, 4)
            return
        painter.fillRect(rect, theme.colour(fill))
        if chosen:
            painter.fillRect(QRectF(0, rect.y(), 3, rect.height()), theme.colour("selection"))

    # --- for owners --------------------------------------------------------
    @property
    def current(self) -> int:
        """The chosen row, or -1."""
        return self.currentIndex().row()

    @current.setter
    def current(self, index: int) -> None:
        self._take()
        self.setCurrentIndex(self._model.index(index, 0))

    def on_key(self, key: Qt.Key, act: Callable[[], None]) -> None:
        """Sets what a key without modifiers does while the list has the focus."""
        self._keys[key.value] = act

    def refresh(self) -> None:
        """Updates the list after its rows changed."""
        self._measure()
        self._take()
        self.viewport().update()
        self.horizontalHeader().viewport().update()

    def redraw(self) -> None:
        """Repaints the same rows."""
        self.viewport().update()

    def choose(self, index: int, *, tell: bool = False) -> None:
        """Makes a row the current one and scrolls to it. With `tell` it emits `chosen`."""
        if index != self.current:
            self.current = index
        if tell:
            self.chosen.emit(index)

    def show_row(self, index: int) -> None:
        """Scrolls as little as needed to make a row visible."""
        self.scrollTo(self._model.index(index, 0))

    def at_the_end(self) -> bool:
        """Returns True if the last row is visible. Lists that follow their end then scroll on."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - self.row_height()

    def open_gap(self, index: int, height: int) -> None:
        """Leaves a gap of `height` pixels below a row for a widget. Index -1 removes the gap."""
        if self._gap_at not in (-1, index):
            self.setRowHeight(self._gap_at, self.row_height())
        self._gap_at = index
        if index >= 0:
            self.setRowHeight(index, self.row_height() + height)
        self.updateGeometries()

    def gap_rect(self) -> QRectF:
        """Returns the rectangle of the gap in the viewport."""
        high = self.row_height()
        return QRectF(0, self.rowViewportPosition(self._gap_at) + high, self.viewport().width(),
                      self.rowHeight(self._gap_at) - high)

    # --- geometry ----------------------------------------------------------
    def row_height(self) -> int:
        """Returns the height of a row in pixels."""
        return self.theme.px(self._row)

    def row_top(self, index: int) -> int:
        """Returns the top of a row in the whole list, in pixels."""
        return self.verticalHeader().sectionPosition(index)

    def row_at(self, y: float) -> int:
        """Returns the row at a height of the viewport, or -1."""
        index = self.rowAt(int(y))
        return -1 if index == self._gap_at and y >= self.rowViewportPosition(index) + self.row_height() else index

    def _measure(self) -> None:
        if self.verticalHeader().defaultSectionSize() != self.row_height():
            self.verticalHeader().setDefaultSectionSize(self.row_height())
        self.horizontalHeader().setFixedHeight(self.theme.px(self._head))

    def _take(self) -> None:
        """Makes the model have as many rows as the list, and the scroll range fit."""
        if self.current >= self.count():
            self.setCurrentIndex(NOWHERE)
        self._model.resize(self.count())
        self.executeDelayedItemsLayout()

    # --- Qt ----------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the rows in the region to repaint."""
        width, height = self.viewport().width(), self.row_height()
        first, last = self.rowAt(event.rect().top()), self.rowAt(event.rect().bottom())
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(SMOOTH)
            for index in range(first, (last if last >= 0 else self._model.rowCount() - 1) + 1) if first >= 0 else ():
                high = height if index == self._gap_at else self.rowHeight(index)
                self._paint(painter, index, QRectF(0, self.rowViewportPosition(index), width, high))

    def _paint(self, painter: QPainter, index: int, rect: QRectF) -> None:
        key = self.row_key(index)
        if key is None:
            painter.save()
            self.paint_row(painter, index, rect)
            painter.restore()
            return
        looks = (key, rect.width(), index == self.current, index == self.under)
        picture = self._pictures.get(looks)
        if picture is None:
            if len(self._pictures) >= self.most_pictures:
                self._pictures.clear()
            picture = self._pictures[looks] = self._pictured(index, rect)
        painter.drawPixmap(rect.topLeft(), picture)

    def _pictured(self, index: int, rect: QRectF) -> QPixmap:
        """Returns the picture of a row."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(rect.width() * ratio), round(rect.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(self.theme.colour("surface"))
        with QPainter(picture) as painter:
            painter.setRenderHint(SMOOTH)
            self.paint_row(painter, index, QRectF(0, 0, rect.width(), rect.height()))
        return picture

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the sizes of the theme again when it changed, and drops the kept pictures."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._pictures.clear()
            self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `resized`."""
        super().resizeEvent(event)
        self.resized.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Reports the row under the pointer. Dragging chooses no other row."""
        self._hover(self.row_at(event.position().y()))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the row under the pointer."""
        index = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and self.can_choose(index):
            self.choose(index, tell=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `opened` for the row under the pointer."""
        index = self.row_at(event.position().y())
        if self.can_choose(index):
            self.opened.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles keys: arrow keys choose, Enter opens, and keys set with `on_key` call their function."""
        act, before = self._keys.get(event.key()), self.current
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            event.ignore()
        elif act is not None:
            act()
        elif event.key() in MOVES:
            target = self.moveCursor(MOVES[Key(event.key())], Qt.KeyboardModifier.NoModifier).row()
            if before < 0 and not self.can_choose(target):  # Qt stops at a first row that cannot be chosen
                target = next((k for k in range(self.count()) if self.can_choose(k)), -1)
            if target not in (before, -1):
                self.choose(target, tell=True)
        elif event.key() in (Key.Key_Return, Key.Key_Enter) and self.can_choose(before):
            self.opened.emit(before)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Keeps this list's keys from the shortcuts of the window while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) \
                and event.key() in self._keys and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            event.accept()
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Clears the row under the pointer."""
        self._hover(-1)
        super().leaveEvent(event)

    def _hover(self, index: int) -> None:
        if index != self.under:
            before, self.under = self.under, index
            self.update(self._model.index(before, 0))
            self.update(self._model.index(index, 0))
            self.hovered.emit(index)


class ItemRows(Rows, Generic[T]):
    """A list with one row for each of some objects.

    Attributes:
        items: the objects, from top to bottom.
    """

    items: Sequence[T] = ()

    def show_items(self, items: Sequence[T], key: Callable[[T], object] | None = None) -> None:
        """Shows other objects. If `key` is given, the object with the key of the chosen one is chosen."""
        chosen, self.items = self.chosen_item, items
        if key is not None:
            wanted = key(chosen) if chosen is not None else None
            self.current = -1 if chosen is None else next((k for k, item in enumerate(items) if key(item) == wanted), -1)
        self.refresh()

    def count(self) -> int:
        """Returns the number of rows."""
        return len(self.items)

    def item(self, index: int) -> T | None:
        """Returns the object of a row, or None if there is no such row."""
        return self.items[index] if 0 <= index < len(self.items) else None

    @property
    def chosen_item(self) -> T | None:
        """The object of the chosen row, or None."""
        return self.item(self.current)


class _Model(QAbstractListModel):
    """The rows of a list as Qt needs them: their number, their words and tooltips, and which can be chosen."""

    def __init__(self, rows: Rows):
        super().__init__(rows)
        self._rows, self._count = rows, 0

    def resize(self, count: int) -> None:
        """Adds rows at the end, or removes them there."""
        if count > self._count:
            self.beginInsertRows(NOWHERE, self._count, count - 1)
            self._count = count
            self.endInsertRows()
        elif count < self._count:
            self.beginRemoveRows(NOWHERE, count, self._count - 1)
            self._count = count
            self.endRemoveRows()

    def rowCount(self, parent: Index = NOWHERE) -> int:  # noqa: N802 - Qt's name
        """Returns the number of rows."""
        return 0 if parent.isValid() else self._count

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Returns a row in words, or its tooltip."""
        if role == Qt.ItemDataRole.DisplayRole:
            return self._rows.row_words(index.row())
        return self._rows.row_tip(index.row()) if role == Qt.ItemDataRole.ToolTipRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Returns whether a row can be chosen."""
        choosable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return choosable if self._rows.can_choose(index.row()) else Qt.ItemFlag.NoItemFlags


class _Head(QHeaderView):
    """The column titles of a list, painted by the list."""

    def __init__(self, rows: Rows):
        super().__init__(Qt.Orientation.Horizontal, rows)
        self._rows = rows
        self.setStretchLastSection(True)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the titles."""
        del event
        with QPainter(self.viewport()) as painter:
            painter.fillRect(self.rect(), self._rows.theme.colour("surface"))
            painter.setRenderHint(SMOOTH)
            self._rows.paint_head(painter, QRectF(self.rect()))
