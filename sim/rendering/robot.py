"""The robot as primitives, and the objects it carries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.geometry.model import Colour, House, Robot, Thing, Vector
from sim.rendering.cameras import Camera
from sim.rendering.contact import Blocks, flat_gaps, near_pairs, upright_gaps
from sim.rendering.instances import Rows, concatenate, rows_of, thing_rows
from sim.rendering.shapes.kit import Prim, moved

SHELL, TRIM, JOINT, VISOR = (0.94, 0.95, 0.96), (0.20, 0.46, 0.80), (0.42, 0.45, 0.49), (0.05, 0.06, 0.08)
EYE, DARK = (0.35, 0.88, 1.0), (0.17, 0.19, 0.22)
GRIP = (0.23, 0.36, 0.545)  # between the fingers of the right hand; the left hand has -x
IN_HAND, IN_VIEW = (0.12, 0.40), (0.10, 0.20)  # smallest and largest drawn side of a held object, metres
BASE_RADIUS = 0.25
HIPS, HEAD = 0.43, 1.10  # heights of the torso's lower end and of the head's middle when the robot stands, metres
KNEE = 0.42  # how far in front of the hips the base of a sitting robot stands, metres
BACK = 0.20  # height of the middle of a lying robot above what it lies on, metres
FACING = math.pi * 0.85  # held objects show the viewer their front, slightly turned
TUCK = 0.17  # how far the hands are pulled back where they would be inside of an object, metres
REACH = 0.62  # distance from the camera at which held objects are shown, metres


def robot_prims(posture: str = "standing", seat: float = 0.0, *, tucked: bool = False) -> tuple[Prim, ...]:
    """Returns the robot in its own frame: at the origin, facing +y, 1.26 m high when it stands.

    A sitting robot rests on a seat of height `seat` with its column bent forward and its base on the floor. A lying one rests
    on its back with the head at the origin and the base in the direction of +y. `tucked` pulls the hands back.
    """
    upper = (*_torso(), *_head(), *_arms(tucked))
    if posture == "sitting":
        return (*_folded(seat), *(_at(p, _moved(p.centre, posture, seat)) for p in upper))
    if posture == "lying":
        return tuple(_on_its_back(p, seat) for p in (*_base(), *upper))
    return (*_base(), *upper)


def _moved(point: Vector, posture: str, seat: float) -> Vector:
    """Returns where a point of the standing robot is in another posture, in the robot's frame."""
    x, y, z = point
    if posture == "sitting":
        return x, y, z + seat - HIPS
    if posture == "lying":
        return x, HEAD - z, y + seat + BACK
    return point


def _at(prim: Prim, centre: Vector) -> Prim:
    return prim._replace(centre=centre)


def _on_its_back(prim: Prim, seat: float) -> Prim:
    """Returns a part turned by 90 degrees about x: upwards becomes towards the head, forward becomes upwards."""
    turned = _at(prim, _moved(prim.centre, "lying", seat))
    if prim.shape == "cylinder":
        return turned._replace(axis="z" if prim.axis == "y" else "y")
    x, y, z = prim.half
    return turned._replace(half=(x, z, y))


def footing(robot: Robot) -> Vector:
    """Returns x, y and radius of the robot's soft shadow on the floor, metres; far away for a lying robot."""
    if robot.posture == "lying":
        return 1e6, 1e6, BASE_RADIUS
    frame = Thing("", "", 0, (robot.x, robot.y, 0.0), (0.0, 0.0, 0.0), robot.yaw)
    x, y, _ = frame.to_world((0.0, KNEE if robot.posture == "sitting" else 0.0, 0.0))
    return x, y, BASE_RADIUS


def reaches_into(robot: Robot, things: Sequence[Thing], *, tucked: bool = False) -> bool:
    """Returns True if the robot's hands, or what they hold, would be inside of an object in front of it."""
    if robot.posture != "standing":
        return False
    arms = rows_of(_arms(tucked), 0, (robot.x, robot.y, 0.0), robot.yaw)
    held = [t for t in carried(robot, 0, tucked=tucked) if max(t.size) <= IN_HAND[1]]
    mine, others = Blocks.of_rows(concatenate([arms, *map(thing_rows, held)])), Blocks.of(things)
    first, second = near_pairs(mine, others, 0.0, 0.0)
    a, b = mine.taken(first), others.taken(second)
    return bool(((flat_gaps(a, b) < 0) & (upright_gaps(a, b) < 0)).any())


