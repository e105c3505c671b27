"""Actions of the stand-in that move or ask about the agent."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from tests.sim.thor.standin.rooms import GRID, away, span
from tests.sim.thor.standin.world import Refused, Room, View

LOWEST, HIGHEST = 60.0, -30.0
BEHIND = {"MoveAhead": 0, "MoveRight": 90, "MoveBack": 180, "MoveLeft": 270}

ModelRequest = dict[str, Any]


def rotate(room: Room, ask: ModelRequest) -> None:
    turn = float(ask.get("degrees") or 90) * (1 if ask["action"] == "RotateRight" else -1)
    room.agent = replace(room.agent, rotation=(room.agent.rotation + turn) % 360)


def tilt(room: Room, ask: ModelRequest) -> None:
    horizon = room.agent.horizon + float(ask.get("degrees") or 30) * (1 if ask["action"] == "LookDown" else -1)
    if not HIGHEST - 1e-3 <= horizon <= LOWEST + 1e-3:
        raise Refused(f"can't {ask['action']} beyond {'down' if horizon > 0 else 'up'} limit")
    room.agent = replace(room.agent, horizon=horizon)


def step(room: Room, ask: ModelRequest) -> None:
    way = math.radians(room.agent.rotation + BEHIND[ask["action"]])
    far = float(ask.get("moveMagnitude") or GRID)
    stand(room, room.agent.x + far * math.sin(way), room.agent.z + far * math.cos(way))


def stand(room: Room, x: float, z: float) -> None:
    if min(math.dist((x, z), c) for c in room.cells) > GRID:
        raise Refused("Wall is blocking Agent 0 from moving")
    room.agent = replace(room.agent, x=x, z=z)


def teleport(room: Room, ask: ModelRequest) -> None:
    to = ask["position"]
    if min(math.dist((to["x"], to["z"]), c) for c in room.cells) > GRID / 10 and not at_own_place(room, to):
        raise Refused("Collided with: Wall while teleporting")
    if not HIGHEST - 1e-3 <= ask.get("horizon", room.agent.horizon) <= LOWEST + 1e-3:
        raise Refused("Each horizon must be in [-30:60]")
    rotation = ask["rotation"]["y"] if ask.get("rotation") else room.agent.rotation
    room.agent = View(to["x"], to["z"], rotation % 360, ask.get("horizon", room.agent.horizon))


def at_own_place(room: Room, to: dict[str, float]) -> bool:
    return math.dist((to["x"], to["z"]), (room.agent.x, room.agent.z)) < 1e-3


def reachable(room: Room, ask: ModelRequest) -> list[dict[str, float]]:
    del ask
    return [{"x": x, "y": room.level + 0.9, "z": z} for x, z in room.cells]


def interactable(room: Room, ask: ModelRequest) -> list[dict[str, Any]]:
    """Poses from which the object is in the picture and near."""
    meta = room.find(ask.get("objectId"))
    spots = [(p["x"], p["z"]) for p in ask["positions"]] if ask.get("positions") else room.cells
    far = ask.get("maxDistance") or room.sight
    found = []
    for (x, z), rotation, horizon in itertools.product(spots, ask.get("rotations") or (0, 90, 180, 270),
                                                       ask.get("horizons") or (-30, 0, 30, 60)):
        if away(meta, x, z) <= far and room.sees(meta, View(x, z, rotation, horizon)):
            found.append({"x": x, "y": room.level + 0.9, "z": z, "rotation": rotation, "horizon": horizon, "standing": True})
    return found


def map_view(room: Room, ask: ModelRequest) -> dict[str, Any]:
    del ask
    floor = room.of_type("Floor")[0]
    (x0, x1), (z0, z1) = span(floor, "x"), span(floor, "z")
    middle = {"x": (x0 + x1) / 2, "y": room.level + 4.0, "z": (z0 + z1) / 2}
    return {"position": middle, "rotation": {"x": 90.0, "y": 0.0, "z": 0.0},
            "orthographic": True, "orthographicSize": max(x1 - x0, z1 - z0) / 2 + 0.1}


def add_camera(room: Room, ask: ModelRequest) -> None:
    room.cameras.append({k: ask[k] for k in ("position", "rotation", "orthographic", "orthographicSize")})


MOVES = {
    "RotateLeft": rotate, "RotateRight": rotate, "LookUp": tilt, "LookDown": tilt, **dict.fromkeys(BEHIND, step),
    "Teleport": teleport, "TeleportFull": teleport, "GetReachablePositions": reachable, "GetInteractablePoses": interactable,
    "GetMapViewCameraProperties": map_view, "AddThirdPartyCamera": add_camera,
}
