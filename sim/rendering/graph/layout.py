"""Turns a VirtualHome graph into a house: measured where the graph has boxes, laid out otherwise.

The order is: rooms sized by content; doors and windows; furniture along walls, largest first; tables and chairs; rugs; hanging
pieces; insets; small objects on and in their parents.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from core.common.errors import DataError
from core.common.json_fields import LARGEST_SIDE, MOST_PIECES
from sim.geometry import rects
from sim.geometry.model import House, Room, Wall

from . import at_walls, freestanding, measured, small_objects, wall_mounted
from .graph_reader import CURE, Graph, check_graph
from .plan import add_doors, add_window, plan, walls_of
from .relations import Relations, relations_of
from .site import HEIGHT, Site

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
    boxes = measured.boxes_of(relations)
    _check_furniture(relations, boxes, name)
    rooms, walls = measured.building(relations, boxes) or _building(relations)
    _check_size(rooms, name)
    site = Site(relations, np.random.default_rng(seed), rooms, walls)
    measured.place(site, boxes)
    _furnish(site)
    return Layout(site.house(), tuple(site.dropped))


def _check_furniture(relations: Relations, boxes: measured.Boxes, name: str) -> None:
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
    walls = add_doors(walls_of(rooms), len(rooms))
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
    for node in at_walls.order(site):
        at_walls.place_at_wall(site, node)
    for node in _waiting(site, "centre"):
        freestanding.place_in_the_open(site, node)
    for node in _waiting(site, "rug"):
        freestanding.place_rug(site, node)
    for node in _waiting(site, "hang"):
        wall_mounted.hang(site, node)
    for node in _waiting(site, "ceiling"):
        wall_mounted.hang_from_ceiling(site, node, HEIGHT)
    for node in _waiting(site, "inset"):
        wall_mounted.set_into_counter(site, node)
    small_objects.place_small_things(site)


def _waiting(site: Site, place: str) -> list[int]:
    return [i for i in site.relations.placed(place) if i not in site.things]
