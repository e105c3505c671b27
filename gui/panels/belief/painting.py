"""The heatmap's painter (colours, numbers and marks in the cells, names along the sides) and the legend of its colours."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPen

from core.planning.belief_facets import Belief
from core.planning.simulation_facets import Margin
from gui.panels.belief.layout import ROOMS, Cell, Column, Grid
from gui.theme import Role, Theme
from gui.widgets import CENTRE, RIGHT, Names, draw_mark, draw_text, saved, text_width
from gui.widgets.numbers import count_text, hundredths
from gui.widgets.painting import ink_on
from gui.widgets.text import PaintedWidget

Scale = Literal["square root", "logarithmic"]
LEAST_LOG = 3.0
"""The number of decades that the logarithmic scale spans."""
LETTERING: Mapping[bool, tuple[Role, int]] = MappingProxyType({True: ("body", 600), False: ("small", 400)})
"""Whether the goal wants an object -> the role and weight of its name."""
NAME_AT = MappingProxyType({True: 25, False: 10})
"""Whether the goal wants an object -> the pixels left of its name, at text size 100 %."""
Row = tuple[int, float, float]
"""A row of the belief, its top and its height; the latter two in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class BeliefShown:
    """A belief as it is shown: with the selection and the scale of the colours.

    Attributes:
        belief: the belief to paint.
        rooms: titles of the rooms by id.
        selected: the selected cell, or None.
        place: the index of a location selected elsewhere, or -1. Its column's name is highlighted, but no cell.
        pointed: the row under the pointer, or -1.
        scale: the scale of the colours.
        samples: (n,) if the cells are shares of the model's answers: the number of answers of each row, 0 for a row with
            probabilities in place of answers. Empty for a belief.
        margins: by cell, the probabilities at which the decision changes.
        names: display names of entities, for texts about them.
        held: ids of what the robot holds.
    """

    belief: Belief
    rooms: dict[str, str] = field(default_factory=dict)
    selected: Cell | None = None
    place: int = -1
    pointed: int = -1
    scale: Scale = "square root"
    samples: tuple[int, ...] = ()
    margins: Mapping[Cell, Margin] = field(default_factory=dict)
    names: Names = field(default_factory=Names)
    held: tuple[str, ...] = ()

    def beside(self, row: int) -> str:
        """Returns where a found object is that is in no column: `in hand`, or `elsewhere`; empty for all others."""
        located = self.belief.located[row]
        if located is None or self.belief.probability[row].any():
            return ""
        return "in hand" if located in self.held else "elsewhere"

    def called(self, row: int) -> str:
        """Returns the name of a row: that of the object, if it was found, as in all other panels, without an article."""
        return self.names.with_names(self.belief.called(row)).removeprefix("the ")

    def widest(self, theme: Theme, order: tuple[int, ...]) -> float:
        """Returns the width that the names of these rows need, with their flags, in pixels."""
        return max((theme.px(NAME_AT[wanted] + 8) + text_width(theme, self.called(row), *LETTERING[wanted])
                    for row in order for wanted in (self.belief.wanted[row],)), default=0.0)

    def flips(self, row: int, column: Column) -> tuple[float, ...]:
        """Returns the probabilities, each of one location of a column, at which the decision changes."""
        return tuple(at for place in column.places if (row, place) in self.margins for at in self.margins[row, place].flips)

    def text(self, row: int, p: float) -> str:
        """Returns the text of a cell: hundredths, or the number of answers, rounded unless it is below 1."""
        samples = self.samples[row] if self.samples else 0
        if not samples:
            return hundredths(p)
        return f"{p * samples:.0f}" if p * samples >= 0.95 else count_text(p * samples).removeprefix("0")


def rows_that_differ(old: BeliefShown, new: BeliefShown) -> frozenset[int] | None:
    """Returns the rows of the belief whose cells differ from those shown before. Used to repaint only those.

    Returns:
        The rows, or None if anything else differs, so that the whole heatmap must be repainted.
    """
    def frame(shown: BeliefShown) -> tuple[object, ...]:
        belief = shown.belief
        return (shown.rooms, shown.selected, shown.place, shown.pointed, shown.scale, shown.samples, shown.names, shown.held,
                belief.objects, belief.wanted, belief.located, belief.places)

    was, now = old.belief, new.belief
    if frame(old) != frame(new) or was.probability.shape != now.probability.shape or (was.looked != now.looked).any():
        return None
    differ = (was.probability != now.probability) | (was.pinned != now.pinned) | (was.zeroed != now.zeroed)
    rows = np.flatnonzero(differ.any(axis=1)) if was.barred is now.barred else np.arange(len(now.objects))
    marked = {cell[0] for cell in old.margins.keys() | new.margins if old.margins.get(cell) != new.margins.get(cell)}
    return frozenset(marked.union(rows.tolist()))


