"""What a renderer, a free-space grid and a visibility test need to know about a home.

Units are metres; the frame is right-handed with z up. `yaw` turns counter-clockwise seen from above, in radians.
A thing has its own frame: origin at the middle of the bottom of its box, x to its right, **+y out of its front**; a thing
with yaw 0 looks towards +y. Every value is frozen: a house is handed between threads and processes as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

Vector = tuple[float, float, float]
Colour = tuple[float, float, float]
"""Red, green, blue in 0..1."""
Rect = tuple[float, float, float, float]
"""Axis-aligned x0, y0, x1, y1."""

EYE_HEIGHT = 1.5
"""Height of the robot's camera above the floor, metres."""


class Surface(NamedTuple):
    """A place where small things lie: a rectangle in the thing's own frame, with head room above it."""

    centre: Vector
    """Middle of the supporting rectangle."""
    half: tuple[float, float]
    clearance: float
    """Free height above, metres."""
    inside: bool
    """Whether what lies here is inside the thing (only seen while it is open, if it can be opened)."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object, placed. `kind` is the drawing's name (a key of the shape registry), not the world's class."""

    id: str
    """The entity it draws; empty for decoration that is nobody's (a toe kick, a cooker's body)."""
    kind: str
    room: int
    base: Vector
    """Middle of the bottom of the box, in the world."""
    size: Vector
    """Width, depth, height in its own frame."""
    yaw: float = 0.0
    open: bool = False
    on: bool = False
    openable: bool = False
    hinge: Literal["left", "right"] = "left"
    parent: str | None = None
    """The thing it lies on or in."""
    inside: bool = False
    """Inside the parent rather than on it."""
    hidden: bool = False
    """Behind a closed door: neither drawn nor seen."""
    colour: Colour | None = None

    def footprint(self) -> Rect:
        """Axis-aligned rectangle around the turned box."""
        c, s = abs(math.cos(self.yaw)), abs(math.sin(self.yaw))
        hx, hy = (self.size[0] * c + self.size[1] * s) / 2, (self.size[0] * s + self.size[1] * c) / 2
        return self.base[0] - hx, self.base[1] - hy, self.base[0] + hx, self.base[1] + hy

    def to_world(self, point: Vector) -> Vector:
        """A point of the thing's own frame in the world."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        x, y, z = point
        return self.base[0] + c * x - s * y, self.base[1] + s * x + c * y, self.base[2] + z


@dataclass(frozen=True, slots=True)
class Opening:
    """A hole in a wall, in metres along the wall from its start."""

    kind: Literal["door", "leaf", "window"]
    """door: a free passage; leaf: a closed door leaf; window."""
    begin: float
    end: float
    sill: float = 0.0
    head: float = 2.05


@dataclass(frozen=True, slots=True)
class Wall:
    """A straight wall; `left` and `right` are the rooms on its two sides (walking from start to end), -1 is outdoors."""

    start: tuple[float, float]
    end: tuple[float, float]
    left: int = -1
    right: int = -1
    openings: tuple[Opening, ...] = ()

    @property
    def length(self) -> float:
        """Metres from start to end."""
        return math.dist(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Room:
    """One room. `pieces` are disjoint rectangles that together make its floor: one for a plain room, two for an L."""

    name: str
    pieces: tuple[Rect, ...]
    floor: str = "plank"
    paint: Colour = (0.945, 0.92, 0.88)

    @property
    def bounds(self) -> Rect:
        """The rectangle around all pieces."""
        return (min(p[0] for p in self.pieces), min(p[1] for p in self.pieces),
                max(p[2] for p in self.pieces), max(p[3] for p in self.pieces))

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the largest piece, which is always on the floor."""
        x0, y0, x1, y1 = max(self.pieces, key=lambda p: (p[2] - p[0]) * (p[3] - p[1]))
        return (x0 + x1) / 2, (y0 + y1) / 2

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Whether a point is on the floor, `margin` metres away from the edges of its piece."""
        return any(p[0] + margin <= x <= p[2] - margin and p[1] + margin <= y <= p[3] - margin for p in self.pieces)


@dataclass(frozen=True, slots=True)
class House:
    """Rooms, walls and things. Everything in `sim.rendering` reads only this."""

    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    things: tuple[Thing, ...]
    height: float = 2.6

    def bounds(self) -> Rect:
        """The rectangle around all rooms."""
        boxes = [r.bounds for r in self.rooms]
        return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


@dataclass(frozen=True, slots=True)
class Robot:
    """Where the robot stands, for the dollhouse and the first-person view. `held` are things drawn in its hands."""

    x: float
    y: float
    yaw: float = 0.0
    pitch: float = -0.25
    """Radians; negative looks down."""
    held: tuple[Thing, ...] = ()
