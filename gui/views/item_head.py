"""The head of a painted table or tree: its titles, what they mean, and sorting by the one that is clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QTableView, QToolTip

from gui.theme import Theme
from gui.views.item_columns import NUMBERS, Placed
from gui.views.outline import Sorting
from gui.views.widget import plain
from gui.widgets import RIGHT, draw_text


def arrow_of(by: Sorting | None, title: str) -> str:
    """Returns the arrow after the title by which rows are sorted; empty for another title."""
    return "" if by is None or by.title != title else " ▾" if by.backwards else " ▴"


def draw_titles(painter: QPainter, theme: Theme, rect: QRectF, columns: Sequence[Placed], by: Sorting | None) -> None:
    """Draws the titles of columns, with an arrow at the one by which the rows are sorted.

    Args:
        painter: draws them.
        theme: the fonts and colours.
        rect: the head.
        columns: the columns with their places.
        by: by what the rows are sorted.
    """
    for place in columns:
        room = QRectF(place.x + theme.px(6), rect.y(), place.width - theme.px(6), rect.height())
        is_number = place.column.kind in NUMBERS
        if not is_number:
            room.setLeft(room.x() + theme.px(4))
        text = plain(place.column.title) + arrow_of(by, place.column.title)
        draw_text(painter, theme, room, text, "micro", "faint", 600, *((RIGHT,) if is_number else ()))


class HeadMouse(QObject):
    """Shows what a column means while the pointer rests on its title, and sorts by the title that is clicked.

    Args:
        rows: the list.
        tip: returns the meaning of the column at a place, in pixels from the left.
        sort: sorts by it.
    """

    def __init__(self, rows: QTableView, tip: Callable[[float], str], sort: Callable[[float], object]):
        super().__init__(rows)
        self._rows, self._tip, self._sort = rows, tip, sort
        rows.horizontalHeader().viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Takes what the mouse does over the head."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and (text := self._tip(event.x())):
            QToolTip.showText(event.globalPos(), text, self._rows)
            return True
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent) \
                and event.button() == Qt.MouseButton.LeftButton:
            self._sort(event.position().x())
        return super().eventFilter(watched, event)
