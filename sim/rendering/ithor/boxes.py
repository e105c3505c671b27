"""iTHOR's boxes in our axes, and the true sides of turned objects.

AI2-THOR is left-handed with y up and turns clockwise seen from above. (x, y, z) -> (x, z, y) makes it right-handed with z up,
and the yaw becomes -rotation.y. The front of an asset, +z there, is then +y here, as the builders expect.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim.geometry import rects
from sim.geometry.model import Rect

Metadata = dict[str, Any]
"""One object of a scene, as AI2-THOR describes it."""
Sides = tuple[float, float]
"""Width and depth, metres."""
AssetSides = dict[str, Sides]
"""Width and depth of each asset in its own frame, learnt from all rooms it stands in."""

MIN_SIDE = 0.004
"""Shortest side of a box, metres."""
SAME_EQUATION = 0.3
"""The two equations of `unturn` are not solved below this determinant. Near 45 degrees they are almost the same."""


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned box.

    Attributes:
        rect: on the plan, metres.
        z0, z1: bottom and top, metres.
    """

    rect: Rect
    z0: float
    z1: float

    @classmethod
    def of(cls, obj: Metadata) -> Box:
        """Returns the box of one object's metadata."""
        c, s = obj["axisAlignedBoundingBox"]["center"], obj["axisAlignedBoundingBox"]["size"]
        rect = (c["x"] - s["x"] / 2, c["z"] - s["z"] / 2, c["x"] + s["x"] / 2, c["z"] + s["z"] / 2)
        return cls(rect, c["y"] - s["y"] / 2, c["y"] + s["y"] / 2)

    @property
    def centre(self) -> tuple[float, float]:
        """Returns the middle on the plan."""
        return rects.centre(self.rect)

    @property
    def sides(self) -> Sides:
        """Returns the extents along x and y, at least MIN_SIDE."""
        return max(self.rect[2] - self.rect[0], MIN_SIDE), max(self.rect[3] - self.rect[1], MIN_SIDE)

    @property
    def height(self) -> float:
        """Returns the extent along z, at least MIN_SIDE."""
        return max(self.z1 - self.z0, MIN_SIDE)

    @property
    def thin_axis(self) -> int:
        """Returns 0 if the box is thinner along x, 1 along y. This is the normal of what hangs flat."""
        return 0 if self.sides[0] < self.sides[1] else 1


def unturn(sides: Sides, angle: float) -> Sides | None:
    """Returns width and depth of a box turned by `angle`, from its axis-aligned sides; None if they cannot be derived.

    The sides are A = w|cos| + d|sin| and D = w|sin| + d|cos|.
    """
    c, s = abs(math.cos(angle)), abs(math.sin(angle))
    det = c * c - s * s
    if abs(det) < SAME_EQUATION:
        return None
    w, d = (sides[0] * c - sides[1] * s) / det, (sides[1] * c - sides[0] * s) / det
    return (max(w, MIN_SIDE), max(d, MIN_SIDE)) if w > -0.02 and d > -0.02 else None


def asset_sides(scenes: Iterable[list[Metadata]]) -> AssetSides:
    """Returns width and depth of every asset, learnt from the rooms where it is not turned by about 45 degrees."""
    seen: dict[str, list[Sides]] = {}
    for obj in (o for scene in scenes for o in scene if o.get("assetId")):
        sides = unturn(Box.of(obj).sides, math.radians(obj["rotation"]["y"]))
        if sides:
            seen.setdefault(obj["assetId"], []).append(sides)
    return {a: (statistics.median(w for w, _ in v), statistics.median(d for _, d in v)) for a, v in seen.items()}


def fitted(sides: Sides, angle: float, asset: Sides) -> Sides:
    """Returns the asset's own proportions scaled to the box. Used near 45 degrees."""
    w, d = asset
    scale = (sides[0] + sides[1]) / ((w + d) * (abs(math.cos(angle)) + abs(math.sin(angle))))
    return w * scale, d * scale
