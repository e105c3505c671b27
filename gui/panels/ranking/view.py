"""The painted list of ranked actions."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPen

from gui.panels.ranking.listing import Listing, Row, row_words
from gui.theme import Theme
from gui.widgets import LEFT, RIGHT, Names, draw_loss, draw_text, glyph, loss_mark, text_width, verb_words
from gui.widgets.lists import Rows
from gui.widgets.numbers import loss, probability, value, whole

BAR = 14
"""The least width of the bar of visits, in pixels, where there is room for a bar."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The left edges and widths of the columns, in pixels. A width of 0 means there is no room for the column."""

    action: tuple[float, float]
    prior: tuple[float, float]
    visits: tuple[float, float]
    value: tuple[float, float]
    loss: tuple[float, float]


def columns(theme: Theme, width: float, visits_wide: float = 0.0) -> Columns:
    """Returns the columns. The action gets what the numbers leave.

    In a narrow panel the bar of visits is dropped first, then P, then Q.

    Args:
        theme: gives the sizes.
        width: pixels of a row.
        visits_wide: pixels of the longest number of visits; its column is at least that wide.
    """
    px, gap = theme.px, theme.px(6)
    right = width - px(8)

    def column(wide: float, least: float) -> tuple[float, float]:
        nonlocal right
        if width < px(least):
            return right, 0
        right -= wide + gap
        return right + gap, wide

    lost = column(px(44), 0)
    mean = column(px(32), 240)
    visits = column(max(visits_wide + px(BAR + 6), px(62)) if width >= px(330) else max(visits_wide, px(34)), 0)
    prior = column(px(26), 280)
    return Columns((px(12), right - px(12)), prior, visits, mean, lost)


