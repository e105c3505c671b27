"""What a renderer returns: colours, entity numbers, and the pixel boxes of visible entities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.common.errors import RendererError
from sim.geometry.model import House
from sim.rendering.cameras import Camera

Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels; x1 and y1 are excluded."""
Size = tuple[int, int]
"""Width and height in pixels."""
LEAST_SIDE, MOST_SIDE = 64, 4096
"""Limits of a picture's sides, pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One picture, top row first.

    Attributes:
        pixels: (H, W, 3) colours.
        ids: (H, W) indices into `names`.
        names: ids of the entities; index 0 is the empty name, which stands for no entity.
        camera: the viewpoint.
    """

    pixels: NDArray[np.uint8]
    ids: NDArray[np.uint16]
    names: tuple[str, ...]
    camera: Camera


def check_request(house: House, size: Size, samples: int) -> None:
    """Refuses what no renderer can draw.

    Raises:
        RendererError: a house without rooms, samples other than 1 and 2, or a side below 64 or above 4096 / `samples` pixels.
    """
    if not house.rooms:
        raise RendererError("This house has no rooms to draw.")
    if samples not in (1, 2) or not all(LEAST_SIDE <= side <= MOST_SIDE // samples for side in size):
        raise RendererError(f"Cannot draw {size[0]}x{size[1]} pixels with {samples} samples: samples are 1 or 2, "
                            f"sides {LEAST_SIDE} to {MOST_SIDE} (half of that with 2 samples).")


def boxes(picture: Picture, least: int = 12) -> dict[str, Box]:
    """Returns the pixel box of each entity with at least `least` visible pixels."""
    ids, count = picture.ids, len(picture.names)
    totals = np.bincount(ids.ravel(), minlength=count)
    x0, x1 = _extent(ids, count)
    y0, y1 = _extent(ids.T, count)
    shown = np.flatnonzero(totals[:count] >= max(least, 1))
    return {picture.names[n]: (int(x0[n]), int(y0[n]), int(x1[n]), int(y1[n])) for n in shown if n}


def _extent(ids: NDArray[np.uint16], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the first column and the last column + 1 of each number.

    A box can only begin or end where a row changes its value.
    """
    width = ids.shape[1]
    changes = np.empty(ids.shape, bool)
    changes[:, 0] = True
    np.not_equal(ids[:, 1:], ids[:, :-1], out=changes[:, 1:])
    starts = np.flatnonzero(changes)
    ends = np.append(starts[1:], ids.size)
    numbers = ids[changes]
    first, last = np.full(max(count, int(numbers.max()) + 1), width), np.zeros(max(count, int(numbers.max()) + 1), np.int64)
    np.minimum.at(first, numbers, starts % width)
    np.maximum.at(last, numbers, (ends - 1) % width + 1)
    return first, last
