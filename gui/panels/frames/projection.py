"""From the world to a picture: where a point in metres is drawn, by the matrix a frame carries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.planning.facets import Frame
from core.session.snapshot import Snapshot
from core.world.vocabulary import AgentState, Spot

Point = tuple[float, float]
ON_THE_FLOOR = 0.05
"""Metres above the floor at which a path is drawn, so that it lies on rugs."""
MOST_TURNS = 300
"""A path drawn over itself for longer shows nothing more, and every picture would cost more than the one before."""
STILL = 0.02
"""Metres within which it counts as standing still."""


def projected(frame: Frame, points: Sequence[tuple[float, float, float]]) -> tuple[Point, ...]:
    """Points of the world in pixels of the frame; those behind the camera are left out. Empty without a matrix."""
    if len(frame.matrix) != 16 or not points:
        return ()
    height, width = frame.pixels.shape[:2]
    clip = np.c_[np.asarray(points, float), np.ones(len(points))] @ np.asarray(frame.matrix).reshape(4, 4).T
    before = clip[:, 3] > 1e-6
    on_screen = clip[before, :2] / clip[before, 3:]
    x, y = (on_screen[:, 0] + 1) / 2 * width, (1 - on_screen[:, 1]) / 2 * height
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def walked(snapshot: Snapshot, shown: Frame | None = None) -> tuple[tuple[float, float, float], ...]:
    """Where the robot has stood in the last turns of the present branch, oldest first, each place once in a row.

    Args:
        snapshot: the moment that is looked at.
        shown: the picture that the path is drawn over: the path ends where the robot stands in it.
    """
    spots: list[Spot] = []
    last = None if shown is None or shown.phase == "about" else shown.turn + (shown.phase == "after")
    for turn in snapshot.line[-MOST_TURNS:]:
        spots += _spot(turn.agent)
        if turn.number == last:
            break
        if turn.outcome is not None:
            spots += turn.outcome.way
    else:
        if snapshot.seen is not None:
            spots += _spot(snapshot.seen.agent)
    found: list[tuple[float, float, float]] = []
    for x, y in spots:
        if not found or abs(found[-1][0] - x) + abs(found[-1][1] - y) >= STILL:
            found.append((x, y, ON_THE_FLOOR))
    return tuple(found)


def _spot(agent: AgentState) -> tuple[Spot, ...]:
    return (agent.pose[:2],) if agent.pose is not None else ()
