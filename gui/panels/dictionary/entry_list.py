"""The painted list of entries: the chips of each entry, and the field in which the operator edits one."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen

from core.planners.llm_state.recorded_types import StateDictionary, StateEntry
from gui.panels.dictionary.entries import in_words, is_changed, place_of
from gui.theme import Theme
from gui.widgets import RIGHT, ChipLook, draw_chip, draw_text, flow_chips, text_width
from gui.widgets.canvas import PaintedArea
from gui.widgets.search import InPlaceField

CHIP, TOP, LEFT, FOOT = 19, 24, 12, 6
"""Pixels at text size 100 %: height of a chip, height of a row's first line, left margin, bottom margin."""
DESCRIBED = 40
"""The number of rows described to assistive tools."""
Key = Qt.Key


class EntryList(PaintedArea):
    """The list of entries, one row per object. Only the visible rows are painted.

    A double click edits a chip, typing adds one, Delete removes one, Ctrl+L locks an entry.

    Attributes:
        picked: emitted when a row becomes current, with the entry's name.
        edited: emitted when an attribute was edited, with the entry's name, the old attribute (empty: added) and the new one
            (empty: removed).
        locked: emitted to lock or unlock an entry, with its name.
        removed: emitted to delete an entry, with its name.
    """

    picked = Signal(str)
    edited = Signal(str, str, str)
    locked = Signal(str)
    removed = Signal(str)

    def __init__(self, theme: Theme):
        super().__init__(theme, "Objects and their attributes")
        self._state, self._names = StateDictionary(), dict[str, str]()
        self._entries: Sequence[StateEntry] = ()
        self._rows: list[Row] = []
        self._tops: list[float] = []
        self.current, self.chip = "", ""
        self._selected = ""
        self.editable = True
        self._field = InPlaceField(self.viewport())
        self._field.setAccessibleName("Attribute")
        self._field.hide()
        self._field.entered.connect(self.commit)
        self._field.left.connect(self._stop_editing)
        self._editing: tuple[str, str] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._place_field())

    def show_entries(self, state: StateDictionary, entries: Sequence[StateEntry], names: Mapping[str, str],
                     selected: str) -> None:
        """Shows other entries, or another selection.

        Args:
            state: the dictionary.
            entries: those of its entries to list, in order.
            names: display names by call name.
            selected: id of the object selected in the window. Empty if there is none.
        """
        self._state, self._entries, self._names, self._selected = state, entries, dict(names), selected
        self.measure()
        self.setAccessibleDescription("; ".join(
            f"{r.name}{', ' + r.place if r.place else ''}: {', '.join(p.look.text for p in r.pieces)}"
            for r in self._rows[:DESCRIBED]))

    def rows(self) -> tuple[Row, ...]:
        """Returns the rows with their layout."""
        return tuple(self._rows)

    def measure(self) -> None:
        """Lays out the chips for the present entries and size."""
        self._rows = lay_out(self.theme, self._state, self._entries, self._names, self.viewport().width())
        self._tops = [r.top for r in self._rows]
        high = self._rows[-1].top + self._rows[-1].high if self._rows else 0
        self.set_range(self.verticalScrollBar(), high + 1, self.viewport().height(), self.theme.px(24))
        self._place_field()
        self.viewport().update()

    # --- painting ----------------------------------------------------------------
    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints the visible rows."""
        del rect
        offset, bottom = self.verticalScrollBar().value(), self.verticalScrollBar().value() + self.viewport().height()
        for row in self._rows[max(0, bisect.bisect_right(self._tops, offset) - 1):]:
            if row.top > bottom:
                break
            painter.save()
            painter.translate(0, row.top - offset)
            self._paint_row(painter, row)
            painter.restore()

    def _paint_row(self, painter: QPainter, row: Row) -> None:
        theme, px, wide = self.theme, self.theme.px, self.viewport().width()
        if row.entry.name == self.current or (row.entry.thing and row.entry.thing == self._selected):
            painter.fillRect(QRectF(0, 0, wide, row.high - 1), theme.colour("selection_bg"))
        if row.changed:
            painter.fillRect(QRectF(0, 0, px(3), row.high - 1), theme.colour("accent"))
        turn = f"turn {row.entry.turn}" if row.entry.turn else ""
        side = text_width(theme, turn, "micro", 400) + px(18)
        line = QRectF(px(12), px(3), wide - px(12) - side, px(20))
        took = draw_text(painter, theme, line, row.name, "body", "text", 600)
        rest = line.adjusted(took + px(8), 0, 0, 0)
        if rest.width() > px(20):
            draw_text(painter, theme, rest, row.place, "small", "muted")
        draw_text(painter, theme, QRectF(0, px(3), wide - px(10), px(20)), turn, "micro", "faint", 400, RIGHT)
        if row.entry.locked:
            size = px(12)
            painter.drawPixmap(QPointF(wide - side - px(8), px(7)), theme.pixmap("pin", size, "operator_act"))
        for piece in row.pieces:
            draw_chip(painter, theme, piece.rect, piece.look)
            if piece.struck:
                painter.setPen(QPen(theme.colour("faint"), 1))
                y, inset = piece.rect.center().y() + 0.5, px(6)
                painter.drawLine(QPointF(piece.rect.left() + inset, y), QPointF(piece.rect.right() - inset, y))
            if piece.attribute and (row.entry.name, piece.attribute) == (self.current, self.chip):
                painter.setPen(QPen(theme.colour("selection"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(piece.rect, 4, 4)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.drawLine(QPointF(px(10), row.high - 1), QPointF(wide - px(10), row.high - 1))

    # --- pointer and keys ------------------------------------------------------
    def _at(self, point: QPointF) -> tuple[Row, Piece | None] | None:
        y = point.y() + self.verticalScrollBar().value()
        k = bisect.bisect_right(self._tops, y) - 1
        if not 0 <= k < len(self._rows) or y > self._rows[k].top + self._rows[k].high:
            return None
        row = self._rows[k]
        inside = QPointF(point.x(), y - row.top)
        return row, next((p for p in row.pieces if p.attribute and p.rect.contains(inside)), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Selects the row under the pointer, and its chip if one is there."""
        found = self._at(event.position())
        self.commit()
        if found is not None:
            self.current, self.chip = found[0].entry.name, found[1].attribute if found[1] else ""
            self.picked.emit(self.current)
            self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Edits the chip under the pointer. Elsewhere in the row, begins a new attribute."""
        found = self._at(event.position())
        if found is not None:
            self.begin(found[0].entry.name, found[1].attribute if found[1] else "")

    def begin(self, name: str, attribute: str, typed: str = "") -> None:
        """Opens the text field to edit an attribute in place, or to add one.

        Args:
            name: the entry.
            attribute: the attribute to edit. Empty to add one.
            typed: the text that the field starts with instead of `attribute`.
        """
        if not self.editable or all(row.entry.name != name for row in self._rows):
            return
        self.current, self.chip, self._editing = name, attribute, (name, attribute)
        self._place_field()
        self._field.setText(typed or attribute)
        self._field.selectAll() if not typed else self._field.end(False)
        self._field.show()
        self._field.setFocus()

    def _place_field(self) -> None:
        """Puts the text field over its chip, which may have moved. Ends the edit if its entry is no longer listed."""
        if self._editing is None:
            return
        name, attribute = self._editing
        row = next((r for r in self._rows if r.entry.name == name), None)
        if row is None:
            self._stop_editing()
            return
        rect = next((p.rect for p in row.pieces if p.attribute == attribute and attribute), None)
        px = self.theme.px
        rect = rect or QRectF(px(12), row.high - px(26), px(120), px(20))
        top = row.top - self.verticalScrollBar().value()
        wide = min(max(int(rect.width()) + px(40), px(140)), self.viewport().width() - int(rect.x()) - px(6))
        left = int(rect.x()) if wide >= px(90) else px(12)
        self._field.setGeometry(left, int(rect.y() + top) - px(3), max(wide, px(140)), px(26))

    def commit(self) -> None:
        """Closes the text field and emits `edited` with its text. Does nothing if no edit is under way."""
        if self._editing is None:
            return
        (name, attribute), text = self._editing, self._field.text()
        self._stop_editing()
        self.edited.emit(name, attribute, text)

    def _stop_editing(self) -> None:
        if self._editing is not None:
            self._editing = None
            self._field.hide()
            self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles the arrow keys, Enter, Delete and Ctrl+L. Other printable keys begin a new attribute."""
        name = self.current
        match Key(event.key()):
            case Key.Key_Down | Key.Key_Up as key:
                self._step(1 if key is Key.Key_Down else -1)
            case Key.Key_Return | Key.Key_Enter if name:
                self.begin(name, self.chip)
            case (Key.Key_Delete | Key.Key_Backspace) if name and self.editable:
                self.edited.emit(name, self.chip, "") if self.chip else self.removed.emit(name)
            case Key.Key_L if name and self.editable and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
                self.locked.emit(name)
            case _ if name and event.text().isprintable() and event.text().strip() and self.editable:
                self.begin(name, "", event.text())
            case _:
                super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        names = [r.entry.name for r in self._rows]
        if names:
            at = names.index(self.current) + by if self.current in names else 0
            self.current, self.chip = names[max(0, min(len(names) - 1, at))], ""
            row = self._rows[names.index(self.current)]
            bar = self.verticalScrollBar()
            bar.setValue(int(min(row.top, max(bar.value(), row.top + row.high - self.viewport().height()))))
            self.picked.emit(self.current)
            self.viewport().update()


