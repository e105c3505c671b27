"""The table of the library: one row a recording, with a small picture and two lines a cell. Columns are sorted by a click."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter

from core.common.visible import readable
from core.library.entry import FIELDS, Entry
from gui.library.shelf import Found, Heading, Shelf
from gui.theme import Theme
from gui.widgets import LEFT, RIGHT, draw_block, draw_mark, draw_text, rounded, saved, text_width
from gui.widgets.lists import ItemRows
from gui.widgets.numbers import NOTHING, compact, count, seconds, whole
from gui.widgets.painting import Shape

ROW, HEAD, PICTURE = 60, 26, (64, 48)
"""Heights of a row and of the head, and the size of a picture, in pixels at 100 % text size."""
LEAST_GOAL, GAP = 280, 14
"""The least width of the first column, and the room between two columns."""
STATES: Final[dict[str, tuple[str, str, Shape]]] = {
    "reached": ("Reached", "good", "circle"), "failed": ("Failed", "bad", "square"), "stopped": ("Stopped", "warn", "triangle"),
    "unfinished": ("Unfinished", "idle", "ring"), "recording": ("Recording", "operator_act", "circle"),
    "changed": ("Changed", "warn", "diamond"), "damaged": ("Damaged", "bad", "octagon"), "gone": ("Gone", "bad", "octagon"),
}
"""Title, colour and mark of a result, or of the state of a file that is not as the library says."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        field: what it is sorted by.
        title: its title.
        width: in pixels at 100 % text size.
        rank: columns of high rank are left out first where there is too little room.
        lines: returns the text of the upper and of the lower line.
        right: whether the texts end at the right edge.
        extra: pixels at 100 % text size by which it grows where there is room.
    """

    field: str
    title: str
    width: int
    rank: int
    lines: Callable[[Entry], tuple[str, str]]
    right: bool = False
    extra: int = 70


def _branches(entry: Entry) -> str:
    return count(entry.branches, "branch", "branches") if entry.branches > 1 else ""


def _rating(entry: Entry) -> str:
    return f"★ {entry.rating:.1f}" if entry.rating is not None else ""


COLUMNS: Final = (
    Column("outcome", "Outcome", 132, 1, lambda x: ("", "")),
    Column("planner", "Planner", 118, 2, lambda x: (x.planner or NOTHING, x.preset)),
    Column("scene", "Scene", 108, 4, lambda x: (x.scene or NOTHING, x.world)),
    Column("model", "Model", 104, 7, lambda x: (x.model or NOTHING, "")),
    Column("label", "Labels", 124, 5, lambda x: (", ".join(x.labels) or NOTHING,
                                                 " · ".join(filter(None, (_rating(x), ", ".join(x.annotators))))), extra=260),
    Column("seed", "Seed", 48, 6, lambda x: (str(x.seed), ""), right=True),
    Column("turns", "Turns", 62, 3, lambda x: (whole(x.turns), _branches(x)), right=True),
    Column("calls", "Calls", 72, 8, lambda x: (whole(x.calls), f"{compact(x.tokens)} tok" if x.tokens else ""), right=True),
    Column("cost", "Cost", 54, 10, lambda x: (NOTHING if x.cost is None else f"{x.cost:.2f}", ""), right=True),
    Column("interventions", "Changes", 60, 9, lambda x: (str(x.interventions) if x.interventions else NOTHING, ""), right=True),
    Column("date", "Date", 116, 2, lambda x: (x.date or NOTHING, seconds(x.seconds)), right=True),
)


class RecordingTable(ItemRows[Entry | Heading]):
    """The rows. Several recordings can be marked: with Ctrl or Shift and a click, with Shift and an arrow, or all with Ctrl+A.

    Attributes:
        sorted_by: a column's title was clicked.
        folded: the title of a heading was clicked.
        marked_changed: other recordings are marked.
        marked: the paths of the marked recordings.
    """

    sorted_by = Signal(str)
    folded = Signal(str)
    marked_changed = Signal()
    most_pictures = 60

    def __init__(self, theme: Theme, shelf: Shelf):
        super().__init__(theme, row=ROW, head=HEAD)
        self._shelf, self._found = shelf, Found()
        self._anchor = -1
        self._laid_out: tuple[tuple[int, float], list[tuple[Column, QRectF]]] = ((0, 0.0), [])
        """Width and text size for which the columns were placed last, and their places."""
        self.marked: frozenset[Path] = frozenset()
        self.setAccessibleName("Recordings")
        self.horizontalHeader().viewport().installEventFilter(self)
        self.horizontalHeader().viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        shelf.pictured.connect(self.redraw)

    # --- content -----------------------------------------------------------
    def show_found(self, found: Found) -> None:
        """Shows an answer. Marked recordings that it contains stay marked."""
        self._found = found
        self.show_items(found.rows, _key)
        if self.marked:
            self._mark(self.marked & {row.path for row in found.rows if isinstance(row, Entry)})

    @property
    def chosen_entries(self) -> tuple[Entry, ...]:
        """The marked recordings, from top to bottom."""
        return tuple(row for row in self.items if isinstance(row, Entry) and row.path in self.marked) if self.marked else ()

    def can_choose(self, index: int) -> bool:
        """Returns True for recordings; headings cannot be chosen."""
        return isinstance(self.item(index), Entry)

    def row_words(self, index: int) -> str:
        """Describes a row in words."""
        row = self.items[index]
        if isinstance(row, Heading):
            return f"{row.title}: {count(row.count, 'recording')}"
        marked = ", selected" if row.path in self.marked else ""
        name = row.goal or readable(row.path.name)
        return f"{_state(row)[0]}: {name}, {row.planner}, {row.scene}, {count(row.turns, 'turn')}{marked}"

    def row_tip(self, index: int) -> str:
        """Returns the path, the whole goal, what is wrong with the file, and the columns that have no room."""
        row = self.item(index)
        if not isinstance(row, Entry):
            return ""
        shown = {column.field for column, _ in self.columns()}
        rest = [f"{c.title}: {' · '.join(filter(None, c.lines(row)))}" for c in COLUMNS if c.field not in shown]
        return "\n".join(filter(None, (row.goal, row.outcome, row.trouble, ", ".join(row.labels), *rest, readable(row.path))))

    def row_key(self, index: int) -> Hashable:
        """Returns what the look of a row depends on."""
        row = self.items[index]
        if isinstance(row, Heading):
            return row
        return row.path, row.file, row.state, row.path in self.marked, self._shelf.picture_of(row) is not None

    # --- marking -----------------------------------------------------------
    def mark(self, entries: Iterable[Entry]) -> None:
        """Marks other recordings."""
        self._mark(frozenset(entry.path for entry in entries))

    def _mark(self, paths: frozenset[Path]) -> None:
        if paths != self.marked:
            self.marked = paths
            self.redraw()
            self.marked_changed.emit()

    def _between(self, one: int, other: int) -> list[Entry]:
        first, last = sorted((max(one, 0), other))
        return [row for row in self.items[first:last + 1] if isinstance(row, Entry)]

    def take_row(self, index: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Makes a row the current one, and marks it or more as the modifiers say."""
        row = self.item(index)
        if not isinstance(row, Entry):
            return
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.mark(self._between(self._anchor, index))
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            self._anchor = index
            self._mark(self.marked ^ {row.path})
        else:
            self._anchor = index
            self.mark([row])
        self.choose(index, tell=True)
        self.redraw()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Marks a recording, or folds a group."""
        index = self.row_at(event.position().y())
        row = self.item(index)
        if isinstance(row, Heading):
            self.folded.emit(row.title)
        elif event.button() == Qt.MouseButton.LeftButton:
            self.take_row(index, event.modifiers())
        elif isinstance(row, Entry) and row.path not in self.marked:
            self.take_row(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles arrows with Shift, Home, End and Ctrl+A; all else as any list."""
        key, modifiers, before = Qt.Key(event.key()), event.modifiers(), self.current
        if key == Qt.Key.Key_A and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.mark(row for row in self.items if isinstance(row, Entry))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            order = range(self.count()) if key == Qt.Key.Key_Home else reversed(range(self.count()))
            self.take_row(next((k for k in order if self.can_choose(k)), -1), modifiers)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = -1 if key == Qt.Key.Key_Up else 1
            rest = range(before + step, self.count() if step > 0 else -1, step)
            self.take_row(next((k for k in rest if self.can_choose(k)), -1), modifiers)
        else:
            super().keyPressEvent(event)
            if self.current != before:
                self.take_row(self.current, modifiers)

    def event(self, event: QEvent) -> bool:
        """Keeps the keys that move in the list from the shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in (
                Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Down):
            event.accept()
            return True
        return super().event(event)

    # --- columns -----------------------------------------------------------
    def columns(self) -> list[tuple[Column, QRectF]]:
        """Returns the columns that have room, and their places in a row. The first column takes the room before them."""
        px, width = self.theme.px, self.viewport().width()
        if self._laid_out[0] == (width, self.theme.scale):
            return self._laid_out[1]
        shown = list(COLUMNS)
        while len(shown) > 1 and px(LEAST_GOAL) + sum(px(c.width + GAP) for c in shown) > width:
            shown.remove(max(shown, key=lambda column: column.rank))
        room = max(0, width - px(LEAST_GOAL + 220) - sum(px(c.width + GAP) for c in shown)) / 2
        share = min(1.0, room / px(sum(c.extra for c in shown)))
        places, x = [], float(width - px(8))
        for column in reversed(shown):
            wide = px(column.width) + share * px(column.extra)
            x -= wide
            places.append((column, QRectF(x, 0, wide, 0)))
            x -= px(GAP)
        self._laid_out = (width, self.theme.scale), places[::-1]
        return self._laid_out[1]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Sorts by the column whose title is clicked."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent) \
                and event.button() == Qt.MouseButton.LeftButton:
            self.sorted_by.emit(self.field_at(event.position().x()))
            return True
        return super().eventFilter(watched, event)

    def field_at(self, x: float) -> str:
        """Returns what a click on the head sorts by."""
        gap = self.theme.px(GAP) / 2
        return next((c.field for c, place in self.columns() if place.left() - gap <= x < place.right() + gap), "goal")

    # --- painting ----------------------------------------------------------
    def paint_head(self, painter: QPainter, rect: QRectF) -> None:
        """Paints the titles. The one that the rows are sorted by has an arrow."""
        theme, sort = self.theme, self._found.wish.sort
        columns = self.columns()
        first = QRectF(theme.px(12), rect.y(), columns[0][1].x() - theme.px(12 + GAP), rect.height())
        for field, title, place, right in (("goal", "Episode", first, False), *(
                (c.field, c.title, QRectF(p.x(), rect.y(), p.width(), rect.height()), c.right) for c, p in columns)):
            by = sort.removeprefix("-") == field
            arrow = f" {'↓' if sort.startswith('-') else '↑'}" if by else ""
            draw_text(painter, theme, place, title + arrow, "small", "text" if by else "muted", 600 if by else 500,
                      RIGHT if right else LEFT)
        painter.fillRect(QRectF(0, rect.bottom() - 1, rect.width(), 1), theme.colour("line"))

    def paint_row(self, painter: QPainter, index: int, rect: QRectF) -> None:
        """Paints a heading, or a recording."""
        row, theme, px = self.items[index], self.theme, self.theme.px
        if isinstance(row, Heading):
            self._paint_heading(painter, row, rect)
            return
        if row.path in self.marked:
            painter.fillRect(rect, theme.colour("selection_bg"))
        elif index == self.under:
            painter.fillRect(rect, theme.colour("hover"))
        if index == self.current:
            painter.fillRect(QRectF(0, rect.y(), px(3), rect.height()), theme.colour("selection"))
        painter.fillRect(QRectF(px(12), rect.bottom() - 1, rect.width() - px(20), 1), theme.colour("line"))
        columns = self.columns()
        self._paint_picture(painter, row, rect)
        x = px(12 + PICTURE[0] + 12)
        goal = QRectF(x, rect.y(), columns[0][1].x() - px(GAP) - x, rect.height())
        faded = row.state in ("gone", "damaged")
        words = row.goal or "no goal recorded", readable(row.path.name) if row.named else "run that was not recorded"
        self._lines(painter, goal, words, tone="faint" if faded or not row.goal else "text", weight=500)
        for column, place in columns:
            cell = QRectF(place.x(), rect.y(), place.width(), rect.height())
            if column.field == "outcome":
                self._paint_outcome(painter, row, cell)
            else:
                self._lines(painter, cell, column.lines(row), LEFT if not column.right else RIGHT,
                            "faint" if faded else "text")

    def _lines(self, painter: QPainter, cell: QRectF, lines: Sequence[str], align: Qt.AlignmentFlag = LEFT, tone: str = "text",
               weight: int = 400) -> None:
        """Paints one line in the middle of a cell, or two."""
        upper, lower = lines
        if not lower:
            draw_text(painter, self.theme, cell, upper, "body", tone if upper != NOTHING else "faint", weight, align)
            return
        high, top = self.theme.px(18), cell.center().y() - self.theme.px(18)
        draw_text(painter, self.theme, QRectF(cell.x(), top, cell.width(), high), upper, "body",
                  tone if upper != NOTHING else "faint", weight, align)
        draw_text(painter, self.theme, QRectF(cell.x(), top + high, cell.width(), high), lower, "small", "muted", align=align)

    def _paint_outcome(self, painter: QPainter, row: Entry, cell: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        title, tone, shape = _state(row)
        why = row.trouble if row.state != "ok" else row.outcome
        why = "" if row.state == "ok" and row.result == "reached" and why == "goal reached" else why
        colour, y = theme.colour(tone), cell.center().y() - (px(9) if why else 0)
        draw_mark(painter, shape, cell.x() + px(5), y, px(4.5), None if shape == "ring" else colour,
                  colour if shape == "ring" else None)
        self._lines(painter, cell.adjusted(px(16), 0, 0, 0), (title, why), weight=500)

    def _paint_picture(self, painter: QPainter, row: Entry, rect: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        place = QRectF(px(12), rect.y() + (rect.height() - px(PICTURE[1])) / 2, px(PICTURE[0]), px(PICTURE[1]))
        picture = self._shelf.picture_of(row)
        if picture is None or picture.isNull():
            draw_block(painter, theme, place, "sunken", "line", 4)
            if picture is not None:
                side = px(16)
                painter.drawPixmap(int(place.center().x() - side / 2), int(place.center().y() - side / 2),
                                   theme.pixmap("frames", side, "line_strong"))
            return
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setClipPath(rounded(place, 4))
            share = max(place.width() / picture.width(), place.height() / picture.height())
            wide, high = place.width() / share, place.height() / share
            painter.drawImage(place, picture, QRectF((picture.width() - wide) / 2, (picture.height() - high) / 2, wide, high))

    def _paint_heading(self, painter: QPainter, row: Heading, rect: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        band = rect.adjusted(0, px(18), 0, 0)
        draw_block(painter, theme, band.adjusted(px(8), px(2), -px(8), -px(2)), "raised", "line", 5)
        side = px(15)
        icon = theme.pixmap("right" if row.folded else "down", side, "muted")
        painter.drawPixmap(int(px(18)), int(band.center().y() - side / 2), icon)
        place = band.adjusted(px(42), 0, -px(16), 0)
        number = count(row.count, "recording")
        room = place.adjusted(0, 0, -text_width(theme, number, "small") - px(12), 0)
        took = draw_text(painter, theme, room, row.title, "body", "text", 600)
        draw_text(painter, theme, place.adjusted(min(took, room.width()) + px(10), 0, 0, 0), number, "small", "muted")


def _key(row: Entry | Heading) -> object:
    return row.path if isinstance(row, Entry) else row.title


def _state(entry: Entry) -> tuple[str, str, Shape]:
    return STATES[entry.result if entry.state == "ok" else entry.state]


def next_sort(now: str, field: str) -> str:
    """Returns how a click on a column's title sorts: numbers and dates first with the largest, texts by the alphabet."""
    if now.removeprefix("-") == field:
        return field if now.startswith("-") else f"-{field}"
    return f"-{field}" if FIELDS[field].number or field == "date" else field
