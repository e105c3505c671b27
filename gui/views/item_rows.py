"""Tables and trees as one painted list: text, marks and notes at the left, values in columns at the right."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)

from core.views.values import FAILED, LEFT, NOW, Item, Table, Tree
from core.views.wording import count, item_words
from gui.theme import Role, Theme
from gui.theme.boxes import FLUSH, vbox
from gui.views.item_columns import NUMBERS, Placed, draw_value, item_tip, note_tone, place_columns, tick_of
from gui.views.item_head import HeadMouse, arrow_of, draw_titles
from gui.views.outline import Outline, Sorting
from gui.views.row_blocks import MOST_NOTE, RowBlocks, has_blocks
from gui.views.tones import draw_marks, draw_sign, edge_of, look_of, marks_width
from gui.views.widget import LONGEST, LONGEST_TIP, AboutIndex, Choice, Key, ViewWidget, plain, tip
from gui.widgets import RIGHT, draw_block, draw_mark, draw_text, glyph, text_width
from gui.widgets.lists import Rows

ROW, HEAD = 22, 20
"""Pixels at text size 100 %: the height of a row, and of the head."""
EDGE, STEP, FOLD, TICK, SIGN = 8, 14, 14, 20, 20
"""Pixels at text size 100 %: the left margin, how far a child stands in, the room of the marks that fold and that tick, and of
the signs before lines of code."""
LEAST_WITH_VERB = 84
"""Pixels at text size 100 % that the words of an action need; in less room only its icon says the verb."""
LEAST_NOTE = 70
"""Pixels at text size 100 % in which the beginning of a note says something."""
FEW = 3
"""Items with less weight than this are faint."""
EMPTY = Table(())


class ItemRows(Rows):
    """The rows of a table or tree. Left and Right fold, or go to the parent and the first child.

    Args:
        theme: the theme.
        owner: the widget that the list is in.
        role: the font of the texts.
        row: the height of a row in pixels at text size 100 %, if its note is beside its text.
    """

    def __init__(self, theme: Theme, owner: ItemsView, role: Role = "small", row: int = ROW):
        super().__init__(theme, row=row, head=HEAD)
        self._owner, self._role = owner, role
        self.view: Table | Tree = EMPTY
        self.outline = Outline(EMPTY)
        self.selected: Container[int] = frozenset()
        """Items about what is selected elsewhere, by their indices."""
        self._placed: tuple[Placed, ...] = ()
        self._is_code = False
        self._numbered, self._ticked, self._margin = 0.0, 0.0, 0.0
        """The widths of the numbers of the rows, of their ticks, and of the signs before lines of code."""
        self._heights = 0
        """The number of rows with heights of their own."""
        self._blocks: RowBlocks | None = None
        self.chip = -1
        """The item of the chosen chip in the current row; -1 if none of its chips is chosen."""

    # --- what it shows -------------------------------------------------------
    def show_items(self, view: Table | Tree) -> None:
        """Shows other items; the chosen one and what was folded stay, by their addresses."""
        before, shown = self.outline, self._in_sight()
        chosen, was_chip = self.chosen_index, self.chip >= 0
        address = before.address_of(chosen) if chosen >= 0 else None
        columns, had_blocks = self.view.columns, self._blocks is not None
        self.view, self.outline = view, Outline(view)
        self._is_code = isinstance(view, Table) and view.is_code
        self.outline.carry(before)
        self._owner.refilter()
        index = self.outline.index_of(address) if address is not None else -1
        if index < 0 and address is not None and was_chip:  # what is left is the item that it stood with
            index = self.outline.index_of(address[:-1])
        self.chip = index if self.outline.is_chip(index) else -1
        placed = self._placed
        below: Role = "small" if self._role == "body" else "micro"
        self._blocks = RowBlocks(self.theme, self.outline, self.row_height(), below) if has_blocks(view) else None
        self._place()
        self.current = self.outline.row_of(index)
        is_other = placed != self._placed or columns != view.columns or len(before.rows) != len(self.outline.rows)
        if is_other or had_blocks or self._blocks is not None:
            self.refresh()
            return
        for row, item in shown.items():  # the same rows: only what differs is painted
            if self.outline.items[self.outline.rows[row]] != item:
                self.update(self.model().index(row, 0))

    def _in_sight(self) -> dict[int, Item]:
        first, last = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        rows = range(max(first, 0), (last if last >= 0 else len(self.outline.rows) - 1) + 1) if first >= 0 else range(0)
        return {row: self.outline.items[self.outline.rows[row]] for row in rows if row < len(self.outline.rows)}

    def _place(self) -> None:
        """Places the columns, and sets whether there is a head."""
        view, room = self.view, float(self.viewport().width() - self.theme.px(EDGE))
        self._margin = self.theme.px(SIGN) if self._is_code else 0.0
        self._numbered = text_width(self.theme, str(len(view.items)), "micro") + self.theme.px(6) if self._order else 0.0
        self._ticked = self.theme.px(TICK) if view.items and tick_of(view.items[0]) is not None else 0.0
        self._placed = place_columns(self.theme, view.columns, self.measured(), room, view.weight)
        has_head = any(column.title for column in (view.texts, *view.columns)) and bool(view.items)
        if has_head == self.horizontalHeader().isHidden():
            self.horizontalHeader().setVisible(has_head)

    def measured(self) -> Sequence[Item]:
        """Returns the items for whose values the columns have room."""
        return self.view.items

    def refresh(self) -> None:
        """Updates the list after its rows changed."""
        super().refresh()
        self._lay_out()

    def _lay_out(self) -> None:
        """Gives each row the height of what stands below its first line."""
        first, blocks = self.row_height(), self._blocks
        before, self._heights = self._heights, 0 if blocks is None else self.count()
        if blocks is None:
            for row in range(min(before, self.count())):
                self.setRowHeight(row, first)
            return
        where = self.view.notes if isinstance(self.view, Table) else "beside"
        right = self.viewport().width() - self.theme.px(EDGE)
        for row, k in enumerate(self.outline.rows.tolist()):
            note = "" if where == "beside" else self._note(self.outline.items[k], MOST_NOTE)
            note = "" if note and where == "wrapped" and self._has_room_for(k, note) else note
            high = first + blocks.lay_out(k, self._text_left(k), right, note, self._owner.named).height
            if self.rowHeight(row) != high:
                self.setRowHeight(row, high)

    def columns_width(self) -> float:
        """Returns the width of all columns of numbers, in pixels."""
        placed = place_columns(self.theme, self.view.columns, self.view.items, 1e6)
        return sum(place.width for place in placed if place.column.kind in NUMBERS)

    @property
    def _order(self) -> str:
        return self.view.order if isinstance(self.view, Table) else ""

    def count(self) -> int:
        """Returns the number of rows."""
        return len(self.outline.rows)

    def index_of_row(self, row: int) -> int:
        """Returns the index of the item of a row, or -1."""
        return int(self.outline.rows[row]) if 0 <= row < len(self.outline.rows) else -1

    def item_of_row(self, row: int) -> Item | None:
        """Returns the item of a row, or None."""
        index = self.index_of_row(row)
        return self.outline.items[index] if index >= 0 else None

    @property
    def chosen_index(self) -> int:
        """The index of the chosen item, which may be a chip; -1 if there is none."""
        return self.chip if self.chip >= 0 else self.index_of_row(self.current)

    def choose(self, index: int, *, tell: bool = False) -> None:
        """Makes a row the current one, with none of its chips chosen if it was another."""
        if index != self.current:
            self.chip = -1
        super().choose(index, tell=tell)

    def _choose_chip(self, index: int, *, tell: bool = False) -> None:
        """Chooses a chip of the current row; an item that is no chip: none."""
        self.chip = index if self.outline.is_chip(index) else -1
        self.viewport().update()
        if tell:
            self.chosen.emit(self.current)

    def show_index(self, index: int) -> None:
        """Chooses an item, opens what it lies in, and scrolls to it."""
        before = self.count()
        if index >= 0:
            self.outline.open_to(index)
        if self.count() != before:
            self.refresh()
        self.choose(self.outline.row_of(index))
        self._choose_chip(index)

    def row_words(self, index: int) -> str:
        """Returns the words of a row for assistive tools."""
        item = self.item_of_row(index)
        if item is None:
            return ""
        named = self._owner.named
        place = f"{self._order} {self.index_of_row(index) + 1}: " if self._order else ""
        if self._is_code:
            return plain(place + item_words(item, self.view.columns))
        words = [item_words(replace(item, text=named(item.text)), self.view.columns),
                 ", ".join(item_words(self.outline.items[k]) for k in self.outline.chips_of(self.index_of_row(index)))]
        return plain(place + named(" ".join(filter(None, (": ".join(filter(None, words)), item.hint)))), LONGEST_TIP)

    def row_tip(self, index: int) -> str:
        """Returns everything about a row, one value a line, or about its chip under the pointer."""
        item, at = self.item_of_row(index), self.viewport().mapFromGlobal(QCursor.pos())
        if (chip := self._chip_at(QPointF(at))) >= 0:
            item = self.outline.items[chip]
        return "" if item is None else item_tip(item, self.view, self._owner.named)

    def _chip_at(self, point: QPointF) -> int:
        """Returns the item of the chip at a point of the viewport, or -1."""
        row = self.row_at(point.y())
        if self._blocks is None or row < 0:
            return -1
        return self._blocks.of(self.index_of_row(row)).chip_at(point - QPointF(0, self.rowViewportPosition(row)))

    # --- folding -------------------------------------------------------------
    def toggle(self, row: int) -> bool:
        """Folds or opens the item of a row. Returns False if there is nothing below it."""
        index = self.index_of_row(row)
        if index < 0 or not self.outline.has_children(index):
            return False
        self.fold(index, folded=self.outline.is_open(index))
        return True

    def fold(self, index: int, *, folded: bool) -> None:
        """Folds or opens an item; the chosen one stays chosen."""
        chosen = self.index_of_row(self.current)
        self.outline.fold(index, folded=folded)
        self._after_folding(chosen if self.outline.row_of(chosen) >= 0 else index)

    def fold_all(self, *, folded: bool) -> None:
        """Folds or opens everything."""
        chosen = self.index_of_row(self.current)
        self.outline.fold_all(folded=folded)
        self._after_folding(chosen)

    def _after_folding(self, chosen: int) -> None:
        self.refresh()
        self.current = self.outline.row_of(chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Folds with Left and Right, or goes from chip to chip."""
        index, by = self.index_of_row(self.current), event.key()
        if by not in (Qt.Key.Key_Left, Qt.Key.Key_Right) or not self.outline.is_tree or index < 0 or event.modifiers():
            super().keyPressEvent(event)
        elif (chips := self.outline.chips_of(index)) and (self.chip >= 0 or by == Qt.Key.Key_Right):
            at = (chips.index(self.chip) if self.chip >= 0 else -1) + (1 if by == Qt.Key.Key_Right else -1)
            self._choose_chip(index if at < 0 else chips[min(at, len(chips) - 1)], tell=True)
        else:
            self._fold_by(by, index)

    def _fold_by(self, by: int, index: int) -> None:
        is_open = self.outline.has_children(index) and self.outline.is_open(index)
        if is_open != (by == Qt.Key.Key_Right) and (is_open or (by == Qt.Key.Key_Right and self.outline.has_children(index))):
            self.fold(index, folded=is_open)
        elif by == Qt.Key.Key_Left and self.outline.parent(index) >= 0:
            self.choose(self.outline.row_of(self.outline.parent(index)), tell=True)
        elif is_open and self.current + 1 < self.count():
            self.choose(self.current + 1, tell=True)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Folds where the mark is clicked, ticks where the tick is; elsewhere chooses the row."""
        row = self.row_at(event.position().y())
        index = self.index_of_row(row)
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton and event.position().x() < self._ticked:
            self.choose(row, tell=True)
            self._owner.ticked.emit()
            return
        if index >= 0 and event.button() == Qt.MouseButton.LeftButton and self.outline.has_children(index):
            left = self._text_left(index)
            if left - self.theme.px(FOLD + 2) <= event.position().x() <= left:
                self.toggle(row)
                return
        if event.button() == Qt.MouseButton.LeftButton and self.can_choose(row):
            self.choose(row)
            self._choose_chip(self._chip_at(event.position()))
        super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the row and asks for its menu."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        row = self.current if by_key else self.row_at(event.pos().y())
        if self.can_choose(row):
            if not by_key:
                self.choose(row)
                self._choose_chip(self._chip_at(QPointF(event.pos())))
            self.choose(row, tell=True)
            middle = self.visualRect(self.model().index(row, 0)).center()
            self._owner.menu.emit(self.viewport().mapToGlobal(middle) if by_key else event.globalPos())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints the rows, or that a search found none."""
        super().paintEvent(event)
        if self.outline.is_filtered and not self.count():
            with QPainter(self.viewport()) as painter:
                room = QRectF(self.viewport().rect()).adjusted(self.theme.px(EDGE), 0, 0, 0)
                draw_text(painter, self.theme, room, "No match", "small", "faint")

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Places the columns in the new width. What is chosen stays in view, such as above the form of its edits."""
        super().resizeEvent(event)
        self._place()
        if self._blocks is not None and event.size().width() != event.oldSize().width():
            self._lay_out()
        if self.current >= 0 and event.size().height() < event.oldSize().height():
            self.show_row(self.current)

    # --- painting ------------------------------------------------------------
    def _text_left(self, index: int) -> float:
        """Returns where the text of an item begins, in pixels."""
        px = self.theme.px
        inside = px(6) if self._is_code else 0
        if self.outline.has_folds:
            inside = px(STEP) * int(self.outline.depth[index]) + px(FOLD)
        most = self._text_right() - px(60)
        left = max(px(EDGE), self._ticked) + self._margin + self._numbered + inside
        return min(left, max(most, px(EDGE)))

    def _text_right(self) -> float:
        return self._placed[0].x if self._placed else float(self.viewport().width() - self.theme.px(EDGE))

    def sort_at(self, x: float) -> None:
        """Sorts by the column at a place of the head, or by the texts: first upwards, then downwards, then not at all."""
        place = self._placed_at(x)
        title, now = "" if place is None else place.column.title, self.outline.sorting
        is_same = now is not None and now.title == title
        by = None if is_same and now is not None and now.backwards else Sorting(title, backwards=is_same)
        chosen = self.index_of_row(self.current)
        self.outline.sort(by)
        self.refresh()
        self.current = self.outline.row_of(chosen)

    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the titles of the columns, with an arrow at the one by which the rows are sorted."""
        theme, by, taken = self.theme, self.outline.sorting, 0.0
        if first := " · ".join(filter(None, (plain(self._order), plain(self.view.texts.title)))) + arrow_of(by, ""):
            room = QRectF(theme.px(EDGE), rect.y(), self._text_right() - theme.px(EDGE), rect.height())
            taken = draw_text(painter, theme, room, first, "micro", "faint", 600) + theme.px(6)
        draw_titles(painter, theme, rect, self._placed, by)
        placed = {place.index for place in self._placed}
        hidden = sum(k not in placed and column.importance >= 0 for k, column in enumerate(self.view.columns))
        if hidden:
            left = theme.px(EDGE) + taken
            room = QRectF(left, rect.y(), self._text_right() - left, rect.height())
            draw_text(painter, theme, room, f"+{count(hidden, 'column')}", "micro", "faint", 400, RIGHT)

    def head_tip(self, x: float) -> str:
        """Returns the meaning of the column at a place."""
        place = self._placed_at(x)
        column = self.view.texts if place is None else place.column
        return tip(": ".join(filter(None, (column.title, column.about)))) if place is not None or column.about else ""

    def _placed_at(self, x: float) -> Placed | None:
        return next((p for p in self._placed if p.x <= x < p.x + p.width), None)

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints one item."""
        theme, k = self.theme, self.index_of_row(index)
        item = self.outline.items[k]
        middle, rect = rect.center().y(), self._paint_behind(painter, index, rect)
        self._paint_margin(painter, item, k, rect, middle)
        tone = self._tone(item)
        self._paint_text(painter, item, QRectF(self._text_left(k), rect.y(), 0, rect.height()), tone, k)
        for place in self._placed:
            if place.index < len(item.values):
                draw_value(painter, theme, place, rect, item.values[place.index], tone, self._owner.named)

    def _paint_behind(self, painter: QPainter, index: int, rect: QRectF) -> QRectF:
        """Paints what stands behind and below the first line of a row. Returns where that is."""
        theme, px, k = self.theme, self.theme.px, self.index_of_row(index)
        item = self.outline.items[k]
        if self._is_code and NOW in item.marks:
            draw_block(painter, theme, rect.adjusted(px(4), 0, -px(4), 0), "accent_bg", radius=px(4))
        self.paint_back(painter, index, rect)
        if k in self.selected and index != self.current:
            painter.fillRect(QRectF(0, rect.y(), 2, rect.height()), theme.colour("selection"))
        elif not self._is_code and (edge := edge_of(item.marks)) is not None and index != self.current:
            painter.fillRect(QRectF(0, rect.y() + px(3), 2, rect.height() - px(6)), theme.colour(look_of(edge).ink))
        if self._blocks is None:
            return rect
        self._blocks.paint(painter, k, rect, self.chip)
        if self.outline.is_tree:
            painter.setPen(QPen(theme.colour("line"), 1))
            painter.drawLine(QPointF(px(EDGE), rect.bottom() - 0.5), QPointF(rect.right() - px(EDGE), rect.bottom() - 0.5))
        return QRectF(rect.x(), rect.y(), rect.width(), self.row_height())

    def _paint_margin(self, painter: QPainter, item: Item, number: int, rect: QRectF, middle: float) -> None:
        """Paints the tick of a row in its middle, and the sign and number of its first line."""
        theme, px = self.theme, self.theme.px
        if self._ticked and (tick := tick_of(item)) is not None:
            colour = theme.colour("accent" if tick.now else "faint")
            draw_mark(painter, "circle" if tick.now else "ring", self._ticked / 2 + px(2), middle, px(4.5),
                      colour if tick.now else None, colour)
        if self._margin and item.marks:
            draw_sign(painter, theme, px(EDGE) + self._margin / 2, rect.center().y(), item.marks[0])
        if self._numbered:
            room = QRectF(px(4) + self._margin, rect.y(), self._numbered, rect.height())
            draw_text(painter, theme, room, str(number + 1), "micro", "faint", 400, RIGHT)

    def _tone(self, item: Item) -> str:
        """Returns the colour token of a row: fainter for what matters little."""
        if self._is_code:
            return "text" if {NOW, LEFT, FAILED}.intersection(item.marks) else "muted"
        if any(mark.tone == "muted" for mark in item.marks):
            return "muted"
        weight = self.view.weight
        k = next((k for k, column in enumerate(self.view.columns) if weight and column.title == weight), -1)
        value = item.values[k] if 0 <= k < len(item.values) else None
        return "muted" if isinstance(value, int | float) and value < FEW else "text"

    def _paint_text(self, painter: QPainter, item: Item, room: QRectF, tone: str, index: int) -> None:
        theme, px = self.theme, self.theme.px
        if self.outline.has_folds:
            self._paint_branch(painter, room, index)
        if tone == "text" and self.view.texts.tone != "plain" and not self.outline.has_children(index):
            tone = look_of(self.view.texts.tone).ink
        right = self._text_right() if item.values else float(self.viewport().width() - px(EDGE))
        room.setRight(right - px(4))
        if item.about.action is not None:
            side, name = px(13), glyph(item.about.action.verb)
            painter.drawPixmap(QPointF(room.x(), room.center().y() - side / 2), theme.pixmap(name, side, tone))
            room.setLeft(room.x() + px(18))
        marks = () if self._is_code else item.marks
        chips = marks_width(theme, marks)
        text, weight, wide = self._text(index)
        if said := verb_and_object(item):
            text, weight = self._owner.named(said[1]), max(weight, 500 if tone == "text" else 400)
            wide = text_width(theme, text, self._role, weight)
            if room.width() > px(LEAST_WITH_VERB):  # the icon says the verb, too
                took = draw_text(painter, theme, room, said[0], self._role, "faint" if tone == "muted" else "muted")
                room.setLeft(room.x() + took + px(5))
        if wide + chips > room.width():
            chips = min(chips, len(marks) * px(13))
        most = QRectF(room.x(), room.y(), max(0.0, room.width() - chips), room.height())
        took = draw_text(painter, theme, most, text, self._role, tone, weight, mono=self._is_code)
        room.setLeft(room.x() + min(took, room.width() - chips))
        room.setLeft(room.x() + draw_marks(painter, theme, room, marks))
        note = self._note(item) if item.note or item.place else ""
        is_below = bool(note) and self._blocks is not None and bool(self._blocks.of(index).note)
        if note and room.width() > px(40) and not is_below:
            room.setLeft(room.x() + px(8))
            if room.width() > px(LEAST_NOTE) or text_width(theme, note, "micro") <= room.width():
                draw_text(painter, theme, room, note, "micro", note_tone(item))

    def _text(self, index: int) -> tuple[str, int, float]:
        """Returns the text of an item as it is painted, the weight of its font, and its width in pixels."""
        item = self.outline.items[index]
        is_heading = self.outline.is_tree and self.outline.depth[index] == 0 and (
            self.outline.has_chips or self.outline.has_children(index))
        is_strong = is_heading or any(m.tone == "planner" for m in item.marks)
        text = item.text[:LONGEST] if self._is_code else self._owner.named(plain(item.text))
        weight = 600 if is_strong else 400
        return text, weight, text_width(self.theme, text, self._role, weight, self._is_code)

    def _has_room_for(self, index: int, note: str) -> bool:
        """Returns True if the note of an item has room beside its text."""
        item, px = self.outline.items[index], self.theme.px
        taken = self._text(index)[2] + (0 if self._is_code else marks_width(self.theme, item.marks)) + px(12)
        return self._text_left(index) + taken + text_width(self.theme, note, "micro") <= self._text_right()

    def _note(self, item: Item, most: int = LONGEST) -> str:
        return " · ".join(self._owner.named(plain(part, most)) for part in (item.place, item.note) if part)

    def _paint_branch(self, painter: QPainter, room: QRectF, index: int) -> None:
        """Paints the lines that lead down to an item, and the mark that folds it."""
        theme, px = self.theme, self.theme.px
        painter.setPen(QPen(theme.colour("line"), 1))
        for level in range(int(self.outline.depth[index])):
            x = round(room.x() - px(FOLD) - px(STEP) * (level + 1) + px(STEP) / 2) + 0.5
            if x < px(EDGE):
                break
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
        if self.outline.has_children(index):
            x, y, r = room.x() - px(FOLD) / 2 - px(2), room.center().y(), px(3.5)
            down = self.outline.is_open(index)
            corners = ((-r, -r / 2), (r, -r / 2), (0, r * 0.7)) if down else ((-r / 2, -r), (r * 0.7, 0), (-r / 2, r))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("muted"))
            painter.drawPolygon(QPolygonF([QPointF(x + dx, y + dy) for dx, dy in corners]))


def verb_and_object(item: Item) -> tuple[str, str] | None:
    """Returns the verb and the object of an item that says an action with one object, `walk to fridge_1`; None of others."""
    action = item.about.action
    if action is None or len(action.args) != 1:
        return None
    verb, thing = action.verb.replace("_", " "), action.args[0]
    is_said = item.text.startswith(verb) and item.text.endswith(thing)
    return (verb, thing) if is_said and len(item.text) <= len(verb) + len(thing) + len(" to ") else None


class ItemsView(ViewWidget[Table | Tree]):
    """Shows a table or a tree.

    Args:
        theme: the theme.
        rows: makes the list.
    """

    def __init__(self, theme: Theme, rows: Callable[[Theme, ItemsView], ItemRows] = ItemRows):
        super().__init__(theme)
        self._words: Sequence[str] = ()
        self._now = -1
        """The item that is marked as the present one: the list follows it."""
        self.rows = rows(theme, self)
        self._about = AboutIndex(())
        vbox(theme, self.rows, on=self, spacing=0, margins=FLUSH)
        self.setFocusProxy(self.rows)
        self.rows.chosen.connect(lambda _: self.chosen.emit())
        self.rows.opened.connect(self._open)
        self.rows.resized.connect(self._show_now)
        HeadMouse(self.rows, self.rows.head_tip, self.rows.sort_at)

    def show_view(self, view: Table | Tree) -> None:
        """Shows other items."""
        self._about = AboutIndex(view.items)
        self.rows.selected = frozenset()
        self.rows.show_items(view)
        now = next((k for k, item in enumerate(view.items) if item.marks and NOW in item.marks), -1)
        if now != self._now:
            self._now = now
            self._show_now()
        self.rows.setAccessibleName(view.title or self.accessibleName())
        self.rows.setAccessibleDescription(plain(view.headline))

    def restyle(self) -> None:
        """Lays out the rows again in the fonts and sizes of the theme."""
        super().restyle()
        self.rows.show_items(self.rows.view)

    def _show_now(self) -> None:
        """Scrolls to the item that is marked as the present one, with two rows around it."""
        if (row := self.rows.outline.row_of(self._now)) >= 0:
            for near in (min(row + 2, self.rows.count() - 1), max(row - 2, 0), row):
                self.rows.show_row(near)

    @property
    def chosen_index(self) -> int:
        """The index of the chosen item, which may be a chip, or -1."""
        return self.rows.chosen_index

    def choice(self) -> Choice | None:
        """Returns the chosen item."""
        index = self.rows.chosen_index
        if index < 0:
            return None
        item = self.rows.outline.items[index]
        return Choice(self.rows.outline.address_of(index), item.text, item.about, item.edits)

    def mark(self, keys: frozenset[Key]) -> None:
        """Marks the items about what is selected elsewhere."""
        found = self._about.of(keys) if keys else ()
        if frozenset(found) != self.rows.selected:
            self.rows.selected = frozenset(found)
            self.rows.redraw()
        if self.chosen_index not in found:
            self.rows.show_index(found[0] if found else -1)

    def search(self, words: Sequence[str]) -> bool:
        """Shows only what has all words."""
        if self._words != words:
            self._words = words
            chosen = self.chosen_index
            self.refilter()
            self.rows.refresh()
            self.rows.current = self.rows.outline.row_of(chosen)
        return True

    def refilter(self) -> None:
        """Searches the items for the words again."""
        if self._words or self.rows.outline.is_filtered:
            self.rows.outline.filter(self._words)

    def menu_entries(self) -> Mapping[str, Callable[[], object]]:
        """Returns folding of all."""
        if not self.rows.outline.has_folds:
            return {}
        return {"Unfold all": lambda: self.rows.fold_all(folded=False), "Fold all": lambda: self.rows.fold_all(folded=True)}

    def natural_width(self) -> int:
        """Returns the width of some text and all columns of numbers."""
        return max(super().natural_width(), int(self.theme.px(150) + self.rows.columns_width()))

    def natural_height(self) -> int:
        """Returns the height of all rows and the head."""
        head = 0 if self.rows.horizontalHeader().isHidden() else self.theme.px(HEAD)
        return self.rows.verticalHeader().length() + head + 4

    def _open(self, row: int) -> None:
        if not self.rows.toggle(row):
            self.opened.emit()