@dataclass(frozen=True, slots=True)
class Piece:
    """A chip of a row.

    Attributes:
        attribute: the attribute it stands for. Empty for a removed attribute or for the note that nothing is known.
        look: its text and colours.
        rect: its rectangle in pixels, relative to the row.
        struck: whether it is struck through, as a removed attribute is.
    """

    attribute: str
    look: ChipLook
    rect: QRectF
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """An entry with its layout.

    Attributes:
        entry: the entry.
        name: its display name.
        place: its location in words. Empty if unknown.
        changed: whether the last estimate changed it.
        top: the top of the row, in pixels from the top of the unscrolled list.
        high: the height of the row in pixels.
        pieces: its chips.
    """

    entry: StateEntry
    name: str
    place: str
    changed: bool
    top: float
    high: float
    pieces: tuple[Piece, ...]


def lay_out(theme: Theme, state: StateDictionary, entries: Sequence[StateEntry], names: Mapping[str, str],
            width: float) -> list[Row]:
    """Returns the rows from top to bottom. Chips wrap to the next line at the given width.

    Args:
        theme: gives text widths and the text scale.
        state: the dictionary, which knows the turn of the last estimate.
        entries: one per row.
        names: display names by call name.
        width: of the list, in pixels.
    """
    rows: list[Row] = []
    top = 0.0
    for entry in entries:
        changed, place = is_changed(entry, state), place_of(entry)
        pieces = _pieces(theme, entry, names, width, changed=changed, place=place)
        high = (pieces[-1].rect.bottom() if pieces else theme.px(TOP)) + theme.px(FOOT)
        rows.append(Row(entry, names.get(entry.name, entry.name), in_words(place, names), changed, top, high, pieces))
        top += high
    return rows


