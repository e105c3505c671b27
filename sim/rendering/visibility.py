"""What a camera sees, by geometry alone: frustum, distance, and lines of sight past boxes. Needs no graphics card.

Each object has sample points on its largest parts. A point is visible if it projects into the picture and no part of another
object and no wall lies between it and the eye. An object is visible if enough of its points are. The parts are the drawn ones.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sim.geometry.model import House
from sim.rendering.cameras import Camera
from sim.rendering.instances import numbering, things_batch, walls_batch

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

LARGE_FACE = 0.006
"""Parts whose largest face is smaller than this hide nothing, square metres."""
PARTS = 8
"""Largest number of parts of an object that have sample points. The largest parts come first."""
ROUND = 0.82
"""Scale of the boxes that stand for cylinders and balls, so that the silhouettes are about equal."""
INWARD = 0.7
"""Factor that draws sample points of cylinders and balls inwards. Without it their corners would lie outside of the shape."""
LATTICE = 0.3
"""Largest distance between points of a large part, metres. A piece cut by the edge of the picture is still seen."""
NEAREST, FARTHEST = 1e-4, 0.995
"""The part of the line from eye to point that must be free, as shares of its length."""
STAGES = ((0, 24), (24, 96), (96, None))
"""Ranges of occluders that are tested one after the other. The first range looms largest and hides most."""
PATTERN: Floats = np.array(
    [
        *((0, 0, 0), (0.8, 0, 0), (-0.8, 0, 0), (0, 0.8, 0), (0, -0.8, 0), (0, 0, 0.8), (0, 0, -0.8)),
        *((0.97, 0.97, 0.97), (-0.97, 0.97, 0.97), (0.97, -0.97, 0.97), (-0.97, -0.97, 0.97)),
    ],
    np.float32,
)
SPARSE: Floats = PATTERN[[0, 7, 8, 9, 10]]
"""The pattern for objects of many parts."""


class Visibility:
    """Answers what any camera in one house sees. Make a new one after objects moved.

    Args:
        house: with its objects.
        aspect: width of the picture over its height.
    """

    def __init__(self, house: House, aspect: float = 4 / 3) -> None:
        self.aspect = aspect
        self._names = {number: name for name, number in numbering(house).items()}
        rows = np.concatenate([*things_batch(house).arrays().values(), *walls_batch(house).arrays().values()])
        self._centre, self._half = rows["pos"].copy(), rows["half"].copy()
        self._owner = rows["meta"][:, 0].copy()
        self._turn = _matrices(rows["turn"])
        self._curved: Mask = rows["meta"][:, 1] == 1
        self._half[self._curved, :2] *= ROUND
        faces = np.sort(self._half, 1)
        self._occludes = faces[:, 1] * faces[:, 2] * 4 > LARGE_FACE
        self._radius = np.linalg.norm(self._half, axis=1)
        self._points, self._point_owner = self._samples()

    def _samples(self) -> tuple[Floats, Indices]:
        """Returns (n, 3) points on the largest parts of each object, and the (n,) numbers of their objects."""
        points: list[Floats] = [np.empty((0, 3), np.float32)]
        owners = [np.empty(0, np.intp)]
        area = np.sort(self._half, 1)[:, 1:].prod(1)
        for number in np.unique(self._owner[self._owner > 0]):
            mine = np.flatnonzero(self._owner == number)
            largest = mine[np.argsort(-area[mine], kind="stable")][:PARTS]
            pattern = PATTERN if len(largest) <= 3 else SPARSE
            for k in largest:
                local = _lattice(self._half[k], pattern) * self._half[k] * (INWARD if self._curved[k] else 1.0)
                points.append(local @ self._turn[k].T + self._centre[k])
                owners.append(np.full(len(local), number, np.intp))
        return np.concatenate(points).astype(np.float32), np.concatenate(owners)

    def seen(self, camera: Camera, reach: float = 30.0, need: float = 0.0) -> frozenset[str]:
        """Returns the ids of the entities seen from `camera`.

        Args:
            camera: the viewpoint. Its `near` and `fov` and the aspect bound the picture.
            reach: distance beyond which nothing is recognised, metres.
            need: share of an object's sample points that must be visible; 0 means any one point.
        """
        candidates = self._in_picture(camera, reach)
        if not len(candidates):
            return frozenset()
        if need > 0:
            return self._seen_well(camera, candidates, need)
        order = np.argsort(self._point_owner[candidates], kind="stable")
        candidates = candidates[order]
        first = candidates[np.unique(self._point_owner[candidates], return_index=True)[1]]
        found = self._point_owner[first[self._unblocked(camera, first)]]
        rest = candidates[~np.isin(self._point_owner[candidates], found)]
        more = self._point_owner[rest[self._unblocked(camera, rest)]]
        return frozenset(self._names[int(n)] for n in np.union1d(found, more))

    def _seen_well(self, camera: Camera, candidates: Indices, need: float) -> frozenset[str]:
        clear = candidates[self._unblocked(camera, candidates)]
        size = max(self._names) + 1
        counts = np.bincount(self._point_owner[clear], minlength=size)
        totals = np.bincount(self._point_owner, minlength=size)
        return frozenset(self._names[int(n)] for n in np.flatnonzero((counts > 0) & (counts >= need * totals)))

    def _in_picture(self, camera: Camera, reach: float) -> Indices:
        view, t = camera.view().astype(np.float32), math.tan(math.radians(camera.fov) / 2)
        p = self._points @ view[:3, :3].T + view[:3, 3]
        depth, distance = -p[:, 2], np.linalg.norm(p, axis=1)
        inside = (depth > camera.near) & (np.abs(p[:, 0]) < depth * t * self.aspect) & (np.abs(p[:, 1]) < depth * t)
        return np.flatnonzero(inside & (distance < reach))

    def _unblocked(self, camera: Camera, chosen: Indices) -> Mask:
        """Returns which of the chosen points have a free line to the eye."""
        free = np.ones(len(chosen), np.bool_)
        if not len(chosen):
            return free
        eye, targets = np.array(camera.eye, np.float32), self._points[chosen]
        boxes = self._near_rays(eye, targets)
        looming = self._radius[boxes] / (np.linalg.norm(self._centre[boxes] - eye, axis=1) + 0.1)
        boxes = boxes[np.argsort(-looming, kind="stable")]
        for begin, end in STAGES:
            part, left = boxes[begin:end], np.flatnonzero(free)
            if len(part) and len(left):
                free[left] = ~self._blocked(eye, part, targets[left], self._point_owner[chosen[left]])
        return free

    def _blocked(self, eye: Floats, boxes: Indices, targets: Floats, owners: Indices) -> Mask:
        """Tests every line against every box (slab test). A box never hides points of its own object."""
        back = self._turn[boxes].transpose(0, 2, 1)
        start = np.einsum("nij,nj->ni", back, eye - self._centre[boxes])
        along = np.einsum("nij,pj->inp", back, targets - eye)
        enter = np.full(along.shape[1:], NEAREST, np.float32)
        leave = np.full(along.shape[1:], FARTHEST, np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            for axis in range(3):
                half, origin = self._half[boxes, axis][:, None], start[:, axis][:, None]
                inverse = 1 / along[axis]
                a, b = (-half - origin) * inverse, (half - origin) * inverse
                np.fmax(enter, np.fmin(a, b), out=enter)
                np.fmin(leave, np.fmax(a, b), out=leave)
        hidden: Mask = ((enter < leave) & (self._owner[boxes][:, None] != owners[None])).any(0)
        return hidden

    def _near_rays(self, eye: Floats, targets: Floats) -> Indices:
        """Returns the occluders inside the cone around all lines and nearer than the farthest point."""
        rays = targets - eye
        lengths = np.maximum(np.linalg.norm(rays, axis=1), 1e-6)
        directions = rays / lengths[:, None]
        axis = directions.mean(0)
        axis = axis / max(float(np.linalg.norm(axis)), 1e-6)
        spread = math.acos(float(np.clip((directions @ axis).min(), -1, 1)))
        to = self._centre - eye
        distance = np.linalg.norm(to, axis=1) + 1e-6
        angle = np.arccos(np.clip(to @ axis / distance, -1, 1))
        width = np.where(distance > self._radius, np.arcsin(np.minimum(1, self._radius / distance)), math.pi)
        return np.flatnonzero(self._occludes & (angle - width < spread) & (distance - self._radius < lengths.max()))


def _lattice(half: Floats, pattern: Floats) -> Floats:
    """Returns points in -1..1: the pattern, or a grid on a large part."""
    counts = np.clip(np.ceil(2 * half / LATTICE), 1, 6).astype(int)
    if counts.max() < 3:
        return pattern
    axes = [np.linspace(-0.9, 0.9, n) if n > 1 else np.zeros(1) for n in counts]
    return np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3).astype(np.float32)


def _matrices(q: Floats) -> Floats:
    """Returns the rotation matrices of (n, 4) quaternions x, y, z, w."""
    x, y, z, w = q.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, 1) for row in rows], 1).astype(np.float32)
