"""The 120 iTHOR rooms as scenes: AI2-THOR's own flags say what a thing can do; names become ours."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.errors import UsageError
from core.world import (
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
from sim.household.scene import Holder, Item, Scene
from sim.rendering.ithor import asset_sides, load_rooms, read_house
from sim.rendering.model import House, Thing

FIRST_NUMBER = {"kitchens": 1, "living_rooms": 201, "bedrooms": 301, "bathrooms": 401}
ROOM_CLASS = {"kitchens": "kitchen", "living_rooms": "living_room", "bedrooms": "bedroom", "bathrooms": "bathroom"}
SHUFFLED = 0.5

CONTAINERS = frozenset({
    "Fridge", "Cabinet", "Drawer", "Microwave", "Safe", "Box", "LaundryHamper", "Sink", "Bathtub", "GarbageCan",
    "Bowl", "Cup", "Mug", "Pot", "Pan", "CoffeeMachine", "Toaster",
})
"""Receptacles that things are *in*; things are *on* all the others."""
PARTS = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}
"""Types that only name a part of another piece: people say sink, not basin of the sink."""
UNSEEN = frozenset({"Floor", "Window", *PARTS})
EXTRA = {
    "Microwave": {HEATS, RUNS_CLOSED}, "Toaster": {HEATS, TAKES_SLICES}, "StoveBurner": {HEATS}, "CoffeeMachine": {BREWS},
    "Sink": {CONTAINER, RINSES}, "Bathtub": {CONTAINER, RINSES}, "Knife": {CUTS}, "ButterKnife": {CUTS},
    "Bread": {COOKABLE}, "Egg": {COOKABLE}, "Potato": {COOKABLE}, "Fork": {WASHABLE}, "Spoon": {WASHABLE},
}
FLAGS = {
    GRABBABLE: "pickupable", OPENABLE: "openable", SWITCHABLE: "toggleable", SLICEABLE: "sliceable", COOKABLE: "cookable",
}
CONTROLLED = {"Faucet": ("Sink", "Bathtub"), "StoveKnob": ("StoveBurner",)}
ONLY = {
    "TowelHolder": frozenset({"towel"}), "HandTowelHolder": frozenset({"hand_towel"}),
    "ToiletPaperHanger": frozenset({"toilet_paper"}),
}
NEAR_TAP = 1.0

Meta = dict[str, Any]


def scene_names() -> tuple[str, ...]:
    """FloorPlan1 … FloorPlan430, AI2-THOR's own names."""
    return tuple(f"FloorPlan{first + k}" for first in FIRST_NUMBER.values() for k in range(30))


def titles() -> tuple[tuple[str, str], ...]:
    """(name, title) of every room, without reading the file."""
    kinds = [kind for kind in FIRST_NUMBER for _ in range(30)]
    return tuple((name, _title(name, kind)) for name, kind in zip(scene_names(), kinds, strict=True))


def _title(name: str, kind: str) -> str:
    return f"{ROOM_CLASS[kind].replace('_', ' ').capitalize()}, iTHOR {name}"


def load_scene(name: str, path: Path) -> Scene:
    """One room.

    Raises:
        UsageError: no such room.
        DataError: the file is damaged.
    """
    if name not in scene_names():
        raise UsageError(f"unknown iTHOR room '{name}': there are FloorPlan1-30, 201-230, 301-330 and 401-430")
    number = int(name.removeprefix("FloorPlan"))
    kind = max((k for k in FIRST_NUMBER if FIRST_NUMBER[k] <= number), key=FIRST_NUMBER.__getitem__)
    rooms, assets, haunts = _data(path)
    return _scene(name, kind, rooms[kind][number - FIRST_NUMBER[kind]], assets, haunts[kind])


@lru_cache(maxsize=1)
def _data(path: Path) -> tuple[dict[str, list[list[Meta]]], Any, dict[str, dict[str, frozenset[str]]]]:
    rooms = load_rooms(path)
    return rooms, asset_sides([s for kind in rooms for s in rooms[kind]]), {k: _haunts(rooms[k]) for k in FIRST_NUMBER}


def _haunts(scenes: Iterable[list[Meta]]) -> dict[str, frozenset[str]]:
    """Where things of each type lie in all rooms of one kind."""
    found: dict[str, set[str]] = {}
    for obj in itertools.chain.from_iterable(scenes):
        for parent in obj["parentReceptacles"] or () if obj["pickupable"] else ():
            kind = parent.rsplit("|", 1)[-1] if parent.endswith(tuple(PARTS)) else parent.split("|")[0]
            found.setdefault(snake(obj["objectType"]), set()).add(snake(PARTS.get(kind, kind)))
    return {cls: frozenset(holders) for cls, holders in found.items()}


