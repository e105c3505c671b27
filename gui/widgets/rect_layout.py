"""The layout and canvas shared by trees and graphs: items as rectangles that are found by position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from gui.theme import Theme
from gui.widgets.canvas import Canvas, Rect


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

    def at(self, x: float, y: float) -> int | None:
        """Returns the item under a point; None or -1 if there is none."""
        found = self.within(x, y, 0.01, 0.01)
        return found[0] if found else None


L = TypeVar("L", bound=RectLayout)


class RectLayoutCanvas(Canvas, Generic[L]):
    """A canvas of a layout. A subclass paints it."""

    def __init__(self, theme: Theme, name: str, laid: L):
        super().__init__(theme, name)
        self.laid = laid

    def extent(self) -> tuple[float, float]:
        """Returns the size of the layout."""
        return self.laid.size

    def rect_of(self, index: int) -> Rect | None:
        """Returns the rectangle of an item, or None."""
        if not 0 <= index < len(self.laid.rects):
            return None
        x, y, width, height = (float(v) for v in self.laid.rects[index])
        return x, y, width, height

    def item_near(self, x: float, y: float) -> int:
        """Returns the item under a point; None or -1 if there is none."""
        found = self.laid.at(x, y)
        return -1 if found is None else found
