"""The belief without a heatmap: as text for assistive tools, and as bars of the likeliest locations in a narrow panel."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter

from core.planning.belief_facets import Belief
from gui.panels.belief.layout import Cell, entropies, rows_in_order
from gui.panels.belief.painting import BeliefShown, heat
from gui.theme import Theme
from gui.widgets import RIGHT, draw_block, draw_text
from gui.widgets.canvas import PaintedArea
from gui.widgets.numbers import count, probability

DESCRIBED, MOST_PLACES = 12, 4
LIKELY, MOST_OFFERED = 0.01, 8
"""The least probability, and the greatest number, of the locations of an object whose edit is offered."""


def described(shown: BeliefShown, order: tuple[int, ...], name: Callable[[int], str]) -> str:
    """Returns the likeliest locations of the first rows as text, for assistive tools.

    Args:
        shown: the belief.
        order: the rows shown, from top to bottom. The first `DESCRIBED` are described.
        name: returns the name of a location by its index in the belief.
    """
    lines, belief = [], shown.belief
    for row in order[:DESCRIBED]:
        best = belief.probability[row].argsort(kind="stable")[::-1][:MOST_PLACES]
        places = (f"{name(int(k))} {probability(float(belief.probability[row, k]))}" for k in best
                  if belief.probability[row, k] >= 0.005)
        lines.append(f"{belief.called(row)}: {', '.join(places) or shown.beside(row)}")
    more = f" and {count(len(order) - DESCRIBED, 'more object')}" if len(order) > DESCRIBED else ""
    return "; ".join(lines) + more


def first_cell(belief: Belief) -> Cell:
    """Returns the cell selected before the operator chooses one.

    It is the likeliest location of the first wanted object that is not yet found. If there is none, it is that of the object
    with the highest entropy.
    """
    bits = entropies(belief)
    wanted = (r for r in rows_in_order(belief) if belief.wanted[r] and belief.located[r] is None)
    row = next(wanted, int(bits.argmax()))
    return row, int(belief.probability[row].argmax())


def cell_of(belief: Belief, thing: str, now: Cell) -> Cell:
    """Returns the cell for an entity selected elsewhere.

    A location keeps the current row. An object selects the likeliest location of its row. Anything else keeps the cell.

    Args:
        belief: the belief.
        thing: an id, or a label or class of a row.
        now: the current cell.
    """
    if thing in belief.places:
        return now if belief.places[now[1]] == thing else (now[0], belief.places.index(thing))
    for known in (belief.located, belief.objects, belief.classes):
        if thing in known:
            row = known.index(thing)
            return row, int(belief.probability[row].argmax())
    return now


def likely_places(belief: Belief, row: int) -> list[int]:
    """Returns the indices of the likely locations of a row, most likely first."""
    order = (-belief.probability[row]).argsort(kind="stable")[:MOST_OFFERED]
    return [int(place) for place in order if belief.probability[row, place] >= LIKELY]


MOST_BARS = 3
HEAD, BAR, AFTER = 20, 18, 6


class Bars(PaintedArea):
    """A scrolled list of objects: the name, then a bar for each of the likeliest locations (at most `MOST_BARS`).

    Args:
        name: returns the name of a location by its index in the belief.
    """

    chosen = Signal(int, int)

    def __init__(self, theme: Theme, name: Callable[[int], str]):
        super().__init__(theme, "Belief: likeliest locations of each object")
        self._name = name
        self._shown: BeliefShown | None = None
        self._order: tuple[int, ...] = ()

    def show_belief(self, shown: BeliefShown, order: tuple[int, ...]) -> None:
        """Shows another belief, order or selection.

        Args:
            shown: the belief and the selection.
            order: the rows of the belief to show, from top to bottom.
        """
        self._shown, self._order = shown, order
        self.measure()
        self.viewport().update()

    def measure(self) -> None:
        """Sets the range of the scroll bar for the present lines and size."""
        lines, bar = self._lines(), self.verticalScrollBar()
        high = lines[-1][2].bottom() + 4 + bar.value() if lines else 0.0
        self.set_range(bar, high, self.viewport().height(), self.theme.px(BAR))

    def _lines(self) -> list[tuple[int, int, QRectF]]:
        """Returns the lines as (row of the belief, index of the location or -1 for the object's name, rectangle in pixels)."""
        if self._shown is None:
            return []
        px, y = self.theme.px, 4.0 - self.verticalScrollBar().value()
        found: list[tuple[int, int, QRectF]] = []
        for row in self._order:
            found.append((row, -1, QRectF(0, y, self.viewport().width(), px(HEAD))))
            y += px(HEAD)
            best = self._shown.belief.probability[row].argsort(kind="stable")[::-1][:MOST_BARS]
            for place in (int(k) for k in best if self._shown.belief.probability[row, k] >= 0.005):
                found.append((row, place, QRectF(0, y, self.viewport().width(), px(BAR))))
                y += px(BAR)
            y += px(AFTER)
        return found

    def paint(self, painter: QPainter, rect: QRect) -> None:
        """Paints the visible lines."""
        del rect
        for row, place, line in self._lines():
            if line.bottom() > 0 and line.top() < self.viewport().height() and self._shown is not None:
                self._paint_line(painter, self._shown, row, place, line)

    def _paint_line(self, painter: QPainter, shown: BeliefShown, row: int, place: int, rect: QRectF) -> None:
        theme, px = self.theme, self.theme.px
        on = shown.selected == (row, place)
        if place < 0:
            wanted = shown.belief.wanted[row]
            if wanted:
                painter.drawPixmap(QPointF(px(8), rect.center().y() - px(6)), theme.pixmap("goal", px(12), "muted"))
            named = rect.adjusted(px(25) if wanted else px(10), 0, -px(8), 0)
            took = draw_text(painter, theme, named, shown.called(row), "body", "text" if wanted else "muted",
                             600 if wanted else 500)
            draw_text(painter, theme, named.adjusted(took + px(8), 0, 0, 0), shown.beside(row), "small", "good", 600)
            return
        p = float(shown.belief.probability[row, place])
        name = QRectF(px(25), rect.y(), rect.width() * 0.45, rect.height())
        draw_text(painter, theme, name, self._name(place), "small", "selection" if on else "text", 600 if on else 400)
        left, right = name.right() + px(6), rect.width() - px(40)
        track = QRectF(left, rect.center().y() - px(4), max(4.0, right - left), px(8))
        draw_block(painter, theme, track, "sunken", radius=3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(heat(theme, max(p, 0.2), shown.scale))
        painter.drawRoundedRect(QRectF(track.x(), track.y(), max(3.0, track.width() * p), track.height()), 3, 3)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(10), 0), probability(p), "small", "text", 500, RIGHT)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `chosen` with the row and location of the bar under the pointer."""
        for row, place, rect in self._lines():
            if place >= 0 and rect.contains(event.position()):
                self.chosen.emit(row, place)
