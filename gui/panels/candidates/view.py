"""The painted list of candidates."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from gui.panels.blocking.shapes import DRESS
from gui.panels.candidates.listing import Candidate
from gui.theme import Theme
from gui.widgets import RIGHT, Names, draw_text, glyph, text_width, verb_words
from gui.widgets.lists import Rows

LEAST_NOTE = 64
"""Pixels at text size 100 %. A note that does not fit is shortened down to this width, and left out below it."""


class CandidateRows(Rows):
    """Paints one pill per row: glyph, verb, object, and the note at the right end.

    The last row, the foot, says how many candidates there are, and of how many admissible actions.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=33)
        self._candidates: tuple[Candidate, ...] = ()
        self._names, self._foot = Names(), ""
        self.setAccessibleName("Candidates")

    def show_candidates(self, candidates: tuple[Candidate, ...], names: Names, foot: str) -> None:
        """Shows other candidates.

        Args:
            candidates: one per row.
            names: display names of objects.
            foot: the text of the last row. Empty for none.
        """
        self._candidates, self._names, self._foot = candidates, names, foot
        self.refresh()

    def count(self) -> int:
        """Returns the number of rows: the candidates, and the foot if it has text."""
        return len(self._candidates) + bool(self._foot)

    def can_choose(self, index: int) -> bool:
        """Returns True if the row is a candidate. The foot cannot be chosen."""
        return 0 <= index < len(self._candidates)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        if index >= len(self._candidates):
            return self._foot
        one = self._candidates[index]
        return f"{one.node.text}: {one.note}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one candidate, or the foot."""
        px = self.theme.px
        if index >= len(self._candidates):
            draw_text(painter, self.theme, rect.adjusted(px(14), 0, -px(8), 0), self._foot, "small", "faint")
            return
        one = self._candidates[index]
        pill = rect.adjusted(px(8), px(4), -px(8), -px(2))
        self._paint_back(painter, one, pill, index)
        self._paint_words(painter, one, pill)

    def _paint_back(self, painter: QPainter, one: Candidate, pill: QRectF, index: int) -> None:
        theme, state, dress = self.theme, one.node.state, DRESS[one.node.state]
        pen = QPen(theme.colour("operator_act" if one.node.by_operator else dress.line), 2 if state == "chosen" else 1.2)
        if state == "candidate" and not one.node.certain:
            pen.setStyle(Qt.PenStyle.DashLine)
        if index == self.current:
            pen = QPen(theme.colour("selection"), 2)
        painter.setPen(pen)
        painter.setBrush(theme.colour("hover" if index == self.under else dress.fill))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)

    def _paint_words(self, painter: QPainter, one: Candidate, pill: QRectF) -> None:
        theme, px, state = self.theme, self.theme.px, one.node.state
        tone = DRESS[state].text
        side = "faint" if one.tried and state == "candidate" else "muted"
        inside = pill.adjusted(px(13), 0, -px(13), 0)
        note = ("✓ " if state == "chosen" else "") + one.note
        wide = text_width(theme, note, "small", 500)
        left = inside.width() - self._action_width(one)
        if wide > left >= px(LEAST_NOTE):
            wide = left
        elif wide > left:  # the action matters more, and the row's description repeats the note
            wide = text_width(theme, "✓", "small", 500) if state == "chosen" else 0.0
            note = "✓" if state == "chosen" else ""
        end = QRectF(inside.right() - wide, inside.y(), wide, inside.height())
        draw_text(painter, theme, end, note, "small", tone if state != "candidate" else side, 500, RIGHT)
        action = one.node.action
        room = QRectF(inside.x(), inside.y(), end.x() - px(8) - inside.x(), inside.height())
        if action is None:
            draw_text(painter, theme, room, one.node.text, "body", tone, 500)
            return
        picture = theme.pixmap(glyph(action.verb), px(13), tone if state == "chosen" else side)
        painter.drawPixmap(QPointF(room.x(), room.center().y() - px(13) / 2), picture)
        room.setLeft(room.x() + px(19))
        took = draw_text(painter, theme, room, verb_words(action.verb), "small", tone if state == "chosen" else side)
        room.setLeft(min(room.right(), room.x() + took + px(5)))
        width = draw_text(painter, theme, room, self._names.target(action), "body", tone, 650 if state == "chosen" else 500)
        if state == "banned":
            painter.setPen(QPen(theme.colour("faint"), 1.2))
            y = room.center().y() + 0.5
            painter.drawLine(QPointF(room.x(), y), QPointF(room.x() + min(width, room.width()), y))

    def _action_width(self, one: Candidate) -> float:
        """Returns the width of glyph, verb and object in pixels, including the gap after them."""
        theme, action = self.theme, one.node.action
        if action is None:
            return text_width(theme, one.node.text, "body", 500) + theme.px(8)
        words = text_width(theme, verb_words(action.verb)) + text_width(theme, self._names.target(action), "body", 650)
        return words + theme.px(34)
