"""The data model of a house: rooms, walls and objects as boxes. Rules, layouts and pictures share it.

Units are metres. The frame is right-handed with z up. `yaw` is in radians, counter-clockwise seen from above. An object has its
own frame: the origin is the middle of the bottom of its box, x points to its right and **+y out of its front**. An object with
yaw 0 faces +y. All values are frozen, because a house is passed between threads and processes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

Vector = tuple[float, float, float]
"""x, y, z in metres."""
Colour = tuple[float, float, float]
"""Red, green, blue in 0..1."""
Rect = tuple[float, float, float, float]
"""An axis-aligned rectangle: x0, y0, x1, y1 in metres."""

EYE_HEIGHT = 1.5
"""Height of the robot's camera above the floor, metres."""


EYES_ABOVE_SEAT = {"sitting": 0.75, "lying": 0.25}
"""Height of the camera above what the robot sits or lies on, metres."""


class Surface(NamedTuple):
    """A rectangle that holds objects, in the frame of the piece it belongs to.

    Attributes:
        centre: middle of the rectangle, metres.
        half: half extents along x and y, metres.
        clearance: free height above, metres.
        inside: True if what lies here is inside the piece. A piece that opens shows it only while it is open.
    """

    centre: Vector
    half: tuple[float, float]
    clearance: float
    inside: bool


@dataclass(frozen=True, slots=True)
class Thing:
    """One object or piece of furniture at a place.

    Attributes:
        id: the entity it stands for; empty for decoration that is no entity (a toe kick, the body of a cooker).
        kind: the class it is drawn and placed as (a key of the shape registry and of `placing`), not the class in the rules.
        room: index of its room; negative outside of all rooms.
        base: middle of the bottom of its box, in the frame of the house.
        size: width, depth and height of its box, metres.
        yaw: heading, radians.
        open, on: its state, where it has one.
        openable: whether it can be opened.
        hinge: side on which its door turns.
        parent: id of the object it lies on or in.
        inside: True if it is inside the parent rather than on it.
        hidden: True behind a closed door: neither drawn nor seen.
        colour: overrides the colour chosen by the drawing.
    """

    id: str
    kind: str
    room: int
    base: Vector
    size: Vector
    yaw: float = 0.0
    open: bool = False
    on: bool = False
    openable: bool = False
    hinge: Literal["left", "right"] = "left"
    parent: str | None = None
    inside: bool = False
    hidden: bool = False
    colour: Colour | None = None

    def footprint(self) -> Rect:
        """Returns the axis-aligned rectangle around the turned box."""
        c, s = abs(math.cos(self.yaw)), abs(math.sin(self.yaw))
        hx, hy = (self.size[0] * c + self.size[1] * s) / 2, (self.size[0] * s + self.size[1] * c) / 2
        return self.base[0] - hx, self.base[1] - hy, self.base[0] + hx, self.base[1] + hy

    def to_world(self, point: Vector) -> Vector:
        """Returns a point of the object's own frame in the frame of the house."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        x, y, z = point
        return self.base[0] + c * x - s * y, self.base[1] + s * x + c * y, self.base[2] + z

    def to_local(self, point: Vector) -> Vector:
        """Returns a point of the house in the object's own frame."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        dx, dy = point[0] - self.base[0], point[1] - self.base[1]
        return c * dx + s * dy, -s * dx + c * dy, point[2] - self.base[2]


@dataclass(frozen=True, slots=True)
class Opening:
    """A hole in a wall.

    Attributes:
        kind: `door` is an open passage, `leaf` a closed door, `window` a window.
        begin, end: metres along the wall from its start.
        sill, head: lower and upper edge above the floor, metres.
    """

    kind: Literal["door", "leaf", "window"]
    begin: float
    end: float
    sill: float = 0.0
    head: float = 2.05


@dataclass(frozen=True, slots=True)
class Wall:
    """A straight wall with its openings.

    Attributes:
        start, end: ends on the plan, metres.
        left, right: index of the room on either side, seen from start to end; -1 is outdoors.
        openings: doors and windows.
    """

    start: tuple[float, float]
    end: tuple[float, float]
    left: int = -1
    right: int = -1
    openings: tuple[Opening, ...] = ()

    @property
    def length(self) -> float:
        """Returns the distance from start to end, metres."""
        return math.dist(self.start, self.end)

    @property
    def direction(self) -> tuple[float, float]:
        """Returns the unit vector from start to end."""
        return (self.end[0] - self.start[0]) / self.length, (self.end[1] - self.start[1]) / self.length


@dataclass(frozen=True, slots=True)
class Room:
    """One room.

    Attributes:
        name: its class.
        pieces: disjoint rectangles that form the floor: one for a plain room, two for an L.
        floor: texture of the floor.
        paint: colour of the walls.
    """

    name: str
    pieces: tuple[Rect, ...]
    floor: str = "plank"
    paint: Colour = (0.945, 0.92, 0.88)

    @property
    def bounds(self) -> Rect:
        """Returns the rectangle around all pieces."""
        return (min(p[0] for p in self.pieces), min(p[1] for p in self.pieces),
                max(p[2] for p in self.pieces), max(p[3] for p in self.pieces))

    @property
    def centre(self) -> tuple[float, float]:
        """Returns the middle of the largest piece, which is always on the floor."""
        x0, y0, x1, y1 = max(self.pieces, key=lambda p: (p[2] - p[0]) * (p[3] - p[1]))
        return (x0 + x1) / 2, (y0 + y1) / 2

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Returns True if a point is on the floor, at least `margin` metres from the edges of its piece."""
        return any(p[0] + margin <= x <= p[2] - margin and p[1] + margin <= y <= p[3] - margin for p in self.pieces)


@dataclass(frozen=True, slots=True)
class House:
    """Rooms, walls and objects. Rendering reads nothing else.

    Attributes:
        rooms: indexed by `Thing.room`.
        walls: with their doors and windows.
        things: furniture, objects and decoration.
        height: of the ceiling, metres.
    """

    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    things: tuple[Thing, ...]
    height: float = 2.6

    def bounds(self) -> Rect:
        """Returns the rectangle around all rooms."""
        boxes = [r.bounds for r in self.rooms]
        return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


@dataclass(frozen=True, slots=True)
class Robot:
    """The robot as pictures show it.

    Attributes:
        x, y: where it stands, metres.
        yaw: heading, radians.
        pitch: tilt of the camera, radians; negative looks down.
        held: objects drawn in its hands, in the frame of the hand.
        posture: whether it stands, sits or lies.
        seat: height of what it sits or lies on, metres.
    """

    x: float
    y: float
    yaw: float = 0.0
    pitch: float = -0.25
    held: tuple[Thing, ...] = ()
    posture: Literal["standing", "sitting", "lying"] = "standing"
    seat: float = 0.0

    @property
    def eye_height(self) -> float:
        """Returns the height of its camera above the floor, metres."""
        return EYE_HEIGHT if self.posture == "standing" else self.seat + EYES_ABOVE_SEAT[self.posture]


def heading(dx: float, dy: float) -> float:
    """Returns the yaw that faces along (dx, dy), radians."""
    return math.atan2(-dx, dy) if (dx or dy) else 0.0
