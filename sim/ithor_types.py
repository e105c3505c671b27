"""Translates AI2-THOR's types: classes, properties, holders, switches. For every adapter that reads its object metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    RelationKind,
    spaced,
)

Meta = Mapping[str, Any]
"""One object of AI2-THOR's metadata."""

FIRST_NUMBER = {"kitchens": 1, "living_rooms": 201, "bedrooms": 301, "bathrooms": 401}
ROOM_CLASS = {"kitchens": "kitchen", "living_rooms": "living_room", "bedrooms": "bedroom", "bathrooms": "bathroom"}
CONTAINERS = frozenset({
    "Fridge", "Cabinet", "Drawer", "Microwave", "Safe", "Box", "LaundryHamper", "Sink", "Bathtub", "GarbageCan",
    "Bowl", "Cup", "Mug", "Pot", "Pan", "CoffeeMachine", "Toaster",
})
"""Receptacles that objects are *in*. Objects are *on* all the others."""
PARTS = {"SinkBasin": "Sink", "BathtubBasin": "Bathtub"}
"""Types that only name a part of another piece: people say sink, not basin of the sink."""
UNSEEN = frozenset({"Floor", "Window", *PARTS})
"""Types that are no entities."""
EXTRA = {
    "Microwave": {HEATS, RUNS_CLOSED}, "Toaster": {HEATS, TAKES_SLICES}, "StoveBurner": {HEATS}, "CoffeeMachine": {BREWS},
    "Sink": {CONTAINER, RINSES}, "Bathtub": {CONTAINER, RINSES}, "Knife": {CUTS}, "ButterKnife": {CUTS},
}
"""Properties that AI2-THOR has no flag for."""
FLAGS = {
    GRABBABLE: "pickupable", OPENABLE: "openable", SWITCHABLE: "toggleable", SLICEABLE: "sliceable", COOKABLE: "cookable",
}
CONTROLLED = {"Faucet": ("Sink", "Bathtub"), "StoveKnob": ("StoveBurner",)}
"""Type of a switch -> the types it can control."""
NEAR_TAP = 1.0
"""Largest distance between a tap and its sink, metres."""


def scene_names() -> tuple[str, ...]:
    """Returns FloorPlan1 … FloorPlan430, AI2-THOR's own names."""
    return tuple(f"FloorPlan{first + k}" for first in FIRST_NUMBER.values() for k in range(30))


def titles() -> tuple[tuple[str, str], ...]:
    """Returns (name, title) of every room."""
    return tuple((name, title(name)) for name in scene_names())


def kind_of(name: str) -> str:
    """Returns kitchens, living_rooms, bedrooms or bathrooms, from a scene's number."""
    number = int(name.removeprefix("FloorPlan"))
    return max((k for k in FIRST_NUMBER if FIRST_NUMBER[k] <= number), key=FIRST_NUMBER.__getitem__)


def title(name: str) -> str:
    """Returns a scene's name for people: `Kitchen, iTHOR FloorPlan1`."""
    return f"{spaced(ROOM_CLASS[kind_of(name)]).capitalize()}, iTHOR {name}"


def snake(kind: str) -> str:
    """Returns AI2-THOR's type as our class: `TVStand` -> `tv_stand`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()


def properties(meta: Meta) -> frozenset[str]:
    """Returns what an object can do, by AI2-THOR's flags and its type."""
    kind = meta["objectType"]
    found = {ours for ours, theirs in FLAGS.items() if meta[theirs]}
    if meta["receptacle"]:
        found.add(CONTAINER if kind in CONTAINERS else SURFACE)
    if meta["dirtyable"] and meta["pickupable"]:
        found.add(WASHABLE)
    return frozenset(found | EXTRA.get(kind, set()))


def owner(object_id: str, metas: Mapping[str, Meta]) -> str:
    """Returns the entity an object id belongs to. A basin belongs to its sink. Empty if it belongs to no entity."""
    if object_id in metas:
        return object_id
    whole = object_id.rsplit("|", 1)[0]
    return whole if whole in metas else ""


def holder(meta: Meta, metas: Mapping[str, Meta]) -> tuple[RelationKind, str] | None:
    """Returns how and where an object lies, or None. AI2-THOR lists the bowl and the table below it.

    The innermost holder counts, then the smallest.
    """
    around = {own for p in meta["parentReceptacles"] or () if (own := owner(p, metas))}
    options = []
    for own in around - {meta["objectId"]}:
        outer = metas[own]["parentReceptacles"] or ()
        if meta["objectId"] not in outer:
            size = metas[own]["axisAlignedBoundingBox"]["size"]
            depth = sum(owner(p, metas) in around for p in outer)
            options.append((-depth, size["x"] * size["y"] * size["z"], own))
    if not options:
        return None
    own = min(options)[2]
    return "inside" if metas[own]["objectType"] in CONTAINERS else "on", own


def controls(metas: Mapping[str, Meta]) -> dict[str, str]:
    """Returns the ids of taps and knobs -> the ids of what they control.

    The metadata decides; otherwise the nearest pairs do, with one knob per burner.
    """
    stated = {i: target for i, switch in metas.items() for target in switch.get("controlledObjects") or () if target in metas}
    return {**stated, **_guessed({i: meta for i, meta in metas.items() if i not in stated and i not in stated.values()})}


def _guessed(metas: Mapping[str, Meta]) -> dict[str, str]:
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
            found[switch_id] = target_id
            if metas[switch_id]["objectType"] == "StoveKnob":
                taken.add(target_id)
    return found


def _distance(a: Meta, b: Meta) -> float:
    p, q = a["axisAlignedBoundingBox"]["center"], b["axisAlignedBoundingBox"]["center"]
    return float(((p["x"] - q["x"]) ** 2 + (p["y"] - q["y"]) ** 2 + (p["z"] - q["z"]) ** 2) ** 0.5)
