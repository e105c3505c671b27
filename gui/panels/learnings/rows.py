"""The painted lines: who wrote each, in which episode, and whether it is pinned."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from core.planners.neoplanner.recorded_types import Axiom
from gui.theme import Theme
from gui.widgets import RIGHT, draw_block, draw_text, text_width
from gui.widgets.lists import Rows


class AxiomRows(Rows):
    """A list with one row for each line: pin, text, episode.

    Lines by the operator have a pencil and an edge in the operator's colour (orchid). New lines have an edge in the accent
    colour.
    """

    def __init__(self, theme: Theme):
        super().__init__(theme, row=23)
        self._axioms: tuple[Axiom, ...] = ()
        self._newest = 0
        self.setAccessibleName("Learnings")

    def show_axioms(self, axioms: tuple[Axiom, ...], newest: int) -> None:
        """Shows lines. `newest` is the number of the episode that ended last."""
        self._axioms, self._newest = axioms, newest
        if self.current >= len(axioms):
            self.current = len(axioms) - 1
        self.refresh()

    def axiom(self, index: int) -> Axiom | None:
        """Returns the line of a row, or None if there is no such row."""
        return self._axioms[index] if 0 <= index < len(self._axioms) else None

    def count(self) -> int:
        """Returns the number of rows."""
        return len(self._axioms)

    def row_words(self, index: int) -> str:
        """Returns a line with its author, and whether it is pinned."""
        one = self._axioms[index]
        by = "operator" if one.by == "operator" else f"episode {one.episode}"
        return f"{one.text} · {by}{' · pinned' if one.pinned else ''}"

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one line."""
        theme, px, one = self.theme, self.theme.px, self._axioms[index]
        if index == self.current:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), "selection_bg", "selection", 4)
        elif index == self.under:
            draw_block(painter, theme, rect.adjusted(px(3), 1, -px(3), -1), "hover", radius=4)
        own, new = one.by == "operator", bool(one.episode) and one.episode == self._newest
        if own or new:
            edge = QRectF(rect.x() + px(4), rect.y() + px(4), px(3), rect.height() - px(8))
            draw_block(painter, theme, edge, "operator_act" if own else "accent", radius=1.5)
        side, x = px(12), rect.x() + px(11)
        if one.pinned or own:
            picture = theme.pixmap("pin" if one.pinned else "edit", side, "operator_act")
            painter.drawPixmap(QPointF(x, rect.center().y() - side / 2), picture)
        note = "you" if own else f"ep {one.episode}" if one.episode else ""
        wide = text_width(theme, note, "micro") + px(8) if note else 0.0
        room = rect.adjusted(px(28), 0, -px(10) - wide, 0)
        draw_text(painter, theme, room, one.text, "small", "text", 500 if own or one.pinned else 400)
        end = rect.adjusted(0, 0, -px(10), 0)
        draw_text(painter, theme, end, note, "micro", "operator_act" if own else "faint", 400, RIGHT)
