"""Actions of the stand-in on objects, in AI2-THOR's words, and the work of its machines."""

from __future__ import annotations

import copy
import math
from typing import Any

from tests.sim.thor.standin.rooms import Object, span
from tests.sim.thor.standin.world import Refused, Room

ModelRequest = dict[str, Any]
FLOOR_SHARE = 0.8
"""How much of a receptacle's base its contents may cover."""
PIECES = {"Apple": 4, "Bread": 6, "Lettuce": 4, "Potato": 4, "Tomato": 4, "Egg": 1}
UNFIT = {"Apple": ("Drawer", "Cabinet", "Shelf"), "Knife": ("Fridge", "Microwave"), "Mug": ("Bowl", "Drawer")}
"""Some of the types that the published player lets lie nowhere in or on some others, unless it is forced."""
SPOTS = 5
"""Places on a receptacle, along each side."""
COOKS_INSIDE = ("Microwave", "Toaster", "StoveBurner")


def target(room: Room, ask: ModelRequest) -> Object:
    """What is to be used. The published player looks for it in the picture, within its visibilityDistance; forced, it does not.

    The messages have the published form: the exception's name before, the place in the source after.
    """
    meta = room.find(ask.get("objectId"))
    trace = ". trace:   at UnityStandardAssets.Characters.FirstPerson.BaseFPSAgentController"
    if not ask.get("forceAction"):
        if not meta["visible"]:
            raise Refused(f"NullReferenceException: Target object not found within the specified visibility.{trace}")
        if not meta["isInteractable"]:
            raise Refused("NullReferenceException: Target object is visible but not interactable. It is likely obstructed by "
                          f"some clear object like glass.{trace}")
    return meta


def pick_up(room: Room, ask: ModelRequest) -> None:
    meta = target(room, ask)
    if room.held is not None:
        raise Refused("Agent hand has something in it already! Can't pick up anything else")
    if not meta["pickupable"]:
        raise Refused(f"{meta['objectId']} is not pickupable!", "NotPickupable")
    room.lift(meta)
    meta["isPickedUp"], room.held = True, meta["objectId"]


def put(room: Room, ask: ModelRequest) -> None:
    if room.held is None:
        raise Refused("Can't place an object if Agent isn't holding anything")
    holder, meta = target(room, ask), room.objects[room.held]
    if not holder["receptacle"]:
        raise Refused(f"This target object is NOT a receptacle: {holder['objectId']}")
    if holder["openable"] and not holder["isOpen"]:
        raise Refused("Target openable Receptacle is CLOSED, can't place if target is not open!")
    if not ask.get("forceAction") and holder["objectType"] in UNFIT.get(meta["objectType"], ()):
        raise Refused(f"{meta['objectType']}_1b cannot be placed in {holder['objectType']}_2c")
    lying = [room.objects[i] for i in holder["receptacleObjectIds"] or () if i in room.objects]
    if sum(map(base, (*lying, meta))) > FLOOR_SHARE * base(holder) and (lying or base(meta) > base(holder)):
        raise Refused("No valid positions to place object found")
    everywhere = spots(holder, len(lying))
    shown = [p for p in everywhere if ask.get("forceAction") or holder["pickupable"] or room.shows(p, room.agent)]
    if not shown:
        raise Refused("No valid positions to place object found")
    room.held, meta["isPickedUp"] = None, False
    room.move(meta, *shown[0])
    room.lay(meta, holder)


def base(meta: Object) -> float:
    size = meta["axisAlignedBoundingBox"]["size"]
    return float(size["x"] * size["z"])


def spots(holder: Object, number: int) -> list[tuple[float, float, float]]:
    """Places on a receptacle, as good as physics for names and relations; each number of things begins at another."""
    (x0, x1), (z0, z1), (low, high) = span(holder, "x"), span(holder, "z"), span(holder, "y")
    height = low + 0.1 * (high - low) if holder["openable"] else high
    count = SPOTS * SPOTS
    cells = (divmod((number + k) * 7 % count, SPOTS) for k in range(count))
    return [(x0 + (x1 - x0) * (across + 1) / (SPOTS + 1), height, z0 + (z1 - z0) * (along + 1) / (SPOTS + 1))
            for along, across in cells]


def drop(room: Room, ask: ModelRequest) -> None:
    del ask
    if room.held is None:
        raise Refused("Nothing is in the Agent's hand to drop!")
    meta, room.held = room.objects[room.held], None
    meta["isPickedUp"] = False
    room.move(meta, room.agent.x, room.level, room.agent.z)


def swing(room: Room, ask: ModelRequest) -> None:
    meta, wanted = target(room, ask), ask["action"] == "OpenObject"
    if not meta["openable"]:
        raise Refused(f"{meta['objectId']} is not an Openable object", "NotOpenable")
    if meta["isOpen"] == wanted:
        raise Refused(f"{meta['objectId']} is already {'open' if wanted else 'closed'}")
    if wanted and meta["isToggled"]:
        raise Refused("Target must be OFF to open!")
    meta["isOpen"], meta["openness"] = wanted, float(wanted)


def toggle(room: Room, ask: ModelRequest) -> None:
    meta, wanted = target(room, ask), ask["action"] == "ToggleObjectOn"
    if not meta["toggleable"]:
        raise Refused(f"{meta['objectId']} is not toggleable", "NotToggleable")
    if meta["isToggled"] == wanted:
        word = "on" if wanted else "off"
        raise Refused(f"can't toggle object {word} if it's already {word}!")
    if wanted and meta["openable"] and meta["isOpen"]:
        raise Refused("Target must be closed to Toggle On!")
    meta["isToggled"] = wanted


