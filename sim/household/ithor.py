"""Reads the 120 iTHOR rooms as scenes. AI2-THOR's flags say what an object can do; names become ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.common.errors import UsageError
from core.world.vocabulary import COOKABLE, OPENABLE, SWITCHABLE, WASHABLE
from sim import ithor_types
from sim.geometry.model import House, Thing
from sim.household.scene import Holder, Item, Scene
from sim.ithor_types import FIRST_NUMBER, PARTS, ROOM_CLASS, UNSEEN, owner, snake
from sim.rendering.ithor import asset_sides, load_rooms, read_house

SHUFFLED = 0.5
"""Share of the listed objects that a seed moves."""
EXTRA = {"Bread": {COOKABLE}, "Egg": {COOKABLE}, "Fork": {WASHABLE}, "Spoon": {WASHABLE}}
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
    items = tuple(_item(o, names, drawn[i], metas, controls.get(i)) for i, o in metas.items())
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


def _item(meta: Meta, names: dict[str, str], parts: list[Thing], metas: dict[str, Meta], controls: str | None) -> Item:
    movable = bool(meta["pickupable"])
    properties = ithor_types.properties(meta) | EXTRA.get(meta["objectType"], set())
    name = names[meta["objectId"]]
    things = [replace(t, id=name, parent=None, inside=False, hidden=False) for t in parts]
    states = set()
    if OPENABLE in properties:
        states.add("open" if meta["isOpen"] else "closed")
    if SWITCHABLE in properties:
        states.add("on" if meta["isToggled"] else "off")
    held = ithor_types.holder(meta, metas) if movable else None
    holder = Holder(held[0], names[held[1]]) if held else None
    return Item(snake(meta["objectType"]), "object" if movable else "furniture", properties, frozenset(states), things[0],
                holder, controls, tuple(things[1:]), ONLY.get(meta["objectType"], frozenset()))
