"""The three meshes, from -1 to 1: vertices (n, 6) float32 of position and normal, triangles (m, 3) int32.

Seen from outside all triangles are counter-clockwise, so that back faces can be culled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Mesh(NamedTuple):
    """Vertices and triangles."""

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]


def box() -> Mesh:
    """Returns a cube with four vertices per face, for sharp edges."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (-1, 1):
            normal = np.zeros(3)
            normal[axis] = sign
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            start = len(vertices)
            corners = ((-1, -1), (1, -1), (1, 1), (-1, 1)) if sign > 0 else ((-1, -1), (-1, 1), (1, 1), (1, -1))
            vertices += [[*(normal + a * u + b * v), *normal] for a, b in corners]
            triangles += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Mesh(np.array(vertices, np.float32), np.array(triangles, np.int32))


def cylinder(sides: int = 24) -> Mesh:
    """Returns a closed cylinder, upright along z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring, flat = np.column_stack((np.cos(angle), np.sin(angle))), np.zeros(sides)
    one, k = np.ones(sides), np.arange(sides)
    after = (k + 1) % sides
    sheets = [np.column_stack((ring, z * one, ring, flat)) for z in (-1, 1)]
    caps = [np.column_stack((ring, z * one, flat, flat, z * one)) for z in (-1, 1)]
    middles = np.array([(0, 0, -1, 0, 0, -1), (0, 0, 1, 0, 0, 1)])
    low, high, bottom, top, middle = (j * sides for j in range(5))
    triangles = [(low + k, low + after, high + after), (low + k, high + after, high + k),
                 (middle + 0 * k, bottom + after, bottom + k), (middle + 1 + 0 * k, top + k, top + after)]
    return Mesh(np.concatenate([*sheets, *caps, middles]).astype(np.float32),
                np.concatenate([np.column_stack(t) for t in triangles]).astype(np.int32))


def ball(around: int = 28, rings: int = 16) -> Mesh:
    """Returns a sphere with its poles on z."""
    theta, phi = np.pi * np.arange(rings + 1) / rings, 2 * np.pi * np.arange(around) / around
    t, p = (grid.ravel() for grid in np.meshgrid(theta, phi, indexing="ij"))
    points = np.column_stack((np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)))
    j, i = (grid.ravel() for grid in np.meshgrid(np.arange(rings), np.arange(around), indexing="ij"))
    a, b = j * around + i, j * around + (i + 1) % around
    c, d = a + around, b + around
    triangles = np.concatenate((np.column_stack((a, c, d)), np.column_stack((a, d, b))))
    return Mesh(np.concatenate((points, points), axis=1).astype(np.float32), triangles.astype(np.int32))
