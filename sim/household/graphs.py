"""Reads any VirtualHome graph as a scene. The graph lists entities and relations, the layout gives each a place."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.world.vocabulary import (
    BREWS,
    CONTAINER,
    COOKABLE,
    CUTS,
    GRABBABLE,
    HEATS,
    OPENABLE,
    RINSES,
    RUNS_CLOSED,
    SLICEABLE,
    SURFACE,
    SWITCHABLE,
    TAKES_SLICES,
    WASHABLE,
)
from sim.geometry.model import House, Thing
from sim.household.scene import Holder, Item, Scene
from sim.rendering.graph import lay_out, read_graph

FLAGS = {"SURFACES": SURFACE, "CONTAINERS": CONTAINER, "CAN_OPEN": OPENABLE, "HAS_SWITCH": SWITCHABLE, "CUTTABLE": SLICEABLE,
         "EATABLE": COOKABLE}
EXTRA = {
    "microwave": {HEATS, RUNS_CLOSED}, "oven": {HEATS, RUNS_CLOSED}, "stove": {HEATS, RUNS_CLOSED},
    "toaster": {HEATS, CONTAINER, TAKES_SLICES}, "dishwasher": {RINSES, RUNS_CLOSED}, "washing_machine": {RINSES, RUNS_CLOSED},
    "coffe_maker": {BREWS, CONTAINER}, "sink": {RINSES, CONTAINER}, "knife": {CUTS}, "faucet": {SWITCHABLE},
    "plate": {WASHABLE}, "bowl": {WASHABLE}, "cup": {WASHABLE}, "mug": {WASHABLE}, "fork": {WASHABLE}, "spoon": {WASHABLE},
}
STATES = {"OPEN": "open", "CLOSED": "closed", "ON": "on", "OFF": "off", "CLEAN": "clean", "DIRTY": "dirty"}
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
    items = tuple(_item(nodes[i], parts, nodes, drawn) for i, parts in drawn.items() if i)
    decor = tuple(drawn.get("", ()))
    house = House(laid.rooms, laid.walls, decor, laid.height)
    return Scene(str(path), f"VirtualHome graph {path.name}", house, rooms, _with_taps(items))


def _name(node: dict[str, Any]) -> str:
    return f"{node['class_name']}_{node['id']}"


def _words(node: dict[str, Any], key: str) -> list[str]:
    """Returns a node's properties or states. Some exports leave out empty lists."""
    return node.get(key) or []


def _item(node: dict[str, Any], parts: list[Thing], nodes: dict[str, Any], drawn: dict[str, list[Thing]]) -> Item:
    things = [replace(t, id=_name(node), parent=None, inside=False, hidden=False) for t in parts]
    first = parts[0]
    parent = first.parent if first.parent in drawn else None
    carried = "GRABBABLE" in _words(node, "properties") and (parent is not None or max(first.size) < CARRIED_SIZE)
    properties = _properties(node) | ({GRABBABLE} if carried else frozenset())
    holder = None
    if parent is not None:
        relation = "inside" if first.inside and CONTAINER in _properties(nodes[parent]) else "on"
        holder = Holder("inside" if relation == "inside" else "on", _name(nodes[parent]))
    return Item(node["class_name"], "object" if carried else "furniture", properties, _states(node, properties), things[0],
                holder, more=tuple(things[1:]))


def _properties(node: dict[str, Any]) -> frozenset[str]:
    found = {FLAGS[p] for p in _words(node, "properties") if p in FLAGS} | EXTRA.get(node["class_name"], set())
    if node["class_name"].startswith("food_"):
        found.add(COOKABLE)
    if OPENABLE in found and CONTAINER not in found and SURFACE not in found:
        found.discard(OPENABLE)          # doors and curtains: there is nothing behind them here
    return frozenset(found)


def _states(node: dict[str, Any], properties: frozenset[str]) -> frozenset[str]:
    states = {STATES[s] for s in _words(node, "states") if s in STATES}
    if OPENABLE in properties:
        states = states - {"closed"} if "open" in states else states | {"closed"}
    if SWITCHABLE in properties:
        states = states - {"off"} if "on" in states else states | {"off"}
    return frozenset(states)


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
