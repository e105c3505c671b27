"""A house while it is being furnished: its floor plan, candidate places as arrays, what stands where, and what must stay free.

Candidate places are rows of x, y, yaw, and their footprints rows of x0, y0, x1, y1. Metres and radians.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from sim.geometry import rects
from sim.geometry.model import Colour, House, Opening, Rect, Room, Thing, Vector, Wall
from sim.rendering.graph.graph_reader import Relations

DOOR: Final = 0.95
INSET: Final = 0.06
"""Half the thickness of a wall, metres."""
ASPECT: Final = 1.35
"""Width of a house over its depth."""
FEW: Final = 2
"""Up to this number rooms lie side by side, because two rows would make them corridors."""
MANY: Final = 12
"""With more rooms than this, rows are not chosen among all combinations."""
RoomStyle = tuple[str, Colour]
"""Texture of the floor and colour of the walls."""
ROOM_STYLES: Final[dict[str, RoomStyle]] = {
    "bathroom": ("bathtile", (0.86, 0.92, 0.93)),
    "bedroom": ("carpet", (0.88, 0.89, 0.94)),
    "dining_room": ("tile", (0.94, 0.91, 0.85)),
    "home_office": ("plank", (0.90, 0.92, 0.87)),
    "kitchen": ("tile", (0.94, 0.92, 0.86)),
    "living_room": ("plank", (0.94, 0.91, 0.87)),
}
JOINED: Final = {name.replace("_", ""): name for name in ROOM_STYLES}
"""Newer versions of VirtualHome write names without underscores."""
PLAIN: Final[RoomStyle] = ("plank", (0.93, 0.91, 0.88))


def room(name: str, *pieces: Rect) -> Room:
    """Returns a room in the colours of its name."""
    floor, paint = ROOM_STYLES.get(name) or ROOM_STYLES.get(JOINED.get(name, ""), PLAIN)
    return Room(name, pieces, floor, paint)


def plan(names: Sequence[str], areas: Sequence[float]) -> tuple[Room, ...]:
    """Returns two rows of similar area, each as wide as the house. Rooms keep their order within a row."""
    front = _front_row(areas)
    width, rooms, y = math.sqrt(sum(areas) * ASPECT), dict[int, Room](), 0.0
    back = [i for i in range(len(names)) if i not in front]
    for row in (front, back) if back else (front,):
        height, x = sum(areas[i] for i in row) / width, 0.0
        for i in row:
            w = areas[i] / height
            rooms[i] = room(names[i], (x, y, x + w, y + height))
            x += w
        y += height
    return tuple(rooms[i] for i in range(len(names)))


def _front_row(areas: Sequence[float]) -> list[int]:
    """Returns the rooms whose areas add up to nearly half of the house."""
    order, half = range(len(areas)), sum(areas) / 2
    if len(areas) <= FEW:
        return list(order)
    if len(areas) > MANY:
        sums = list(itertools.accumulate(areas))
        return list(order[: 1 + min(range(len(sums) - 1), key=lambda k: abs(sums[k] - half))])
    rows = (c for n in range(1, len(areas) // 2 + 1) for c in itertools.combinations(order, n))
    return list(min(rows, key=lambda c: abs(sum(areas[i] for i in c) - half)))


def with_opening(wall: Wall, opening: Opening) -> Wall:
    """Returns the wall with one more hole."""
    return replace(wall, openings=(*wall.openings, opening))


def add_doors(walls: list[Wall], count: int) -> list[Wall]:
    """Returns the walls with doors: in the longest shared walls until all rooms connect, then a closed one to the outside."""
    walls, group = list(walls), list(range(count))
    for wall in walls:
        if min(wall.left, wall.right) >= 0 and any(o.kind == "door" for o in wall.openings):
            group = _joined(group, wall)
    shared = (k for k, w in enumerate(walls) if min(w.left, w.right) >= 0)
    for k in sorted(shared, key=lambda k: -walls[k].length):
        wall = walls[k]
        if group[wall.left] != group[wall.right] and wall.length > DOOR + 0.3:
            group = _joined(group, wall)
            begin = 0.25 if wall.length > 2.6 else (wall.length - DOOR) / 2
            walls[k] = with_opening(wall, Opening("door", begin, begin + DOOR))
    outer = [k for k, w in enumerate(walls) if min(w.left, w.right) < 0 and w.length > 2]
    if outer and not any(o.kind == "leaf" for w in walls for o in w.openings):
        k = min(outer, key=lambda k: (walls[k].start[1] + walls[k].end[1], walls[k].start[0]))
        walls[k] = with_opening(walls[k], Opening("leaf", walls[k].length - 1.25, walls[k].length - 0.3))
    return walls


def _joined(group: list[int], wall: Wall) -> list[int]:
    a, b = group[wall.left], group[wall.right]
    return [a if g == b else g for g in group]


def add_window(walls: list[Wall], number: int) -> list[Wall]:
    """Returns the walls with a window in the longest free stretch of the room's outer walls, if one is long enough."""
    stretches = []
    for k, wall in enumerate(walls):
        if number in (wall.left, wall.right) and min(wall.left, wall.right) < 0:
            edges = [0.0, *(v for o in sorted(wall.openings, key=lambda o: o.begin) for v in (o.begin, o.end)), wall.length]
            stretches += [(b - a, -k, a, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    length, k, a, b = max(stretches, default=(0.0, 0, 0.0, 0.0))
    if length < 1.1:
        return walls
    half, middle = min(0.75, length / 2 - 0.3), (a + b) / 2
    opened = with_opening(walls[-k], Opening("window", middle - half, middle + half, 0.95, 2.1))
    return [opened if n == -k else w for n, w in enumerate(walls)]


Rows = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Pose = tuple[float, float, float]

MOST_SPOTS = 4000
"""Places in the open that are compared, in each of two turns. Rooms above 160 m² get a coarser grid."""
FREE_WALL = 0.005
"""Gap between a piece and the wall behind it, metres."""


def no_rows() -> Rows:
    """Returns an empty table of poses."""
    return np.empty((0, 3))


def along_walls(inner: Rect, w: float, d: float, step: float = 0.1) -> Rows:
    """Returns poses of a w by d piece with its back to any side of a rectangle."""
    x0, y0, x1, y1 = inner
    deep = d / 2 + FREE_WALL
    rows = [no_rows()]
    for yaw, low, high, across in (
        (0.0, x0, x1, y0 + deep),
        (math.pi / 2, y0, y1, x1 - deep),
        (math.pi, x0, x1, y1 - deep),
        (-math.pi / 2, y0, y1, x0 + deep),
    ):
        if high - low >= w:
            at = np.append(np.arange(low + w / 2, high - w / 2 + 1e-6, step), high - w / 2)
            level, turn = np.full_like(at, across), np.full_like(at, yaw)
            rows.append(np.column_stack([level, at, turn] if abs(math.sin(yaw)) > 0.5 else [at, level, turn]))
    return np.vstack(rows)


def in_the_middle(inner: Rect) -> Rows:
    """Returns a grid of poses over a rectangle, along and across.

    It is coarser in large rooms, because every pose is compared with every piece.
    """
    x0, y0, x1, y1 = inner
    margin, step = 0.3, max(0.2, math.sqrt(max(x1 - x0, 0.0) * max(y1 - y0, 0.0) / MOST_SPOTS))
    turns = (0.0, math.pi / 2)
    rows = [(x, y, yaw) for x in np.arange(x0 + margin, x1, step) for y in np.arange(y0 + margin, y1, step) for yaw in turns]
    return np.array(rows) if rows else no_rows()


def footprints(poses: Rows, w: float, d: float, front: float = 0.0) -> Rows:
    """Returns rectangles around a turned w by d piece, extended by `front` metres out of its front."""
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    hx, hy = np.abs(c) * w / 2 + np.abs(s) * d / 2, np.abs(s) * w / 2 + np.abs(c) * d / 2
    x, y, fx, fy = poses[:, 0], poses[:, 1], -s * front, c * front
    low = (x - hx + np.minimum(fx, 0), y - hy + np.minimum(fy, 0))
    return np.column_stack([*low, x + hx + np.maximum(fx, 0), y + hy + np.maximum(fy, 0)])


def clear_of(rows: Rows, blocked: Sequence[Rect], gap: float = 0.0) -> Mask:
    """Returns which rectangles keep `gap` from all the blocked ones."""
    if not blocked or not len(rows):
        return np.ones(len(rows), np.bool_)
    b = np.array(blocked)
    across = (rows[:, None, 0] < b[None, :, 2] + gap) & (b[None, :, 0] < rows[:, None, 2] + gap)
    along = (rows[:, None, 1] < b[None, :, 3] + gap) & (b[None, :, 1] < rows[:, None, 3] + gap)
    hit: Mask = np.any(across & along, axis=1)
    return ~hit


def within(rows: Rows, inner: Rect, slack: float = 0.0) -> Mask:
    """Returns which rectangles lie in a rectangle."""
    low, high = np.array(inner[:2]) - slack, np.array(inner[2:]) + slack
    inside: Mask = np.all((rows[:, :2] > low) & (rows[:, 2:] < high), axis=1)
    return inside


def before_windows(rows: Rows, walls: Sequence[Wall], room: int) -> Mask:
    """Returns which rectangles stand in front of a window of the room."""
    hit = np.zeros(len(rows), np.bool_)
    for wall in (w for w in walls if room in (w.left, w.right)):
        k = 0 if abs(wall.end[1] - wall.start[1]) < 1e-6 else 1
        at, start = wall.start[1 - k], wall.start[k]
        near = np.minimum(np.abs(rows[:, 1 - k] - at), np.abs(rows[:, 3 - k] - at)) < 0.2
        for o in (o for o in wall.openings if o.kind == "window"):
            hit |= near & (rows[:, k] < start + o.end) & (rows[:, k + 2] > start + o.begin)
    return hit


def row_of(rows: Rows, k: int) -> Pose:
    """Returns one row as plain numbers."""
    x, y, yaw = rows[k].tolist()
    return x, y, yaw


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
    ux, uy = wall.direction
    for o in (o for o in wall.openings if o.kind != "window"):
        (ax, ay), (bx, by) = ((wall.start[0] + ux * t, wall.start[1] + uy * t) for t in (o.begin - 0.05, o.end + 0.05))
        dx, dy = abs(uy) * BEFORE_DOOR, abs(ux) * BEFORE_DOOR
        yield min(ax, bx) - dx, min(ay, by) - dy, max(ax, bx) + dx, max(ay, by) + dy