def heat(theme: Theme, p: float, scale: Scale) -> QColor:
    """Returns the colour of a probability. The theme applies a square root, so the logarithmic value is squared first.

    Args:
        theme: gives the colours.
        p: the probability, in [0, 1].
        scale: square root, or logarithmic over `LEAST_LOG` decades.
    """
    if scale == "square root" or p <= 0:
        return theme.heat(p)
    return theme.heat(max(0.04, 1 + math.log10(max(p, 1e-9)) / LEAST_LOG) ** 2)


class RowValues(NamedTuple):
    """A row of the belief as lists over its places, because single elements of arrays are slow to read."""

    probability: list[float]
    pinned: list[bool]
    zeroed: list[bool]
    barred: list[bool]
    looked: list[bool]
    wanted: bool
    located: bool

    @classmethod
    def of(cls, belief: Belief, row: int) -> RowValues:
        """Returns the values of a row."""
        return cls(belief.probability[row].tolist(), belief.pinned[row].tolist(), belief.zeroed[row].tolist(),
                   belief.bars(row).tolist(), belief.looked.tolist(), bool(belief.wanted[row]),
                   belief.located[row] is not None)

    def probability_of(self, column: Column) -> float:
        """Returns the probability of a location, or of all locations folded into a column."""
        return sum(self.probability[place] for place in column.places)


