"""Cameras and pictures: matrices, a first-person pose, a dollhouse pose that fits the house, and what a renderer returns.

Matrices are 4x4 float64 arrays for column vectors in OpenGL's conventions. Lengths are metres.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from core.common.errors import RendererError
from sim.geometry.model import EYE_HEIGHT, House, Vector

Matrix = NDArray[np.float64]
NEAR_FRONT = 0.8  # height of the front walls that a dollhouse picture must show, metres
ELEVATION, DOLLHOUSE_FOV = 56.0, 38.0
"""A dollhouse camera's angle above the ground and its vertical field of view, degrees."""


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
    e, t = math.radians(ELEVATION), math.tan(math.radians(DOLLHOUSE_FOV) / 2)
    away, right, up = np.array((0, -math.cos(e), math.sin(e))), np.array((1.0, 0, 0)), np.array((0, math.sin(e), math.cos(e)))
    corners = _corners(house)
    centre = corners.mean(axis=0)
    distance = 1.0
    for _ in range(6):  # perspective enlarges the near side: move the middle until both margins agree
        relative = corners - centre
        depth, height = relative @ away, relative @ up
        reach = np.maximum(np.abs(relative @ right) / (t * aspect), np.abs(height) / t)
        distance = float((depth + reach).max())
        on_screen = height / (distance - depth)
        centre = centre + up * float(on_screen.max() + on_screen.min()) / 2 * distance
    distance *= 1.04
    eye = centre + away * distance
    return Camera(_vector(eye), _vector(centre), DOLLHOUSE_FOV, 1.0, distance + 60, indoors=False)


def _corners(house: House) -> Matrix:
    """Returns (8, 3) points that must be visible from the south: the front walls are cut low, the back walls are whole."""
    x0, y0, x1, y1 = house.bounds()
    low, high = min(NEAR_FRONT, house.height), house.height
    front = product((x0 - 0.1, x1 + 0.1), (y0 - 0.1,), (-0.1, low))
    back = product((x0 - 0.1, x1 + 0.1), (y1 + 0.1,), (-0.1, high))
    return np.array([*front, *back])


def _vector(v: Matrix) -> Vector:
    return float(v[0]), float(v[1]), float(v[2])


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
