"""Sends actions to AI2-THOR: one request for most verbs, several for walking and for looking around."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.world.vocabulary import Action
from sim.ithor_types import PARTS
from sim.needs import named
from sim.thor.observation import Cell, Moment, Names, in_picture
from sim.thor.player import STEP, TURN, Player
from sim.thor.rules import RULES

EYES = 1.5
"""Height of the camera above the floor, metres."""
TILTS = (-30.0, 0.0, 30.0, 60.0)
"""Camera angles that are tried, degrees downwards."""
FEET = 8
"""Number of cells tried for walking to an object, the nearest first."""
COMFORT = 0.6
"""Distance from an object's side at which it is easy to use, metres."""
FULL = ("no valid", "placed within", "no empty", "not enough", "is full")
"""Parts of AI2-THOR's errors when a holder has no room."""
UNFIT = ("cannot be placed in", "not a valid object type")
"""Parts of its errors when objects of this type never go into holders of that type."""
OUT_OF_SIGHT = ("within the specified visibility", "not interactable", "not visible")
"""Parts of its errors when the camera does not show the object."""
TURNS, APART = 12, 3
"""Turns of a scan, and the number between two pictures: one is 106 degrees wide, so four show everything around."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an action.

    Attributes:
        event: AI2-THOR's last answer.
        complaint: its error, if any.
        precondition: short name of what failed.
        focus: what the robot stands at now.
        seen: ids seen on the way.
    """

    event: Any
    complaint: str = ""
    precondition: str = ""
    focus: str | None = None
    seen: frozenset[str] = frozenset()

    @property
    def ok(self) -> bool:
        """Returns True if the action worked."""
        return not self.complaint


def do(player: Player, now: Moment, names: Names, action: Action) -> Done:
    """Executes an admissible action."""
    if action.verb == "walk":
        return _walk(player, now, action.args[0])
    if action.verb == "scan":
        return _scan(player, now, names)
    theirs = RULES[action.verb].theirs
    if not action.args:
        return _raw(player, now, theirs)
    if theirs == "PutObject":
        return _put(player, now, action)
    event = player.ask(theirs, objectId=target_of(now, action), **_by_hand(now, action.args[-1]))
    complaint, precondition = complaint_of(event, now)
    focus = now.focus if complaint else _focus_after(now, action)
    return Done(event, complaint, precondition, focus)


def _by_hand(now: Moment, thing: str) -> dict[str, bool]:
    """Returns whether AI2-THOR is forced.

    It is forced only for what our rules know to be in reach although the camera does not show it: what the robot holds, and
    what lies open where it stands. AI2-THOR judges everything else itself.
    """
    forced = thing not in now.interactable and (thing in now.held or thing in now.beside)
    return {"forceAction": True} if forced else {}


def _put(player: Player, now: Moment, action: Action) -> Done:
    """Puts a held object down.

    This is never forced, because AI2-THOR would then accept places out of sight or of the wrong type. If the camera shows no
    free place, the robot turns to the holder and tries again. If that fails too, it turns back.
    """
    holder, target = action.args[-1], target_of(now, action)
    event = player.ask("PutObject", objectId=target, placeStationary=True)
    complaint, precondition = complaint_of(event, now)
    if complaint and precondition in ("room", "in the picture"):
        stood = _standing(now)
        turned = _teleport(player, now, _facing(now, holder, (stood["x"], stood["z"])), picture=False)
        if turned.metadata["lastActionSuccess"]:
            event = player.ask("PutObject", objectId=target, placeStationary=True)
            complaint, precondition = complaint_of(event, now)
            event = _teleport(player, now, stood) if complaint else event
    return Done(event, complaint, precondition, now.focus if complaint else _focus_after(now, action))


def _standing(now: Moment) -> dict[str, float]:
    """Returns the robot's pose in AI2-THOR's own numbers."""
    agent = now.event.metadata["agent"]
    return {"x": agent["position"]["x"], "z": agent["position"]["z"], "rotation": agent["rotation"]["y"],
            "horizon": agent["cameraHorizon"]}


def target_of(now: Moment, action: Action) -> str:
    """Returns AI2-THOR's id of the object the action applies to; for putting into a sink, its basin."""
    last = action.args[-1]
    object_id = str(now.metas[last]["objectId"])
    if action.verb == "put_in":
        basins = [o["objectId"] for o in now.event.metadata["objects"]
                  if o["objectType"] in PARTS and o["objectId"].startswith(object_id + "|")]
        return str(basins[0]) if basins else object_id
    return object_id