class HeatmapPainter:
    """Paints the heatmap."""

    def __init__(self, theme: Theme):
        self._theme = theme

    def paint(self, painter: QPainter, grid: Grid, shown: BeliefShown, size: QRectF, wanted: QRectF) -> None:
        """Paints the visible part of the heatmap that lies in a rectangle.

        Args:
            painter: paints on the viewport.
            grid: the geometry.
            shown: the belief and the selection.
            size: the rectangle of the viewport, in pixels.
            wanted: the rectangle to repaint, in pixels.
        """
        rows = [(row, top, high) for row, top, high in grid.rows
                if top + high > max(grid.top, wanted.top()) and top < min(size.height(), wanted.bottom())]
        with saved(painter):
            painter.setClipRect(QRectF(grid.left - 2, 0, size.width() - grid.left + 2, size.height()))
            if wanted.top() < grid.top - 3:
                self._paint_heads(painter, grid, shown, size)
            painter.setClipRect(QRectF(grid.left - 2, grid.top - 2, size.width() - grid.left + 2, size.height() - grid.top + 2))
            self._paint_cells(painter, grid, shown, size, rows)
        self._paint_names(painter, grid, shown, size, rows)

    # --- heads -------------------------------------------------------------
    def _paint_heads(self, painter: QPainter, grid: Grid, shown: BeliefShown, size: QRectF) -> None:
        for room, first, last in groups(grid):
            if last > grid.left and first < size.width():
                self._paint_room(painter, shown.rooms.get(room, "Elsewhere"), max(first, grid.left), last)
        for column, x in grid.columns:
            if x + grid.wide > grid.left and x < size.width():
                self._paint_place(painter, grid, shown, column, x)

    def _paint_room(self, painter: QPainter, name: str, first: float, last: float) -> None:
        theme, high = self._theme, self._theme.px(ROOMS)
        room = QRectF(first, 0, last - first + theme.px(2), high)
        draw_text(painter, theme, room, shortened(theme, name, room.width()), "small", "muted", 600)
        painter.setPen(QPen(theme.colour("line_strong"), 1))
        painter.drawLine(QPointF(first, high + 0.5), QPointF(last - 1, high + 0.5))

    def _paint_place(self, painter: QPainter, grid: Grid, shown: BeliefShown, column: Column, x: float) -> None:
        theme = self._theme
        on = shown.place in column.places or (shown.selected is not None and shown.selected[1] in column.places)
        painter.save()
        painter.translate(x + grid.wide / 2, grid.top - 4)
        painter.rotate(-90)
        high = theme.px(16)
        tone = "selection" if on else "faint" if column.folded else "muted"
        room = QRectF(0, -high / 2, grid.top - theme.px(ROOMS) - 9, high)
        draw_text(painter, theme, room, column.label, "small", tone, 600 if on else 400)
        painter.restore()

    # --- cells -------------------------------------------------------------
    def _paint_cells(self, painter: QPainter, grid: Grid, shown: BeliefShown, size: QRectF, rows: list[Row]) -> None:
        columns = [(c, x) for c, x in grid.columns if x + grid.wide > grid.left and x < size.width()]
        for row, top, high in rows:
            values = RowValues.of(shown.belief, row)
            empty = self._theme.colour("raised" if values.wanted or row == shown.pointed else "sunken")
            for column, x in columns:
                rect = QRectF(x, top, grid.wide - 1, high - 1)
                p = values.probability_of(column)
                ground = heat(self._theme, p, shown.scale) if p > 0 else empty
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(ground)
                painter.drawRoundedRect(rect, 2, 2)
                self._paint_marks(painter, values, column, rect, p, shown.text(row, p), ground)
                self._paint_flips(painter, rect, shown.flips(row, column), ground)
            if beside := shown.beside(row):
                room = QRectF(grid.left + self._theme.px(6), top, size.width() - grid.left, high)
                draw_text(painter, self._theme, room, beside, "small", "good", 600)
        if shown.selected is not None:
            self._paint_selected(painter, grid, shown.selected)

    def _paint_marks(self, painter: QPainter, values: RowValues, column: Column, rect: QRectF, p: float, text: str,
                     ground: QColor) -> None:
        theme, place, single = self._theme, column.places[0], not column.folded
        pinned = single and values.pinned[place]
        if values.located and p >= 0.5:
            centre = rect.center()
            draw_mark(painter, "ring", centre.x(), centre.y(), theme.px(3.2), None, ink_on(ground.name()))
        elif single and values.zeroed[place]:
            self._paint_cross(painter, rect.center())
        elif text and (values.wanted or rect.height() >= theme.px(18)):
            room = rect.adjusted(-1, theme.px(5) if pinned and rect.height() > theme.px(20) else 0, 1, 0)
            draw_text(painter, theme, room, text, "micro", ink_on(ground.name()), 600 if p > 0.1 else 400, CENTRE, elide=False)
        elif single and p <= 0 and not values.located:
            self._paint_ruled_out(painter, rect.center(), barred=values.barred[place], looked=values.looked[place])
        if pinned:
            self._paint_pin(painter, rect, ink_on(ground.name()))

    def _paint_flips(self, painter: QPainter, rect: QRectF, flips: tuple[float, ...], ground: QColor) -> None:
        """Paints a small triangle at the lower edge of a cell for each probability at which the decision changes, 0 to 1."""
        radius, ink = self._theme.px(2), ink_on(ground.name())
        for at in flips:
            x = rect.x() + radius + (rect.width() - 2 * radius) * at
            draw_mark(painter, "triangle", x, rect.bottom() - radius, radius, ink)

    def _paint_ruled_out(self, painter: QPainter, centre: QPointF, *, barred: bool, looked: bool) -> None:
        """Paints why a place has no probability: the goal rules it out, or the robot looked and found nothing."""
        theme = self._theme
        if barred:
            side = theme.px(9)
            painter.drawPixmap(QPointF(centre.x() - side / 2, centre.y() - side / 2), theme.pixmap("goal", side, "faint"))
        elif looked:
            painter.setPen(QPen(theme.colour("faint"), 1.2))
            painter.drawLine(QPointF(centre.x() - theme.px(3), centre.y()), QPointF(centre.x() + theme.px(3), centre.y()))

    def _paint_cross(self, painter: QPainter, centre: QPointF) -> None:
        half = self._theme.px(3.5)
        painter.setPen(QPen(self._theme.colour("operator_act"), 1.6))
        painter.drawLine(QPointF(centre.x() - half, centre.y() - half), QPointF(centre.x() + half, centre.y() + half))
        painter.drawLine(QPointF(centre.x() - half, centre.y() + half), QPointF(centre.x() + half, centre.y() - half))

    def _paint_pin(self, painter: QPainter, rect: QRectF, ink: QColor) -> None:
        """Paints a pin at the top of the cell: the operator's colour, outlined in the text colour of the cell."""
        x, y, r = rect.center().x(), rect.y() + self._theme.px(2.5), self._theme.px(2)
        painter.setPen(QPen(ink, 1))
        painter.setBrush(self._theme.colour("operator_act"))
        painter.drawEllipse(QPointF(x, y + 0.5), r, r)
        painter.drawLine(QPointF(x, y + r), QPointF(x, y + 2 * r + 0.5))

    def _paint_selected(self, painter: QPainter, grid: Grid, cell: Cell) -> None:
        for row, top, high in grid.rows:
            for column, x in grid.columns:
                if row == cell[0] and cell[1] in column.places:
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.setPen(QPen(self._theme.colour("selection"), 2))
                    painter.drawRoundedRect(QRectF(x - 1, top - 1, grid.wide + 1, high + 1), 3, 3)

    # --- names -------------------------------------------------------------
    def _paint_names(self, painter: QPainter, grid: Grid, shown: BeliefShown, size: QRectF, rows: list[Row]) -> None:
        with saved(painter):
            painter.setClipRect(QRectF(0, grid.top - 2, grid.left - 2, size.height() - grid.top + 2))
            for row, top, high in rows:
                self._paint_name(painter, grid, shown, row, QRectF(0, top, grid.left, high))

    def _paint_name(self, painter: QPainter, grid: Grid, shown: BeliefShown, row: int, rect: QRectF) -> None:
        theme, wanted = self._theme, shown.belief.wanted[row]
        on = shown.selected is not None and shown.selected[0] == row
        x = theme.px(NAME_AT[wanted])
        if wanted:
            side = theme.px(12)
            painter.drawPixmap(QPointF(theme.px(8), rect.center().y() - side / 2),
                               theme.pixmap("goal", side, "selection" if on else "muted"))
        tone = "selection" if on else "text" if wanted or row == shown.pointed else "muted"
        (role, weight), room = LETTERING[wanted], QRectF(x, rect.y() - 1, grid.left - x - theme.px(6), rect.height())
        draw_text(painter, theme, room, shown.called(row), role, tone, weight)


