"""The heatmap as a widget: scrolling, pointing, choosing a cell, dragging it up and down."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QToolTip

from gui.panels.belief.geometry import Grid, grid
from gui.panels.belief.layout import Column
from gui.panels.belief.painting import HeatmapPainter, Look, rows_that_differ
from gui.panels.belief.texts import BARRED, Cell
from gui.theme import Theme
from gui.widgets import SMOOTH, text_width
from gui.widgets.numbers import probability

DRAG_FOR_ALL = 160.0
"""Pixels of dragging that take a cell from 0 to 1; ten times as many with Shift."""
DRAG_FROM = 3.0
ACTS = ("E", "P", "Z", ".", ",")
Key = Qt.Key


class Heatmap(QAbstractScrollArea):
    """Objects by places. It tells what the operator does; what comes of it is its owner's."""

    chosen = Signal(int, int)
    """A cell: row and place."""
    unfold = Signal()
    """A folded column was clicked."""
    pointed = Signal(int)
    """The row under the pointer, or -1."""
    dragged = Signal(float)
    """The selected cell is to have this probability, for now."""
    dropped = Signal()
    """The drag is over."""
    typed = Signal(str)
    """A key that acts on the selected cell: one of E P Z, a point that begins a number, or Backspace."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._painter = theme, HeatmapPainter(theme)
        self.look: Look | None = None
        self._order: tuple[int, ...] = ()
        self._columns: tuple[Column, ...] = ()
        self._press: tuple[QPointF, float] | None = None
        self._dragging, self._longest = False, 0.0
        self.editable = True
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName("Belief: objects by locations")

    # --- what it shows -------------------------------------------------------
    def show_look(self, look: Look, order: tuple[int, ...], columns: tuple[Column, ...]) -> None:
        """Another belief, order or selection."""
        alike = self.look is not None and (order, columns) == (self._order, self._columns)
        rows = rows_that_differ(self.look, look) if alike and self.look is not None else None
        self.look, self._order, self._columns = look, order, columns
        self._longest = max((text_width(self._theme, c.label, "small", 600) for c in columns), default=0.0)
        self._measure()
        found = self.geometry_now()
        if rows is None or found is None:
            self.viewport().update()
            return
        for row, top, high in found.rows:
            if row in rows:
                self.viewport().update(0, int(top) - 2, self.viewport().width(), math.ceil(high) + 4)

    def point(self, row: int) -> None:
        """Light a row."""
        if self.look is not None and row != self.look.pointed:
            self.look = replace(self.look, pointed=row)
            self.viewport().update()
            self.pointed.emit(row)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns shown."""
        return self._columns

    def geometry_now(self) -> Grid | None:
        """Where everything lies."""
        if self.look is None:
            return None
        size = self.viewport().size()
        scrolled = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return grid(self.look.belief, self._order, self._columns, (size.width(), size.height()), self._theme.px, scrolled,
                    self._longest)

    def _measure(self) -> None:
        found = self.geometry_now()
        if found is None:
            return
        room = self.viewport().width() - found.left - 8, self.viewport().height() - found.top - 4
        for bar, extent, page in ((self.horizontalScrollBar(), found.extent[0], room[0]),
                                  (self.verticalScrollBar(), found.extent[1], room[1])):
            bar.setRange(0, max(0, round(extent - page)))
            bar.setPageStep(max(1, int(page)))
            bar.setSingleStep(self._theme.px(20))

    def reveal(self, cell: Cell) -> None:
        """Scroll a cell into sight."""
        found = self.geometry_now()
        if found is None:
            return
        for column, x in found.columns:
            if cell[1] in column.places:
                _into_sight(self.horizontalScrollBar(), x - found.left, found.wide, self.viewport().width() - found.left - 8)
        for row, top, high in found.rows:
            if row == cell[0]:
                _into_sight(self.verticalScrollBar(), top - found.top, high, self.viewport().height() - found.top - 4)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Share the room anew."""
        super().resizeEvent(event)
        self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """What is in sight, and to be painted again."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.colour("surface"))
        found = self.geometry_now()
        if found is not None and self.look is not None:
            painter.setRenderHint(SMOOTH)
            self._painter.paint(painter, found, self.look, QRectF(self.viewport().rect()), QRectF(event.rect()))
        painter.end()

    # --- the pointer -----------------------------------------------------------
    def cell_at(self, position: QPointF) -> tuple[int, Column | None]:
        """The row of the belief and the column under a point; -1 and None where there is none."""
        found = self.geometry_now()
        if found is None:
            return -1, None
        k, c = found.row_at(position.y()), found.column_at(position.x())
        return found.rows[k][0] if k >= 0 else -1, found.columns[c][0] if c >= 0 else None

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose a cell, and get ready to drag it."""
        row, column = self.cell_at(event.position())
        if column is not None and column.folded:
            self.unfold.emit()
        elif row >= 0 and column is not None and self.look is not None:
            self.chosen.emit(row, column.places[0])
            self._press = event.position(), float(self.look.belief.probability[row, column.places[0]])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drag the cell, or point at a row."""
        if self._press is None or not self.editable:
            self.point(self.cell_at(event.position())[0])
            return
        risen = self._press[0].y() - event.position().y()
        if self._dragging or abs(risen) > DRAG_FROM:
            self._dragging = True
            slower = 10.0 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0
            self.dragged.emit(min(1.0, max(0.0, self._press[1] + risen / (DRAG_FOR_ALL * slower))))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Let go."""
        del event
        if self._dragging:
            self.dropped.emit()
        self.let_go()

    def let_go(self) -> None:
        """Drag no further, though the button may still be down."""
        self._press, self._dragging = None, False

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Nothing is pointed at."""
        super().leaveEvent(event)
        self.point(-1)

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """A tip tells the cell in words."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().viewportEvent(event)

    def _tip(self, position: QPointF) -> str:
        row, column = self.cell_at(position)
        if self.look is None or (row < 0 and column is None):
            return ""
        if row < 0:
            return column.name if column is not None else ""
        if column is None:
            return self.look.belief.objects[row]
        belief = self.look.belief
        p = float(belief.probability[row, list(column.places)].sum())
        why = f" ({BARRED})" if p <= 0 and belief.bars(row)[list(column.places)].any() else ""
        return f"{belief.objects[row]} {column.where}: {probability(p) or '0'}{why}"

    # --- keys --------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Letters that act on a cell are taken before the window's own (P is path elsewhere)."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._acts(event):
            event.accept()
            return True
        return super().event(event)

    def _acts(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        chosen = self.look is not None and self.look.selected is not None
        return plain and chosen and (event.text().upper() in ACTS or event.key() == Key.Key_Backspace)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Arrows move the selection, letters and digits act on it."""
        moves = {Key.Key_Left: (0, -1), Key.Key_Right: (0, 1), Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0)}
        move = moves.get(Key(event.key()))
        if move is not None:
            self._move(*move)
        elif self._acts(event):
            self.typed.emit("" if event.key() == Key.Key_Backspace else event.text().upper())
        else:
            super().keyPressEvent(event)

    def _move(self, down: int, right: int) -> None:
        if self.look is None or not self._order or not self._columns:
            return
        cell = self.look.selected
        k = self._order.index(cell[0]) if cell is not None and cell[0] in self._order else 0
        c = next((i for i, col in enumerate(self._columns) if cell is not None and cell[1] in col.places), 0)
        if cell is not None:
            k, c = min(max(0, k + down), len(self._order) - 1), min(max(0, c + right), len(self._columns) - 1)
        if not self._columns[c].folded:
            self.chosen.emit(self._order[k], self._columns[c].places[0])


def _into_sight(bar: QScrollBar, start: float, length: float, page: float) -> None:
    if start < 0:
        bar.setValue(bar.value() + int(start))
    elif start + length > page:
        bar.setValue(bar.value() + int(start + length - page) + 1)
