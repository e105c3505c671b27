"""The table of an evaluation, one row a planner and one column a cell, and the list of the episodes of one cell."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip

from gui.theme import Theme
from gui.widgets import CENTRE, LEFT, RIGHT, draw_block, draw_mark, draw_text, text_width
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import count
from gui.widgets.painting import brush_of, pen_of

if TYPE_CHECKING:
    from core.evaluation.overview import Cell, Overview
    from core.suites.suite import Row

ROW, HEAD, EPISODE = 44, 44, 46
"""Heights of a row, of the head and of an episode in pixels at 100 % text size."""
LEAST_NAME, MOST_NAME = 120, 250
"""Least and greatest width of the column of planners."""
NARROW = 74
"""Width of a column in pixels below which figures are shown without their errors."""


class CellTable(ItemRows[str]):
    """The table. A click on a cell, or the arrow keys, choose it.

    Attributes:
        picked: another cell was chosen: a contestant and a cell.
        cell: the chosen one; None: none is.
        measure: the key of the measure that is shown.
    """

    picked = Signal(object)

    def __init__(self, theme: Theme):
        super().__init__(theme, row=ROW, head=HEAD)
        self.overview: Overview | None = None
        self.cell: Cell | None = None
        self.measure = ""
        self.setAccessibleName("Results by planner and cell")

    def show_overview(self, overview: Overview, measure: str) -> None:
        """Shows the figures of a measure. The chosen cell stays chosen."""
        self.overview, self.measure = overview, measure
        self.show_items(overview.contestants, lambda name: name)

    def pick(self, cell: Cell) -> None:
        """Chooses a cell, and emits `picked`."""
        self.cell = cell
        if cell[0] in self.items:
            self.choose(list(self.items).index(cell[0]))
        self.redraw()
        self.picked.emit(cell)

    # --- places --------------------------------------------------------------
    def column(self, k: int) -> tuple[float, float]:
        """Returns left edge and width of the column of the k-th cell of the suite."""
        cells, px = () if self.overview is None else self.overview.cells, self.theme.px
        widest = max((text_width(self.theme, name, "body", 500) for name in self.items), default=0) + px(44)
        first = min(max(widest, px(LEAST_NAME)), px(MOST_NAME))
        width = (self.viewport().width() - first - px(6)) / max(1, len(cells))
        return first + k * width, width

    def place_of(self, cell: Cell) -> QRectF:
        """Returns the rectangle of a cell in the viewport."""
        assert self.overview is not None
        x, width = self.column(self.overview.cells.index(cell[1]))
        return QRectF(x, self.rowViewportPosition(list(self.items).index(cell[0])), width, self.row_height())

    def cell_at(self, at: QPoint) -> Cell | None:
        """Returns the cell at a point of the viewport."""
        name, cells = self.item(self.row_at(at.y())), () if self.overview is None else self.overview.cells
        x, width = self.column(0)
        k = int((at.x() - x) // max(1.0, width))
        return (name, cells[k]) if name is not None and 0 <= k < len(cells) else None

    # --- input ---------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the cell under the pointer."""
        cell = self.cell_at(event.position().toPoint())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.pick(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the next cell by an arrow key."""
        steps = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
        step, overview = steps.get(Qt.Key(event.key())), self.overview
        if step is None or overview is None or not self.items or event.modifiers():
            super().keyPressEvent(event)
            return
        cell = self.cell or (self.items[0], overview.cells[0])
        row, k = list(self.items).index(cell[0]), overview.cells.index(cell[1])
        down, right = step if self.cell is not None else (0, 0)
        row, k = min(max(row + down, 0), len(self.items) - 1), min(max(k + right, 0), len(overview.cells) - 1)
        self.pick((self.items[row], overview.cells[k]))

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Shows the tooltip of the cell under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cell = self.cell_at(event.pos())
            QToolTip.showText(event.globalPos(), "" if cell is None else self.words_of(cell), self.viewport())
            return True
        return super().viewportEvent(event)

    # --- words ---------------------------------------------------------------
    def words_of(self, cell: Cell) -> str:
        """Describes a cell in words: its figure, the number of episodes, and why how many failed."""
        overview = self.overview
        assert overview is not None
        figure, rows = overview.figures.get((self.measure, cell)), overview.episodes.get(cell, ())
        failed = overview.failed.get(cell)
        before = overview.before.get((self.measure, cell))
        told = [f"{cell[0]}, {cell[1]}: {figure if figure is not None else 'no episode yet'}", count(len(rows), "episode")]
        told += [f"{overview.beside}: {before}"] if before is not None else []
        if failed:
            told.append(f"{failed.total()} failed: " + ", ".join(f"{label} {n}" for label, n in failed.most_common()))
        return "\n".join(told)

    def row_words(self, index: int) -> str:
        """Describes a row in words."""
        overview = self.overview
        assert overview is not None
        return "; ".join(self.words_of((self.items[index], cell)).replace("\n", ", ") for cell in overview.cells)

    def row_key(self, index: int) -> Hashable:
        """No picture of a row is kept: the chosen cell and the figures change."""
        del index
        return None

    # --- painting --------------------------------------------------------------
    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the names of the cells in two lines, if they have two words."""
        theme, px, overview = self.theme, self.theme.px, self.overview
        for k, cell in enumerate(overview.cells if overview is not None else ()):
            x, width = self.column(k)
            upper, _, lower = cell.replace("-", " ", 1).partition(" ") if len(cell) > 12 else cell.partition(" ")
            for line, text in enumerate((upper, lower) if lower else ("", upper)):
                place = QRectF(x + px(2), rect.y() + px(6) + line * px(16), width - px(4), px(16))
                draw_text(painter, theme, place, text, "small", "muted", 500, CENTRE)
        painter.fillRect(QRectF(0, rect.bottom() - 1, rect.width(), 1), theme.colour("line"))

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a planner and its figures."""
        theme, px, name, overview = self.theme, self.theme.px, self.items[index], self.overview
        assert overview is not None
        painter.fillRect(QRectF(px(8), rect.bottom() - 1, rect.width() - px(16), 1), theme.colour("line"))
        first, _ = self.column(0)
        painter.setPen(pen_of(theme, index, 1.2))
        painter.setBrush(brush_of(theme, index))
        painter.drawRect(QRectF(px(10), rect.center().y() - px(5), px(12), px(10)))  # as in the plot
        draw_text(painter, theme, QRectF(px(30), rect.y(), first - px(36), rect.height()), name, "body", "text", 500)
        for cell in overview.cells:
            self._paint_cell(painter, overview, (name, cell))

    def _paint_cell(self, painter: QPainter, overview: Overview, cell: Cell) -> None:
        theme, px, place = self.theme, self.theme.px, self.place_of(cell)
        inner = place.adjusted(px(2), px(3), -px(2), -px(4))
        figure, before = overview.figures.get((self.measure, cell)), overview.before.get((self.measure, cell))
        if cell == self.cell:
            draw_block(painter, theme, inner, "selection_bg", "selection", 4)
        if figure is None:
            draw_text(painter, theme, inner, "–", "small", "faint", align=CENTRE)
            return
        is_rate = next(m.rate for m in overview.measures if m.key == self.measure)
        if is_rate:
            bar = QRectF(inner.x() + px(4), inner.bottom() - px(4), inner.width() - px(8), px(2.5))
            painter.fillRect(bar, theme.colour("line"))
            painter.fillRect(QRectF(bar.x(), bar.y(), bar.width() * figure.mean / 100, bar.height()), theme.colour("accent"))
        text = str(figure) if place.width() >= px(NARROW) else f"{figure.mean:.{figure.digits}f}"
        top = QRectF(inner.x(), inner.y() + px(1), inner.width(), px(18))
        draw_text(painter, theme, top, text, "small", "text" if figure.episodes > 2 else "muted", 600, CENTRE)
        below = f"was {before.mean:.{before.digits}f}" if before is not None else f"n {figure.episodes}"
        draw_text(painter, theme, top.translated(0, px(15)), below, "micro", "muted", align=CENTRE)


OPEN: Final = "Open"


class EpisodeList(ItemRows["Row"]):
    """The episodes of one cell, failed ones first. A click, or Enter, opens one where it went wrong."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=EPISODE)
        self.playing: Row | None = None
        self.setAccessibleName("Episodes of this cell")
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Opens the episode under the pointer."""
        index = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index == self.current and self.can_choose(index):
            self.opened.emit(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Does nothing: the first click has opened the episode."""

    def row_words(self, index: int) -> str:
        """Describes an episode in words."""
        upper, lower = _lines(self.items[index])
        return f"{'failed' if self.items[index].has_failed else 'reached'}: {upper}; {lower}; {_act(self.items[index])}"

    def row_tip(self, index: int) -> str:
        """Returns the whole task and why the episode failed."""
        origin = self.items[index].origin
        return "" if origin is None else "\n".join(filter(None, (origin.task, origin.because, origin.scene, origin.ended)))

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a mark, the task, how it ended, and what a click does."""
        theme, px, row = self.theme, self.theme.px, self.items[index]
        self.paint_back(painter, index, rect)
        painter.fillRect(QRectF(px(10), rect.bottom() - 1, rect.width() - px(18), 1), theme.colour("line"))
        tone = "bad" if row.has_failed else "good"
        draw_mark(painter, "square" if row.has_failed else "circle", px(17), rect.center().y(), px(4.5), theme.colour(tone))
        act = "Playing again …" if row == self.playing else _act(row) if index in (self.under, self.current) else ""
        wide = text_width(theme, act, "small", 600) + px(14) if act else px(8)
        end = QRectF(rect.right() - wide, rect.y(), wide - px(8), rect.height())
        draw_text(painter, theme, end, act, "small", "accent", 600, RIGHT)
        upper, lower = _lines(row)
        room = QRectF(px(32), rect.y() + px(4), rect.width() - px(32) - wide, px(19))
        draw_text(painter, theme, room, upper, "body", "text", 500, LEFT)
        draw_text(painter, theme, room.translated(0, px(18)), lower, "small", "muted")


def _act(row: Row) -> str:
    return f"{OPEN} at turn {row.origin.turn}" if row.origin is not None and row.origin.turn else OPEN


def _lines(row: Row) -> tuple[str, str]:
    origin = row.origin
    if origin is None:
        return f"Seed {row.seed}", "by an earlier version: nothing says how it went"
    why = f"{origin.label} in turn {origin.turn}" if origin.turn else origin.ended
    return f"Seed {row.seed} · {origin.task}", f"{origin.scene.rpartition('/')[2]} · {count(origin.turns, 'turn')} · {why}"
