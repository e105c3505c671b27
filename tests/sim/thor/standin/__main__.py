"""The player's side of AI2-THOR's WSGI protocol: post what is, be told what to do.

For tests, the action `Pass` with `standin` started tells how it was started, glass puts `objectId` behind glass.

Faults for tests: the action `Pass` with `standin` exit, segv or hang; or the environment's THOR_STANDIN_FAULT `hang@12:FILE`,
which breaks at the 12th of the controller's actions and leaves FILE so that the next player does not.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from tests.sim.thor.standin.handling import HANDS, work
from tests.sim.thor.standin.moving import MOVES
from tests.sim.thor.standin.picture import Pixels, colour_of, first_person, from_above
from tests.sim.thor.standin.rooms import Object, scene_names
from tests.sim.thor.standin.world import Refused, Room

BOUNDARY = b"standinboundary"
ACTIONS = {**HANDS, **MOVES}
NOTHING = frozenset({"Pass", "Done", "ChangeQuality"})

ModelRequest = dict[str, Any]


class Standin:
    """One room at a time."""

    def __init__(self, width: int, height: int):
        self.size = width, height
        self.room = Room.load(scene_names()[0])
        self.actions = self.resets = 0

    def act(self, ask: ModelRequest) -> Any:
        """Do one action and return what it asks for."""
        self.actions += 1
        fault(ask, self.actions)
        name = ask["action"]
        if name == "Reset":
            self.room = Room.load(ask["sceneName"])
            self.resets += 1
            work(self.room)
        elif name == "Initialize":
            self.room.sight = ask.get("visibilityDistance", self.room.sight)
            return {"cameraNearPlane": 0.1, "cameraFarPlane": 20.0}
        elif name == "GetScenesInBuild":
            return scene_names()
        elif name == "ChangeResolution":
            self.size = int(ask["x"]), int(ask["y"])
        elif name in ACTIONS:
            found = ACTIONS[name](self.room, ask)
            work(self.room)
            return found
        elif ask.get("standin") == "started":
            return {"display": os.environ.get("DISPLAY"), "flags": sys.argv[1:]}
        elif ask.get("standin") == "glass":
            self.room.glazed.add(ask["objectId"])
        elif name not in NOTHING:
            raise Refused(f"Invalid action: {name}", "InvalidAction")
        return None

    def answer(self, ask: ModelRequest) -> bytes:
        """The multipart body that tells what came of an action."""
        ok, message, code, found = True, "", "", None
        try:
            found = self.act(ask)
        except Refused as refusal:
            ok, message, code = False, str(refusal), refusal.code
        self.room.look()
        told = {"lastAction": ask["action"], "lastActionSuccess": ok, "errorMessage": message, "errorCode": code,
                "actionReturn": found}
        parts = [("metadata", "", json.dumps(self.metadata(ask, told)).encode()),
                 ("token", "", os.environ["AI2THOR_CLIENT_TOKEN"].encode())]
        return multipart([*parts, *(self.pictures() if ask.get("renderImage", True) else ())])

    def metadata(self, ask: ModelRequest, told: dict[str, Any]) -> dict[str, Any]:
        room, (width, height) = self.room, self.size
        cameras = [{"thirdPartyCameraId": k, "fieldOfView": 90.0, **c} for k, c in enumerate(room.cameras)]
        held = [{"objectId": room.held, "objectType": room.objects[room.held]["objectType"]}] if room.held else []
        agent = {
            **told, "agentId": 0, "thirdPartyCameras": cameras, "screenWidth": width, "screenHeight": height,
            "sceneName": room.scene,
            "objects": self.listed(), "isSceneAtRest": True, "inventoryObjects": held, "fov": 90.0,
            "colors": [{"name": i, "color": colour_of(i)} for i in room.objects], "collided": False, "collidedObjects": [],
            "agent": {"name": "agent", "position": {"x": room.agent.x, "y": room.level + 0.9, "z": room.agent.z},
                      "rotation": {"x": 0.0, "y": room.agent.rotation, "z": 0.0}, "cameraHorizon": room.agent.horizon,
                      "isStanding": True},
            "heldObjectPose": None, "arm": None, "currentTime": 0.0, "depthFormat": "Meters", "isStanding": True,
        }
        return {"agents": [agent], "thirdPartyCameras": cameras, "sequenceId": ask["sequenceId"], "activeAgentId": 0}

    def listed(self) -> list[Object]:
        """The objects. Their order is promised nowhere: it is another after each reset."""
        found = list(self.room.objects.values())
        return found[::-1] if self.resets % 2 else found

    def pictures(self) -> list[tuple[str, str, bytes]]:
        image, segments = first_person(self.room, *self.size)
        found = [("image", "frame.raw", raw(image)), ("image_ids", "ids.raw", raw(segments))]
        for camera in self.room.cameras:
            image, segments = from_above(self.room, camera, *self.size)
            found.append(("image-thirdParty-camera", "top.raw", raw(image)))
            found.append(("image_thirdParty_image_ids", "top-ids.raw", raw(segments)))
        return found


def raw(image: Pixels) -> bytes:
    """The bottom row comes first."""
    return image[::-1].tobytes()


def multipart(parts: list[tuple[str, str, bytes]]) -> bytes:
    body = b""
    for name, file, content in parts:
        kind = "image/raw-rgb" if file else "text/plain; charset=utf-8"
        where = f'form-data; name="{name}"' + (f'; filename="{file}"' if file else "")
        head = f"\r\nContent-Type: {kind}\r\nContent-disposition: {where}\r\n\r\n".encode()
        body += b"--" + BOUNDARY + head + content + b"\r\n"
    return body + b"--" + BOUNDARY + b"--\r\n"


def fault(ask: ModelRequest, number: int) -> None:
    """Break as a test wants it."""
    kind = ask.get("standin", "")
    wanted, _, rest = os.environ.get("THOR_STANDIN_FAULT", "").partition("@")
    count, _, mark = rest.partition(":")
    if wanted and number == int(count) and not Path(mark).exists():
        Path(mark).touch()
        kind = wanted
    if kind == "exit":
        os._exit(3)
    if kind == "segv":
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "hang":
        time.sleep(3600)


def main() -> None:
    """Play until the controller says stop or is gone."""
    flags = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=False))
    standin = Standin(int(flags.get("-screen-width", 300)), int(flags.get("-screen-height", 300)))
    line = http.client.HTTPConnection(os.environ["AI2THOR_HOST"], int(os.environ["AI2THOR_PORT"]), timeout=3600)
    ask: ModelRequest = {"action": "Pass", "sequenceId": 0}
    while "action" in ask:
        body = standin.answer(ask)
        try:
            line.request("POST", "/train", body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY.decode()}"})
            ask = json.loads(line.getresponse().read())
        except (OSError, http.client.HTTPException):
            return


main()
