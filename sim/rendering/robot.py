"""The robot as primitives, and the objects it carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.geometry.model import Colour, House, Robot, Thing, Vector
from sim.rendering.cameras import Camera
from sim.rendering.instances import Rows, concatenate, rows_of, thing_rows
from sim.rendering.shapes.kit import Prim

SHELL, TRIM, JOINT, VISOR = (0.94, 0.95, 0.96), (0.20, 0.46, 0.80), (0.42, 0.45, 0.49), (0.05, 0.06, 0.08)
EYE, DARK = (0.35, 0.88, 1.0), (0.17, 0.19, 0.22)
GRIP = (0.23, 0.36, 0.545)  # between the fingers of the right hand; the left hand has -x
IN_HAND, IN_VIEW = (0.12, 0.40), (0.10, 0.20)  # smallest and largest drawn side of a held object, metres
BASE_RADIUS = 0.25
FACING = math.pi * 0.85  # held objects show the viewer their front, slightly turned
REACH = 0.62  # distance from the camera at which held objects are shown, metres


def robot_prims() -> tuple[Prim, ...]:
    """Returns the robot in its own frame: at the origin, facing +y, 1.26 m high."""
    return (*_body(), *_head(), *_arm(-1), *_arm(1))


def robot_rows(house: House, robot: Robot) -> Rows:
    """Returns the robot as rows. It is no entity, so its number is 0."""
    return rows_of(robot_prims(), room_at(house, robot.x, robot.y), (robot.x, robot.y, 0.0), robot.yaw)


def room_at(house: House, x: float, y: float) -> int:
    """Returns the index of the room at a point; 0 outside of all."""
    return next((k for k, room in enumerate(house.rooms) if room.contains(x, y)), 0)


def carried(robot: Robot, room: int) -> tuple[Thing, ...]:
    """Returns the held objects moved into the robot's hands: right, left, then on top of these."""
    frame = Thing("", "", room, (robot.x, robot.y, 0.0), (0.0, 0.0, 0.0), robot.yaw)
    moved = []
    for k, thing in enumerate(robot.held):
        side, level = (1, -1)[k % 2], k // 2
        depth = min(thing.size[1], IN_HAND[1])
        base = frame.to_world((GRIP[0] * side, GRIP[1] - 0.05 + depth / 2, GRIP[2] - 0.03 + 0.22 * level))
        moved.append(replace(thing, base=base, yaw=robot.yaw + math.pi, room=room, hidden=False))
    return tuple(moved)


def before_eyes(robot: Robot, camera: Camera, aspect: float, room: int) -> tuple[Thing, ...]:
    """Returns the held objects in front of a first-person camera: the first at the lower right, others to its left."""
    eye, view = np.array(camera.eye), camera.view()
    right, up, forward = view[0, :3], view[1, :3], -view[2, :3]
    height = math.tan(math.radians(camera.fov) / 2) * REACH
    heading = math.atan2(-float(forward[0]), float(forward[1]))
    moved = []
    for k, thing in enumerate(robot.held):
        across = max(0.62 - 0.42 * k, -0.9)
        middle: NDArray[np.float64] = eye + forward * REACH + right * across * height * aspect - up * 0.58 * height
        base = (float(middle[0]), float(middle[1]), float(middle[2]) - thing.size[2] * shown_scale(thing, IN_VIEW) / 2)
        moved.append(replace(thing, base=base, yaw=heading + FACING, room=room, hidden=False))
    return tuple(moved)


def gripper_rows(things: Sequence[Thing]) -> Rows:
    """Returns a forearm and two fingers for each object placed by `before_eyes`."""
    parts = [rows_of(_gripper(shown_scale(t, IN_VIEW) * t.size[0]), t.room, t.base, t.yaw - FACING) for t in things[:2]]
    return concatenate(parts)


def shown_scale(thing: Thing, limits: tuple[float, float]) -> float:
    """Returns the factor that brings an object's largest side between `limits` (metres)."""
    largest = max(*thing.size, 0.001)
    return min(max(largest, limits[0]), limits[1]) / largest


