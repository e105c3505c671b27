"""Matrices as painted cells: colour by number, titles at the left and on top, and only the visible part is painted."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPen

from core.views.values import About, Edit, Item, Mark, Matrix, Slider, numbered
from core.views.wording import cell_text
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.tones import draw_tone
from gui.views.widget import AboutIndex, Choice, Key, ViewWidget, plain, tip
from gui.widgets import CENTRE, RIGHT, draw_text, text_width
from gui.widgets.canvas import PaintedArea
from gui.widgets.numbers import hundredths
from gui.widgets.painting import ink_on

CELL, LOW, WIDE = 34, 20, 76
"""Pixels at text size 100 %: the least width and the height of a cell, and the largest width."""
SAMPLED = 200
"""Titles of which the widths are measured."""
MOST_SIDE, MOST_TOP = 0.4, 96
"""The largest share of the width for the titles of rows, and the largest height of those of columns, in pixels."""
MOVES = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
EMPTY = Matrix((), (), np.zeros((0, 0)))


class Cells(PaintedArea):
    """The cells of a matrix. Arrow keys move the chosen one."""

    def __init__(self, theme: Theme, owner: MatrixView):
        super().__init__(theme, "Matrix", wide=True)
        self._owner = owner
        self.view = EMPTY
        self.chosen: tuple[int, int] | None = None
        self.selected: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        """Rows and columns about what is selected elsewhere."""
        self.marks: dict[tuple[int, int], list[Mark]] = {}
        self._low, self._span, self._upright = 0.0, 1.0, False
        self._ends: tuple[str, ...] = ()
        """The texts of the smallest and the largest number, and one between: cells have room for them."""
        self._side = self._top = self._wide = 0.0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)

    def show_matrix(self, view: Matrix) -> None:
        """Shows another matrix."""
        self.view = view
        self.marks = {}
        for mark in view.marks:
            self.marks.setdefault((mark.row, mark.column), []).append(mark.mark)
        finite = view.numbers[np.isfinite(view.numbers)].astype(float)
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        self._low, self._span = low, high - low
        self._ends = tuple(self._text(number) for number in (low, high, (low + high) / 3) if finite.size)
        self.measure()
        self.viewport().update()

    def measure(self) -> None:
        """Sets the sizes of titles and cells, and the scroll ranges."""
        view, theme, px = self.view, self.theme, self.theme.px
        widest = max((text_width(theme, text, "micro", 500) for text in self._ends), default=0.0) + px(7)
        widths = [text_width(theme, self._owner.named(plain(item.text))) for item in view.rows[:SAMPLED]]
        self._side = min(max(widths, default=0.0) + px(16), self.viewport().width() * MOST_SIDE)
        heads = [text_width(theme, self._owner.named(plain(item.text)), "micro") for item in view.columns[:SAMPLED]]
        count = max(1, len(view.columns))
        room = self.viewport().width() - self._side - px(4)
        least = min(max(px(CELL), widest), px(WIDE))
        self._wide = min(max(room / count, least), px(WIDE))
        self._upright = max(heads, default=0.0) + px(6) > self._wide
        self._top = min(max(heads, default=0.0) + px(10), px(MOST_TOP)) if self._upright else px(20)
        wide, high = self._side + px(4) + self._wide * len(view.columns), self._top + px(4) + px(LOW) * len(view.rows)
        self.set_range(self.horizontalScrollBar(), wide, self.viewport().width(), int(self._wide))
        self.set_range(self.verticalScrollBar(), high, self.viewport().height(), px(LOW))

    def natural_height(self) -> int:
        """Returns the height of all rows and the titles."""
        return int(self._top) + self.theme.px(LOW) * len(self.view.rows) + self.theme.px(8)

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Returns the rectangle of a cell in the viewport."""
        x = self._side + column * self._wide - self.horizontalScrollBar().value()
        y = self._top + row * self.theme.px(LOW) - self.verticalScrollBar().value()
        return QRectF(x, y, self._wide, self.theme.px(LOW))

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        """Returns the row and column at a point of the viewport, or None."""
        if point.x() < self._side or point.y() < self._top:
            return None
        row = int((point.y() - self._top + self.verticalScrollBar().value()) // self.theme.px(LOW))
        column = int((point.x() - self._side + self.horizontalScrollBar().value()) // max(self._wide, 1.0))
        return (row, column) if row < len(self.view.rows) and column < len(self.view.columns) else None

    # --- painting ------------------------------------------------------------
    def _visible(self) -> tuple[range, range]:
        high, wide = self.theme.px(LOW), max(self._wide, 1.0)
        first, left = self.verticalScrollBar().value() // high, int(self.horizontalScrollBar().value() // wide)
        last = first + math.ceil(self.viewport().height() / high) + 1
        right = left + math.ceil(self.viewport().width() / wide) + 1
        return range(first, min(last, len(self.view.rows))), range(left, min(right, len(self.view.columns)))

    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints the visible cells, then the titles over what is scrolled away under them."""
        del rect
        rows, columns = self._visible()
        for row in rows:
            for column in columns:
                self._paint_cell(painter, row, column)
        if self.chosen is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self.theme.colour("selection"), 2))
            painter.drawRect(self.cell_rect(*self.chosen).adjusted(1, 1, -1, -1))
        self._paint_titles(painter, rows, columns)

    def share(self, number: float) -> float:
        """Returns how strongly a number is coloured, 0..1; NaN is not."""
        if math.isnan(number):
            return math.nan
        if self.view.kind == "probability":
            return min(1.0, max(0.0, number))
        if math.isinf(number) or self._span <= 0 or not math.isfinite(self._span):
            return 1.0 if number > 0 else 0.0
        return ((number - self._low) / self._span) ** 2  # the scale of colours goes with the square root

    def _paint_cell(self, painter: QPainter, row: int, column: int) -> None:
        theme, number = self.theme, float(self.view.numbers[row, column])
        rect = self.cell_rect(row, column).adjusted(0.5, 0.5, -0.5, -0.5)
        share = self.share(number)
        fill = theme.colour("sunken") if math.isnan(share) else theme.heat(share)
        painter.fillRect(rect, fill)
        draw_text(painter, theme, rect.adjusted(2, 0, -2, 0), self._text(number), "micro", ink_on(fill.name()), 500, CENTRE)
        for k, mark in enumerate(self.marks.get((row, column), ())[:2]):
            draw_tone(painter, theme, rect.right() - theme.px(5 + 9 * k), rect.top() + theme.px(5), theme.px(3.2), mark.tone)

    def _text(self, number: float) -> str:
        """Returns what stands in a cell: probabilities in hundredths, nothing where there is no number."""
        in_hundredths = self.view.kind == "probability" and 0 <= number <= 1
        return "" if math.isnan(number) else hundredths(number) if in_hundredths else cell_text(number, self.view.kind)

    def _paint_titles(self, painter: QPainter, rows: range, columns: range) -> None:
        theme, px = self.theme, self.theme.px
        painter.fillRect(QRectF(0, 0, self._side, self.viewport().height()), theme.colour("surface"))
        painter.fillRect(QRectF(0, 0, self.viewport().width(), self._top), theme.colour("surface"))
        painter.setClipRect(QRectF(0, self._top, self._side, self.viewport().height()))
        for row in rows:
            cell = self.cell_rect(row, 0)
            tone = "selection" if row in self.selected[0] else "text"
            self._title(painter, QRectF(px(8), cell.y(), self._side - px(14), cell.height()), self.view.rows[row], tone, RIGHT)
        painter.setClipRect(QRectF(self._side, 0, self.viewport().width(), self._top))
        for column in columns:
            cell = self.cell_rect(0, column)
            tone = "selection" if column in self.selected[1] else "muted"
            painter.save()
            if self._upright:
                painter.translate(cell.center().x(), self._top - px(4))
                painter.rotate(-90)
                room = QRectF(0, -px(8), self._top - px(6), px(16))
                draw_text(painter, theme, room, self._owner.named(plain(self.view.columns[column].text)), "micro", tone)
            else:
                room = QRectF(cell.x() + 2, 0, cell.width() - 4, self._top)
                self._title(painter, room, self.view.columns[column], tone, CENTRE)
            painter.restore()
        painter.setClipping(False)

    def _title(self, painter: QPainter, room: QRectF, item: Item, tone: str, align: Qt.AlignmentFlag) -> None:
        role = "small" if align == RIGHT else "micro"
        draw_text(painter, self.theme, room, self._owner.named(plain(item.text)), role, tone, 400, align)  # type: ignore[arg-type]

    def tip_at(self, point: QPointF) -> str:
        """Returns what a cell holds, with its exact number; over a title, what that is."""
        found = self.cell_at(point)
        if found is not None:
            return self._owner.words_of(*found)
        cell = self.cell_at(QPointF(max(point.x(), self._side), max(point.y(), self._top)))
        if cell is None or (point.x() < self._side and point.y() < self._top):
            return ""
        item = self.view.rows[cell[0]] if point.x() < self._side else self.view.columns[cell[1]]
        return tip(self._owner.named(item.text), item.place, item.note)

    # --- the operator --------------------------------------------------------
    def choose(self, cell: tuple[int, int] | None, *, tell: bool = False) -> None:
        """Chooses a cell and scrolls to it."""
        self.chosen = cell
        if cell is not None:
            self._scroll_to(*cell)
        self._owner.describe()
        self.viewport().update()
        if tell:
            self._owner.chosen.emit()

    def _scroll_to(self, row: int, column: int) -> None:
        x, y, high = column * self._wide, row * self.theme.px(LOW), self.theme.px(LOW)
        for bar, low, size, page in ((self.horizontalScrollBar(), x, self._wide, self.viewport().width() - self._side),
                                     (self.verticalScrollBar(), y, high, self.viewport().height() - self._top)):
            if low < bar.value():
                bar.setValue(int(low))
            elif low + size > bar.value() + page:
                bar.setValue(math.ceil(low + size - page))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the cell under the pointer."""
        if (cell := self.cell_at(event.position())) is not None:
            self.choose(cell, tell=True)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the cell under the pointer."""
        if self.cell_at(event.position()) is not None:
            self._owner.opened.emit()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the cell and asks for its menu."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        cell = self.chosen if by_key else self.cell_at(QPointF(event.pos()))
        if cell is not None:
            self.choose(cell, tell=True)
            self._owner.menu.emit(self.viewport().mapToGlobal(self.cell_rect(*cell).center().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Moves the chosen cell with the arrow keys."""
        step = MOVES.get(Qt.Key(event.key()))
        if step is None or event.modifiers() or not self.view.rows or not self.view.columns:
            event.ignore()
            return
        row, column = self.chosen or (-step[0], -step[1])
        self.choose((min(max(row + step[0], 0), len(self.view.rows) - 1),
                     min(max(column + step[1], 0), len(self.view.columns) - 1)), tell=True)


class MatrixView(ViewWidget[Matrix]):
    """Shows a matrix."""

    def __init__(self, theme: Theme):
        super().__init__(theme)
        self.cells = Cells(theme, self)
        self._abouts = AboutIndex(()), AboutIndex(())
        vbox(theme, self.cells, on=self, spacing=0, margins=FLUSH)
        self.setFocusProxy(self.cells)

    def restyle(self) -> None:
        """Takes the sizes of the theme again."""
        super().restyle()
        self.cells.measure()

    def show_view(self, view: Matrix) -> None:
        """Shows another matrix; the chosen cell stays chosen."""
        address = self._address()
        self._abouts = AboutIndex(view.rows), AboutIndex(view.columns)
        self.cells.chosen, self.cells.selected = None, (frozenset(), frozenset())
        self.cells.show_matrix(view)
        if address is not None:
            row, column = (_index(items, name) for items, name in zip((view.rows, view.columns), address, strict=True))
            self.cells.chosen = (row, column) if row >= 0 and column >= 0 else None
        self.describe()

    def _address(self) -> tuple[str, str] | None:
        view, cell = self.cells.view, self.cells.chosen
        return None if cell is None else (_name(view.rows, cell[0]), _name(view.columns, cell[1]))

    def describe(self) -> None:
        """Puts the chosen cell, or the size, into words for assistive tools."""
        view, cell = self.cells.view, self.cells.chosen
        self.cells.setAccessibleName(view.title or "Matrix")
        size = f"{len(view.rows):,} × {len(view.columns):,} cells"
        self.cells.setAccessibleDescription(size if cell is None else self.words_of(*cell).replace("\n", " · "))

    def words_of(self, row: int, column: int) -> str:
        """Returns a cell in words, with its exact number."""
        view, number = self.cells.view, float(self.cells.view.numbers[row, column])
        exact = cell_text(number, view.kind)
        if math.isfinite(number) and view.kind in ("probability", "value"):
            exact = f"{exact} ({number:.6g})"
        marks = ", ".join(mark.word for mark in self.cells.marks.get((row, column), ()))
        return tip(self.named(f"{plain(view.rows[row].text)} · {plain(view.columns[column].text)}"), exact, marks)

    def choice(self) -> Choice | None:
        """Returns the chosen cell, with the present number in its sliders."""
        address, cell, view = self._address(), self.cells.chosen, self.cells.view
        if address is None or cell is None:
            return None
        row, column = view.rows[cell[0]], view.columns[cell[1]]
        one, other = row.about, column.about
        about = About((*one.things, *other.things), one.action or other.action, one.call or other.call, one.turn or other.turn)
        number = float(view.numbers[cell])
        return Choice(address, f"{row.text} · {column.text}", about, tuple(_at(edit, number) for edit in view.edits))

    def mark(self, keys: frozenset[Key]) -> None:
        """Marks the titles about what is selected elsewhere; the chosen cell stays if it has a part in it."""
        rows, columns = (frozenset(index.of(keys) if keys else ()) for index in self._abouts)
        if (rows, columns) == self.cells.selected:
            return
        self.cells.selected = rows, columns
        chosen = self.cells.chosen
        if chosen is not None and chosen[0] not in rows and chosen[1] not in columns:
            self.cells.choose(None)
        if rows and chosen is None:
            self.cells.verticalScrollBar().setValue(min(rows) * self.theme.px(LOW))
        self.cells.viewport().update()

    def natural_height(self) -> int:
        """Returns the height of all rows."""
        return self.cells.natural_height()


def _name(items: Sequence[Item], index: int) -> str:
    key = items[index].key
    number = sum(item.key == key for item in items[:index + 1])
    return key if number == 1 else f"{key} #{number}"


def _index(items: Sequence[Item], name: str) -> int:
    names = (str(key) if n == 1 else f"{key} #{n}" for key, n in numbered(item.key for item in items))
    return next((k for k, other in enumerate(names) if other == name), -1)


def _at(edit: Edit, number: float) -> Edit:
    """Returns an edit of any cell with the number of one."""
    if not isinstance(edit.form, Slider) or not math.isfinite(number):
        return edit
    now = min(max(number, edit.form.low), edit.form.high)
    return Edit(edit.name, edit.title, Slider(edit.form.low, edit.form.high, now, edit.form.step), edit.key, edit.icon)
