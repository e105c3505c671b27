"""Changes of an AI2-THOR room that the robot does not make, by AI2-THOR's own actions with `forceAction`.

Objects are put with `GetSpawnCoordinatesAboveReceptacle` and `PlaceObjectAtPoint`; AI2-THOR judges where there is room.
"""

from __future__ import annotations

import math
from typing import Any

from core.simulator.base import WorldChange
from core.world.vocabulary import Action, Verdict
from sim.changes import change_needs
from sim.needs import Needs, first, named, no
from sim.thor.action_requests import complaint_of, target_of
from sim.thor.observation import Moment
from sim.thor.player import Player

THEIRS = {"open": "OpenObject", "closed": "CloseObject", "on": "ToggleObjectOn", "off": "ToggleObjectOff",
          "dirty": "DirtyObject", "clean": "CleanObject", "sliced": "SliceObject", "cooked": "CookObject"}
"""State -> AI2-THOR's action that gives it."""
MOST_TRIES = 40
"""Points on a holder that are tried."""


def verdict(now: Moment, change: WorldChange) -> Verdict:
    """Returns whether a change is possible as far as the metadata tells, else why not."""
    return first(_needs(now, change))


def _needs(now: Moment, change: WorldChange) -> Needs:
    yield from change_needs(now.everything, change)
    if change.kind == "state" and change.to not in THEIRS:
        yield no("known", f"AI2-THOR gives no state {change.to}: name one of {', '.join(THEIRS)}")
    if change.to == "sliced" and change.thing in now.held:
        yield no("not held", f"{named(change.thing)} must lie somewhere to be sliced: put it down first")
    cargo = now.layout.contents.get(change.thing, ()) if change.kind != "state" else ()
    if cargo:
        yield no("empty", f"AI2-THOR would leave behind what lies on or in {named(change.thing)}: move {named(cargo[0])} first")


def make(player: Player, now: Moment, change: WorldChange) -> tuple[Any, str]:
    """Makes a change that is possible. Returns AI2-THOR's last answer, and its complaint if nothing has changed."""
    if change.kind != "state":
        return _put(player, now, change)
    event = player.ask(THEIRS[change.to], objectId=now.metas[change.thing]["objectId"], forceAction=True)
    return event, complaint_of(event, now)[0]


def _put(player: Player, now: Moment, change: WorldChange) -> tuple[Any, str]:
    """Puts an object down. A closed holder is opened meanwhile."""
    thing, place = now.metas[change.thing], now.metas[change.to]
    held, shut = change.thing in now.held, "closed" in now.entities[change.to].states
    if held:
        event = player.ask("DropHandObject", forceAction=True, renderImage=False)
        if not event.metadata["lastActionSuccess"]:
            return event, complaint_of(event, now)[0]
    if shut:
        player.ask("OpenObject", objectId=place["objectId"], forceAction=True, renderImage=False)
    holder = target_of(now, Action("put_in" if change.kind == "inside" else "put_on", (change.thing, change.to)))
    complaint = f"AI2-THOR finds no room for {named(change.thing)} {change.kind} {named(change.to)}: choose another place"
    for point in _points(player, now, change, holder):
        event = player.ask("PlaceObjectAtPoint", objectId=thing["objectId"], position=point)
        there = next(o for o in event.metadata["objects"] if o["objectId"] == thing["objectId"])
        if event.metadata["lastActionSuccess"] and holder in (there["parentReceptacles"] or ()):
            complaint = ""
            break
    if complaint and held:
        player.ask("PickupObject", objectId=thing["objectId"], forceAction=True, renderImage=False)
    elif complaint:
        player.ask("PlaceObjectAtPoint", objectId=thing["objectId"], position=thing["position"], renderImage=False)
    back = {"action": "CloseObject", "objectId": place["objectId"], "forceAction": True} if shut else {"action": "Pass"}
    return player.ask(**back), complaint


def _points(player: Player, now: Moment, change: WorldChange, holder: str) -> list[dict[str, float]]:
    """Returns the points to try on a holder, the nearest to the wanted point, or else to its middle, first."""
    event = player.ask("GetSpawnCoordinatesAboveReceptacle", objectId=holder, anywhere=True, renderImage=False)
    middle = now.metas[change.to]["axisAlignedBoundingBox"]["center"]
    wanted = change.point or (middle["x"], middle["z"])
    found = event.metadata["actionReturn"] or []
    return sorted(found, key=lambda p: (math.dist((p["x"], p["z"]), wanted), p["x"], p["z"], p["y"]))[:MOST_TRIES]
