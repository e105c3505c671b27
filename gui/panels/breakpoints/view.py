"""The list of breakpoints, painted: on or off, what stops the run, how often and where it did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter

from core.session.breakpoint_hits import Hit
from core.session.commands import Breakpoint
from gui.theme import Theme
from gui.widgets import RIGHT, draw_block, draw_text, text_width
from gui.widgets.lists import Rows
from gui.widgets.numbers import count


@dataclass(frozen=True, slots=True)
class PointRow:
    """One breakpoint.

    Attributes:
        text: what it stops at, with names for ids.
        hits: its stops in the run that is shown, in order.
        standing: whether the run stands at it now.
    """

    point: Breakpoint
    text: str
    enabled: bool
    hits: tuple[Hit, ...] = ()
    standing: bool = False

    @property
    def where(self) -> str:
        """How often it stopped the run, and in which turns."""
        if not self.hits:
            return "for one stop" if self.point.once else "no hit yet"
        turns = list(dict.fromkeys(hit.turn for hit in self.hits))
        last = ", ".join(str(turn) for turn in turns[-4:])
        return f"{count(len(self.hits), 'hit')} · {'turn' if len(turns) == 1 else 'turns'} {'… ' * (len(turns) > 4)}{last}"


class PointRows(Rows):
    """A click on the dot turns a breakpoint on or off."""

    toggled = Signal(int)

    def __init__(self, theme: Theme):
        super().__init__(theme, row=26)
        self._points: Sequence[PointRow] = ()
        self.setAccessibleName("Breakpoints")
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def show_points(self, points: Sequence[PointRow]) -> None:
        """Show other breakpoints; the chosen one stays chosen."""
        chosen = self.row(self.current)
        self._points = points
        known = [row.point for row in points]
        self.current = known.index(chosen.point) if chosen is not None and chosen.point in known else -1
        self.refresh()
        self.redraw()

    def row(self, index: int) -> PointRow | None:
        """The breakpoint of a row."""
        return self._points[index] if 0 <= index < len(self._points) else None

    def count(self) -> int:
        """How many."""
        return len(self._points)

    def row_words(self, index: int) -> str:
        """A breakpoint in words."""
        row = self._points[index]
        return f"{row.text}, {'on' if row.enabled else 'off'}, {row.where}"

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Choose, or turn on or off."""
        index = self.row_at(event.position().y())
        if self.can_choose(index) and event.position().x() < self.theme.px(30):
            self.toggled.emit(index)
        else:
            super().mousePressEvent(event)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """One breakpoint."""
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
