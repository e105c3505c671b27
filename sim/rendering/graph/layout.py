"""Turns a VirtualHome graph into a house: measured where the graph has boxes, laid out otherwise.

Graphs exported from a running VirtualHome have boxes. Unity's axes are x, y up, z, left-handed. (x, y, z) -> (x, z, y) makes
them right-handed with z up.

The order is: rooms sized by content; doors and windows; furniture along walls, largest first; tables and chairs; rugs; hanging
pieces; insets; small objects on and in their parents.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from core.common.errors import DataError
from core.common.json_fields import LARGEST_SIDE, MOST_PIECES
from sim.geometry import rects
from sim.geometry.model import House, Opening, Rect, Room, Wall
from sim.rendering.graph import furnishing
from sim.rendering.graph.classes import CLASSES, TINY, Entry
from sim.rendering.graph.graph_reader import CURE, Graph, Node, Relations, check_graph, relations_of
from sim.rendering.graph.site import BEFORE_FRONT, HEIGHT, Site, add_doors, add_window, plan, room, with_opening

MOST: Final = 0.5
"""Boxes are used if more than this share of the furniture has one."""
SNAP: Final = 0.45
"""Walls of neighbouring rooms that are this close to each other are one wall, metres."""
FLAT: Final = 0.02
SMALLEST: Final = 0.004
NEAR_WALL: Final = 0.4
STANDING: Final = ("wall", "tall", "centre")
DOOR_HEAD: Final = 2.05


class Box(NamedTuple):
    """A box in our axes.

    Attributes:
        rect: on the plan, metres.
        z0, z1: bottom and top, metres.
    """

    rect: Rect
    z0: float
    z1: float


Boxes = dict[int, Box]


def boxes_of(relations: Relations) -> Boxes:
    """Returns the boxes of all nodes if most furniture and all rooms have one, otherwise none. The floor is at z = 0."""
    found = {i: b for i, n in relations.nodes.items() if (b := _box(n)) is not None}
    standing = relations.placed(*STANDING)
    enough = sum(i in found for i in standing) > MOST * len(standing)
    if not enough or not all(r in found for r in relations.room_ids):
        return {}
    bottoms = sorted(found[i].z0 for i in standing if i in found)
    floor = bottoms[len(bottoms) // 2]
    return {i: Box(b.rect, b.z0 - floor, b.z1 - floor) for i, b in found.items()}


def _box(node: Node) -> Box | None:
    box = node.get("bounding_box")
    if not box:
        return None
    (cx, cy, cz), (sx, sy, sz) = box["center"], box["size"]
    return Box((cx - sx / 2, cz - sz / 2, cx + sx / 2, cz + sz / 2), cy - sy / 2, cy + sy / 2)


def building(relations: Relations, boxes: Boxes) -> tuple[tuple[Room, ...], tuple[Wall, ...]] | None:
    """Returns rooms and walls from the rooms' boxes, with doors and windows where the graph has them; None without boxes."""
    if not boxes:
        return None
    floors = _snapped([boxes[r].rect for r in relations.room_ids])
    rooms = tuple(room(relations.name(r), *pieces) for r, pieces in zip(relations.room_ids, _parted(floors), strict=True))
    walls = rects.walls_of(rooms)
    for i, node in relations.nodes.items():
        if node["category"] == "Doors" and i in boxes:
            walls = _cut(walls, boxes[i], "door", node["class_name"])
    for i, node in relations.nodes.items():
        if node["category"] == "Windows":
            walls = _cut(walls, boxes[i], "window") if i in boxes else add_window(walls, relations.room_of[i])
    return rooms, tuple(add_doors(walls, len(rooms)))


def _snapped(floors: Sequence[Rect]) -> list[Rect]:
    """Returns the floors with edges that nearly agree made equal."""
    grids = [_levels(r[k] for r in floors for k in (axis, axis + 2)) for axis in (0, 1)]

    def nearest(value: float, axis: int) -> float:
        return min(grids[axis], key=lambda level: abs(level - value))

    return [(nearest(r[0], 0), nearest(r[1], 1), nearest(r[2], 0), nearest(r[3], 1)) for r in floors]


def _levels(values: Iterable[float]) -> list[float]:
    groups: list[list[float]] = []
    for value in sorted(values):
        if groups and value - groups[-1][0] < SNAP:
            groups[-1].append(value)
        else:
            groups.append([value])
    return [sum(g) / len(g) for g in groups]


