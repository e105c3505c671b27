"""The row of one primitive, and batches of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.geometry.model import Vector
from sim.rendering.shapes.kit import Prim

Rows = NDArray[np.void]

ROW = np.dtype([("pos", "3f4"), ("half", "3f4"), ("turn", "4f4"), ("colour", "4f4"), ("meta", "4i4"), ("mesh", "i4")])
"""Centre in the house, half extents, rotation as a quaternion x y z w, colour with alpha, (number, bend, texture, room), mesh.

`bend` tells how normals run: 0 a box with bevelled edges, 1 a curved mesh, 2 a flat box with invisible edges.
"""

MESHES = ("box", "cylinder", "ball")
TEXTURES = {"plain": 0, "wood": 1, "cloth": 2, "stone": 3, "rug": 4, "wall": 5, "glass": 6, "glow": 7, "metal": 8, "plank": 9,
            "tile": 10, "bathtile": 11, "carpet": 12, "ground": 13, "mirror": 14, "glass_dark": 8}
GLASS = TEXTURES["glass"]
FLAT = frozenset(TEXTURES[name] for name in ("wall", "plank", "tile", "bathtile", "carpet", "ground"))
GLASS_ALPHA = 0.30


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows of `ROW`, in the order they were added."""

    rows: Rows

    def arrays(self) -> dict[str, Rows]:
        """Returns the opaque rows by mesh ("box", "cylinder", "ball"). Meshes without rows are left out."""
        return self._select(glass=False)

    def glass_arrays(self) -> dict[str, Rows]:
        """Returns the rows to blend, by mesh."""
        return self._select(glass=True)

    def _select(self, glass: bool) -> dict[str, Rows]:
        wanted = (self.rows["meta"][:, 2] == GLASS) == glass
        chosen = {name: self.rows[wanted & (self.rows["mesh"] == k)] for k, name in enumerate(MESHES)}
        return {name: rows for name, rows in chosen.items() if len(rows)}


def concatenate(parts: Iterable[Rows]) -> Rows:
    """Returns one array of all rows; an empty one for no parts."""
    return np.concatenate([np.empty(0, ROW), *parts])


def rows_of(prims: Sequence[Prim], room: int | Sequence[int], base: Vector = (0.0, 0.0, 0.0), yaw: float = 0.0) -> Rows:
    """Returns primitives of a frame at `base`, turned by `yaw`, as rows with number 0.

    `room` is the index of the room that lights them: one for all, or one for each.
    """
    rows = np.zeros(len(prims), ROW)
    if not prims:
        return rows
    c, s = np.cos(yaw), np.sin(yaw)
    rows["pos"] = np.array([p.centre for p in prims]) @ np.array([(c, s, 0), (-s, c, 0), (0, 0, 1)]) + base
    rows["half"] = [p.half for p in prims]
    rows["turn"] = _quaternions(np.array([p.yaw for p in prims]) + yaw, np.array([p.axis == "y" for p in prims]))
    textures = [TEXTURES[p.texture] for p in prims]
    rows["colour"] = [(*p.colour, GLASS_ALPHA if p.texture == "glass" else 1.0) for p in prims]
    rows["meta"][:, 1] = [_bend(p, t) for p, t in zip(prims, textures, strict=True)]
    rows["meta"][:, 2], rows["meta"][:, 3] = textures, room
    rows["mesh"] = [MESHES.index(p.shape) for p in prims]
    return rows


def _bend(prim: Prim, texture: int) -> int:
    if prim.shape != "box":
        return 1
    return 2 if texture in FLAT else 0


def _quaternions(yaw: NDArray[np.float64], lying: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Returns (n, 4) rotations about z. A lying cylinder first turns its own z to y."""
    s, c, zero, half = np.sin(yaw / 2), np.cos(yaw / 2), np.zeros(len(yaw)), np.sqrt(0.5)
    upright = np.column_stack((zero, zero, s, c))
    return np.where(lying[:, None], np.column_stack((c, s, s, c)) * half, upright)