def held_rows(things: Sequence[Thing], limits: tuple[float, float], numbers: dict[str, int]) -> Rows:
    """Returns moved objects as rows, each scaled about its base so that it fits a hand."""
    parts = []
    for thing in things:
        rows, scale = thing_rows(thing).copy(), shown_scale(thing, limits)
        rows["pos"] = np.array(thing.base) + (rows["pos"] - np.array(thing.base)) * scale
        rows["half"] *= scale
        rows["meta"][:, 0] = numbers[thing.id]
        parts.append(rows)
    return concatenate(parts)


def _ball(x: float, y: float, z: float, half: Vector, colour: Colour, texture: str = "plain") -> Prim:
    return Prim("ball", (x, y, z), half, colour, texture)


def _tube(x: float, y: float, z: float, radius: float, half: float, colour: Colour) -> Prim:
    return Prim("cylinder", (x, y, z), (radius, radius, half), colour)


def _body() -> tuple[Prim, ...]:
    return (
        _tube(0, 0, 0.05, BASE_RADIUS, 0.05, DARK),
        _tube(0, 0, 0.13, 0.235, 0.035, SHELL),
        _tube(0, 0, 0.175, 0.20, 0.012, TRIM),
        _ball(0, -0.01, 0.18, (0.19, 0.19, 0.12), SHELL),
        _tube(0, -0.01, 0.36, 0.085, 0.14, JOINT),
        _ball(0, 0, 0.68, (0.19, 0.155, 0.27), SHELL),
        _ball(0, 0.105, 0.74, (0.085, 0.055, 0.055), TRIM),
        _ball(0, 0.157, 0.74, (0.018, 0.008, 0.018), EYE, "glow"),
        _tube(0, 0, 0.95, 0.05, 0.05, JOINT),
    )


def _head() -> tuple[Prim, ...]:
    return (
        _ball(0, 0, 1.10, (0.165, 0.145, 0.14), SHELL),
        _ball(0, 0.062, 1.095, (0.13, 0.095, 0.098), VISOR),
        *(_ball(side * 0.05, 0.148, 1.105, (0.019, 0.012, 0.024), EYE, "glow") for side in (-1, 1)),
        *(_ball(side * 0.160, 0, 1.10, (0.022, 0.05, 0.05), TRIM) for side in (-1, 1)),
        _ball(0, -0.01, 1.235, (0.055, 0.075, 0.02), TRIM),
    )


def _arm(side: int) -> tuple[Prim, ...]:
    x = side * 0.235
    return (
        _ball(side * 0.21, 0, 0.83, (0.065, 0.06, 0.06), JOINT),
        _ball(x, 0, 0.71, (0.048, 0.05, 0.145), SHELL),
        _ball(x, 0.02, 0.57, (0.05, 0.05, 0.05), JOINT),
        Prim("cylinder", (x, 0.14, 0.555), (0.042, 0.042, 0.12), SHELL, axis="y"),
        Prim("cylinder", (x, 0.25, 0.555), (0.046, 0.046, 0.012), TRIM, axis="y"),
        _ball(x, 0.285, 0.555, (0.046, 0.04, 0.046), JOINT),
        *(Prim("box", (x + across * 0.036, 0.335, 0.555), (0.011, 0.042, 0.022), DARK) for across in (-1, 1)),
    )


def _gripper(width: float) -> tuple[Prim, ...]:
    """Returns a hand around an object `width` metres wide that stands on the origin. The arm comes from behind and below."""
    apart = min(max(width / 2 + 0.008, 0.02), 0.07)
    return (
        Prim("cylinder", (0, -0.27, -0.035), (0.040, 0.040, 0.15), SHELL, axis="y"),
        Prim("cylinder", (0, -0.115, -0.035), (0.044, 0.044, 0.014), TRIM, axis="y"),
        _ball(0, -0.08, -0.03, (0.040, 0.036, 0.036), JOINT),
        Prim("box", (0, -0.045, -0.020), (apart + 0.012, 0.016, 0.018), DARK),
        *(Prim("box", (side * apart, 0.0, -0.010), (0.010, 0.055, 0.022), DARK) for side in (-1, 1)),
    )
