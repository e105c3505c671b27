"""The statistics in a LeRobot dataset. Training scales its inputs by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}
LEVELS = 256
Stats = dict[str, Any]
"""Lists of numbers under min, max, mean, std, count and the names of `QUANTILES`."""

def stats_of(columns: Mapping[str, Any]) -> dict[str, Stats]:
    """Returns the statistics of every column of numbers."""
    return {name: _numbers(column) for name, column in columns.items() if isinstance(column, np.ndarray)}


def _numbers(column: npt.NDArray[Any]) -> Stats:
    values = column.reshape(len(column), -1).astype(np.float64)
    found = {"min": values.min(0), "max": values.max(0), "mean": values.mean(0), "std": values.std(0)}
    found |= {name: np.quantile(values, q, axis=0) for name, q in QUANTILES.items()}
    return {name: value.tolist() for name, value in found.items()} | {"count": [len(column)]}


class PictureStats:
    """Statistics of pictures, per colour.

    Attributes:
        count: number of pictures.
        levels: (3, 256) number of pixels with each level of red, green and blue.
    """

    def __init__(self) -> None:
        self.count = 0
        self.levels = np.zeros((3, LEVELS), np.int64)

    def add(self, pixels: npt.NDArray[np.uint8]) -> None:
        """Adds one picture, shape (H, W, 3)."""
        self.count += 1
        for colour in range(3):
            self.levels[colour] += np.bincount(pixels[..., colour].reshape(-1), minlength=LEVELS)

    @classmethod
    def total(cls, parts: Iterable[PictureStats]) -> PictureStats:
        """Returns the statistics of the pictures of all parts."""
        result = cls()
        for part in parts:
            result.count += part.count
            result.levels += part.levels
        return result

    def as_lists(self) -> Stats:
        """Returns the statistics in LeRobot's form: of brightness 0 to 1, each of shape (3, 1, 1)."""
        values, share = np.arange(LEVELS) / (LEVELS - 1), self.levels / self.levels.sum(1, keepdims=True)
        reached, mean = share.cumsum(1), share @ values
        found = {"min": values[np.argmax(share > 0, axis=1)], "max": values[LEVELS - 1 - np.argmax(share[:, ::-1] > 0, axis=1)],
                 "mean": mean, "std": np.sqrt(np.maximum(0.0, share @ values**2 - mean**2))}
        found |= {name: values[np.argmax(reached >= q, axis=1)] for name, q in QUANTILES.items()}
        return {name: value.reshape(3, 1, 1).tolist() for name, value in found.items()} | {"count": [self.count]}
