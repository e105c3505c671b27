"""Cameras and pictures: matrices, a first-person pose, a dollhouse pose that fits the house, and what a renderer returns.

Matrices are 4x4 float64 arrays for column vectors in OpenGL's conventions. Lengths are metres.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.common.errors import RendererError
from core.simulator.orbit import FOV, Extent, Orbit, fitted
from sim.geometry.model import EYE_HEIGHT, House, Vector

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """Viewpoint of a picture.

    Attributes:
        eye, target: where it is and what it looks at, metres.
        fov: vertical field of view, degrees.
        near, far: depth range, metres.
        indoors: True under ceilings and between full walls, False for the dollhouse.
    """

    eye: Vector
    target: Vector
    fov: float = 70.0
    near: float = 0.05
    far: float = 40.0
    indoors: bool = True

    @property
    def tilt(self) -> float:
        """How far it looks down, radians."""
        dx, dy, dz = (a - b for a, b in zip(self.target, self.eye, strict=True))
        return math.atan2(-dz, math.hypot(dx, dy))

    def view(self) -> Matrix:
        """Returns the 4x4 matrix from the house to the camera's frame (x right, y up, looking along -z)."""
        return look_at(self.eye, self.target)

    def projection(self, aspect: float) -> Matrix:
        """Returns the 4x4 perspective matrix for a picture `aspect` times as wide as it is high."""
        t = math.tan(math.radians(self.fov) / 2)
        m = np.zeros((4, 4))
        m[0, 0], m[1, 1], m[3, 2] = 1 / (t * aspect), 1 / t, -1
        m[2, 2] = -(self.far + self.near) / (self.far - self.near)
        m[2, 3] = -2 * self.far * self.near / (self.far - self.near)
        return m


def look_at(eye: Vector, target: Vector) -> Matrix:
    """Returns the 4x4 view matrix from `eye` to `target` with z up.

    Straight up or down, +y of the house is up in the picture.
    """
    e = np.array(eye, float)
    forward = np.array(target, float) - e
    forward /= np.linalg.norm(forward)
    side = np.cross(forward, (0.0, 0.0, 1.0))
    if np.linalg.norm(side) < 1e-6:
        side = np.array((1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    m = np.eye(4)
    m[:3, :3] = side, np.cross(side, forward), -forward
    m[:3, 3] = -m[:3, :3] @ e
    return m


def orthographic(radius: float, near: float, far: float) -> Matrix:
    """Returns the 4x4 parallel projection of a square 2·`radius` metres wide."""
    m = np.diag([1 / radius, 1 / radius, -2 / (far - near), 1.0])
    m[2, 3] = -(far + near) / (far - near)
    return m


def first_person(x: float, y: float, yaw: float, pitch: float = -0.25, height: float = EYE_HEIGHT, fov: float = 70.0) -> Camera:
    """Returns the camera of a robot at (x, y). `yaw` (0 is +y, counter-clockwise) and `pitch` are in radians."""
    flat = math.cos(pitch)
    target = (x - math.sin(yaw) * flat, y + math.cos(yaw) * flat, height + math.sin(pitch))
    return Camera((x, y, height), target, fov)


def dollhouse(house: House, aspect: float) -> Camera:
    """Returns a camera south of the house and above it, with the house centred and as large as possible.

    Args:
        house: what to show.
        aspect: width of the picture over its height.
    """
    return orbiting(fitted(extent_of(house), aspect))


def extent_of(house: House) -> Extent:
    """Returns the box around all rooms."""
    return Extent(*house.bounds(), house.height)


def orbiting(orbit: Orbit) -> Camera:
    """Returns the camera of a free viewpoint. Its `near` leaves room for what stands before the point it looks at."""
    return Camera(orbit.eye, (orbit.x, orbit.y, 0.0), FOV, min(1.0, orbit.distance / 8), orbit.distance + 60, indoors=False)


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
        plan: the parallel projection of a plan, which has no viewpoint; None: it is a picture of the camera.
    """

    pixels: NDArray[np.uint8]
    ids: NDArray[np.uint16]
    names: tuple[str, ...]
    camera: Camera
    plan: Matrix | None = None

    @property
    def matrix(self) -> Matrix:
        """The 4x4 matrix from the house to clip space."""
        height, width = self.ids.shape
        return self.camera.projection(width / height) @ self.camera.view() if self.plan is None else self.plan


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
    return boxes_of(picture.ids, picture.names, least)


def boxes_of(ids: NDArray[np.uint16], names: tuple[str, ...], least: int = 12) -> dict[str, Box]:
    """Returns the same for (H, W) indices into `names`."""
    count = len(names)
    totals = np.bincount(ids.ravel(), minlength=count)
    x0, x1 = _extent(ids, count)
    y0, y1 = _extent(ids.T, count)
    shown = np.flatnonzero(totals[:count] >= max(least, 1))
    return {names[n]: (int(x0[n]), int(y0[n]), int(x1[n]), int(y1[n])) for n in shown.tolist() if n}


def packed(colours: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """Returns (..., 3) colours as one number each."""
    wide = colours.astype(np.uint32)
    return np.asarray(wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2], np.uint32)


def ids_of(segments: NDArray[np.uint8], numbers: Mapping[int, int]) -> NDArray[np.uint16]:
    """Returns the number of each pixel of a segmentation picture: `numbers` of its packed colour, 0 for other colours."""
    values, inverse = np.unique(packed(segments), return_inverse=True)
    lookup = np.array([numbers.get(int(value), 0) for value in values], np.uint16)
    return np.asarray(lookup[inverse].reshape(segments.shape[:2]), np.uint16)


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
