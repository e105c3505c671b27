"""Where the robot sits and lies on a piece of furniture, from the stated surfaces of its class."""

from __future__ import annotations

import math

from core.world.vocabulary import Pose, Posture
from sim.geometry import placing
from sim.geometry.model import Surface, Thing

EDGE = 0.08
"""How far the robot sits in from the edge of a seat without a backrest, metres."""
TO_HEAD = 0.48
"""Distance from the middle of the lying robot to its head, metres."""
LYING_PITCH = 0.5
"""Tilt of the camera of a lying robot, radians."""
BACKLESS = frozenset({"bed", "stool", "bench", "ottoman", "footstool", "mat"})
"""Classes without a backrest: the robot sits on the side from which it came."""
USUAL_HEIGHT = 0.46
"""Height of a seat for which no surface is stated, metres."""


def seat_height(thing: Thing) -> float:
    """Returns the height above the floor of what one sits or lies on, metres."""
    return thing.base[2] + _surface(thing).centre[2]


def _surface(thing: Thing) -> Surface:
    """Returns the lowest surface of a piece, in its own frame: not the cistern of a toilet."""
    stated = [s for s in placing.surfaces_of(thing.kind, thing.size, False) if not s.inside]
    width, depth, height = thing.size
    box = Surface((0.0, 0.0, min(height, USUAL_HEIGHT)), (width / 2, depth / 2), 1.0, inside=False)
    return min(stated, key=lambda s: s.centre[2], default=box)


def seat_pose(thing: Thing, cls: str, posture: Posture, came_from: Pose) -> Pose:
    """Returns the pose of a robot that sits or lies on a piece of furniture.

    It sits facing the front of the seat, or on a seat without a backrest the side it came from. It lies along the longer side,
    with its head at the back of a bed and at the right end of a sofa. The pose is then that of its head, facing its base.
    """
    surface = _surface(thing)
    (x, y, _), (half_x, half_y), turn = surface.centre, surface.half, 0.0
    if posture == "lying":
        x, y, turn = (TO_HEAD, y, math.pi / 2) if thing.size[0] > thing.size[1] else (x, -TO_HEAD, 0.0)
    elif cls in BACKLESS:
        u, v, _ = thing.to_local((came_from.x, came_from.y, 0.0))
        right, front = u > x, v > y
        if abs(u - x) - half_x > abs(v - y) - half_y:
            turn = -math.pi / 2 if right else math.pi / 2
            x, y = x + max(half_x - EDGE, 0.0) * (1 if right else -1), min(max(v, y - half_y), y + half_y)
        else:
            turn = 0.0 if front else math.pi
            x, y = min(max(u, x - half_x), x + half_x), y + max(half_y - EDGE, 0.0) * (1 if front else -1)
    where = thing.to_world((x, y, 0.0))
    return Pose(where[0], where[1], thing.yaw + turn, LYING_PITCH if posture == "lying" else 0.0)