def robot_rows(house: House, robot: Robot, *, tucked: bool = False) -> Rows:
    """Returns the robot as rows. It is no entity, so its number is 0."""
    prims = robot_prims(robot.posture, robot.seat, tucked=tucked)
    return rows_of(prims, room_at(house, robot.x, robot.y), (robot.x, robot.y, 0.0), robot.yaw)


def room_at(house: House, x: float, y: float) -> int:
    """Returns the index of the room at a point; 0 outside of all."""
    return next((k for k, room in enumerate(house.rooms) if room.contains(x, y)), 0)


def carried(robot: Robot, room: int, *, tucked: bool = False) -> tuple[Thing, ...]:
    """Returns the held objects moved into the robot's hands: right, left, then on top of these."""
    frame = Thing("", "", room, (robot.x, robot.y, 0.0), (0.0, 0.0, 0.0), robot.yaw)
    placed = []
    for k, thing in enumerate(robot.held):
        side, level = (1, -1)[k % 2], k // 2
        depth = min(thing.size[1], IN_HAND[1])
        hand = (GRIP[0] * side, GRIP[1] - 0.05 + depth / 2 - TUCK * tucked, GRIP[2] - 0.03 + 0.22 * level)
        base = frame.to_world(_moved(hand, robot.posture, robot.seat))
        placed.append(replace(thing, base=base, yaw=robot.yaw + math.pi, room=room, hidden=False))
    return tuple(placed)


def before_eyes(robot: Robot, camera: Camera, aspect: float, room: int) -> tuple[Thing, ...]:
    """Returns the held objects in front of a first-person camera: the first at the lower right, others to its left."""
    eye, view = np.array(camera.eye), camera.view()
    right, up, forward = view[0, :3], view[1, :3], -view[2, :3]
    height = math.tan(math.radians(camera.fov) / 2) * REACH
    heading = math.atan2(-float(forward[0]), float(forward[1]))
    placed = []
    for k, thing in enumerate(robot.held):
        across = max(0.62 - 0.42 * k, -0.9)
        middle: NDArray[np.float64] = eye + forward * REACH + right * across * height * aspect - up * 0.58 * height
        base = (float(middle[0]), float(middle[1]), float(middle[2]) - thing.size[2] * shown_scale(thing, IN_VIEW) / 2)
        placed.append(replace(thing, base=base, yaw=heading + FACING, room=room, hidden=False))
    return tuple(placed)


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


def _base(forward: float = 0.0) -> tuple[Prim, ...]:
    return (
        _tube(0, forward, 0.05, BASE_RADIUS, 0.05, DARK),
        _tube(0, forward, 0.13, 0.235, 0.035, SHELL),
        _tube(0, forward, 0.175, 0.20, 0.012, TRIM),
        _ball(0, forward - 0.01, 0.18, (0.19, 0.19, 0.12), SHELL),
        _tube(0, forward - 0.01, 0.36, 0.085, 0.14, JOINT),
    )


def _folded(seat: float) -> tuple[Prim, ...]:
    """Returns the base in front of a seat, and the column bent at a knee from there to the hips."""
    *base, _ = _base(KNEE)
    height = seat + 0.07
    return (
        *base,
        _tube(0, KNEE, (0.2 + height) / 2, 0.075, max(height - 0.2, 0.02) / 2, JOINT),
        _ball(0, KNEE, height, (0.1, 0.1, 0.1), SHELL),
        Prim("cylinder", (0, KNEE / 2, height), (0.075, 0.075, KNEE / 2), JOINT, axis="y"),
    )


def _torso() -> tuple[Prim, ...]:
    return (
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


def _arms(tucked: bool) -> list[Prim]:
    """Returns both arms: from the shoulder, which stays, to the hand, which is pulled back if `tucked`."""
    arms = [(shoulder, moved([upper], dy=-TUCK / 2 * tucked), moved(rest, dy=-TUCK * tucked))
            for shoulder, upper, *rest in (_arm(-1), _arm(1))]
    return [part for shoulder, upper, rest in arms for part in (shoulder, *upper, *rest)]


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
