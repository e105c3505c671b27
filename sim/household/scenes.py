"""Finds scenes by name, and reads the 120 iTHOR rooms and any VirtualHome graph as scenes.

AI2-THOR's flags and a graph's properties say what an object can do. Names become ours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.common.errors import UsageError
from core.common.installation import RESOURCES
from core.common.registry import near_misses
from core.common.visible import path_of, path_text, readable
from core.world.vocabulary import (
    CONTAINER,
    COOKABLE,
    GRABBABLE,
    LIEABLE,
    OPENABLE,
    SITTABLE,
    SWITCHABLE,
    WASHABLE,
)
from sim import ithor_types
from sim.geometry.model import House, Thing
from sim.household.catalogue import node_properties, node_states, used_as, words_of
from sim.household.homes import home_names, home_title, load_home
from sim.household.scene import Holder, Item, Scene
from sim.ithor_types import FIRST_NUMBER, PARTS, ROOM_CLASS, UNSEEN, owner, snake
from sim.rendering.graph import lay_out, read_graph
from sim.rendering.ithor import asset_sides, load_rooms, read_house

SCENES_FOLDER = RESOURCES / "scenes"
ITHOR = SCENES_FOLDER / "ithor_scenes.json.gz"


def scene_names() -> tuple[str, ...]:
    """Returns the names of all scenes that have one, homes first."""
    return (*home_names(), *ithor_types.scene_names())


def scene_titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of each named scene."""
    return (*((name, home_title(name)) for name in home_names()), *ithor_types.titles())


@lru_cache(maxsize=16)
def load_scene(name: str) -> Scene:
    """Returns a scene by name, or a VirtualHome graph by path (`.json` or `.json.gz`).

    Raises:
        UsageError: no such scene.
        DataError: its file is damaged.
    """
    if name in home_names():
        return load_home(name)
    if name in ithor_types.scene_names():
        return load_ithor_room(name, ITHOR)
    if name.endswith((".json", ".json.gz")):
        if not path_of(name).is_file():
            raise UsageError(f"no such graph file: {name}")
        return load_graph_scene(path_of(name))
    hint = near_misses(name, scene_names())
    raise UsageError(f"unknown scene '{name}'{hint}", command="" if hint else "see: python main.py list scenes")


SHUFFLED = 0.5
"""Share of the listed objects that a seed moves."""
ADDED = {"Bread": {COOKABLE}, "Egg": {COOKABLE}, "Fork": {WASHABLE}, "Spoon": {WASHABLE}}
"""Properties this household adds to AI2-THOR's: whole loaves and eggs cook, cutlery can be washed."""
ONLY = {
    "TowelHolder": frozenset({"towel"}), "HandTowelHolder": frozenset({"hand_towel"}),
    "ToiletPaperHanger": frozenset({"toilet_paper"}),
}
"""AI2-THOR type -> the only classes that fit there."""

Meta = dict[str, Any]


def load_ithor_room(name: str, path: Path) -> Scene:
    """Reads one room.

    Raises:
        UsageError: no such room.
        DataError: the file is damaged.
    """
    if name not in ithor_types.scene_names():
        raise UsageError(f"unknown iTHOR room '{name}': there are FloorPlan1-30, 201-230, 301-330 and 401-430")
    kind = ithor_types.kind_of(name)
    rooms, assets, haunts = _data(path)
    number = int(name.removeprefix("FloorPlan")) - FIRST_NUMBER[kind]
    return _scene(name, kind, rooms[kind][number], assets, haunts[kind])


@lru_cache(maxsize=1)
def _data(path: Path) -> tuple[dict[str, list[list[Meta]]], Any, dict[str, dict[str, frozenset[str]]]]:
    rooms = load_rooms(path)
    return rooms, asset_sides([s for kind in rooms for s in rooms[kind]]), {k: _haunts(rooms[k]) for k in FIRST_NUMBER}


def _haunts(scenes: Iterable[list[Meta]]) -> dict[str, frozenset[str]]:
    """Returns where objects of each class lie in all rooms of one kind: object class -> classes of holders."""
    found: dict[str, set[str]] = {}
    for obj in itertools.chain.from_iterable(scenes):
        for parent in obj["parentReceptacles"] or () if obj["pickupable"] else ():
            kind = parent.rsplit("|", 1)[-1] if parent.endswith(tuple(PARTS)) else parent.split("|")[0]
            found.setdefault(snake(obj["objectType"]), set()).add(snake(PARTS.get(kind, kind)))
    return {cls: frozenset(holders) for cls, holders in found.items()}


