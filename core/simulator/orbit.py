"""A free viewpoint of a house without its roof: a camera that circles around a point of the floor.

The frame is that of the house: metres, z up, the floor at z = 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.world.vocabulary import FloorPoint

FOV = 38.0
"""Vertical field of view of every picture of a house without its roof, degrees."""
TANGENT = math.tan(math.radians(FOV) / 2)
OVERHEAD = math.pi / 2
LOWEST, STEEPEST = math.radians(28), math.radians(88)
"""Limits of the tilt. Lower, the horizon would be in the picture; straight down, a camera has no heading."""
NEAREST = 1.6
"""Least distance, metres."""
FARTHEST, ASIDE = 1.5, 0.75
"""Largest distance, and how far the point may be moved aside: shares of the distance from which the whole house is seen."""
USUAL_TILT = math.radians(56)
"""How far the usual picture looks down, radians."""
NEAR_FRONT = 0.8
"""Height of the walls towards the camera that a picture of the whole house must show, metres."""
ZOOMED_IN, WHOLE = 0.5, 0.9
"""Distances as shares of that from which the whole house is seen: from `WHOLE` on, turning keeps the whole house in the
picture; up to `ZOOMED_IN` it keeps what is in the middle."""
ClipPoint = tuple[float, float]
"""A point of a picture: x to the right and y up, both from -1 to 1."""


class Extent(NamedTuple):
    """The box around all rooms: smallest and largest x and y, and the height of the ceiling, metres."""

    x0: float
    y0: float
    x1: float
    y1: float
    height: float


@dataclass(frozen=True, slots=True)
class Orbit:
    """A viewpoint.

    Attributes:
        x, y: the point of the floor in the middle of the picture, metres.
        distance: from the camera to that point, metres.
        turn: heading of the camera; 0 looks along +y, counter-clockwise, radians.
        tilt: how far the camera looks down, radians: `OVERHEAD` is straight down, as plans are drawn.
    """

    x: float
    y: float
    distance: float
    turn: float = 0.0
    tilt: float = OVERHEAD

    @property
    def is_plan(self) -> bool:
        """Whether it looks straight down. A plan cannot be turned."""
        return self.tilt > STEEPEST + 1e-6

    @property
    def eye(self) -> tuple[float, float, float]:
        """Where the camera is, metres."""
        flat = 0.0 if self.is_plan else math.cos(self.tilt) * self.distance
        return self.x + math.sin(self.turn) * flat, self.y - math.cos(self.turn) * flat, math.sin(self.tilt) * self.distance

    def point_at(self, at: ClipPoint, aspect: float, height: float = 0.0) -> FloorPoint | None:
        """Returns the point at a height that a point of the picture shows; None at or above the horizon, or above the camera.

        Args:
            at: the point of the picture.
            aspect: width of the picture over its height.
            height: above the floor, metres.
        """
        c, s = math.cos(self.turn), math.sin(self.turn)
        flat, down = (0.0, 1.0) if self.is_plan else (math.cos(self.tilt), math.sin(self.tilt))
        right, up = at[0] * TANGENT * aspect, at[1] * TANGENT
        sinks = down - up * flat
        depth = self.eye[2] - (0.0 if self.is_plan else height)  # the lines of sight of a plan are parallel
        if sinks < 1e-3 or depth <= 0:
            return None
        ahead = (flat + up * down) / sinks * depth
        aside = right / sinks * depth
        return self.eye[0] - s * ahead + c * aside, self.eye[1] + c * ahead + s * aside

    # --- moves ---------------------------------------------------------------
    def turned(self, left: float, down: float, extent: Extent | None, aspect: float) -> Orbit:
        """Returns the viewpoint turned by `left` and `down`, radians. A plan is not turned.

        Args:
            left: how far the camera turns to its left.
            down: how much farther down it looks.
            extent: of the house, which stays in the picture if all of it was; None: it is not known.
            aspect: width of the picture over its height.
        """
        if self.is_plan:
            return self
        turn = (self.turn + left + math.pi) % (2 * math.pi) - math.pi
        new = replace(self, turn=turn, tilt=min(max(self.tilt + down, LOWEST), STEEPEST))
        if extent is None:
            return new
        old_fit, fit = (fitted(extent, aspect, orbit.turn, orbit.tilt) for orbit in (self, new))
        share = min(max((self.distance / old_fit.distance - ZOOMED_IN) / (WHOLE - ZOOMED_IN), 0.0), 1.0)
        farther = 1 + share * (fit.distance / old_fit.distance - 1)
        return replace(new, x=self.x + share * (fit.x - old_fit.x), y=self.y + share * (fit.y - old_fit.y),
                       distance=self.distance * farther)

    def nearer(self, factor: float, about: FloorPoint, home: Orbit) -> Orbit:
        """Returns the viewpoint `factor` times as near. What is at `about` (on the floor) stays where it is in the picture."""
        factor = self.distance / min(max(self.distance / factor, NEAREST), FARTHEST * home.distance)
        middle = about[0] + (self.x - about[0]) / factor, about[1] + (self.y - about[1]) / factor
        return replace(self, x=middle[0], y=middle[1], distance=self.distance / factor)._kept(home)

    def moved(self, dx: float, dy: float, home: Orbit) -> Orbit:
        """Returns the viewpoint moved along the floor, in metres of the house."""
        return replace(self, x=self.x + dx, y=self.y + dy)._kept(home)

    def shifted(self, right: float, up: float, home: Orbit) -> Orbit:
        """Returns the viewpoint moved along the floor by shares of the picture's height: to its right and away."""
        c, s, length = math.cos(self.turn), math.sin(self.turn), 2 * TANGENT * self.distance
        return self.moved((c * right - s * up) * length, (s * right + c * up) * length, home)

    def _kept(self, home: Orbit) -> Orbit:
        """Returns the viewpoint with the house still in sight. `home` is the one that shows the whole house."""
        away, most = math.hypot(self.x - home.x, self.y - home.y), ASIDE * home.distance
        share = min(1.0, most / away) if away else 1.0
        return replace(self, x=home.x + (self.x - home.x) * share, y=home.y + (self.y - home.y) * share)