def _parted(floors: Sequence[Rect]) -> list[tuple[Rect, ...]]:
    """Returns the pieces of each floor. Where rooms overlap the smaller one keeps its floor."""
    by_size = sorted(range(len(floors)), key=lambda k: rects.area(floors[k]))
    pieces: dict[int, tuple[Rect, ...]] = {}
    for n, k in enumerate(by_size):
        rest = [floors[k]]
        for smaller in by_size[:n]:
            rest = rects.subtract(rest, floors[smaller])
        pieces[k] = tuple(rest) or (floors[k],)
    return [pieces[k] for k in range(len(floors))]


def _cut(walls: list[Wall], box: Box, kind: str, name: str = "") -> list[Wall]:
    """Cuts a hole into the wall nearest to a door's or window's box, if that wall is near and long enough."""
    x, y = rects.centre(box.rect)
    best: tuple[float, int, float] | None = None
    for k, wall in enumerate(walls):
        ux, uy = wall.direction
        along, off = (
            (x - wall.start[0]) * ux + (y - wall.start[1]) * uy,
            abs((y - wall.start[1]) * ux - (x - wall.start[0]) * uy),
        )
        if -0.1 < along < wall.length + 0.1 and off < SNAP and (best is None or off < best[0]):
            best = (off, k, along)
    if best is None:
        return walls
    _, k, along = best
    wall = walls[k]
    width = max(box.rect[2] - box.rect[0], box.rect[3] - box.rect[1])
    begin, end = max(0.05, along - width / 2), min(wall.length - 0.05, along + width / 2)
    if end - begin < 0.4 or any(o.begin < end and begin < o.end for o in wall.openings):
        return walls
    opened = with_opening(wall, _opening(wall, box, kind, name, (begin, end)))
    return [opened if n == k else w for n, w in enumerate(walls)]


def _opening(wall: Wall, box: Box, kind: str, name: str, span: tuple[float, float]) -> Opening:
    if kind == "window":
        return Opening("window", *span, max(0.05, box.z0), min(2.35, max(box.z1, box.z0 + 0.3)))
    outside = min(wall.left, wall.right) < 0 and name == "door"
    return Opening("leaf" if outside else "door", *span, 0.0, DOOR_HEAD)


def place(site: Site, boxes: Boxes) -> None:
    """Places every node with a box. Nodes without one are laid out later."""
    relations = site.relations
    depth = {i: len(relations.chain(i)) for i in relations.entries}
    for node in sorted((i for i in relations.entries if i in boxes), key=lambda i: (depth[i], i)):
        entry, box = relations.entries[node], boxes[node]
        yaw = _yaw(site, node, entry, box)
        sides = (max(box.rect[2] - box.rect[0], SMALLEST), max(box.rect[3] - box.rect[1], SMALLEST))
        w, d = (sides[1], sides[0]) if abs(math.sin(yaw)) > 0.5 else sides
        base, size = (*rects.centre(box.rect), max(box.z0, 0.0)), (w, d, max(box.z1 - box.z0, SMALLEST))
        parent = relations.parent[node]
        if parent and parent[0] in site.things:
            site.put(node, base, size, yaw, parent[0], parent[1])
        elif entry.place in STANDING and base[2] < FLAT + 0.1:
            front = BEFORE_FRONT if entry.place != "centre" else 0.0
            site.settle(node, (base[0], base[1], yaw), size, front)
            site.things[node] = replace(site.things[node], base=base)
        else:
            site.add(node, base, size, yaw)


def _yaw(site: Site, node: int, entry: Entry, box: Box) -> float:
    """Returns the yaw away from a near wall, otherwise along the box: classes are wider than deep."""
    x0, y0, x1, y1 = site.inner(site.relations.room_of[node])
    r = box.rect
    gaps = ((r[1] - y0, 0.0), (x1 - r[2], math.pi / 2), (y1 - r[3], math.pi), (r[0] - x0, -math.pi / 2))
    wide = r[2] - r[0] >= r[3] - r[1]
    usual = CLASSES.get(site.relations.name(node), entry).size
    wider = usual[0] >= usual[1]
    near = [(g, yaw) for g, yaw in gaps if g < NEAR_WALL]
    small = max(r[2] - r[0], r[3] - r[1]) < TINY
    fitting = [(g, yaw) for g, yaw in near if small or ((abs(math.sin(yaw)) < 0.5) == (wide == wider))]
    if entry.place != "small" and (fitting or near):
        return min(fitting or near)[1]
    return 0.0 if wide == wider else math.pi / 2


