"""Messages between a program and its renderer process: houses, cameras and robots as JSON over pipes.

A message is four bytes (big-endian length of the header), the header as JSON, and as many raw bytes as its "bytes" says.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

from core.common.errors import DataError
from sim.geometry.model import House, Opening, Robot, Room, Thing, Wall
from sim.rendering.cameras import Camera

Json = dict[str, Any]
MOST = 1 << 28  # bytes in a header or payload; more is a garbled stream


class Reader(Protocol):
    """The reading end of a pipe."""

    def read(self, size: int, /) -> bytes | None:
        """Returns up to `size` bytes; nothing at the end of the stream."""


class Writer(Protocol):
    """The writing end of a pipe."""

    def write(self, data: Any, /) -> int | None:
        """Writes some bytes and returns how many."""

    def flush(self) -> None:
        """Sends what is buffered."""


def write_message(stream: Writer, header: Json, payload: bytes | memoryview = b"") -> None:
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


def read_message(stream: Reader) -> tuple[Json, bytes] | None:
    """Returns the next message, or None at the end of the stream.

    Raises:
        DataError: the stream ends within a message or holds something else.
    """
    start = stream.read(4)
    if not start:
        return None
    header = json.loads(_exactly(stream, int.from_bytes(start, "big")))
    return header, _exactly(stream, int(header["bytes"]))


def _exactly(stream: Reader, size: int) -> bytes:
    if size > MOST:
        raise DataError(f"A message of {size} bytes: the stream is garbled.")
    data = stream.read(size) or b""
    if len(data) < size:
        raise DataError("The stream ended within a message.")
    return data


def house_to_json(house: House) -> Json:
    """Returns a house as plain lists, numbers and texts. `house_from_json` gives back an equal house."""
    return {
        "rooms": [{"name": r.name, "pieces": r.pieces, "floor": r.floor, "paint": r.paint} for r in house.rooms],
        "walls": [{"start": w.start, "end": w.end, "left": w.left, "right": w.right,
                   "openings": [[o.kind, o.begin, o.end, o.sill, o.head] for o in w.openings]} for w in house.walls],
        "things": [_thing_to_json(t) for t in house.things],
        "height": house.height,
    }


def house_from_json(data: Json) -> House:
    """Returns the house that `house_to_json` wrote.

    Raises:
        DataError: something is missing or of another type.
    """
    try:
        return House(
            tuple(Room(r["name"], tuple(_rect(p) for p in r["pieces"]), r["floor"], _vector(r["paint"]))
                  for r in data["rooms"]),
            tuple(Wall(_pair(w["start"]), _pair(w["end"]), w["left"], w["right"], tuple(Opening(*o) for o in w["openings"]))
                  for w in data["walls"]),
            tuple(_thing_from_json(t) for t in data["things"]),
            data["height"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"This is not a house: {type(error).__name__} {error}.") from error


def things_to_json(things: Sequence[Thing], before: Sequence[Thing]) -> list[int | Json]:
    """Returns objects as JSON. An object that is already in `before` is only its index there."""
    places = {thing: k for k, thing in enumerate(before)}
    return [places[t] if t in places else _thing_to_json(t) for t in things]


def things_from_json(data: Sequence[int | Json], before: Sequence[Thing]) -> tuple[Thing, ...]:
    """Returns the objects that `things_to_json` wrote, given the same `before`."""
    return tuple(before[t] if isinstance(t, int) else _thing_from_json(t) for t in data)


def camera_to_json(camera: Camera) -> Json:
    """Returns a camera as plain values."""
    return {"eye": camera.eye, "target": camera.target, "fov": camera.fov, "near": camera.near, "far": camera.far,
            "indoors": camera.indoors}


def camera_from_json(data: Json) -> Camera:
    """Returns the camera that `camera_to_json` wrote."""
    return Camera(**{**data, "eye": _vector(data["eye"]), "target": _vector(data["target"])})


def robot_to_json(robot: Robot | None) -> Json | None:
    """Returns a robot as plain values, or None for none."""
    if robot is None:
        return None
    return {"x": robot.x, "y": robot.y, "yaw": robot.yaw, "pitch": robot.pitch, "held": [_thing_to_json(t) for t in robot.held]}


def robot_from_json(data: Json | None) -> Robot | None:
    """Returns the robot that `robot_to_json` wrote."""
    return None if data is None else Robot(**{**data, "held": tuple(_thing_from_json(t) for t in data["held"])})


def _thing_to_json(t: Thing) -> Json:
    return {"id": t.id, "kind": t.kind, "room": t.room, "base": t.base, "size": t.size, "yaw": t.yaw, "open": t.open,
            "on": t.on, "openable": t.openable, "hinge": t.hinge, "parent": t.parent, "inside": t.inside,
            "hidden": t.hidden, "colour": t.colour}


def _thing_from_json(data: Json) -> Thing:
    colour = data["colour"]
    return Thing(**{**data, "base": _vector(data["base"]), "size": _vector(data["size"]),
                    "colour": None if colour is None else _vector(colour)})


def _pair(values: Sequence[float]) -> tuple[float, float]:
    x, y = values
    return x, y


def _vector(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = values
    return x, y, z


def _rect(values: Sequence[float]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = values
    return x0, y0, x1, y1
