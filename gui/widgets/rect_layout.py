"""What trees and graphs that are laid out have in common: rectangles, found by place, on a canvas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from gui.theme import Theme
from gui.widgets.canvas import Canvas, Rect


@dataclass(frozen=True, slots=True)
class RectLayout:
    """Items and their places.

    Attributes:
        rects: (n, 4) float64: x, y, width, height of each item.
        size: width and height of the whole.
    """

    rects: npt.NDArray[np.float64]
    size: tuple[float, float]

    def within(self, x: float, y: float, width: float, height: float) -> list[int]:
        """Items a rectangle touches."""
        r = self.rects
        inside = (r[:, 0] < x + width) & (r[:, 0] + r[:, 2] > x) & (r[:, 1] < y + height) & (r[:, 1] + r[:, 3] > y)
        return [int(k) for k in np.flatnonzero(inside)]

    def at(self, x: float, y: float) -> int | None:
        """The item under a point."""
        found = self.within(x, y, 0.01, 0.01)
        return found[0] if found else None


L = TypeVar("L", bound=RectLayout)


class RectLayoutCanvas(Canvas, Generic[L]):
    """A canvas of what is laid out; a subclass paints it."""

    def __init__(self, theme: Theme, name: str, laid: L):
        super().__init__(theme, name)
        self.laid = laid

    def extent(self) -> tuple[float, float]:
        """The layout's size."""
        return self.laid.size

    def rect_of(self, index: int) -> Rect | None:
        """Where an item lies."""
        if not 0 <= index < len(self.laid.rects):
            return None
        x, y, width, height = (float(v) for v in self.laid.rects[index])
        return x, y, width, height

    def item_near(self, x: float, y: float) -> int:
        """The item under a point."""
        found = self.laid.at(x, y)
        return -1 if found is None else found