LARGE: Final = ("wall", "tall", "centre", "rug", "hang", "ceiling", "inset")
"""Kinds of place of furniture. Everything else lies on furniture."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A house, and the nodes for which there was no place in it."""

    house: House
    dropped: tuple[int, ...]


def lay_out(graph: Graph, seed: int = 0, name: str = "The graph") -> Layout:
    """Returns the house of a graph. Equal graphs and seeds give equal houses. `Thing.id` is the node's id as a string.

    Args:
        graph: parsed JSON.
        seed: chooses among equally good places.
        name: where the graph came from, for messages.

    Raises:
        DataError: `check_graph` finds a fault in the graph, or it has more furniture than a house can hold.
    """
    check_graph(graph, name)
    relations = relations_of(graph)
    boxes = boxes_of(relations)
    _check_furniture(relations, boxes, name)
    rooms, walls = building(relations, boxes) or _building(relations)
    _check_size(rooms, name)
    site = Site(relations, np.random.default_rng(seed), rooms, walls)
    place(site, boxes)
    _furnish(site)
    return Layout(site.house(), tuple(site.dropped))


def _check_furniture(relations: Relations, boxes: Boxes, name: str) -> None:
    """Limits the furniture without a box: each piece is tried in many places and against all others of its room."""
    pieces = Counter(relations.room_of[i] for i in relations.placed(*LARGE) if i not in boxes)
    for k, count in pieces.items():
        if count > MOST_PIECES:
            room = relations.room_ids[k]
            raise DataError(f"{name}: room {room} ({relations.name(room)}) has {count:,} pieces of furniture without a place, "
                            f"at most {MOST_PIECES} are laid out: {CURE}.")


def _check_size(rooms: tuple[Room, ...], name: str) -> None:
    x0, y0, x1, y1 = rects.hull(r.bounds for r in rooms)
    if max(x1 - x0, y1 - y0) > LARGEST_SIDE:
        raise DataError(f"{name} needs a house of {x1 - x0:,.0f} m by {y1 - y0:,.0f} m for its furniture, at most "
                        f"{LARGEST_SIDE:g} m are drawn: {CURE}.")


def _building(relations: Relations) -> tuple[tuple[Room, ...], tuple[Wall, ...]]:
    rooms = plan([relations.name(r) for r in relations.room_ids], _areas(relations))
    walls = add_doors(rects.walls_of(rooms), len(rooms))
    for i, node in relations.nodes.items():
        if node["category"] == "Windows":
            walls = add_window(walls, relations.room_of[i])
    return rooms, tuple(walls)


def _areas(relations: Relations) -> list[float]:
    """Returns the area of each room, square metres: its furniture, the floor in front of it, and enough wall to stand at."""
    areas = []
    standing = [i for i in relations.placed("wall", "tall", "centre") if not relations.on_furniture(i)]
    for k in range(len(relations.room_ids)):
        sizes = [relations.entries[i].size for i in standing if relations.room_of[i] == k]
        run = sum(w for w, _, _ in sizes) * 1.25 + 2.6
        areas.append(max(6.5, sum(w * d for w, d, _ in sizes) * 2.7 + 3.0, (run / 4) ** 2))
    return areas


def _furnish(site: Site) -> None:
    for node in furnishing.order(site):
        furnishing.place_at_wall(site, node)
    for node in _waiting(site, "centre"):
        furnishing.place_in_the_open(site, node)
    for node in _waiting(site, "rug"):
        furnishing.place_rug(site, node)
    for node in _waiting(site, "hang"):
        furnishing.hang(site, node)
    for node in _waiting(site, "ceiling"):
        furnishing.hang_from_ceiling(site, node, HEIGHT)
    for node in _waiting(site, "inset"):
        furnishing.set_into_counter(site, node)
    furnishing.place_small_things(site)


def _waiting(site: Site, place: str) -> list[int]:
    return [i for i in site.relations.placed(place) if i not in site.things]