def snake(kind: str) -> str:
    """AI2-THOR's type as our class: `TVStand` -> `tv_stand`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()


def _scene(name: str, kind: str, objects: list[Meta], assets: Any, haunts: dict[str, frozenset[str]]) -> Scene:
    house = read_house(objects, kind, assets)
    metas = {o["objectId"]: o for o in objects if o["objectType"] not in UNSEEN}
    drawn: dict[str, list[Thing]] = {}
    for thing in house.things:
        drawn.setdefault(_owner(thing.id, metas), []).append(thing)
    metas = {i: o for i, o in metas.items() if i in drawn}
    names = _numbered(metas)
    controls = _controls(metas, names)
    items = tuple(_item(o, names, drawn[i], metas, controls.get(i)) for i, o in metas.items())
    decor = tuple(replace(t, id="") for t in drawn.get("", ()))
    bare = House(house.rooms, house.walls, decor, house.height)
    room = (f"{ROOM_CLASS[kind]}_1", ROOM_CLASS[kind])
    return Scene(name, _title(name, kind), bare, (room,), items, haunts=haunts, shuffled=SHUFFLED)


def _owner(thing_id: str, metas: dict[str, Meta]) -> str:
    """The entity a drawn thing belongs to: a basin is its sink's, what is nobody's is decoration."""
    if thing_id in metas:
        return thing_id
    whole = thing_id.rsplit("|", 1)[0]
    return whole if whole in metas else ""


def _numbered(metas: dict[str, Meta]) -> dict[str, str]:
    """AI2-THOR's ids -> ours, numbered by class in the file's order."""
    counts: dict[str, int] = {}
    names = {}
    for object_id, meta in metas.items():
        cls = snake(meta["objectType"])
        counts[cls] = counts.get(cls, 0) + 1
        names[object_id] = f"{cls}_{counts[cls]}"
    return names


def _item(meta: Meta, names: dict[str, str], parts: list[Thing], metas: dict[str, Meta], controls: str | None) -> Item:
    movable = bool(meta["pickupable"])
    properties = _properties(meta)
    name = names[meta["objectId"]]
    things = [replace(t, id=name, parent=None, inside=False, hidden=False) for t in parts]
    states = set()
    if OPENABLE in properties:
        states.add("open" if meta["isOpen"] else "closed")
    if SWITCHABLE in properties:
        states.add("on" if meta["isToggled"] else "off")
    holder = _holder(meta, names, metas) if movable else None
    return Item(snake(meta["objectType"]), "object" if movable else "furniture", properties, frozenset(states), things[0],
                holder, controls, tuple(things[1:]), ONLY.get(meta["objectType"], frozenset()))


def _properties(meta: Meta) -> frozenset[str]:
    kind = meta["objectType"]
    found = {ours for ours, theirs in FLAGS.items() if meta[theirs]}
    if meta["receptacle"]:
        found.add(CONTAINER if kind in CONTAINERS else SURFACE)
    if meta["dirtyable"] and meta["pickupable"]:
        found.add(WASHABLE)
    return frozenset(found | EXTRA.get(kind, set()))


def _holder(meta: Meta, names: dict[str, str], metas: dict[str, Meta]) -> Holder | None:
    """The smallest receptacle it is listed in; AI2-THOR lists the bowl and the table below it."""
    options = []
    for parent in meta["parentReceptacles"] or ():
        owner = _owner(parent, metas)
        if owner and owner != meta["objectId"] and meta["objectId"] not in (metas[owner]["parentReceptacles"] or ()):
            size = metas[owner]["axisAlignedBoundingBox"]["size"]
            options.append((size["x"] * size["y"] * size["z"], owner))
    if not options:
        return None
    owner = min(options)[1]
    return Holder("inside" if metas[owner]["objectType"] in CONTAINERS else "on", names[owner])


def _controls(metas: dict[str, Meta], names: dict[str, str]) -> dict[str, str]:
    """Taps and what they run into, knobs and their burners: nearest first, one knob a burner; the metadata does not say."""
    pairs = []
    for i, switch in metas.items():
        for j, target in metas.items():
            if target["objectType"] in CONTROLLED.get(switch["objectType"], ()):
                away = _distance(switch, target)
                if away < NEAR_TAP or switch["objectType"] == "StoveKnob":
                    pairs.append((away, i, j))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, switch_id, target_id in sorted(pairs):
        if switch_id not in found and target_id not in taken:
            found[switch_id] = names[target_id]
            if metas[switch_id]["objectType"] == "StoveKnob":
                taken.add(target_id)
    return found


def _distance(a: Meta, b: Meta) -> float:
    p, q = a["axisAlignedBoundingBox"]["center"], b["axisAlignedBoundingBox"]["center"]
    return float(((p["x"] - q["x"]) ** 2 + (p["y"] - q["y"]) ** 2 + (p["z"] - q["z"]) ** 2) ** 0.5)
