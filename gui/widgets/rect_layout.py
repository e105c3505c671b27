"""The layouts of trees and graphs: items as rectangles that are found by position, and the rows of a tree's items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Rect = tuple[float, float, float, float]
"""x, y, width and height."""


@dataclass(frozen=True, slots=True)
class RectLayout:
    """Items with their rectangles.

    Attributes:
        rects: (n, 4) float64: x, y, width and height of each item, in pixels at 100 %.
        size: width and height of the whole layout, in pixels at 100 %.
    """

    rects: npt.NDArray[np.float64]
    size: tuple[float, float]

    def within(self, x: float, y: float, width: float, height: float) -> list[int]:
        """Returns the items that touch a rectangle."""
        r = self.rects
        inside = (r[:, 0] < x + width) & (r[:, 0] + r[:, 2] > x) & (r[:, 1] < y + height) & (r[:, 1] + r[:, 3] > y)
        return [int(k) for k in np.flatnonzero(inside)]

    def at(self, x: float, y: float) -> int:
        """Returns the item under a point, or -1."""
        return next(iter(self.within(x, y, 0.01, 0.01)), -1)


def rows_in_lines(order: Sequence[int], parents: Sequence[int], depth: Sequence[int]) -> list[int]:
    """Returns the row of each item of a tree: the highest row on which its whole line of first children is free.

    Args:
        order: all items, parents before their children.
        parents: the parent of each item, or -1.
        depth: the column of each item.
    """
    first: dict[int, int] = {}
    for item in order:
        first.setdefault(parents[item], item)
    free = [0] * (1 + max(depth))
    rows = [-1] * len(order)
    for item in order:
        if rows[item] >= 0:
            continue
        line, at = [item], item
        while at in first:
            at = first[at]
            line.append(at)
        above = rows[parents[item]] if parents[item] >= 0 else 0
        row = max(above, *(free[depth[member]] for member in line))
        for member in line:
            rows[member] = row
            free[depth[member]] = row + 1
    return rows
