"""A list with rows of equal height. Only visible rows are painted, so fifty thousand are as fast as five."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from gui.theme import Theme

DESCRIBED = 40
"""Number of rows read out to assistive tools, from the first visible row."""
MOST_PICTURES = 200
Key = Qt.Key


class Rows(QAbstractScrollArea):
    """A painted list. A subclass gives the number of rows, paints one row and describes it in words.

    Attributes:
        chosen: a row was clicked or reached by the arrow keys.
        opened: a row was double-clicked, or Enter pressed on it.
        hovered: the pointer is over another row; -1 if it is over none.
        resized: the size of the list changed.
    """

    chosen = Signal(int)
    opened = Signal(int)
    hovered = Signal(int)
    resized = Signal()

    def __init__(self, theme: Theme, row: float = 22, head: float = 0):
        super().__init__()
        self.theme, self._row, self._head = theme, row, head
        self.current, self.under = -1, -1
        self._gap_at, self._gap = -1, 0
        self._keys: dict[int, Callable[[], None]] = {}
        self._pictures: dict[Hashable, QPixmap] = {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._scrolled())

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

    def row_key(self, index: int) -> Hashable:
        """Returns a key of everything that a row's look depends on, or None.

        A row with a key is painted once and its picture is kept. This suits lists whose rows seldom change.
        """
        del index
        return None

    def can_choose(self, index: int) -> bool:
        """Returns True if a row can be chosen. Headings cannot."""
        return 0 <= index < self.count()

    # --- for owners --------------------------------------------------------
    def on_key(self, key: Qt.Key, act: Callable[[], None]) -> None:
        """Sets what a key without modifiers does while the list has the focus."""
        self._keys[key.value] = act

    def refresh(self) -> None:
        """Updates the list after its rows changed."""
        self._measure()
        self._describe()
        self.viewport().update()

    def redraw(self) -> None:
        """Repaints the same rows."""
        self.viewport().update()

    def choose(self, index: int, *, tell: bool = False) -> None:
        """Makes a row the current one and scrolls to it. With `tell` it emits `chosen`."""
        if index == self.current and not tell:
            return
        self.current = index
        if index >= 0:
            self.show_row(index)
        self.viewport().update()
        if tell:
            self.chosen.emit(index)

    def show_row(self, index: int) -> None:
        """Scrolls as little as needed to make a row visible."""
        bar, top, height = self.verticalScrollBar(), self.row_top(index), self.row_height()
        page = self.viewport().height() - self.head_height()
        if top < bar.value():
            bar.setValue(int(top))
        elif top + height > bar.value() + page:
            bar.setValue(int(top + height - page))

    def open_gap(self, index: int, height: int) -> None:
        """Leaves a gap of `height` pixels below a row for a widget. Index -1 removes the gap."""
        gap = (index, height) if index >= 0 else (-1, 0)
        if gap != (self._gap_at, self._gap):
            self._gap_at, self._gap = gap
            self._measure()
            self.viewport().update()

    def gap_rect(self) -> QRectF:
        """Returns the rectangle of the gap in the viewport."""
        top = self.head_height() + self.row_top(self._gap_at) + self.row_height() - self.verticalScrollBar().value()
        return QRectF(0, top, self.viewport().width(), self._gap)

    # --- geometry ----------------------------------------------------------
    def row_height(self) -> int:
        """Returns the height of a row in pixels."""
        return self.theme.px(self._row)

    def head_height(self) -> int:
        """Returns the height of the column titles in pixels."""
        return self.theme.px(self._head)

    def row_top(self, index: int) -> float:
        """Returns the top of a row in the whole list, in pixels."""
        after = self._gap if self._gap_at >= 0 and index > self._gap_at else 0
        return index * self.row_height() + after

    def row_at(self, y: float) -> int:
        """Returns the row at a height of the viewport, or -1."""
        y += self.verticalScrollBar().value() - self.head_height()
        if self._gap_at >= 0:
            foot = (self._gap_at + 1) * self.row_height()
            if foot <= y < foot + self._gap:
                return -1
            y -= self._gap if y >= foot else 0
        index = int(y // self.row_height())
        return index if 0 <= index < self.count() else -1

    def _measure(self) -> None:
        bar, page = self.verticalScrollBar(), self.viewport().height() - self.head_height()
        whole = self.count() * self.row_height() + self._gap
        bar.setRange(0, max(0, whole - page))
        bar.setPageStep(max(1, page))
        bar.setSingleStep(self.row_height())

    def _first(self) -> int:
        y = self.verticalScrollBar().value()
        if self._gap_at >= 0 and y > self.row_top(self._gap_at):
            y = int(max(self.row_top(self._gap_at), y - self._gap))
        return max(0, y // self.row_height())

    # --- Qt ----------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Paints the visible rows."""
        del event
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), self.theme.colour("surface"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width, height, head = self.viewport().width(), self.row_height(), self.head_height()
        if head:
            painter.save()
            self.paint_head(painter, QRectF(0, 0, width, head))
            painter.restore()
            painter.setClipRect(QRectF(0, head, width, self.viewport().height() - head))
        scrolled = self.verticalScrollBar().value()
        index = self._first()
        while index < self.count():
            top = head + self.row_top(index) - scrolled
            if top > self.viewport().height():
                break
            self._paint(painter, index, QRectF(0, top, width, height))
            index += 1
        painter.end()

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
            if len(self._pictures) >= MOST_PICTURES:
                self._pictures.clear()
            picture = self._pictures[looks] = self._pictured(index, rect)
        painter.drawPixmap(rect.topLeft(), picture)

    def _pictured(self, index: int, rect: QRectF) -> QPixmap:
        """Returns the picture of a row."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(rect.width() * ratio), round(rect.height() * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(self.theme.colour("surface"))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_row(painter, index, QRectF(0, 0, rect.width(), rect.height()))
        painter.end()
        return picture

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Drops the kept pictures when the theme changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._pictures.clear()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Updates the scroll range."""
        super().resizeEvent(event)
        self._measure()
        self.resized.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Reports the row under the pointer."""
        self._hover(self.row_at(event.position().y()))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Chooses the row under the pointer."""
        index = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and self.can_choose(index):
            self.choose(index, tell=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Emits `opened` for the row under the pointer."""
        index = self.row_at(event.position().y())
        if self.can_choose(index):
            self.opened.emit(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Handles keys: arrow keys choose, Enter opens, and keys set with `on_key` call their function."""
        key, page = event.key(), max(1, self.verticalScrollBar().pageStep() // self.row_height())
        steps = {Key.Key_Up: -1, Key.Key_Down: 1, Key.Key_PageUp: -page, Key.Key_PageDown: page}
        act = self._keys.get(key)
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            event.ignore()
        elif act is not None:
            act()
        elif key in steps:
            self._step(steps[Key(key)])
        elif key in (Key.Key_Return, Key.Key_Enter) and self.can_choose(self.current):
            self.opened.emit(self.current)
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Keeps this list's keys from the shortcuts of the window while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) \
                and event.key() in self._keys and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            event.accept()
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802
        """Clears the row under the pointer."""
        self._hover(-1)
        super().leaveEvent(event)

    # --- inside ------------------------------------------------------------
    def _step(self, by: int) -> None:
        at, last = self.current, self.count() - 1
        target = max(0, min(last, at + by))
        way = 1 if by > 0 else -1
        while 0 <= target <= last and not self.can_choose(target):
            target += way
        if self.can_choose(target):
            self.choose(target, tell=True)

    def _hover(self, index: int) -> None:
        if index != self.under:
            self.under = index
            self.viewport().update()
            self.hovered.emit(index)

    def _scrolled(self) -> None:
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        first = min(self._first(), max(0, self.count() - 1))
        shown = range(first, min(self.count(), first + DESCRIBED))
        self.setAccessibleDescription("; ".join(self.row_words(k) for k in shown))
