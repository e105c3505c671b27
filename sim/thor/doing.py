"""How AI2-THOR is asked for an action: one request for most verbs, several for walking and for looking around."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.world import Action
from sim.ithor_types import PARTS
from sim.thor.moment import Cell, Moment
from sim.thor.naming import Names
from sim.thor.needs import named
from sim.thor.player import STEP, TURN, Player
from sim.thor.rules import BY_VERB

EYES = 1.5
"""Metres from the floor to the camera."""
TILTS = (-30.0, 0.0, 30.0, 60.0)
"""Camera angles worth trying, downwards, in degrees."""
FEET = 8
"""Cells tried for walking to a thing, the nearest first."""
COMFORT = 0.6
"""Metres from a thing's side at which using it is easy."""
FULL = ("no valid", "placed within", "no empty", "not enough")
"""What AI2-THOR's complaints contain when a holder has no room."""
TURNS = 12
BY_HAND = {"forceAction": True}
"""Our own needs were checked: AI2-THOR is not asked again whether the thing is in the picture's middle."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: AI2-THOR's complaint if any, where the robot stands now, and what it saw on the way."""

    event: Any
    complaint: str = ""
    precondition: str = ""
    focus: str | None = None
    seen: frozenset[str] = frozenset()

    @property
    def ok(self) -> bool:
        """Whether it worked."""
        return not self.complaint


def do(player: Player, now: Moment, names: Names, action: Action) -> Done:
    """Do an admissible action."""
    if action.verb == "walk":
        return _walk(player, now, action.args[0])
    if action.verb == "scan":
        return _scan(player, now, names)
    theirs = BY_VERB[action.verb].theirs
    if not action.args:
        return _raw(player, now, theirs)
    event = player.ask(theirs, objectId=_target(now, action), **BY_HAND, **_extra(theirs))
    complaint, precondition = _complaint(event, now)
    focus = now.focus if complaint else _focus_after(now, action)
    return Done(event, complaint, precondition, focus)


def _target(now: Moment, action: Action) -> str:
    """AI2-THOR's id of what the action is done to: of a sink its basin, which is where things go."""
    last = action.args[-1]
    object_id = str(now.metas[last]["objectId"])
    if action.verb == "put_in":
        basins = [o["objectId"] for o in now.event.metadata["objects"]
                  if o["objectType"] in PARTS and o["objectId"].startswith(object_id + "|")]
        return str(basins[0]) if basins else object_id
    return object_id


def _extra(theirs: str) -> dict[str, Any]:
    return {"placeStationary": True} if theirs == "PutObject" else {}


def _focus_after(now: Moment, action: Action) -> str | None:
    """What one stands at: a thing taken leaves its holder, a thing put down brings one to its new one."""
    if action.verb == "grab" and now.focus == action.args[0]:
        holder = now.layout.holder.get(action.args[0])
        return holder.object if holder is not None else None
    if action.verb in ("put_in", "put_on"):
        return action.args[1]
    return now.focus


def _complaint(event: Any, now: Moment) -> tuple[str, str]:
    """AI2-THOR's complaint with our names, and which precondition it speaks of."""
    metadata = event.metadata
    if metadata["lastActionSuccess"]:
        return "", ""
    words = " ".join(str(metadata["errorMessage"]).split()) or "it gave no reason"
    for theirs, ours in now.names.items():
        words = words.replace(theirs, named(ours))
    full = any(sign in words.lower() for sign in FULL)
    return f"AI2-THOR refuses: {words}", "room" if full else "refused"


# --- moving -----------------------------------------------------------------
def _raw(player: Player, now: Moment, theirs: str) -> Done:
    """One step, turn or tilt; after a step the robot no longer stands at anything."""
    amount = {"moveMagnitude": STEP} if theirs.startswith("Move") else {"degrees": TURN}
    event = player.ask(theirs, **amount)
    complaint, precondition = _complaint(event, now)
    stays = complaint or not theirs.startswith("Move")
    return Done(event, complaint, precondition, now.focus if stays else None)


