"""The columns of a painted table or tree: how wide each is in the room there is, and how a value is painted in it. Tooltips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.views.values import FAILED, Cell, Column, Item, Mark, Table, Tick, Tree
from core.views.wording import cell_text, item_words, signed
from gui.theme import Theme
from gui.views.tones import STATES, draw_marks, look_of, marks_width
from gui.views.widget import plain, tip
from gui.widgets import CENTRE, LEFT, RIGHT, draw_loss, draw_text, loss_mark, text_width
from gui.widgets.numbers import hundredths
from gui.widgets.painting import ink_on

SAMPLED = 200
"""Rows of which the widths are measured."""
PAD, BAR, WEIGHT_BAR, SIGN, HEAT = 10, 26, 36, 11, 24
"""Pixels at text size 100 %: the gap before a column, the widths of the bar of a probability and of that of the weight, of the
sign of a loss, and of the cell of a similarity."""
LEAST_TEXT, EASY_TEXT, LEAST_VALUE, MOST_VALUE = 92, 160, 44, 180
"""Pixels at text size 100 %: the least width of the text of an item, without bars and with some; the least and the largest of a
value that is a text; in wide rows it may take an equal share."""
NUMBERS = ("count", "probability", "similarity", "value", "loss", "time")


@dataclass(frozen=True, slots=True)
class Placed:
    """A column with its place.

    Attributes:
        index: its number among the columns of the view.
        column: the column.
        x, width: where it is, in pixels.
        bar: the width of the bar of its numbers, in pixels; 0: there is no room for one.
        most: the number that a full bar stands for, the largest of those that were measured.
    """

    index: int
    column: Column
    x: float
    width: float
    bar: float = 0.0
    most: float = 1.0


def place_columns(theme: Theme, columns: Sequence[Column], items: Sequence[Item], room: float,
                  weight: str = "") -> tuple[Placed, ...]:
    """Returns the columns for which there is room beside the text of the items, the most important ones first, at the right.

    Where there is little room, bars are left out before columns.

    Args:
        theme: gives the widths of texts.
        columns: the columns.
        items: the items, of which some are measured.
        room: the width of a row in pixels.
        weight: the title of the column that says how much an item matters; it has a bar.
    """
    some = min(len(items), SAMPLED)
    sample = [items[k * (len(items) - 1) // max(1, some - 1)] for k in range(some)]
    most = max(theme.px(MOST_VALUE), room / (len(columns) + 1))
    left, spare, found = room - theme.px(LEAST_TEXT), theme.px(EASY_TEXT - LEAST_TEXT), dict[int, float]()
    for k, column in sorted(enumerate(columns), key=lambda pair: -pair[1].importance):
        wide = _width(theme, column, [item.values[k] for item in sample if k < len(item.values)], most)
        if wide > left and column.kind not in NUMBERS:
            wide = max(theme.px(LEAST_VALUE), left)
        if wide > left - spare * (column.importance < 0):
            break
        left -= wide
        found[k] = wide
    bars, left = dict[int, float](), left - spare
    for k in sorted((k for k in found if columns[k].kind == "probability" or columns[k].title == weight),
                    key=lambda k: columns[k].title != weight):
        wide = theme.px((WEIGHT_BAR if columns[k].title == weight else BAR) + 6)
        if wide > left:
            break
        bars[k], left = wide, left - wide
    x, placed = room - sum(found.values()) - sum(bars.values()), list[Placed]()
    for k, wide in sorted(found.items()):
        bar = bars.get(k, 0.0)
        most = _largest(sample, k) if bar and columns[k].title == weight else 1.0
        placed.append(Placed(k, columns[k], x, wide + bar, max(0.0, bar - theme.px(6)), most))
        x += wide + bar
    return tuple(placed)


def _largest(items: Sequence[Item], k: int) -> float:
    found = (item.values[k] for item in items if k < len(item.values))
    return max((value for value in found if isinstance(value, int | float)), default=1.0)


def _width(theme: Theme, column: Column, values: Sequence[Cell], most_text: float) -> float:
    texts = dict.fromkeys(plain(cell_text(value, column.kind)) for value in values)
    if column.kind == "state":
        widths = [marks_width(theme, state_marks(value), STATES) for value in dict.fromkeys(values)]
    else:
        widths = [text_width(theme, text, mono=column.kind == "code") for text in texts]
    most = max(widths, default=0.0)
    if column.kind == "loss":
        most += theme.px(SIGN)
    elif column.kind == "similarity":
        return theme.px(HEAT)
    if column.kind not in NUMBERS:
        most = min(most, most_text)
    return max(most, min(text_width(theme, plain(column.title), "micro", 600), theme.px(MOST_VALUE))) + theme.px(PAD)


def state_marks(value: Cell) -> tuple[Mark, ...]:
    """Returns the chips of a state: one for each word."""
    if value is None or value == "":
        return ()
    words = sorted(value) if isinstance(value, frozenset) else [cell_text(value, "state")]
    return tuple(Mark(plain(word, 40)) for word in words)


def draw_value(painter: QPainter, theme: Theme, place: Placed, rect: QRectF, value: Cell, tone: str,
               named: Callable[[str], str]) -> None:
    """Draws a value in its column: numbers at the right, with a bar if it is a probability, states as chips.

    Args:
        painter: draws it.
        theme: the fonts and colours.
        place: the column.
        rect: the row.
        value: the value.
        tone: the colour token of texts.
        named: returns a text with names in place of ids.
    """
    room, kind = QRectF(place.x + theme.px(PAD), rect.y(), place.width - theme.px(PAD), rect.height()), place.column.kind
    if kind == "state":
        draw_marks(painter, theme, room.adjusted(-theme.px(4), 0, 0, 0), state_marks(value), STATES)
        return
    if value is None and kind in ("text", "code"):
        return
    is_number = kind in NUMBERS and not isinstance(value, str | frozenset)
    number = float(value) if is_number and isinstance(value, float | int) and isfinite(value) else None
    faint = value is None or (value == 0 and kind != "loss")
    if place.bar and number is not None:
        share = min(1.0, max(0.0, number / place.most)) if place.most > 0 else 0.0
        _draw_bar(painter, theme, QRectF(room.x(), room.y(), place.bar, room.height()), share)
    if kind == "loss":
        draw_loss(painter, theme, room.right() - theme.px(4), room.center().y(), theme.px(4), number)
        room.setRight(room.right() - theme.px(SIGN))
    elif kind == "similarity" and number is not None:
        _draw_heat(painter, theme, QRectF(place.x, rect.y(), place.width, rect.height()), number)
        return
    text = plain(cell_text(value, kind))
    text = named(text) if kind == "text" and isinstance(value, str) else text
    shade = "faint" if faint else tone
    if shade == "text" and kind == "loss":
        shade = loss_mark(number)[0]
    elif shade == "text" and place.column.tone != "plain":
        shade = look_of(place.column.tone).ink
    draw_text(painter, theme, room, text, "small", shade, 400, RIGHT if is_number else LEFT, mono=kind == "code")


def _draw_heat(painter: QPainter, theme: Theme, room: QRectF, number: float) -> None:
    """Draws a similarity in hundredths on the colour of the heat map."""
    ground = theme.heat(number)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    cell = room.adjusted(3, 2, 0, -2)
    painter.drawRoundedRect(cell, 2, 2)
    number = max(-1.0, min(1.0, number))  # a planner's number may be beyond, also so far that it has no hundredths
    text = signed(str(round(100 * number))) if number < 0 else hundredths(number)
    draw_text(painter, theme, cell, text, "micro", ink_on(ground.name()), 400, CENTRE, elide=False)


def _draw_bar(painter: QPainter, theme: Theme, room: QRectF, share: float) -> None:
    """Draws a bar that is full at a share of 1."""
    px = theme.px
    track = QRectF(room.x(), room.center().y() - px(2), room.width(), px(4))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("line"))
    painter.drawRoundedRect(track, px(2), px(2))
    if share > 0:
        painter.setBrush(theme.colour("accent"))
        painter.drawRoundedRect(QRectF(track.x(), track.y(), max(px(2), track.width() * share), track.height()), px(2), px(2))


def note_tone(item: Item) -> str:
    """Returns the colour token of the note of an item."""
    return "bad" if FAILED in item.marks else "faint"


def tick_of(item: Item) -> Tick | None:
    """Returns the first tick among the edits of an item."""
    return next((edit.form for edit in item.edits if isinstance(edit.form, Tick)), None)


def item_tip(item: Item, view: Table | Tree, named: Callable[[str], str]) -> str:
    """Returns everything that an item says, one value a line."""
    words = item_words(item, view.columns).split(" · ")
    abouts = {column.title: column.about for column in view.columns if column.about}
    lines = [f"{line}: {abouts[title]}" if (title := line.rpartition(" ")[0]) in abouts else line for line in words]
    return tip(named(tip(*lines, item.hint)))