def _scene(name: str, kind: str, objects: list[Meta], assets: Any, haunts: dict[str, frozenset[str]]) -> Scene:
    house = read_house(objects, kind, assets)
    metas = {o["objectId"]: o for o in objects if o["objectType"] not in UNSEEN}
    drawn: dict[str, list[Thing]] = {}
    for thing in house.things:
        drawn.setdefault(owner(thing.id, metas), []).append(thing)
    metas = {i: o for i, o in metas.items() if i in drawn}
    names = _numbered(metas)
    controls = {i: names[j] for i, j in ithor_types.controls(metas).items()}
    items = tuple(_room_item(o, names, drawn[i], metas, controls.get(i)) for i, o in metas.items())
    decor = tuple(replace(t, id="") for t in drawn.get("", ()))
    bare = House(house.rooms, house.walls, decor, house.height)
    room = (f"{ROOM_CLASS[kind]}_1", ROOM_CLASS[kind])
    return Scene(name, ithor_types.title(name), bare, (room,), items, haunts=haunts, shuffled=SHUFFLED)


def _numbered(metas: dict[str, Meta]) -> dict[str, str]:
    """Returns AI2-THOR's ids -> ours, numbered by class in the file's order."""
    counts: dict[str, int] = {}
    names = {}
    for object_id, meta in metas.items():
        cls = snake(meta["objectType"])
        counts[cls] = counts.get(cls, 0) + 1
        names[object_id] = f"{cls}_{counts[cls]}"
    return names


def _room_item(meta: Meta, names: dict[str, str], parts: list[Thing], metas: dict[str, Meta], controls: str | None) -> Item:
    movable = bool(meta["pickupable"])
    cls = snake(meta["objectType"])
    properties = ithor_types.properties(meta) | ADDED.get(meta["objectType"], set()) | used_as(cls, fixed=not movable)
    name = names[meta["objectId"]]
    things = [replace(t, id=name, parent=None, inside=False, hidden=False) for t in parts]
    states = set()
    if OPENABLE in properties:
        states.add("open" if meta["isOpen"] else "closed")
    if SWITCHABLE in properties:
        states.add("on" if meta["isToggled"] else "off")
    held = ithor_types.holder(meta, metas) if movable else None
    holder = Holder(held[0], names[held[1]]) if held else None
    return Item(cls, "object" if movable else "furniture", properties, frozenset(states), things[0],
                holder, controls, tuple(things[1:]), ONLY.get(meta["objectType"], frozenset()))


CARRIED_SIZE = 0.5
"""Metres. A grabbable object that stands on the floor and is larger (a chair) counts as furniture."""


def load_graph_scene(path: Path) -> Scene:
    """Reads a graph file and lays it out, by its own coordinates or automatically.

    Raises:
        DataError: the file or the graph is damaged. The message says where.
    """
    graph = read_graph(path)
    laid = lay_out(graph, name=path.name).house
    nodes = {str(n["id"]): n for n in graph["nodes"]}
    rooms = tuple((_name(n), n["class_name"]) for n in graph["nodes"] if n["category"] == "Rooms")
    drawn: dict[str, list[Thing]] = {}
    for thing in laid.things:
        drawn.setdefault(thing.id if thing.id in nodes else "", []).append(thing)
    items = tuple(_graph_item(nodes[i], parts, nodes, drawn) for i, parts in drawn.items() if i)
    decor = tuple(drawn.get("", ()))
    house = House(laid.rooms, laid.walls, decor, laid.height)
    return Scene(path_text(path), f"VirtualHome graph {readable(path.name)}", house, rooms, _with_taps(items))


def _name(node: dict[str, Any]) -> str:
    return f"{node['class_name']}_{node['id']}"


def _graph_item(node: dict[str, Any], parts: list[Thing], nodes: dict[str, Any], drawn: dict[str, list[Thing]]) -> Item:
    things = [replace(t, id=_name(node), parent=None, inside=False, hidden=False) for t in parts]
    first = parts[0]
    parent = first.parent if first.parent in drawn else None
    carried = "GRABBABLE" in words_of(node, "properties") and (parent is not None or max(first.size) < CARRIED_SIZE)
    properties = node_properties(node) | ({GRABBABLE} if carried else frozenset())
    properties -= {SITTABLE, LIEABLE} if carried else frozenset()
    holder = None
    if parent is not None:
        inside = first.inside and CONTAINER in node_properties(nodes[parent])
        holder = Holder("inside" if inside else "on", _name(nodes[parent]))
    states = node_states(node, properties)
    return Item(node["class_name"], "object" if carried else "furniture", properties, states, things[0],
                holder, more=tuple(things[1:]))


def _with_taps(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Connects each faucet to the nearest sink of its room."""
    sinks = [i for i in items if i.cls == "sink"]

    def tapped(item: Item) -> Item:
        mine = [s for s in sinks if s.thing.room == item.thing.room]
        if item.cls != "faucet" or not mine:
            return item
        sink = min(mine, key=lambda s: math.dist(s.thing.base, item.thing.base))
        return Item(item.cls, item.category, item.properties, item.states, item.thing, item.holder, sink.id, item.more)

    return tuple(tapped(i) for i in items)
