"""The painted list of calls."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.planning.facets import Grounding
from core.session.turns import Call
from gui.panels.calls.call_summary import branch_words, row_words, source_icon, tag_of, tone_of
from gui.panels.calls.model import CallList
from gui.theme import Theme
from gui.widgets import RIGHT, ChipLook, draw_chip, draw_text, text_width
from gui.widgets.lists import Rows
from gui.widgets.numbers import probability, seconds

DrawIcon = Callable[[str, float, str, float], None]
"""Draws an icon. Arguments: its name, x in pixels, its colour token, its side in pixels at text size 100 %."""


class CallRows(Rows):
    """The painted list of calls: number, purpose, subject, seconds, source and grounding score.

    The details of the open call are shown below its row.

    Args:
        theme: the theme.
        calls: the calls.
        elapsed: returns how long a call has been pending, in seconds.
        mentions: returns whether a call mentions the selected object.
        grounding: returns how a call's reply was interpreted, or None.
        named: replaces ids in a subject by display names.
    """

    def __init__(self, theme: Theme, calls: CallList, elapsed: Callable[[Call], float], mentions: Callable[[Call], bool],
                 grounding: Callable[[Call], Grounding | None], named: Callable[[str], str]):
        super().__init__(theme, row=22)
        self._calls, self._elapsed, self._mentions, self._grounding, self._named = calls, elapsed, mentions, grounding, named
        self.opened_number = -1
        self.setAccessibleName("Calls to the model")

    def count(self) -> int:
        """Returns the number of calls, pending and answered."""
        return len(self._calls)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        return row_words(self._calls[index], self._named)

    def row_key(self, index: int) -> Hashable:
        """Returns what the look of a row depends on. None for a pending call, whose seconds change all the time."""
        call = self._calls[index]
        if call.reply is None:
            return None
        grounding = self._grounding(call)
        score = None if grounding is None else (grounding.score, tone_of(grounding))
        said = call.ask.purpose, self._named(call.ask.subject), call.by, source_icon(call), tag_of(call), call.reply.seconds
        return call.id, said, call.id == self.opened_number, self._mentions(call), score

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one call."""
        theme, px, call = self.theme, self.theme.px, self._calls[index]
        is_open = call.id == self.opened_number
        self._paint_back(painter, index, rect, call, is_open)
        mid = rect.center().y()

        def icon(name: str, x: float, tone: str, size: float) -> None:
            side = px(size)
            painter.drawPixmap(int(x), int(mid - side / 2 + 0.5), theme.pixmap(name, side, tone))

        icon("down" if is_open else "right", px(7), "muted", 14)
        number = str(call.id)
        numbers = max(px(22), text_width(theme, number, "small") + px(2))
        draw_text(painter, theme, QRectF(px(22), rect.y(), numbers, rect.height()), number, "small", "muted", align=RIGHT)
        right = self._paint_right(painter, call, rect, icon)
        room = QRectF(px(28) + numbers, rect.y(), max(0.0, right - px(28) - numbers), rect.height())
        own = call.by == "operator"
        if own:
            icon("edit", room.left(), "operator_act", 13)
            room.setLeft(room.left() + px(17))
        tone = "operator_act" if own else "text"
        took = draw_text(painter, theme, room, call.ask.purpose, "body", tone, 600 if is_open else 500)
        room.setLeft(min(room.right(), room.left() + took + px(6)))
        if room.width() > px(14):
            subject = " · ".join(filter(None, (self._named(call.ask.subject), branch_words(call))))
            draw_text(painter, theme, room, subject, "small", "muted")

    def _paint_back(self, painter: QPainter, index: int, rect: QRectF, call: Call, is_open: bool) -> None:
        theme = self.theme
        if is_open:
            painter.fillRect(rect, theme.colour("selection_bg"))
            painter.fillRect(QRectF(0, rect.y(), 3, rect.height()), theme.colour("selection"))
        elif index in (self.under, self.current):
            painter.fillRect(rect, theme.colour("hover"))
        if not is_open and self._mentions(call):
            painter.fillRect(QRectF(0, rect.y() + 4, 2, rect.height() - 8), theme.colour("selection"))

    def _paint_right(self, painter: QPainter, call: Call, rect: QRectF, icon: DrawIcon) -> float:
        """Paints grounding score, source, seconds and tag from the right edge inwards.

        Returns:
            The x coordinate where the room for the purpose and the subject ends.
        """
        theme, px = self.theme, self.theme.px
        right = rect.right() - px(10)
        grounding = self._grounding(call)
        if grounding is not None:
            text = probability(grounding.score) or "0"
            room = QRectF(right - px(30), rect.y(), px(30), rect.height())
            draw_text(painter, theme, room, text, "small", tone_of(grounding), 650, RIGHT)
        right -= px(34)
        icon(source_icon(call), right - px(14), "warn" if call.reply is None else "faint", 13)
        right -= px(20)
        time = seconds(self._elapsed(call) if call.reply is None else call.reply.seconds)
        wide = max(px(36), text_width(theme, time, "small") + 2)
        tone = "warn" if call.reply is None else "muted"
        draw_text(painter, theme, QRectF(right - wide, rect.y(), wide, rect.height()), time, "small", tone, align=RIGHT)
        right -= wide + px(6)
        tag = tag_of(call)
        numbers = max(px(22), text_width(theme, str(call.id), "small"))
        words = px(30) + numbers + text_width(theme, call.ask.purpose, "body", 600)
        if tag and words + text_width(theme, tag, "small", 500) + px(21) <= right:  # the purpose comes first
            wide = text_width(theme, tag, "small", 500) + px(15)
            chip = QRectF(right - wide, rect.y() + px(3), wide, rect.height() - px(6))
            draw_chip(painter, theme, chip, ChipLook(tag, "warn", "warn_bg"))
            right -= wide + px(6)
        return right
