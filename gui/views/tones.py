"""The colours of marks and links: the one place where a tone becomes colour tokens, and the shape that says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from core.views.values import DONE, LEFT, NOW, SKIPPED, Mark, Series, Tone
from gui.theme import Theme
from gui.widgets import ChipLook, chip_width, draw_chip, draw_mark
from gui.widgets.painting import Shape, pen_of

CHIP = 16
"""Height of a chip in a row, in pixels at text size 100 %."""
GAP = 4
DOT = 9
"""Width of the shape of a mark whose word has no room."""
Marks = Sequence[Mark]


@dataclass(frozen=True, slots=True)
class Look:
    """How a tone is drawn.

    Attributes:
        ink: the colour token of words and lines.
        fill: the colour token behind words; empty: none.
        shape: the shape that repeats the meaning.
    """

    ink: str
    fill: str
    shape: Shape


LOOKS: Mapping[Tone, Look] = MappingProxyType({
    "plain": Look("muted", "raised", "ring"),
    "planner": Look("planner_act", "accent_bg", "square"),
    "operator": Look("operator_act", "operator_bg", "diamond"),
    "good": Look("good", "good_bg", "circle"),
    "warn": Look("warn", "warn_bg", "triangle"),
    "bad": Look("bad", "bad_bg", "octagon"),
    "aim": Look("resolution", "raised", "square"),
    "muted": Look("faint", "", "ring"),
})
STATES: Mapping[str, str] = MappingProxyType({
    "open": "open", "closed": "close_door", "on": "switchon", "off": "switchon", "sliced": "slice", "cooked": "cook",
    "clean": "wash", "dirty": "wash", "filled": "fill"})
"""The icons of the states of things, before the word."""
NO_ICONS: Mapping[str, str] = MappingProxyType({})
STRONGEST: Sequence[Tone] = ("operator", "bad", "planner", "good", "warn", "aim")
"""The tones of which the first one among the marks of an item decides the edge of its row."""


def look_of(tone: Tone) -> Look:
    """Returns how a tone is drawn; an unknown one is plain."""
    return LOOKS.get(tone, LOOKS["plain"])


def edge_of(marks: Marks) -> Tone | None:
    """Returns the tone of the edge of an item; None if its marks call for none."""
    tones = {mark.tone for mark in marks}
    return next((tone for tone in STRONGEST if tone in tones), None)


def marks_width(theme: Theme, marks: Marks, icons: Mapping[str, str] = NO_ICONS) -> float:
    """Returns the width of the chips of some marks, with the gaps before them."""
    return sum(chip_width(theme, _chip(mark, icons)) + theme.px(GAP) for mark in marks)


def draw_marks(painter: QPainter, theme: Theme, room: QRectF, marks: Marks, icons: Mapping[str, str] = NO_ICONS) -> float:
    """Draws marks from the left as chips with their word; where there is no room, only the shape. Returns the width taken."""
    px, x = theme.px, room.x()
    for k, mark in enumerate(marks):
        look = _chip(mark, icons)
        wide = chip_width(theme, look)
        if x + px(GAP) + wide + (len(marks) - k - 1) * px(DOT + GAP) <= room.right():
            draw_chip(painter, theme, QRectF(x + px(GAP), room.center().y() - px(CHIP) / 2, wide, px(CHIP)), look)
        elif x + px(GAP + DOT) <= room.right():
            wide = px(DOT)
            draw_tone(painter, theme, x + px(GAP) + wide / 2, room.center().y(), px(4), mark.tone)
        else:
            break
        x += px(GAP) + wide
    return x - room.x()


def draw_tone(painter: QPainter, theme: Theme, x: float, y: float, radius: float, tone: Tone) -> None:
    """Draws the shape of a tone, centred on (x, y)."""
    look = look_of(tone)
    colour = theme.colour(look.ink)
    is_ring = look.shape == "ring"
    draw_mark(painter, look.shape, x, y, radius, None if is_ring else colour, colour if is_ring else None)


def series_pen(theme: Theme, series: Series, k: int, width: float = 1.6) -> QPen:
    """Returns the line of the series number `k` of a chart, from 0."""
    pen = pen_of(theme, k, width)
    if series.tone != "plain":
        pen.setColor(theme.colour(look_of(series.tone).ink))
    return pen


def point_shape(series: Series) -> Shape:
    """Returns the shape of the points of a series that are not joined."""
    shape = look_of(series.tone).shape
    return "circle" if shape == "ring" else shape


def point_radius(series: Series) -> float:
    """Returns the radius of these points in pixels at text size 100 %."""
    return 2.5 if series.tone == "muted" else 4
def draw_sign(painter: QPainter, theme: Theme, x: float, y: float, mark: Mark) -> None:
    """Draws a mark without its word in the margin of a line, centred on (x, y)."""
    px, tone = theme.px, look_of(mark.tone).ink
    if mark in ICONS:
        side = px(13)
        painter.drawPixmap(QPointF(x - side / 2, y - side / 2), theme.pixmap(ICONS[mark], side, tone))
    elif mark == SKIPPED:
        painter.setPen(QPen(theme.colour(tone), 1.5))
        painter.drawLine(QPointF(x - px(4), y), QPointF(x + px(4), y))
    else:
        draw_tone(painter, theme, x, y, px(3 if mark == LEFT else 4), mark.tone)


ICONS: Mapping[Mark, str] = MappingProxyType({NOW: "run", DONE: "check"})
"""The icons of marks of which everyone knows one."""


def _chip(mark: Mark, icons: Mapping[str, str]) -> ChipLook:
    look = look_of(mark.tone)
    return ChipLook(mark.word[:40], look.ink, look.fill, icons.get(mark.word, ""))