def _pieces(theme: Theme, entry: StateEntry, names: Mapping[str, str], width: float, *, changed: bool,
            place: str) -> tuple[Piece, ...]:
    looks: list[tuple[str, ChipLook, bool]] = []
    for attribute in entry.attributes:
        if attribute != place or attribute in entry.given or (changed and attribute in entry.added):
            looks.append((attribute, _look(entry, attribute, names, changed=changed), False))
    if changed:
        looks += [("", ChipLook(in_words(a, names), "faint", "surface", line="solid"), True) for a in entry.removed]
    if not entry.attributes and not looks:
        looks.append(("", ChipLook("nothing known", "warn", "surface", line="dashed"), False))
    rects = flow_chips(theme, (look for _, look, _ in looks), width - 2 * theme.px(LEFT), CHIP)
    return tuple(Piece(attribute, look, rect.translated(theme.px(LEFT), theme.px(TOP)), struck)
                 for (attribute, look, struck), rect in zip(looks, rects, strict=True))


def _look(entry: StateEntry, attribute: str, names: Mapping[str, str], *, changed: bool) -> ChipLook:
    words = in_words(attribute, names)
    if attribute in entry.given:
        return ChipLook(words, "operator_act", "operator_bg", icon="user", line="solid")
    if "unknown" in attribute or attribute.startswith("?"):
        return ChipLook(f"? {words.lstrip('? ')}", "warn", "surface", line="dashed")
    if changed and attribute in entry.added:
        return ChipLook(f"+ {words}", "good", "good_bg")
    return ChipLook(words, "text", "raised", line="none")
