"""From the world to a picture: where a point in metres is drawn, by the matrix a frame carries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.facets import Frame
from core.snapshot import Snapshot, Turn
from core.world import AgentState, Spot

Point = tuple[float, float]
ON_THE_FLOOR = 0.05
"""Metres above the floor at which a path is drawn, so that it lies on rugs."""
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


def walked(snapshot: Snapshot) -> tuple[tuple[float, float, float], ...]:
    """Where the robot has stood on the present branch, oldest first, each place once in a row."""
    spots: list[Spot] = []
    for turn in _turns_of_branch(snapshot):
        spots += _spot(turn.agent)
        if turn.outcome is not None:
            spots += turn.outcome.way
    if snapshot.seen is not None:
        spots += _spot(snapshot.seen.agent)
    found: list[tuple[float, float, float]] = []
    for x, y in spots:
        if not found or abs(found[-1][0] - x) + abs(found[-1][1] - y) >= STILL:
            found.append((x, y, ON_THE_FLOOR))
    return tuple(found)


def _spot(agent: AgentState) -> tuple[Spot, ...]:
    return (agent.pose[:2],) if agent.pose is not None else ()


def _turns_of_branch(snapshot: Snapshot) -> list[Turn]:
    """Turns that led to the present one: its branch's, and its parents' up to where it leaves them."""
    parents = {number: (parent, leaves) for number, parent, leaves in snapshot.branches}
    found: dict[int, Turn] = {}
    branch: int | None = snapshot.branch
    limit = snapshot.turn + 1
    while branch is not None:
        for turn in snapshot.turns:
            if turn.branch == branch and turn.number < limit:
                found.setdefault(turn.number, turn)
        branch, leaves = parents.get(branch, (None, 1))
        limit = min(limit, leaves)
    return [found[number] for number in sorted(found)]
