"""The heatmap widget: scrolling, hovering, choosing a cell, and dragging it up or down."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QScrollBar

from core.session.flip_words import flip_words
from gui.panels.belief.layout import BARRED, Cell, Column, Grid, grid
from gui.panels.belief.painting import BeliefShown, HeatmapPainter, rows_that_differ
from gui.theme import Theme
from gui.widgets import text_width
from gui.widgets.canvas import PaintedArea
from gui.widgets.keyboard import character
from gui.widgets.numbers import probability

DRAG_FOR_ALL = 160.0
"""Pixels of vertical drag that change a probability from 0 to 1. With Shift, ten times as many."""
DRAG_FROM = 3.0
ACTS = ("E", "P", "Z", ".", ",")
Key = Qt.Key


class Heatmap(PaintedArea):
    """A heatmap of objects by locations.

    It only emits signals for the operator's input. Its owner makes the edits.
    """

    chosen = Signal(int, int)
    """Emitted when a cell is chosen, with its row and the index of its location."""
    unfold = Signal()
    """Emitted when a folded column is clicked."""
    pointed = Signal(int)
    """Emitted with the row under the pointer, or -1."""
    dragged = Signal(float)
    """Emitted during a drag with the probability for the selected cell."""
    dropped = Signal()
    """Emitted when a drag ends."""
    typed = Signal(str)
    """Emitted for a key that acts on the selected cell.

    One of E, P, Z; a point or a comma, which begins a number; or an empty text for Backspace.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, "Belief: objects by locations", wide=True)
        self._painter = HeatmapPainter(theme)
        self.shown: BeliefShown | None = None
        self._order: tuple[int, ...] = ()
        self._columns: tuple[Column, ...] = ()
        self._press: tuple[QPointF, float] | None = None
        self._dragging, self._longest, self._widest = False, 0.0, 0.0
        self.editable = True
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)

    # --- display -------------------------------------------------------------
    def show_belief(self, shown: BeliefShown, order: tuple[int, ...], columns: tuple[Column, ...]) -> None:
        """Shows another belief, order or selection. Repaints only the rows that differ, if the rest is the same.

        Args:
            shown: the belief and the selection.
            order: the rows of the belief, from top to bottom.
            columns: from left to right.
        """
        alike = self.shown is not None and (order, columns) == (self._order, self._columns)
        rows = rows_that_differ(self.shown, shown) if alike and self.shown is not None else None
        self.shown, self._order, self._columns = shown, order, columns
        self._widest = shown.widest(self.theme, order)
        self._longest = max((text_width(self.theme, c.label, "small", 600) for c in columns), default=0.0)
        self.measure()
        found = self.geometry_now()
        if rows is None or found is None:
            self.viewport().update()
            return
        for row, top, high in found.rows:
            if row in rows:
                self.viewport().update(0, int(top) - 2, self.viewport().width(), math.ceil(high) + 4)

    def point(self, row: int) -> None:
        """Highlights a row of the belief; -1 for none."""
        if self.shown is not None and row != self.shown.pointed:
            self.shown = replace(self.shown, pointed=row)
            self.viewport().update()
            self.pointed.emit(row)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Returns the columns shown."""
        return self._columns

    def geometry_now(self) -> Grid | None:
        """Returns the geometry at the current size and scroll position, or None before the first belief."""
        if self.shown is None:
            return None
        size = self.viewport().size()
        scrolled = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return grid(self.shown.belief, self._order, self._columns, (size.width(), size.height()), self.theme.px, scrolled,
                    self._longest, self._widest)

    def measure(self) -> None:
        """Sets the ranges of the scroll bars for the present belief and size."""
        found = self.geometry_now()
        if found is None:
            return
        step = self.theme.px(20)
        self.set_range(self.horizontalScrollBar(), found.extent[0], self.viewport().width() - found.left - 8, step)
        self.set_range(self.verticalScrollBar(), found.extent[1], self.viewport().height() - found.top - 4, step)

    def reveal(self, cell: Cell) -> None:
        """Scrolls a cell into view."""
        found = self.geometry_now()
        if found is None:
            return
        for column, x in found.columns:
            if cell[1] in column.places:
                _into_sight(self.horizontalScrollBar(), x - found.left, found.wide, self.viewport().width() - found.left - 8)
        for row, top, high in found.rows:
            if row == cell[0]:
                _into_sight(self.verticalScrollBar(), top - found.top, high, self.viewport().height() - found.top - 4)

    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints the part of the heatmap inside a rectangle."""
        painter.fillRect(rect, self.theme.colour("surface"))
        found = self.geometry_now()
        if found is not None and self.shown is not None:
            self._painter.paint(painter, found, self.shown, QRectF(self.viewport().rect()), QRectF(rect))

    # --- pointer ---------------------------------------------------------------
    def cell_at(self, position: QPointF) -> tuple[int, Column | None]:
        """Returns the row of the belief and the column at a point in the viewport, -1 and None where there is none."""
        found = self.geometry_now()
        if found is None:
            return -1, None
        k, c = found.row_at(position.y()), found.column_at(position.x())
        return found.rows[k][0] if k >= 0 else -1, found.columns[c][0] if c >= 0 else None

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the cell under the pointer and prepares a drag. On a folded column, emits `unfold` instead."""
        row, column = self.cell_at(event.position())
        if column is not None and column.folded:
            self.unfold.emit()
        elif row >= 0 and column is not None and self.shown is not None:
            self.chosen.emit(row, column.places[0])
            self._press = event.position(), float(self.shown.belief.probability[row, column.places[0]])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Drags the chosen cell, or highlights the row under the pointer."""
        if self._press is None or not self.editable:
            self.point(self.cell_at(event.position())[0])
            return
        risen = self._press[0].y() - event.position().y()
        if self._dragging or abs(risen) > DRAG_FROM:
            self._dragging = True
            slower = 10.0 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0
            self.dragged.emit(min(1.0, max(0.0, self._press[1] + risen / (DRAG_FOR_ALL * slower))))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Ends a drag."""
        del event
        if self._dragging:
            self.dropped.emit()
        self.let_go()

    def let_go(self) -> None:
        """Stops a drag even if the mouse button is still down."""
        self._press, self._dragging = None, False

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Removes the highlight."""
        super().leaveEvent(event)
        self.point(-1)

    def tip_at(self, point: QPointF) -> str:
        """Returns the object, location and probability of the cell at a point."""
        row, column = self.cell_at(point)
        if self.shown is None or (row < 0 and column is None):
            return ""
        if row < 0:
            return column.name if column is not None else ""
        if column is None:
            beside = self.shown.beside(row)
            return f"{self.shown.called(row)}{f', found: {beside}' if beside else ''}"
        belief = self.shown.belief
        p = float(belief.probability[row, list(column.places)].sum())
        why = f" ({BARRED})" if p <= 0 and belief.bars(row)[list(column.places)].any() else ""
        lines = [f"{self.shown.called(row)} {column.where}: {probability(p) or '0'}{why}"]
        margins = [self.shown.margins[row, place] for place in column.places if (row, place) in self.shown.margins]
        if not column.folded:
            lines += [flip_words(margin, self.shown.names) for margin in margins]
        elif with_flips := sum(bool(margin.flips) for margin in margins):
            lines.append(f"flips found for {with_flips} of them: click to see them apart")
        return "\n".join(lines)

    # --- keys --------------------------------------------------------------------
    def event(self, event: QEvent) -> bool:
        """Claims the keys that act on a cell before the window's shortcuts (elsewhere P is path)."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._acts(event):
            event.accept()
            return True
        return super().event(event)

    def _acts(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        chosen = self.shown is not None and self.shown.selected is not None
        return plain and chosen and (character(event) in ACTS or event.key() == Key.Key_Backspace)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Moves the selection with the arrow keys, and emits `typed` for keys that act on the selected cell."""
        moves = {Key.Key_Left: (0, -1), Key.Key_Right: (0, 1), Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0)}
        move = moves.get(Key(event.key()))
        if move is not None:
            self._move(*move)
        elif self._acts(event):
            self.typed.emit("" if event.key() == Key.Key_Backspace else character(event))
        else:
            super().keyPressEvent(event)

    def _move(self, down: int, right: int) -> None:
        if self.shown is None or not self._order or not self._columns:
            return
        cell = self.shown.selected
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
