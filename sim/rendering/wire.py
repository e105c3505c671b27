"""Messages between a program and its renderer process: houses, cameras and robots as JSON over pipes.

A message is four bytes (big-endian length of the header), the header as JSON, and as many raw bytes as its "bytes" says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import IO, Any

from core.common.errors import DataError
from sim.geometry.model import House, Opening, Robot, Room, Thing, Wall
from sim.rendering.cameras import Camera

Json = dict[str, Any]
MOST = 1 << 28  # bytes in a header or payload; more is a garbled stream
ROOM, OPENING, THING, CAMERA = (attrgetter(*(f.name for f in fields(kind))) for kind in (Room, Opening, Thing, Camera))
"""Return the fields of a value in order."""


def write_message(stream: IO[bytes], header: Json, payload: bytes | memoryview = b"") -> None:
    """Sends one message.

    Raises:
        OSError: the other side is gone.
    """
    text = json.dumps({**header, "bytes": len(payload)}, separators=(",", ":")).encode()
    for part in (len(text).to_bytes(4, "big") + text, payload):
        rest = memoryview(part)
        while len(rest):
            rest = rest[stream.write(rest) or 0:]
    stream.flush()


def read_message(stream: IO[bytes]) -> tuple[Json, bytes] | None:
    """Returns the next message, or None at the end of the stream.

    Raises:
        DataError: the stream ends within a message or holds something else.
    """
    start = stream.read(4)
    if not start:
        return None
    header = json.loads(_exactly(stream, int.from_bytes(start, "big")))
    return header, _exactly(stream, int(header["bytes"]))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    if size > MOST:
        raise DataError(f"A message of {size} bytes: the stream is garbled.")
    data = stream.read(size) or b""
    if len(data) < size:
        raise DataError("The stream ended within a message.")
    return data


def house_to_json(house: House) -> Json:
    """Returns a house as rows of plain values. `house_from_json` gives back an equal house."""
    walls = [(w.start, w.end, w.left, w.right, [OPENING(o) for o in w.openings]) for w in house.walls]
    return {"rooms": [ROOM(r) for r in house.rooms], "walls": walls, "things": [THING(t) for t in house.things],
            "height": house.height}


def house_from_json(data: Json) -> House:
    """Returns the house that `house_to_json` wrote.

    Raises:
        DataError: something is missing or of another type.
    """
    try:
        walls = (Wall(_frozen(start), _frozen(end), left, right, tuple(Opening(*o) for o in openings))
                 for start, end, left, right, openings in data["walls"])
        return House(tuple(Room(*_frozen(r)) for r in data["rooms"]), tuple(walls),
                     tuple(Thing(*_frozen(t)) for t in data["things"]), data["height"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"This is not a house: {type(error).__name__} {error}.") from error


def things_to_json(things: Sequence[Thing], before: Sequence[Thing]) -> list[Any]:
    """Returns objects as rows. An object that is already in `before` is only its index there."""
    places = {thing: k for k, thing in enumerate(before)}
    return [places[t] if t in places else THING(t) for t in things]


def things_from_json(data: Sequence[Any], before: Sequence[Thing]) -> tuple[Thing, ...]:
    """Returns the objects that `things_to_json` wrote, given the same `before`."""
    return tuple(before[t] if isinstance(t, int) else Thing(*_frozen(t)) for t in data)


def camera_to_json(camera: Camera) -> Any:
    """Returns a camera as a row of plain values."""
    return CAMERA(camera)


def camera_from_json(data: Any) -> Camera:
    """Returns the camera that `camera_to_json` wrote."""
    return Camera(*_frozen(data))


def robot_to_json(robot: Robot | None) -> Any:
    """Returns a robot as a row of plain values, or None for none."""
    return None if robot is None else (
        robot.x, robot.y, robot.yaw, robot.pitch, [THING(t) for t in robot.held], robot.posture, robot.seat)


def robot_from_json(data: Any) -> Robot | None:
    """Returns the robot that `robot_to_json` wrote."""
    if data is None:
        return None
    x, y, yaw, pitch, held, posture, seat = data
    return Robot(x, y, yaw, pitch, tuple(Thing(*_frozen(t)) for t in held), posture, seat)


def _frozen(value: Any) -> Any:
    """Returns the value with tuples in place of lists, at every depth."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