def _focus_after(now: Moment, action: Action) -> str | None:
    """Returns what the robot stands at: the holder of a grabbed object, or the new holder of one put down."""
    if action.verb == "grab" and now.focus == action.args[0]:
        holder = now.layout.holder.get(action.args[0])
        return holder.object if holder is not None else None
    if action.verb in ("put_in", "put_on"):
        return action.args[1]
    return now.focus


def complaint_of(event: Any, now: Moment) -> tuple[str, str]:
    """Returns AI2-THOR's error with our names, and the precondition it is about."""
    metadata = event.metadata
    if metadata["lastActionSuccess"]:
        return "", ""
    words = _plain(str(metadata["errorMessage"]))
    for theirs in sorted(now.names, key=len, reverse=True):  # the id of a piece begins with the id of the whole
        words = words.replace(theirs, named(now.names[theirs]))
    found = (("placement", UNFIT), ("room", FULL), ("in the picture", OUT_OF_SIGHT))
    kind = next((name for name, signs in found if any(sign in words.lower() for sign in signs)), "refused")
    return f"AI2-THOR refuses: {words}", kind


def _plain(words: str) -> str:
    """Returns an error in one line, without the exception's name before it and its trace after it."""
    line = " ".join(words.split()).partition(" trace:")[0]
    return re.sub(r"^\w+Exception: ", "", line).rstrip(". ") or "it gave no reason"


# --- moving -----------------------------------------------------------------
def _raw(player: Player, now: Moment, theirs: str) -> Done:
    """Executes one step, turn or tilt. After a step the robot stands at nothing."""
    amount = {"moveMagnitude": STEP} if theirs.startswith("Move") else {"degrees": TURN}
    event = player.ask(theirs, **amount)
    complaint, precondition = complaint_of(event, now)
    stays = complaint or not theirs.startswith("Move")
    return Done(event, complaint, precondition, now.focus if stays else None)


def _walk(player: Player, now: Moment, target: str) -> Done:
    """Walks to the pose that AI2-THOR finds best for using the object, or else to the nearest free floor."""
    for pose in (*_interactable(player, now, target), *(_facing(now, target, c) for c in now.footing(target)[:FEET])):
        event = _teleport(player, now, pose)
        if event.metadata["lastActionSuccess"]:
            return Done(event, focus=target)
    complaint, _ = complaint_of(event, now)
    return Done(event, complaint, "free floor", now.focus)


def _interactable(player: Player, now: Moment, target: str) -> list[dict[str, float]]:
    """Returns the most comfortable pose from which AI2-THOR can use the object, in a list; empty if there is none."""
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
    """Returns the pose in a cell that faces an object as closely as turns and tilts allow."""
    centre = now.metas[target]["axisAlignedBoundingBox"]["center"]
    dx, dz = centre["x"] - cell[0], centre["z"] - cell[1]
    rotation = round(math.degrees(math.atan2(dx, dz)) / TURN) * TURN % 360
    down = math.degrees(math.atan2(EYES - centre["y"], max(math.hypot(dx, dz), 0.05)))
    return {"x": cell[0], "z": cell[1], "rotation": rotation, "horizon": min(TILTS, key=lambda t: abs(t - down))}


def _teleport(player: Player, now: Moment, pose: dict[str, float], *, picture: bool = True) -> Any:
    return place(player, pose, now.event.metadata["agent"]["position"]["y"], picture=picture)


def place(player: Player, pose: dict[str, float], height: float, *, picture: bool = True) -> Any:
    """Puts the robot into a pose."""
    return player.ask("Teleport", position={"x": pose["x"], "y": height, "z": pose["z"]},
                      rotation={"x": 0.0, "y": pose["rotation"], "z": 0.0}, horizon=pose["horizon"], standing=True,
                      renderImage=picture)


def _scan(player: Player, now: Moment, names: Names) -> Done:
    """Looks in twelve directions, level and down. The robot ends in the pose it began with."""
    here = _standing(now)
    seen: set[str] = set()
    for k in range(TURNS):
        for tilt in (0.0, 30.0):
            there = {**here, "rotation": (here["rotation"] + k * TURN) % 360, "horizon": tilt}
            seen |= set(_in_view(_teleport(player, now, there, picture=k % APART == 0), names))
    return Done(_teleport(player, now, here), focus=now.focus, seen=frozenset(seen))


def _in_view(event: Any, names: Names) -> Iterable[str]:
    """Yields our ids of what the metadata calls visible (within reach) or the picture shows (further away)."""
    theirs = {o["objectId"] for o in event.metadata["objects"] if o["visible"]} | in_picture(event)
    return (name for i in theirs if (name := names.ours(i)) is not None)