def fitted(extent: Extent, aspect: float, turn: float = 0.0, tilt: float = USUAL_TILT) -> Orbit:
    """Returns the viewpoint in a direction that shows the house centred and as large as possible.

    Args:
        extent: of the house.
        aspect: width of the picture over its height.
        turn: the heading, radians.
        tilt: how far the camera looks down, radians.
    """
    c, s, flat, down = math.cos(turn), math.sin(turn), math.cos(tilt), math.sin(tilt)
    away, right, up = np.array((s * flat, -c * flat, down)), np.array((c, s, 0)), np.array((-s * down, c * down, flat))
    corners = _corners(extent, np.array((-s, c)))
    centre, distance = corners.mean(axis=0), 1.0
    for _ in range(6):  # perspective enlarges the near side: move the middle until both margins agree
        relative = corners - centre
        depth, side, height = relative @ away, relative @ right, relative @ up
        reach = np.maximum(np.abs(side) / (TANGENT * aspect), np.abs(height) / TANGENT)
        distance = float((depth + reach).max())
        for axis, along in ((right, side), (up, height)):
            on_screen = along / (distance - depth)
            centre = centre + axis * float(on_screen.max() + on_screen.min()) / 2 * distance
    distance *= 1.04
    beyond = centre[2] / down  # from the centre along the view to the floor
    middle = centre - away * beyond
    return Orbit(float(middle[0]), float(middle[1]), distance + float(beyond), turn, tilt)


def _corners(extent: Extent, ahead: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns (8, 3) points that must be visible: walls towards the camera are cut low, the others are whole.

    `ahead` is the direction in which the camera looks, along the floor.
    """
    x0, y0, x1, y1, height = extent
    flat = np.array([*product((x0 - 0.1, x1 + 0.1), (y0 - 0.1, y1 + 0.1))])
    depth = flat @ ahead
    back = np.minimum(1.0, 2 * (depth - depth.min()) / (depth.max() - depth.min()))
    low = min(NEAR_FRONT, height)
    tops = np.c_[flat, low + (height - low) * back]
    return np.concatenate((np.c_[flat, np.full(4, -0.1)], tops))


def orbit_of(matrix: Sequence[float]) -> Orbit | None:
    """Returns the viewpoint of a picture.

    Args:
        matrix: 16 numbers, row-major, from the house to clip space: of a camera of this field of view, or of a plan.

    Returns:
        The viewpoint; None if the matrix is missing or is another camera's.
    """
    if len(matrix) != 16:
        return None
    m: npt.NDArray[np.float64] = np.asarray(matrix, float).reshape(4, 4)
    forward = m[3, :3]
    if not forward.any():
        return Orbit(-m[0, 3] / m[0, 0], -m[1, 3] / m[1, 1], 1 / m[1, 1] / TANGENT)
    if abs(float(np.linalg.norm(m[1, :3])) * TANGENT - 1) > 1e-3 or forward[2] > -0.1:
        return None
    eye = np.linalg.solve(m[[0, 1, 3], :3], -m[[0, 1, 3], 3])
    tilt, distance = math.asin(min(1.0, -forward[2])), eye[2] / -forward[2]
    middle = eye + forward * distance
    return Orbit(float(middle[0]), float(middle[1]), float(distance), math.atan2(-forward[0], forward[1]), tilt)
