"""Candidate places as arrays: rows of x, y, yaw, and their footprints as rows of x0, y0, x1, y1. Metres and radians."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sim.geometry.model import Rect, Wall

Rows = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Pose = tuple[float, float, float]

MOST_SPOTS = 4000
"""Places in the open that are compared, in each of two turns. Rooms above 160 m² get a coarser grid."""
FREE_WALL = 0.005
"""Gap between a piece and the wall behind it, metres."""


def no_rows(width: int = 3) -> Rows:
    """Returns an empty table."""
    return np.empty((0, width))


def along_walls(inner: Rect, w: float, d: float, step: float = 0.1) -> Rows:
    """Returns poses of a w by d piece with its back to any side of a rectangle."""
    x0, y0, x1, y1 = inner
    deep = d / 2 + FREE_WALL
    rows = [no_rows()]
    for yaw, low, high, across in (
        (0.0, x0, x1, y0 + deep),
        (math.pi / 2, y0, y1, x1 - deep),
        (math.pi, x0, x1, y1 - deep),
        (-math.pi / 2, y0, y1, x0 + deep),
    ):
        if high - low >= w:
            at = np.append(np.arange(low + w / 2, high - w / 2 + 1e-6, step), high - w / 2)
            level, turn = np.full_like(at, across), np.full_like(at, yaw)
            rows.append(np.column_stack([level, at, turn] if abs(math.sin(yaw)) > 0.5 else [at, level, turn]))
    return np.vstack(rows)


def in_the_middle(inner: Rect, step: float = 0.2, margin: float = 0.3) -> Rows:
    """Returns a grid of poses over a rectangle, along and across.

    It is coarser in large rooms, because every pose is compared with every piece.
    """
    x0, y0, x1, y1 = inner
    step = max(step, math.sqrt(max(x1 - x0, 0.0) * max(y1 - y0, 0.0) / MOST_SPOTS))
    turns = (0.0, math.pi / 2)
    rows = [(x, y, yaw) for x in np.arange(x0 + margin, x1, step) for y in np.arange(y0 + margin, y1, step) for yaw in turns]
    return np.array(rows) if rows else no_rows()


def footprints(poses: Rows, w: float, d: float, front: float = 0.0) -> Rows:
    """Returns rectangles around a turned w by d piece, extended by `front` metres out of its front."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    hx, hy = np.abs(c) * w / 2 + np.abs(s) * d / 2, np.abs(s) * w / 2 + np.abs(c) * d / 2
    x, y, fx, fy = poses[:, 0], poses[:, 1], -s * front, c * front
    low = (x - hx + np.minimum(fx, 0), y - hy + np.minimum(fy, 0))
    return np.column_stack([*low, x + hx + np.maximum(fx, 0), y + hy + np.maximum(fy, 0)])


def clear_of(rows: Rows, blocked: Sequence[Rect], gap: float = 0.0) -> Mask:
    """Returns which rectangles keep `gap` from all the blocked ones."""
    if not blocked or not len(rows):
        return np.ones(len(rows), np.bool_)
    b = np.array(blocked)
    across = (rows[:, None, 0] < b[None, :, 2] + gap) & (b[None, :, 0] < rows[:, None, 2] + gap)
    along = (rows[:, None, 1] < b[None, :, 3] + gap) & (b[None, :, 1] < rows[:, None, 3] + gap)
    hit: Mask = np.any(across & along, axis=1)
    return ~hit


def within(rows: Rows, inner: Rect, slack: float = 0.0) -> Mask:
    """Returns which rectangles lie in a rectangle."""
    low, high = np.array(inner[:2]) - slack, np.array(inner[2:]) + slack
    inside: Mask = np.all((rows[:, :2] > low) & (rows[:, 2:] < high), axis=1)
    return inside


def before_windows(rows: Rows, walls: Sequence[Wall], room: int) -> Mask:
    """Returns which rectangles stand in front of a window of the room."""
    hit = np.zeros(len(rows), np.bool_)
    for wall in (w for w in walls if room in (w.left, w.right)):
        k = 0 if abs(wall.end[1] - wall.start[1]) < 1e-6 else 1
        at, start = wall.start[1 - k], wall.start[k]
        near = np.minimum(np.abs(rows[:, 1 - k] - at), np.abs(rows[:, 3 - k] - at)) < 0.2
        for o in (o for o in wall.openings if o.kind == "window"):
            hit |= near & (rows[:, k] < start + o.end) & (rows[:, k + 2] > start + o.begin)
    return hit


def row_of(rows: Rows, k: int) -> Pose:
    """Returns one row as plain numbers."""
    x, y, yaw = rows[k].tolist()
    return x, y, yaw
