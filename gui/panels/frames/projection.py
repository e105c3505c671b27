"""Projects points of the world, in metres, to pixels of a frame with the matrix the frame carries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.planning.facets import Frame
from core.session.snapshot import Snapshot
from core.world.vocabulary import AgentState, Spot

Point = tuple[float, float]
ON_THE_FLOOR = 0.05
"""Height above the floor, in metres, at which a path is drawn, so that it lies on top of rugs."""
MOST_TURNS = 300
"""The most turns a drawn path covers. A longer path shows nothing more, and each picture would cost more than the last."""
STILL = 0.02
"""Distance in metres below which the robot counts as standing still."""


def projected(frame: Frame, points: Sequence[tuple[float, float, float]]) -> tuple[Point, ...]:
    """Returns points of the world (x, y, z in metres) as pixels of the frame.

    Points behind the camera are left out. The result is empty if the frame has no matrix.
    """
    if len(frame.matrix) != 16 or not points:
        return ()
    height, width = frame.pixels.shape[:2]
    clip = np.c_[np.asarray(points, float), np.ones(len(points))] @ np.asarray(frame.matrix).reshape(4, 4).T
    before = clip[:, 3] > 1e-6
    on_screen = clip[before, :2] / clip[before, 3:]
    x, y = (on_screen[:, 0] + 1) / 2 * width, (1 - on_screen[:, 1]) / 2 * height
    return tuple(zip(x.tolist(), y.tolist(), strict=True))


def walked(snapshot: Snapshot, shown: Frame | None = None) -> tuple[tuple[float, float, float], ...]:
    """Returns the positions of the robot (x, y, z in metres) in the last turns of the current branch, oldest first.

    Consecutive positions closer than `STILL` are merged.

    Args:
        snapshot: the moment to show.
        shown: the picture that the path is drawn over. The path ends where the robot stands in this picture.
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