def _walk(player: Player, now: Moment, target: str) -> Done:
    """To the pose that AI2-THOR finds best for using the thing; where it finds none, to the nearest free floor."""
    for pose in (*_interactable(player, now, target), *(_facing(now, target, c) for c in now.footing(target)[:FEET])):
        event = _teleport(player, now, pose)
        if event.metadata["lastActionSuccess"]:
            return Done(event, focus=target)
    complaint, _ = _complaint(event, now)
    return Done(event, complaint, "free floor", now.focus)


def _interactable(player: Player, now: Moment, target: str) -> list[dict[str, float]]:
    """Poses from which AI2-THOR can use the thing, the most comfortable first."""
    facing = [_facing(now, target, c) for c in now.footing(target)[:FEET]]
    height = now.event.metadata["agent"]["position"]["y"]
    event = player.ask(
        "GetInteractablePoses", objectId=now.metas[target]["objectId"], standings=[True],
        positions=[{"x": f["x"], "y": height, "z": f["z"]} for f in facing],
        rotations=sorted({f["rotation"] for f in facing}), horizons=sorted({f["horizon"] for f in facing}), renderImage=False,
    )
    found = event.metadata["actionReturn"] if event.metadata["lastActionSuccess"] else None
    best = {(f["x"], f["z"]): f for f in facing}

    def effort(pose: dict[str, float]) -> tuple[float, float, float]:
        wanted = best[min(best, key=lambda c: math.dist(c, (pose["x"], pose["z"])))]
        turned = abs((pose["rotation"] - wanted["rotation"] + 180) % 360 - 180) + abs(pose["horizon"] - wanted["horizon"])
        return turned + 60 * abs(now.distance(target, (pose["x"], pose["z"])) - COMFORT), pose["x"], pose["z"]

    poses = [{k: float(p[k]) for k in ("x", "z", "rotation", "horizon")} for p in found or ()]
    return sorted(poses, key=effort)[:1]


def _facing(now: Moment, target: str, cell: Cell) -> dict[str, float]:
    """Standing in a cell, turned to a thing as closely as turns and tilts allow."""
    centre = now.metas[target]["axisAlignedBoundingBox"]["center"]
    dx, dz = centre["x"] - cell[0], centre["z"] - cell[1]
    rotation = round(math.degrees(math.atan2(dx, dz)) / TURN) * TURN % 360
    down = math.degrees(math.atan2(EYES - centre["y"], max(math.hypot(dx, dz), 0.05)))
    return {"x": cell[0], "z": cell[1], "rotation": rotation, "horizon": min(TILTS, key=lambda t: abs(t - down))}


def _teleport(player: Player, now: Moment, pose: dict[str, float], *, picture: bool = True) -> Any:
    return place(player, pose, now.event.metadata["agent"]["position"]["y"], picture=picture)


def place(player: Player, pose: dict[str, float], height: float, *, picture: bool = True) -> Any:
    """Put the robot into a pose."""
    return player.ask("Teleport", position={"x": pose["x"], "y": height, "z": pose["z"]},
                      rotation={"x": 0.0, "y": pose["rotation"], "z": 0.0}, horizon=pose["horizon"], standing=True,
                      renderImage=picture)


def _scan(player: Player, now: Moment, names: Names) -> Done:
    """Look in all twelve directions, level and down; the robot ends as it began."""
    agent = now.event.metadata["agent"]
    here = {"x": agent["position"]["x"], "z": agent["position"]["z"], "rotation": agent["rotation"]["y"],
            "horizon": agent["cameraHorizon"]}
    seen: set[str] = set()
    for k in range(TURNS):
        for tilt in (0.0, 30.0):
            there = {**here, "rotation": (here["rotation"] + k * TURN) % 360, "horizon": tilt}
            seen |= set(_in_view(_teleport(player, now, there, picture=False), names))
    return Done(_teleport(player, now, here), focus=now.focus, seen=frozenset(seen))


def _in_view(event: Any, names: Names) -> Iterable[str]:
    found = (names.ours(o["objectId"]) for o in event.metadata["objects"] if o["visible"])
    return (name for name in found if name is not None)


def settled(now: Moment, steps: int) -> Moment:
    """The same moment a step later."""
    return replace(now, steps=steps)
