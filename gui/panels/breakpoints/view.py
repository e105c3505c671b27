"""The painted list of breakpoints: whether each is on, its condition, and its hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter

from core.session.breakpoints import Breakpoint, Hit
from gui.theme import Theme
from gui.widgets import RIGHT, draw_block, draw_text, text_width
from gui.widgets.lists import Rows
from gui.widgets.numbers import count


@dataclass(frozen=True, slots=True)
class PointRow:
    """A breakpoint as one row of the list.

    Attributes:
        point: the breakpoint.
        text: its condition in words, with display names instead of ids.
        enabled: whether it is on.
        hits: its hits in the run displayed, in order.
        standing: whether the run is stopped at it now.
    """

    point: Breakpoint
    text: str
    enabled: bool
    hits: tuple[Hit, ...] = ()
    standing: bool = False

    @property
    def where(self) -> str:
        """Returns how often it stopped the run, and the last four turns in which it did."""
        if not self.hits:
            return "for one stop" if self.point.once else "no hit yet"
        turns = list(dict.fromkeys(hit.turn for hit in self.hits))
        last = ", ".join(str(turn) for turn in turns[-4:])
        return f"{count(len(self.hits), 'hit')} · {'turn' if len(turns) == 1 else 'turns'} {'… ' * (len(turns) > 4)}{last}"


class PointRows(Rows):
    """The list of breakpoints. A click on a row's dot turns the breakpoint on or off."""

    toggled = Signal(int)

    def __init__(self, theme: Theme):
        super().__init__(theme, row=26)
        self._points: Sequence[PointRow] = ()
        self.setAccessibleName("Breakpoints")
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def show_points(self, points: Sequence[PointRow]) -> None:
        """Shows other breakpoints. The chosen one stays chosen if it is among them."""
        chosen = self.row(self.current)
        self._points = points
        known = [row.point for row in points]
        self.current = known.index(chosen.point) if chosen is not None and chosen.point in known else -1
        self.refresh()
        self.redraw()

    def row(self, index: int) -> PointRow | None:
        """Returns the breakpoint of a row, or None if there is no such row."""
        return self._points[index] if 0 <= index < len(self._points) else None

    def count(self) -> int:
        """Returns the number of rows."""
        return len(self._points)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        row = self._points[index]
        return f"{row.text}, {'on' if row.enabled else 'off'}, {row.where}"

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses a row. On its dot, emits `toggled` instead."""
        index = self.row_at(event.position().y())
        if self.can_choose(index) and event.position().x() < self.theme.px(30):
            self.toggled.emit(index)
        else:
            super().mousePressEvent(event)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one breakpoint."""
        theme, px, row = self.theme, self.theme.px, self._points[index]
        if index == self.current:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), "selection_bg", "selection", 4)
        elif index == self.under:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), "hover", radius=4)
        side = px(13)
        icon, tone = ("breakpoint_on", "bad") if row.enabled else ("breakpoint", "faint")
        painter.drawPixmap(px(11), int(rect.center().y() - side / 2), theme.pixmap(icon, side, tone))
        wide = text_width(theme, row.where, "micro") + px(10)
        end = rect.adjusted(0, 0, -px(10), 0)
        weight = 600 if row.standing else 400
        draw_text(painter, theme, end, row.where, "micro", "warn" if row.standing else "muted", weight, RIGHT)
        room = rect.adjusted(px(32), 0, -px(10) - wide, 0)
        draw_text(painter, theme, room, row.text, "small", "text" if row.enabled else "faint", max(500, weight))