def cut(room: Room, ask: ModelRequest) -> None:
    meta = target(room, ask)
    if not meta["sliceable"] or meta["objectType"] not in PIECES:
        raise Refused(f"{meta['objectId']} cannot be sliced", "NotSliceable")
    if meta["isPickedUp"]:
        raise Refused("target object cannot be sliced if it is in the agent's hand")
    kind = "EggCracked" if meta["objectType"] == "Egg" else f"{meta['objectType']}Sliced"
    holders, count = list(meta["parentReceptacles"]), PIECES[meta["objectType"]]
    room.lift(meta)
    for k in range(count):
        piece = copy.deepcopy(meta)
        piece.update(objectId=f"{meta['objectId']}|{kind}_{k}", name=f"{kind}_{k}", objectType=kind, sliceable=False,
                     cookable=meta["objectType"] in ("Bread", "Potato", "Egg"))
        piece["axisAlignedBoundingBox"]["size"] = {a: s / count for a, s in meta["axisAlignedBoundingBox"]["size"].items()}
        room.objects[piece["objectId"]] = piece
        if holders and holders[0] in room.objects:
            room.lay(piece, room.objects[holders[0]])
    meta["isSliced"] = True  # the published player keeps telling of the whole: it is there, and nowhere to be seen


def soil(room: Room, ask: ModelRequest) -> None:
    meta, wanted = target(room, ask), ask["action"] == "DirtyObject"
    if not meta["dirtyable"]:
        raise Refused(f"{meta['objectId']} does not have the dirtyable property!")
    if meta["isDirty"] == wanted:
        raise Refused(f"{meta['objectId']} is already {'dirty' if wanted else 'clean'}!")
    meta["isDirty"] = wanted


def work(room: Room) -> None:
    """Running machines treat what is in them; knobs light the burners they belong to."""
    burners, knobs = room.of_type("StoveBurner"), room.of_type("StoveKnob")
    for burner, knob in zip(sorted(burners, key=key), sorted(knobs, key=key), strict=False):
        knob["controlledObjects"] = [burner["objectId"]]
        burner["isToggled"] = knob["isToggled"]
    for machine in (m for m in room.objects.values() if m["isToggled"]):
        kind, inside = machine["objectType"], room.within(machine["objectId"])
        if kind in COOKS_INSIDE:
            for food in (f for f in inside if f["cookable"]):
                food["isCooked"] = True
        if kind == "CoffeeMachine":
            for cup in (c for c in inside if c["objectType"] in ("Mug", "Cup")):
                cup["isFilledWithLiquid"], cup["fillLiquid"] = True, "coffee"
        if kind == "Faucet":
            rinse(room, machine)


def rinse(room: Room, tap: Object) -> None:
    for basin in (*room.of_type("SinkBasin"), *room.of_type("BathtubBasin")):
        if abs(basin["position"]["x"] - tap["position"]["x"]) + abs(basin["position"]["z"] - tap["position"]["z"]) < 1.2:
            for thing in (t for t in room.within(basin["objectId"]) if t["dirtyable"]):
                thing["isDirty"] = False


def key(meta: Object) -> str:
    return str(meta["objectId"])


def cook(room: Room, ask: ModelRequest) -> None:
    meta = target(room, ask)
    if not meta["cookable"] or meta["isCooked"]:
        raise Refused(f"{meta['objectId']} is not cookable, or already cooked")
    meta["isCooked"] = True


def above(room: Room, ask: ModelRequest) -> list[dict[str, float]]:
    """Places where something could be put, without a thought of what lies there."""
    holder = room.find(ask.get("objectId"))
    if not holder["receptacle"]:
        raise Refused(f"{holder['objectId']} is not a receptacle")
    return [{"x": x, "y": y, "z": z} for x, y, z in spots(holder, 0)]


def put_at(room: Room, ask: ModelRequest) -> None:
    """An object appears at a point, on the receptacle below it. What lies on it does not come along."""
    meta, point = room.find(ask.get("objectId")), ask["position"]
    if room.held == meta["objectId"]:
        raise Refused(f"{meta['objectId']} is in the agent's hand")
    below = [o for o in room.objects.values() if o["receptacle"] and o is not meta and any(
        math.dist((p[0], p[1], p[2]), (point["x"], point["y"], point["z"])) < 1e-6 for p in spots(o, 0))]
    if not below:
        raise Refused(f"spawn area not clear ({meta['objectId']})")
    holder = below[-1]
    lying = [room.objects[i] for i in holder["receptacleObjectIds"] or () if i in room.objects and i != meta["objectId"]]
    if any(math.dist((o["position"]["x"], o["position"]["z"]), (point["x"], point["z"])) < 0.05 for o in lying) or (
            base(meta) > base(holder)):
        raise Refused(f"spawn area not clear ({meta['objectId']})")
    room.lift(meta)
    room.move(meta, point["x"], point["y"], point["z"])
    room.lay(meta, holder)


HANDS = {
    "CookObject": cook, "GetSpawnCoordinatesAboveReceptacle": above, "PlaceObjectAtPoint": put_at,
    "PickupObject": pick_up, "PutObject": put, "DropHandObject": drop, "OpenObject": swing, "CloseObject": swing,
    "ToggleObjectOn": toggle, "ToggleObjectOff": toggle, "SliceObject": cut, "DirtyObject": soil, "CleanObject": soil,
}
