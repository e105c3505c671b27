"""How AI2-THOR is asked for an action: one request for most verbs, several for walking and for looking around."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.world.vocabulary import Action
from sim.ithor_types import PARTS
from sim.thor.moment import Cell, Moment
from sim.thor.naming import Names
from sim.thor.needs import named
from sim.thor.player import STEP, TURN, Player
from sim.thor.rules import BY_VERB
from sim.thor.sight import in_picture

EYES = 1.5
"""Metres from the floor to the camera."""
TILTS = (-30.0, 0.0, 30.0, 60.0)
"""Camera angles worth trying, downwards, in degrees."""
FEET = 8
"""Cells tried for walking to a thing, the nearest first."""
COMFORT = 0.6
"""Metres from a thing's side at which using it is easy."""
FULL = ("no valid", "placed within", "no empty", "not enough", "is full")
"""What AI2-THOR's complaints contain when a holder has no room."""
UNFIT = ("cannot be placed in", "not a valid object type")
"""What they contain when it lets no thing of this type lie in a holder of that type, whatever the room."""
OUT_OF_SIGHT = ("within the specified visibility", "not interactable", "not visible")
"""What they contain when the camera does not show what is asked for."""
TURNS, APART = 12, 3
"""Turns of a look around, and how many lie between two pictures: one is 106 degrees wide, so that four show all around."""


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
    if theirs == "PutObject":
        return _put(player, now, action)
    event = player.ask(theirs, objectId=_target(now, action), **_by_hand(now, action.args[-1]))
    complaint, precondition = _complaint(event, now)
    focus = now.focus if complaint else _focus_after(now, action)
    return Done(event, complaint, precondition, focus)


def _by_hand(now: Moment, thing: str) -> dict[str, bool]:
    """Whether AI2-THOR is to be forced: only for what our rules know to be in reach although the camera does not show it.

    That is what the robot holds, and what lies open where it stands. Of everything else AI2-THOR judges itself.
    """
    forced = thing not in now.interactable and (thing in now.held or thing in now.beside)
    return {"forceAction": True} if forced else {}


def _put(player: Player, now: Moment, action: Action) -> Done:
    """Put down what is held. It is never forced: forced, AI2-THOR also takes places that are out of sight or of the wrong type.

    Where the camera shows no free place the robot turns to the holder and tries again; if that fails, too, it turns back.
    """
    holder, target = action.args[-1], _target(now, action)
    event = player.ask("PutObject", objectId=target, placeStationary=True)
    complaint, precondition = _complaint(event, now)
    if complaint and precondition in ("room", "in the picture"):
        stood = _standing(now)
        turned = _teleport(player, now, _facing(now, holder, (stood["x"], stood["z"])), picture=False)
        if turned.metadata["lastActionSuccess"]:
            event = player.ask("PutObject", objectId=target, placeStationary=True)
            complaint, precondition = _complaint(event, now)
            event = _teleport(player, now, stood) if complaint else event
    return Done(event, complaint, precondition, now.focus if complaint else _focus_after(now, action))


def _standing(now: Moment) -> dict[str, float]:
    """The robot's pose in AI2-THOR's own numbers."""
    agent = now.event.metadata["agent"]
    return {"x": agent["position"]["x"], "z": agent["position"]["z"], "rotation": agent["rotation"]["y"],
            "horizon": agent["cameraHorizon"]}


def _target(now: Moment, action: Action) -> str:
    """AI2-THOR's id of what the action is done to: of a sink its basin, which is where things go."""
    last = action.args[-1]
    object_id = str(now.metas[last]["objectId"])
    if action.verb == "put_in":
        basins = [o["objectId"] for o in now.event.metadata["objects"]
                  if o["objectType"] in PARTS and o["objectId"].startswith(object_id + "|")]
        return str(basins[0]) if basins else object_id
    return object_id


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
    words = _plain(str(metadata["errorMessage"]))
    for theirs in sorted(now.names, key=len, reverse=True):  # a piece's id begins with that of what it was cut from
        words = words.replace(theirs, named(now.names[theirs]))
    found = (("placement", UNFIT), ("room", FULL), ("in the picture", OUT_OF_SIGHT))
    kind = next((name for name, signs in found if any(sign in words.lower() for sign in signs)), "refused")
    return f"AI2-THOR refuses: {words}", kind


def _plain(words: str) -> str:
    """A complaint in one line, without the exception's name before it and where it was thrown after it."""
    line = " ".join(words.split()).partition(" trace:")[0]
    return re.sub(r"^\w+Exception: ", "", line).rstrip(". ") or "it gave no reason"


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
    here = _standing(now)
    seen: set[str] = set()
    for k in range(TURNS):
        for tilt in (0.0, 30.0):
            there = {**here, "rotation": (here["rotation"] + k * TURN) % 360, "horizon": tilt}
            seen |= set(_in_view(_teleport(player, now, there, picture=k % APART == 0), names))
    return Done(_teleport(player, now, here), focus=now.focus, seen=frozenset(seen))


def _in_view(event: Any, names: Names) -> Iterable[str]:
    """Our ids of what the metadata calls visible (within reach) or the picture shows (further away)."""
    theirs = {o["objectId"] for o in event.metadata["objects"] if o["visible"]} | in_picture(event)
    return (name for i in theirs if (name := names.ours(i)) is not None)


def settled(now: Moment, steps: int) -> Moment:
    """The same moment a step later."""
    return replace(now, steps=steps)
