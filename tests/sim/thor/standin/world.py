"""The state of the stand-in's room: objects as metadata, one agent, what is seen from where."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from tests.sim.thor.standin.rooms import Cell, Object, away, cells, load

EYES, FIELD = 0.675, 45.0
"""The camera above the agent's middle (0.9 m above the floor), and half its angle of view."""


class Refused(Exception):  # noqa: N818 - an answer of the player's, not an error
    """The action fails; the message is AI2-THOR's, the code its kind."""

    def __init__(self, message: str, code: str = ""):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class View:
    """A pose of the agent's."""

    x: float
    z: float
    rotation: float
    horizon: float


@dataclass
class Room:
    scene: str
    objects: dict[str, Object]
    cells: list[Cell]
    level: float
    agent: View
    sight: float = 1.5
    held: str | None = None
    cameras: list[dict[str, Any]] = field(default_factory=list)
    glazed: set[str] = field(default_factory=set)
    """What stands behind glass: visible, but not interactable."""

    @classmethod
    def load(cls, scene: str) -> Room:
        objects = load(scene)
        free, level = cells(objects)
        return cls(scene, objects, free, level, View(*free[len(free) // 2], 0.0, 0.0))

    def find(self, object_id: str | None) -> Object:
        if object_id not in self.objects:
            raise Refused(f"Object with ID {object_id} not found in scene", "ObjectNotFound")
        return self.objects[object_id or ""]

    def of_type(self, kind: str) -> list[Object]:
        return [o for o in self.objects.values() if o["objectType"] == kind]

    # --- where things are ----------------------------------------------------
    def within(self, object_id: str) -> list[Object]:
        """All that lies on or in an object, at any depth."""
        return [o for o in self.objects.values() if object_id in o["parentReceptacles"]]

    def shut_in(self, meta: Object) -> bool:
        """Whether a closed door hides it; real rooms list cupboards among the parents of other cupboards, too."""
        parents = [self.objects[p] for p in meta["parentReceptacles"] if p in self.objects]
        return bool(meta["pickupable"]) and any(p["openable"] and not p["isOpen"] for p in parents)

    def lift(self, meta: Object) -> None:
        """Take an object and what it carries out of all receptacles around it."""
        outer = list(meta["parentReceptacles"])
        for moved in (meta, *self.within(meta["objectId"])):
            moved["parentReceptacles"] = [p for p in moved["parentReceptacles"] if p not in outer]
            for parent in outer:
                inside = self.objects[parent]["receptacleObjectIds"] if parent in self.objects else None
                if inside and moved["objectId"] in inside:
                    inside.remove(moved["objectId"])

    def lay(self, meta: Object, holder: Object) -> None:
        """Put an object and what it carries into a receptacle and all around that."""
        outer = [holder["objectId"], *holder["parentReceptacles"]]
        for moved in (meta, *self.within(meta["objectId"])):
            moved["parentReceptacles"] += outer
        for parent in outer:
            if parent in self.objects and self.objects[parent]["receptacleObjectIds"] is not None:
                self.objects[parent]["receptacleObjectIds"].append(meta["objectId"])

    def move(self, meta: Object, x: float, y: float, z: float) -> None:
        """Set an object down with its bottom at a height; what it carries comes along."""
        box = meta["axisAlignedBoundingBox"]
        shift = {"x": x - box["center"]["x"], "y": y + box["size"]["y"] / 2 - box["center"]["y"], "z": z - box["center"]["z"]}
        for moved in (meta, *self.within(meta["objectId"])):
            for place in (moved["position"], moved["axisAlignedBoundingBox"]["center"]):
                for axis, by in shift.items():
                    place[axis] += by

    # --- what is seen --------------------------------------------------------
    def sees(self, meta: Object, view: View) -> bool:
        """In the picture, near enough, not behind a door; nothing stands in the way here."""
        if meta["isPickedUp"]:
            return True
        centre = meta["axisAlignedBoundingBox"]["center"]
        if away(meta, view.x, view.z) > self.sight or self.shut_in(meta) or meta["isSliced"]:
            return False
        return self.frames((centre["x"], centre["y"], centre["z"]), view)

    def shows(self, point: tuple[float, float, float], view: View) -> bool:
        """Whether a point is in the picture and near enough."""
        return math.dist((point[0], point[2]), (view.x, view.z)) <= self.sight and self.frames(point, view)

    def frames(self, point: tuple[float, float, float], view: View) -> bool:
        """Whether a point, x, y and z, is within the camera's angle of view."""
        dx, dz = point[0] - view.x, point[2] - view.z
        aside = (math.degrees(math.atan2(dx, dz)) - view.rotation + 180) % 360 - 180
        down = math.degrees(math.atan2(self.level + 0.9 + EYES - point[1], max(math.hypot(dx, dz), 1e-6)))
        return abs(aside) < FIELD and abs(down - view.horizon) < FIELD

    def look(self) -> None:
        """Bring what the metadata says about sight up to date."""
        for meta in self.objects.values():
            meta["visible"] = self.sees(meta, self.agent)
            meta["distance"] = math.dist((meta["position"]["x"], meta["position"]["z"]), (self.agent.x, self.agent.z))
            meta["isInteractable"] = meta["visible"] and meta["objectId"] not in self.glazed
