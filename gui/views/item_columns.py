"""The columns of a painted table or tree: how wide each is in the room there is, and how a value is painted in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.views.values import Cell, Column, Item, Mark
from core.views.wording import cell_text
from gui.theme import Theme
from gui.views.tones import draw_marks, marks_width
from gui.views.widget import plain
from gui.widgets import RIGHT, draw_text, text_width
from gui.widgets.painting import LEFT

SAMPLED = 200
"""Rows of which the widths are measured."""
PAD, BAR = 10, 26
"""Pixels at text size 100 %: the gap before a column, and the width of the bar of a probability."""
LEAST_TEXT, LEAST_VALUE, MOST_VALUE = 110, 44, 180
"""Pixels at text size 100 %: the least width of the text of an item, the least and the largest of a value that is a text."""
NUMBERS = ("count", "probability", "value", "time")


@dataclass(frozen=True, slots=True)
class Placed:
    """A column with its place.

    Attributes:
        index: its number among the columns of the view.
        column: the column.
        x, width: where it is, in pixels.
    """

    index: int
    column: Column
    x: float
    width: float


def place_columns(theme: Theme, columns: Sequence[Column], items: Sequence[Item], room: float) -> tuple[Placed, ...]:
    """Returns the columns for which there is room beside the text of the items, the first ones first, at the right.

    Args:
        theme: gives the widths of texts.
        columns: the columns.
        items: the items, of which some are measured.
        room: the width of a row in pixels.
    """
    sample = [items[k] for k in np.unique(np.linspace(0, len(items) - 1, min(len(items), SAMPLED)).astype(int))]
    left, found = room - theme.px(LEAST_TEXT), list[tuple[int, Column, float]]()
    for k, column in enumerate(columns):
        wide = _width(theme, column, [item.values[k] for item in sample if k < len(item.values)])
        if wide > left and column.kind not in NUMBERS:
            wide = max(theme.px(LEAST_VALUE), left)
        if wide > left:
            break
        left -= wide
        found.append((k, column, wide))
    x, placed = room - sum(wide for *_, wide in found), list[Placed]()
    for k, column, wide in found:
        placed.append(Placed(k, column, x, wide))
        x += wide
    return tuple(placed)


def _width(theme: Theme, column: Column, values: Sequence[Cell]) -> float:
    texts = dict.fromkeys(plain(cell_text(value, column.kind)) for value in values)
    if column.kind == "state":
        widths = [marks_width(theme, state_marks(value)) for value in dict.fromkeys(values)]
    else:
        widths = [text_width(theme, text, mono=column.kind == "code") for text in texts]
    if column.kind == "probability":
        widths = [wide + theme.px(BAR + 6) for wide in widths]
    most = max(widths, default=0.0)
    if column.kind not in NUMBERS:
        most = min(most, theme.px(MOST_VALUE))
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
        draw_marks(painter, theme, room.adjusted(-theme.px(4), 0, 0, 0), state_marks(value))
        return
    if value is None and kind in ("text", "code"):
        return
    is_number = kind in NUMBERS and not isinstance(value, str | frozenset)
    if kind == "probability" and isinstance(value, float | int) and 0 <= value <= 1:
        _draw_bar(painter, theme, room, float(value))
        room.setLeft(room.x() + theme.px(BAR + 4))
    text = plain(cell_text(value, kind))
    text = named(text) if kind == "text" and isinstance(value, str) else text
    faint = value is None or value == 0
    draw_text(painter, theme, room, text, "small", "faint" if faint else tone, 400, RIGHT if is_number else LEFT,
              mono=kind == "code")


def _draw_bar(painter: QPainter, theme: Theme, room: QRectF, share: float) -> None:
    px = theme.px
    track = QRectF(room.x(), room.center().y() - px(2), px(BAR), px(4))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("line"))
    painter.drawRoundedRect(track, px(2), px(2))
    if share > 0:
        painter.setBrush(theme.colour("accent"))
        painter.drawRoundedRect(QRectF(track.x(), track.y(), max(px(2), track.width() * share), track.height()), px(2), px(2))
