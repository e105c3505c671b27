"""The positions of the heatmap's rows and columns, and the cell at a point. No painting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from core.planning.facets import Belief
from gui.panels.belief.layout import Column

LEFT, ROOMS, GAP = 99, 18, 7
"""Pixels at text size 100 %: width of the object names, height of the room names, gap between rooms."""
SHORTEST, PLACES, LONGEST = 40, 80, 118
"""Pixels for the rotated location names: minimum, maximum in a low panel, maximum in a panel of height `HIGH` or more."""
HIGH = 400
WANTED, LOWEST, HIGHEST = 25, 14, 19
LEAST_WIDTH, WIDEST = 14, 46


@dataclass(frozen=True, slots=True)
class Grid:
    """The geometry of a heatmap at a scroll position. All lengths are in pixels.

    Attributes:
        rows: (row of the belief, top, height). Tops include the scroll offset.
        columns: (column, left). Lefts include the scroll offset.
        wide: the width of a column.
        left: the x coordinate where the cells begin.
        top: the y coordinate where the cells begin.
        extent: the width and height of all cells, for the scroll bars.
    """

    rows: tuple[tuple[int, float, float], ...]
    columns: tuple[tuple[Column, float], ...]
    wide: float
    left: float
    top: float
    extent: tuple[float, float]

    def row_at(self, y: float) -> int:
        """Returns the index in `rows` of the row at a y coordinate, or -1."""
        return next((k for k, (_, top, high) in enumerate(self.rows) if top <= y < top + high), -1) if y >= self.top else -1

    def column_at(self, x: float) -> int:
        """Returns the index in `columns` of the column at an x coordinate, or -1."""
        if x < self.left:
            return -1
        return next((k for k, (_, left) in enumerate(self.columns) if left <= x < left + self.wide), -1)


def room_for(width: float, rooms: int, px: Callable[[float], int]) -> int:
    """Returns how many columns of the least width fit side by side.

    Args:
        width: of the viewport, in pixels.
        rooms: the number of rooms, which gaps separate.
        px: scales pixels at text size 100 % to the theme's text size.
    """
    return int((width - px(LEFT) - 8 - px(GAP) * max(0, rooms - 1)) // px(LEAST_WIDTH))


def grid(belief: Belief, order: tuple[int, ...], columns: tuple[Column, ...], size: tuple[float, float],
         px: Callable[[float], int], scrolled: tuple[int, int] = (0, 0), longest: float = PLACES) -> Grid:
    """Returns the geometry of a heatmap.

    Columns and rows share the viewport within their least and greatest sizes. A column is at least as wide as a number. What
    does not fit is scrolled.

    Args:
        belief: tells wanted rows, which are higher, from the others.
        order: the rows of the belief, from top to bottom.
        columns: from left to right.
        size: width and height of the viewport, in pixels.
        px: scales pixels at text size 100 % to the theme's text size.
        scrolled: the scroll offset (across, down), in pixels.
        longest: the width of the longest location name, in pixels.
    """
    names = min(px(LONGEST) if size[1] >= px(HIGH) else px(PLACES), max(px(SHORTEST), longest + px(10)))
    left, top = float(px(LEFT)), px(ROOMS) + names + 4
    breaks = sum(1 for one, other in pairwise(columns) if one.room != other.room)
    wide = (size[0] - left - 8 - px(GAP) * breaks) / max(1, len(columns))
    wide = min(float(px(WIDEST)), max(float(px(LEAST_WIDTH)), wide))
    placed, x = [], left - scrolled[0]
    for k, column in enumerate(columns):
        x += px(GAP) if k and columns[k - 1].room != column.room else 0
        placed.append((column, x))
        x += wide
    rows, y = _rows(belief, order, top, size[1] - top - 4, px, scrolled[1])
    return Grid(rows, tuple(placed), wide, left, top, (x + scrolled[0] - left, y + scrolled[1] - top))


def _rows(belief: Belief, order: tuple[int, ...], top: float, room: float, px: Callable[[float], int],
          down: int) -> tuple[tuple[tuple[int, float, float], ...], float]:
    wanted = sum(1 for r in order if belief.wanted[r])
    rest = len(order) - wanted
    between = px(6) if wanted and rest else 0
    high = (room - wanted * px(WANTED) - between) / max(1, rest)
    high = min(float(px(HIGHEST)), max(float(px(LOWEST)), high))
    found, y = [], top - down
    for k, r in enumerate(order):
        y += between if rest and wanted and k == wanted else 0
        step = float(px(WANTED)) if belief.wanted[r] else high
        found.append((r, y, step))
        y += step
    return tuple(found), y
