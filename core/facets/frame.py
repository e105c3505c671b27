"""A picture of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from core.facets.base import Facet

View = Literal["first person", "dollhouse"]


@dataclass(frozen=True, slots=True)
class Frame(Facet):
    """A picture of the world.

    Attributes:
        pixels: (H, W, 3) uint8, RGB, read-only.
        ids: (H, W) uint16; `names[ids[y, x]]` is the entity under a pixel, "" for none; None where a world has no ids.
        boxes: pixel boxes x0, y0, x1, y1 (exclusive) of the entities in sight.
        matrix: 16 numbers, row by row: world (x, y, z, 1) in metres to clip space (OpenGL); empty where a world has none.
        notice: why this picture is less than it could be (no OpenGL), or empty.
    """

    view: View
    pixels: npt.NDArray[np.uint8]
    ids: npt.NDArray[np.uint16] | None
    names: tuple[str, ...]
    boxes: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    notice: str = ""
    matrix: tuple[float, ...] = ()
