"""Which parts of a drawing touch: the rows of objects as boxes with one upright axis, and the gaps between them.

Every part is turned about the vertical only, and a lying cylinder lies flat. So the gap between two parts is the larger of
an upright one, between two intervals, and a flat one, between two rectangles on the plan. A negative gap is an overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.geometry.model import Thing
from sim.rendering.instances import KEPT, Rows, thing_rows

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

ROUND = 0.82
"""Scale of the boxes that stand for cylinders and balls across their axis, so that the areas are about equal."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """The parts of several objects, n in all.

    Attributes:
        owner: (n,) index of the object each part belongs to, ascending.
        centre: (n, 3) middles, metres.
        axis: (n, 2) unit vectors on the plan along the first half extent.
        half: (n, 3) half extents along `axis`, across it, and upright, metres.
    """

    owner: Indices
    centre: Floats
    axis: Floats
    half: Floats

    @classmethod
    def of(cls, things: Sequence[Thing]) -> Blocks:
        """Returns the parts of the objects as they are drawn."""
        return cls._joined([_measures_of(t) for t in things])

    @classmethod
    def of_rows(cls, rows: Rows) -> Blocks:
        """Returns the rows as parts of one object."""
        return cls._joined([_measures(rows)])

    @classmethod
    def _joined(cls, parts: Sequence[Floats]) -> Blocks:
        owner = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
        return cls(owner, *np.split(np.concatenate([np.empty((0, 8)), *parts]), (3, 5), axis=1))

    @property
    def low(self) -> Floats:
        """The (n,) lower ends, metres."""
        return self.centre[:, 2] - self.half[:, 2]

    @property
    def high(self) -> Floats:
        """The (n,) upper ends, metres."""
        return self.centre[:, 2] + self.half[:, 2]

    def reach(self, along: Floats) -> Floats:
        """Returns how far each part reaches from its middle along a direction on the plan: (n,) for one (2,) or n of them."""
        across = np.column_stack((-self.axis[:, 1], self.axis[:, 0]))
        w, d = self.half[:, 0], self.half[:, 1]
        reach: Floats = w * np.abs((self.axis * along).sum(1)) + d * np.abs((across * along).sum(1))
        return reach

    @cached_property
    def extent(self) -> Floats:
        """The (n, 2) half extents along x and y, metres."""
        a, (x, y) = np.abs(self.axis), self.half[:, :2].T
        return np.column_stack((x * a[:, 0] + y * a[:, 1], x * a[:, 1] + y * a[:, 0]))

    def taken(self, chosen: Indices | Mask) -> Blocks:
        """Returns some of the parts."""
        return Blocks(self.owner[chosen], self.centre[chosen], self.axis[chosen], self.half[chosen])


@lru_cache(maxsize=KEPT)
def _measures_of(thing: Thing) -> Floats:
    return _measures(thing_rows(thing))


def _measures(rows: Rows) -> Floats:
    """Returns (n, 8): centre, axis and half extents of each row."""
    x, y, z, w = rows["turn"].astype(float).T
    half, lying = rows["half"].astype(float), np.abs(x) + np.abs(y) > 0.1
    axis = np.column_stack((1 - 2 * (y * y + z * z), 2 * (x * y + z * w)))
    half[rows["mesh"] > 0, :2] *= ROUND
    half[lying] = half[lying][:, (0, 2, 1)]
    return np.column_stack((rows["pos"], axis / np.linalg.norm(axis, axis=1, keepdims=True), half))


def separation(a: Blocks, b: Blocks) -> tuple[Floats, Floats]:
    """Returns the gaps on the plan between parts of `a` and of `b`, pair by pair: (n,) metres, and (n, 2) unit vectors to b.

    Moved by its gap along its vector, a part of `a` touches the other, or comes nearer if they face each other's corners.
    """
    apart = b.centre[:, :2] - a.centre[:, :2]
    gap, vector = np.full(len(apart), -np.inf), np.zeros_like(apart)
    for axis in (a.axis, b.axis):
        for along in (axis, np.column_stack((-axis[:, 1], axis[:, 0]))):
            distance = (apart * along).sum(1)
            found = np.abs(distance) - a.reach(along) - b.reach(along)
            larger = found > gap
            gap = np.where(larger, found, gap)
            vector[larger] = (along * np.sign(distance)[:, None])[larger]
    return gap, vector


def flat_gaps(a: Blocks, b: Blocks) -> Floats:
    """Returns the gaps on the plan between parts of `a` and of `b`, pair by pair, metres."""
    return separation(a, b)[0]


def upright_gaps(a: Blocks, b: Blocks) -> Floats:
    """Returns the gaps along z between the parts of `a` and those of `b`, pair by pair, metres."""
    return np.maximum(b.low - a.high, a.low - b.high)


def near_pairs(a: Blocks, b: Blocks, flat: float, upright: float = np.inf) -> tuple[Indices, Indices]:
    """Returns the pairs (index in a, index in b) whose boxes along x and y are at most `flat` apart, along z `upright`."""
    low_a, low_b = a.centre[:, 0] - a.extent[:, 0], b.centre[:, 0] - b.extent[:, 0]
    high_a, high_b = low_a + 2 * a.extent[:, 0] + flat, low_b + 2 * b.extent[:, 0] + flat
    first, second = _beginning_within(low_a, high_a, low_b, "left")
    later, earlier = _beginning_within(low_b, high_b, low_a, "right")
    first, second = np.concatenate((first, earlier)), np.concatenate((second, later))
    keep = np.abs(a.centre[first, 1] - b.centre[second, 1]) <= a.extent[first, 1] + b.extent[second, 1] + flat
    first, second = first[keep], second[keep]
    if upright < np.inf:
        keep = np.abs(a.centre[first, 2] - b.centre[second, 2]) <= a.half[first, 2] + b.half[second, 2] + upright
        first, second = first[keep], second[keep]
    return first, second


def _beginning_within(low: Floats, high: Floats, begins: Floats, side: Literal["left", "right"]) -> tuple[Indices, Indices]:
    """Returns the pairs (interval, other) of which the other begins within the first, but for `side` "right" not with it."""
    order = np.argsort(begins)
    begin, end = np.searchsorted(begins[order], low, side), np.searchsorted(begins[order], high, "right")
    counts = np.maximum(end - begin, 0)
    place = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts - begin, counts)
    return np.repeat(np.arange(len(low)), counts), order[place]