def groups(grid: Grid) -> list[tuple[str, float, float]]:
    """Returns (room, left, right) of each group of neighbouring columns of one room, in pixels."""
    found: list[tuple[str, float, float]] = []
    for column, x in grid.columns:
        if found and found[-1][0] == column.room:
            found[-1] = (column.room, found[-1][1], x + grid.wide)
        else:
            found.append((column.room, x, x + grid.wide))
    return found


def shortened(theme: Theme, name: str, width: float) -> str:
    """Returns a room's name, shortened to fit a width in pixels (Bathroom, Bath, Bat, Ba), or an empty text."""
    candidates = (name, name.removesuffix(" room").removesuffix("room"), name[:3], name[:2])
    return next((c for c in candidates if text_width(theme, c, "small", 600) <= width), "")


class Legend(PaintedWidget):
    """The heat scale from 0 to 1 as a strip."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._scale: Scale = "square root"
        self.restyle()

    def show_scale(self, scale: Scale) -> None:
        """Shows another scale."""
        self._scale = scale
        self.restyle()

    def restyle(self) -> None:
        """Takes the sizes of the theme again."""
        self.setFixedSize(self._theme.px(96), self._theme.px(22))
        self.setToolTip(f"Probability 0 to 1, {self._scale} scale")
        self.setAccessibleName(self.toolTip())
        self.update()

    def paint(self, painter: QPainter) -> None:
        """Paints the strip between the labels 0 and 1."""
        theme, px = self._theme, self._theme.px
        strip = QRectF(px(16) + 0.5, self.height() / 2 - px(3.5), px(64), px(7))
        colours = QLinearGradient(strip.left(), 0, strip.right(), 0)
        for k in range(11):
            colours.setColorAt(k / 10, heat(theme, k / 10, self._scale))
        draw_text(painter, theme, QRectF(0, 0, px(12), self.height()), "0", "micro", "faint", align=RIGHT)
        painter.setPen(QPen(theme.colour("line_strong"), 1))
        painter.setBrush(colours)
        painter.drawRoundedRect(strip, 2, 2)
        draw_text(painter, theme, QRectF(px(84), 0, px(12), self.height()), "1", "micro", "faint")
