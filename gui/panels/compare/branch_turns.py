"""The turns of two branches side by side, below a picker and the facts of each branch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPen

from core.planning.facets import Moment
from core.session.branch_comparison import Pair, Side
from core.session.snapshot import Snapshot
from core.session.turns import Turn
from gui.control.snapshot_texts import branch_name
from gui.panels.compare.differences import BETWEEN
from gui.panels.compare.listing import Band, Listed, action_words, end_words, facts, row_words, turn_words
from gui.theme import Theme
from gui.theme.boxes import FLUSH, vbox
from gui.widgets import (
    CENTRE,
    RIGHT,
    Line,
    Names,
    Picker,
    draw_block,
    draw_loss,
    draw_mark,
    draw_text,
    glyph,
    loss_mark,
    text_width,
)
from gui.widgets.chooser import Choice
from gui.widgets.lists import Rows
from gui.widgets.numbers import loss
from gui.widgets.text import ThemedWidget

WORDY = 210
"""Pixels at text size 100 %. If a side is at least this wide, refusals and losses are also given as text."""


class BranchHead(ThemedWidget):
    """A picker of the branch, above two lines of facts about it."""

    def __init__(self, theme: Theme, caption: str):
        super().__init__()
        self._theme, self._shown = theme, tuple[object, ...]()
        self.picker = Picker(theme, "fork", caption)
        self.facts = Line(theme, "", "small", "muted")
        self.end = Line(theme, "", "small", "muted", 600)
        self._column = vbox(theme, self.picker, self.facts, self.end, on=self, margins=FLUSH)
        self.restyle()

    def show_side(self, side: Side, branches: Sequence[tuple[int, int | None, int]], now: Snapshot) -> None:
        """Shows a branch.

        Args:
            side: the branch of this side of the comparison.
            branches: all branches to pick from: number, parent, and the turn at which it was forked.
            now: the newest snapshot of the run or the recording.
        """
        shown = (side.branch, branches)
        if shown != self._shown:
            self._shown = shown
            self.picker.offer(tuple(Choice(str(number), _title(number, leaves)) for number, _, leaves in branches),
                              str(side.branch))
        end, tone = end_words(side, now)
        self.facts.say(facts(side))
        self.end.say(end, tone)
        self.setAccessibleName(f"{_title(side.branch, 0)}: {facts(side)}, {end}")

    def restyle(self) -> None:
        """Takes the sizes of the theme again."""
        self._column.setSpacing(self._theme.px(2))
        self.setMinimumWidth(self._theme.px(40))


class CompareRows(Rows):
    """The list of turns of both branches.

    A click goes to a turn of the clicked side. The arrow keys move up and down a side, and to the other side.
    """

    asked = Signal(object)
    """Emitted with the `Moment` to display."""

    def __init__(self, theme: Theme):
        super().__init__(theme, row=24)
        self._shown, self._names = Shown(), Names()
        self._side, self._under_side = 1, 0
        self._after: tuple[int, int] = (-1, -1)
        self.setAccessibleName("Turns of both branches")
        self.chosen.connect(self._ask)
        self.hovered.connect(lambda _: self._tip())
        self.on_key(Qt.Key.Key_Left, lambda: self._cross(0))
        self.on_key(Qt.Key.Key_Right, lambda: self._cross(1))

    def show_rows(self, shown: Shown, names: Names) -> None:
        """Shows other rows.

        Args:
            shown: the rows and what belongs to them.
            names: display names of objects.
        """
        self._shown, self._names = shown, names
        self._after = (shown.rows.after(shown.last[0]), shown.rows.after(shown.last[1]))
        if self.current >= self.count():
            self.current = -1
        self.refresh()

    @property
    def rows(self) -> Listed:
        """Returns the rows shown."""
        return self._shown.rows

    def moment(self, index: int, side: int) -> Moment | None:
        """Returns the turn of a row and a side, or None if there is none.

        Args:
            index: the row.
            side: 0 for left, 1 for right.
        """
        row = self.rows[index] if 0 <= index < self.count() else None
        turn = _turn(row, side) if isinstance(row, Pair) else None
        return Moment(turn.branch, turn.number) if turn is not None else None

    # --- rows --------------------------------------------------------------
    def count(self) -> int:
        """Returns the number of rows, bands included."""
        return len(self._shown.rows)

    def can_choose(self, index: int) -> bool:
        """Returns True if the row is a turn. Bands cannot be chosen."""
        return 0 <= index < self.count() and isinstance(self.rows[index], Pair)

    def row_words(self, index: int) -> str:
        """Returns the text of a row for assistive tools."""
        return row_words(self.rows[index], self._shown.sides, self._shown.now, self._names)

    # --- painting ----------------------------------------------------------
    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a band, or one turn of both sides."""
        row = self.rows[index]
        if isinstance(row, Band):
            self._paint_band(painter, row, rect)
            return
        left, right = self._sides(rect)
        self._paint_number(painter, row, QRectF(left.right(), rect.y(), right.left() - left.right(), rect.height()))
        for side, room in enumerate((left, right)):
            self._paint_cell(painter, (index, side), row, room.adjusted(0, 1, 0, -1))

    def _sides(self, rect: QRectF) -> tuple[QRectF, QRectF]:
        px = self.theme.px
        wide = max(0.0, (rect.width() - px(BETWEEN) - px(16)) / 2)
        return (QRectF(rect.x() + px(8), rect.y(), wide, rect.height()),
                QRectF(rect.right() - px(8) - wide, rect.y(), wide, rect.height()))

    def _paint_band(self, painter: QPainter, band: Band, rect: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        wide = min(rect.width() - px(16), text_width(theme, band.text, "small", 650 if band.strong else 400) + px(16))
        y = int(rect.center().y()) + 0.5
        painter.setPen(QPen(theme.colour("text" if band.strong else "line"), 1))
        painter.drawLine(int(rect.left() + px(8)), int(y), int(rect.right() - px(8)), int(y))
        chip = QRectF(rect.center().x() - wide / 2, rect.y() + px(3), wide, rect.height() - px(6))
        if band.strong:
            draw_block(painter, theme, chip, "raised", "text", px(4))
            draw_text(painter, theme, chip, band.text, "small", "text", 650, CENTRE)
        else:
            painter.fillRect(chip, theme.colour("surface"))
            draw_text(painter, theme, chip, band.text, "small", "faint", align=CENTRE)

    def _paint_number(self, painter: QPainter, row: Pair, room: QRectF) -> None:
        """Paints the turn number, with ≠ in a chip if both sides differ and a plain = if they do not."""
        theme, px = self.theme, self.theme.px
        both = all(turn is not None and turn.outcome is not None for turn in (row.left, row.right))
        text = f"{row.number} {'≠' if row.differs else '='}" if both else str(row.number)
        if row.differs:
            draw_block(painter, theme, room.adjusted(px(4), px(3), -px(4), -px(3)), "raised", "line_strong", px(4))
        draw_text(painter, theme, room, text, "small", "text" if row.differs else "faint", 600 if row.differs else 400, CENTRE)

    def _paint_cell(self, painter: QPainter, at: tuple[int, int], row: Pair, room: QRectF) -> None:
        theme, px, turn = self.theme, self.theme.px, _turn(row, at[1])
        if turn is None:
            words, tone = self._shown.ends[at[1]] if self._after[at[1]] == at[0] else ("", "faint")
            draw_text(painter, theme, room.adjusted(px(8), 0, -px(6), 0), words, "small", tone, 500)
            return
        looked_at = self._shown.looked_at == Moment(turn.branch, turn.number)
        if looked_at:
            draw_block(painter, theme, room, "selection_bg", "selection", px(4), 1.5)
        elif at == (self.under, self._under_side):
            draw_block(painter, theme, room, "hover", "", px(4))
        elif turn.outcome is None:
            painter.setPen(QPen(theme.colour("line_strong"), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(room.adjusted(0.5, 0.5, -0.5, -0.5), px(4), px(4))
        inside = room.adjusted(px(6), 0, -px(6), 0)
        self._paint_result(painter, turn, inside)
        self._paint_action(painter, turn, inside, "text" if row.differs or looked_at else "muted")

    def _paint_result(self, painter: QPainter, turn: Turn, room: QRectF) -> None:
        """Paints loss and refusal of a turn at the right end of `room`, and shortens `room` by their width."""
        theme, px, wordy = self.theme, self.theme.px, room.width() >= self.theme.px(WORDY)
        y = room.center().y()
        if turn.loss is not None:
            draw_loss(painter, theme, room.right() - px(5), y, px(4.5), turn.loss)
            room.setRight(room.right() - px(14))
            if wordy:
                text = loss(turn.loss)
                draw_text(painter, theme, room, text, "small", loss_mark(turn.loss)[0], 600, RIGHT)
                room.setRight(room.right() - text_width(theme, text, "small", 600) - px(8))
        if turn.outcome is not None and not turn.outcome.ok:
            if wordy:
                draw_text(painter, theme, room, "refused", "small", "bad", 500, RIGHT)
                room.setRight(room.right() - text_width(theme, "refused", "small", 500) - px(5))
            draw_mark(painter, "octagon", room.right() - px(6), y, px(5.5), theme.colour("bad_bg"), theme.colour("blocked"))
            room.setRight(room.right() - px(16))

    def _paint_action(self, painter: QPainter, turn: Turn, room: QRectF, tone: str) -> None:
        theme, px, action = self.theme, self.theme.px, turn.done
        operator = turn.by == "operator" and action is not None
        icon = "override" if operator else glyph(action.verb) if action is not None else "planner"
        tone = "operator_act" if operator else tone
        if room.width() < px(30):
            return
        side = px(14)
        painter.drawPixmap(int(room.x()), int(room.center().y() - side / 2 + 0.5), theme.pixmap(icon, side, tone))
        words = action_words(turn, self._shown.now, self._names)
        draw_text(painter, theme, room.adjusted(px(20), 0, 0, 0), words, "body", tone, 500)

    # --- pointer and keys --------------------------------------------------
    def _side_at(self, x: float) -> int:
        return int(x > self.viewport().width() / 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the turn of the side under the pointer."""
        self._side = self._side_at(event.position().x())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Highlights the turn under the pointer, and updates the tip when the pointer changes sides."""
        side = self._side_at(event.position().x())
        if side != self._under_side:
            self._under_side = side
            self._tip()
            self.redraw()
        super().mouseMoveEvent(event)

    def _cross(self, side: int) -> None:
        self._side = side
        self._ask(self.current)

    def _ask(self, index: int) -> None:
        moment = self.moment(index, self._side)
        if moment is not None:
            self.asked.emit(moment)

    def _tip(self) -> None:
        row = self.rows[self.under] if 0 <= self.under < self.count() else None
        turn = _turn(row, self._under_side) if isinstance(row, Pair) else None
        tip = ""
        if turn is not None:
            name = branch_name(self._shown.sides[self._under_side])
            tip = f"Turn {turn.number}, {name}: {turn_words(turn, self._shown.now, self._names)}"
            tip += f"\n{turn.because}" if turn.because else ""
        self.viewport().setToolTip(tip)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the list shows.

    Attributes:
        rows: the rows.
        sides: the numbers of the left and the right branch.
        ends: for each side, the text in place of the turn after its last one, and the token of the text's colour.
        looked_at: the turn that the window displays, or None for the present.
        last: the number of the last turn of each side.
        now: the newest snapshot of the run or the recording.
    """

    rows: Listed = field(default_factory=Listed)
    sides: tuple[int, int] = (0, 0)
    ends: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))
    looked_at: Moment | None = None
    last: tuple[int, int] = (0, 0)
    now: Snapshot = field(default_factory=Snapshot)


def _title(number: int, leaves: int) -> str:
    name = branch_name(number)
    return name[:1].upper() + name[1:] + (f" · from turn {leaves}" if number and leaves else "")


def _turn(row: Pair, side: int) -> Turn | None:
    return row.right if side else row.left