class RankingRows(Rows):
    """The list of actions: icon, verb, object, P, N with its bar, Q, and loss with its mark.

    The foot counts the actions that are not listed.
    """

    foot_clicked = Signal()

    def __init__(self, theme: Theme):
        super().__init__(theme, row=20, head=21)
        self._listing, self._names, self._foot = Listing(), Names(), ""
        self._most, self._visits_wide = 1, 0.0
        self.setAccessibleName("Ranked actions")

    @property
    def listing(self) -> Listing:
        """The rows that are shown."""
        return self._listing

    def show_listing(self, listing: Listing, names: Names, foot: str) -> None:
        """Shows rows."""
        self._listing, self._names, self._foot = listing, names, foot
        self._most = max((row.visits for row in listing.rows), default=1) or 1
        self._visits_wide = max((text_width(self.theme, whole(row.visits), "small", 600) for row in listing.rows), default=0.0)
        self.refresh()

    def rows_that_fit(self) -> int:
        """Returns how many rows fit above the foot."""
        return max(1, (self.viewport().height() - self.head_height()) // self.row_height() - 1)

    # --- rows --------------------------------------------------------------
    def count(self) -> int:
        """Returns the number of rows, including the foot."""
        return len(self._listing.rows) + bool(self._foot)

    def can_choose(self, index: int) -> bool:
        """Returns True for rows other than the foot."""
        return 0 <= index < len(self._listing.rows)

    def row_words(self, index: int) -> str:
        """Returns a row, or the foot, as text."""
        rows = self._listing.rows
        return row_words(rows[index], self._names) if index < len(rows) else self._foot

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `foot_clicked` on a click on the foot."""
        if self._foot and self.row_at(event.position().y()) == len(self._listing.rows):
            self.foot_clicked.emit()
        super().mousePressEvent(event)

    # --- painting ----------------------------------------------------------
    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the column titles."""
        theme, c = self.theme, columns(self.theme, rect.width(), self._visits_wide)
        visits = LEFT if c.visits[1] > self._visits_wide + theme.px(BAR) else RIGHT
        heads = (("Action", c.action, LEFT), ("P", c.prior, RIGHT), ("N", c.visits, visits), ("Q", c.value, RIGHT),
                 ("Loss", c.loss, RIGHT))
        for text, (x, width), align in heads:
            if width:
                draw_text(painter, theme, QRectF(x, 0, width, rect.height()), text, "small", "faint", 500, align)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(0, int(rect.height()) - 1, int(rect.width()), int(rect.height()) - 1)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one action, or the foot."""
        if index == len(self._listing.rows):
            room = rect.adjusted(self.theme.px(12), 0, -self.theme.px(8), 0)
            draw_text(painter, self.theme, room, self._foot, "small", "text" if index == self.under else "faint")
            return
        row = self._listing.rows[index]
        self._paint_back(painter, index, rect)
        c = columns(self.theme, rect.width(), self._visits_wide)
        self._paint_action(painter, row, index == 0, QRectF(c.action[0], rect.y(), c.action[1], rect.height()))
        if row.ranked is not None and not row.banned:
            self._paint_numbers(painter, row, index == 0, rect, c)
        elif row.banned:
            room = QRectF(c.visits[0], rect.y(), c.loss[0] + c.loss[1] - c.visits[0], rect.height())
            draw_text(painter, self.theme, room, "banned", "small", "operator_act", 500, RIGHT)

    def _paint_back(self, painter: QPainter, index: int, rect: QRectF) -> None:
        theme = self.theme
        if index == self.current:
            painter.fillRect(rect.adjusted(1, 0, -1, 0), theme.colour("selection_bg"))
            painter.fillRect(QRectF(0, rect.y(), 3, rect.height()), theme.colour("selection"))
        elif index == self.under:
            painter.fillRect(rect.adjusted(1, 0, -1, 0), theme.colour("hover"))

    def _paint_action(self, painter: QPainter, row: Row, best: bool, rect: QRectF) -> None:
        theme = self.theme
        main, side = ("muted", "faint") if row.faint else ("text", "muted")
        picture = theme.pixmap(glyph(row.action.verb), theme.px(13), "operator_act" if row.banned else side)
        painter.drawPixmap(int(rect.x()), int(rect.center().y() - theme.px(13) / 2 + 0.5), picture)
        x = rect.x() + theme.px(17)
        room = QRectF(x, rect.y(), rect.right() - x, rect.height())
        if room.width() > theme.px(104):  # the icon shows the verb too
            took = draw_text(painter, theme, room, verb_words(row.action.verb), "small", side)
            room.setLeft(min(room.right(), x + took + theme.px(5)))
        weight = 650 if best and not row.banned else 400 if row.faint else 500
        wide = draw_text(painter, theme, room, self._names.target(row.action), "body", main, weight)
        if row.banned:
            painter.setPen(QPen(theme.colour("operator_act"), 1.2))
            painter.drawLine(int(x), int(rect.center().y()), int(min(rect.right(), room.x() + wide)), int(rect.center().y()))

    def _paint_numbers(self, painter: QPainter, row: Row, best: bool, rect: QRectF, c: Columns) -> None:
        theme, ranked = self.theme, row.ranked
        assert ranked is not None
        main, side = ("muted", "faint") if row.faint else ("text", "muted")
        weight = 600 if best else 400

        def cell(column: tuple[float, float], text: str, tone: str, bold: int = 400) -> None:
            room = QRectF(column[0], rect.y(), column[1], rect.height())
            if column[1]:
                draw_text(painter, theme, room, text, "small", tone, bold, RIGHT)

        cell(c.prior, probability(ranked.prior), side)
        self._paint_bar(painter, row, best, QRectF(c.visits[0], rect.y(), c.visits[1], rect.height()))
        cell(c.visits, whole(ranked.visits), main, weight)
        cell(c.value, value(ranked.value), main, weight)
        tone, _ = loss_mark(ranked.loss)
        room = theme.px(11)
        cell((c.loss[0], c.loss[1] - room), loss(ranked.loss), "faint" if row.faint or tone == "idle" else tone)
        draw_loss(painter, theme, c.loss[0] + c.loss[1] - theme.px(4), rect.center().y(), theme.px(4), ranked.loss)

    def _paint_bar(self, painter: QPainter, row: Row, best: bool, rect: QRectF) -> None:
        room = rect.width() - self._visits_wide - self.theme.px(6)
        if row.visits and room > self.theme.px(8):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.tinted("accent", 0.85 if best else 0.45))
            high = self.theme.px(8)
            wide = max(2.0, room * row.visits / self._most)
            painter.drawRoundedRect(QRectF(rect.x(), rect.center().y() - high / 2, wide, high), 2, 2)
