"""A house while it is being furnished: what stands where, and what must stay free."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from sim.geometry import rects
from sim.geometry.model import House, Rect, Room, Thing, Vector, Wall
from sim.rendering.graph.graph_reader import Relations
from sim.rendering.graph.plan import INSET
from sim.rendering.graph.spots import Pose, footprints

BEFORE_DOOR = 0.9
"""Floor on both sides of a door that stays free, metres."""
BEFORE_FRONT = 0.45
"""Floor in front of a piece that others leave free, metres."""
HEIGHT = 2.6


@dataclass
class Site:
    """A building that is being furnished.

    Attributes:
        relations: the graph.
        rng: chooses among equally good places.
        rooms, walls: the building.
        things: node -> thing, in the order they were placed.
        taken: room -> footprints on its floor.
        doors: room -> zones at its doors.
        clear: room -> zones in front of its furniture.
        used: (node, number of its surface) -> footprints of what lies there.
        dropped: nodes without a place.
        tries: number of surfaces searched for a place for a small object.
    """

    relations: Relations
    rng: np.random.Generator
    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    things: dict[int, Thing] = field(default_factory=dict)
    taken: dict[int, list[Rect]] = field(default_factory=lambda: defaultdict(list))
    doors: dict[int, list[Rect]] = field(default_factory=lambda: defaultdict(list))
    clear: dict[int, list[Rect]] = field(default_factory=lambda: defaultdict(list))
    used: dict[tuple[int, int], list[Rect]] = field(default_factory=lambda: defaultdict(list))
    dropped: list[int] = field(default_factory=list)
    tries: int = 0

    def __post_init__(self) -> None:
        for wall in self.walls:
            for zone in _door_zones(wall):
                for room in (wall.left, wall.right):
                    self.doors[room].append(zone)

    def inner(self, room: int) -> Rect:
        """Returns the largest piece of a room's floor, inside its walls."""
        x0, y0, x1, y1 = max(self.rooms[room].pieces, key=rects.area)
        return rects.grow((x0, y0, x1, y1), -min(INSET, (x1 - x0) / 4, (y1 - y0) / 4))

    def things_in(self, room: int, *names: str) -> Iterator[tuple[int, Thing]]:
        """Yields the placed things of a room, of these classes or of all."""
        for node, thing in self.things.items():
            if thing.room == room and (not names or thing.kind in names):
                yield node, thing

    def add(self, node: int, base: Vector, size: Vector, yaw: float) -> Thing:
        """Places the thing of a node."""
        relations = self.relations
        parent, states = relations.parent.get(node), relations.nodes[node].get("states") or ()
        thing = Thing(
            id=str(node),
            kind=relations.name(node),
            room=relations.room_of[node],
            base=base,
            size=size,
            yaw=yaw,
            open="OPEN" in states,
            on="ON" in states,
            openable="CAN_OPEN" in (relations.nodes[node].get("properties") or ()),
            parent=str(parent[0]) if parent else None,
            inside=bool(parent and parent[1]),
        )
        self.things[node] = thing
        return thing

    def settle(self, node: int, pose: Pose, size: Vector, front: float = 0.0) -> Thing:
        """Places a thing on the floor and keeps the floor in front of it free."""
        x, y, yaw = pose
        thing = self.add(node, (x, y, 0.0), size, yaw)
        self.taken[thing.room].append(thing.footprint())
        if front > 0:
            zone = footprints(np.array([pose]), size[0] * 0.8, size[1], min(front, BEFORE_FRONT))[0]
            self.clear[thing.room].append((float(zone[0]), float(zone[1]), float(zone[2]), float(zone[3])))
        return thing

    def put(self, node: int, base: Vector, size: Vector, yaw: float, holder: int, inside: bool) -> None:
        """Places a thing on or in another. It is hidden if that is closed."""
        thing, host = self.add(node, base, size, yaw), self.things[holder]
        hidden = host.hidden or (inside and host.openable and not host.open)
        self.things[node] = replace(thing, room=host.room, parent=str(holder), inside=inside, hidden=hidden)

    def house(self) -> House:
        """Returns the house built so far."""
        return House(self.rooms, self.walls, tuple(self.things.values()), HEIGHT)


def _door_zones(wall: Wall) -> Iterator[Rect]:
    ux, uy = (wall.end[0] - wall.start[0]) / wall.length, (wall.end[1] - wall.start[1]) / wall.length
    for o in (o for o in wall.openings if o.kind != "window"):
        (ax, ay), (bx, by) = ((wall.start[0] + ux * t, wall.start[1] + uy * t) for t in (o.begin - 0.05, o.end + 0.05))
        dx, dy = abs(uy) * BEFORE_DOOR, abs(ux) * BEFORE_DOOR
        yield min(ax, bx) - dx, min(ay, by) - dy, max(ax, bx) + dx, max(ay, by) + dy
