"""The part of a house that is on the graphics card. Only changes are uploaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sim.geometry.model import House, Robot, Thing
from sim.rendering import robot as body
from sim.rendering.cameras import Camera
from sim.rendering.gl.groups import Drawing, Group
from sim.rendering.gl.lights import ShadowMap, room_lights
from sim.rendering.instances import (
    Batch,
    batch_of,
    ceilings_batch,
    concatenate,
    cut_heights,
    floors_batch,
    numbering,
    shown_when_cut,
    walls_batch,
)

HANGING, TALLEST_CASTER, SHALLOW = 1.2, 1.9, 0.25  # metres: bottoms of objects, and their depth
NOWHERE = (0.0, 0.0, 0.01)


class Stage:
    """The groups of one house at a time, and which of them a camera sees."""

    def __init__(self, context: Any) -> None:
        self.drawing = Drawing(context)
        self._shadows = {"things": ShadowMap(context), "cut things": ShadowMap(context)}
        self.numbers: dict[str, int] = {"": 0}
        """Entity id -> its number in the picture, in the order of the numbers."""
        self._groups: dict[str, Group] = {}
        self._keys: dict[str, object] = {}
        self._things: tuple[Thing, ...] = ()
        self._shown: tuple[Thing, ...] = ()

    def set(self, house: House, robot: Robot | None, camera: Camera, aspect: float) -> tuple[tuple[Group, ...], Group | None]:
        """Uploads what changed. Returns the groups in the house, and the group held in front of this camera."""
        held = () if robot is None else robot.held
        in_hand = tuple(t.id for t in held)
        if self._changed("numbers", (house.things, in_hand)):
            self.numbers = numbering(house, held)
            self._things = tuple(t for t in house.things if not t.hidden and t.id not in in_hand)
        self._set_building(house)
        if not camera.indoors:
            return self._cut_open(house, robot, camera), None
        front = self._before_eyes(house, robot, camera, aspect) if robot is not None and held else None
        return self._indoors(house), front

    def _indoors(self, house: House) -> tuple[Group, ...]:
        key = (self._keys["building"], self._keys["numbers"])
        self._refresh("things", key, lambda: batch_of(self._things, self.numbers))
        self._cast(house, "things", self._things)
        self.drawing.surface["footing"].value = NOWHERE
        return tuple(self._groups[name] for name in ("floor", "walls", "ceiling", "things"))

    def _cut_open(self, house: House, robot: Robot | None, camera: Camera) -> tuple[Group, ...]:
        self._set_cut(house, camera)
        self._refresh("robot", (robot, self._keys["building"], self._keys["numbers"]), lambda: self._robot(house, robot))
        self._cast(house, "cut things", self._shown)
        self.drawing.surface["footing"].value = NOWHERE if robot is None else (robot.x, robot.y, body.BASE_RADIUS)
        return tuple(self._groups[name] for name in ("floor", "cut walls", "cut things", "robot"))

    def _changed(self, name: str, key: object) -> bool:
        """Returns True if `key` differs from the last one with this name, and remembers it."""
        if name in self._keys and self._keys[name] == key:
            return False
        self._keys[name] = key
        return True

    def _refresh(self, name: str, key: object, build: Callable[[], Batch]) -> None:
        if self._changed(name, key):
            self._upload(name, build())

    def _upload(self, name: str, batch: Batch, near: bool = False) -> Group:
        old = self._groups.get(name)
        if old is not None:
            old.release()
        self._groups[name] = Group(self.drawing, batch, near)
        return self._groups[name]

    def _set_building(self, house: House) -> None:
        if not self._changed("building", (house.rooms, house.walls, house.height)):
            return
        self._upload("floor", floors_batch(house))
        self._upload("ceiling", ceilings_batch(house))
        self._upload("walls", walls_batch(house))
        surface = self.drawing.surface
        for name, values in room_lights(house, surface["lamps"].array_length).items():
            surface[name].write(values.tobytes())

    def _set_cut(self, house: House, camera: Camera) -> None:
        heights = cut_heights(house, camera.eye)
        tops = dict(zip(house.walls, heights, strict=True))
        self._refresh("cut walls", (self._keys["building"], heights), lambda: walls_batch(house, tops.__getitem__))
        if self._changed("cut things", (self._keys["building"], self._keys["numbers"], heights)):
            self._shown = tuple(t for t in self._things if shown_when_cut(house, t, heights))
            self._upload("cut things", batch_of(self._shown, self.numbers))

    def _robot(self, house: House, robot: Robot | None) -> Batch:
        if robot is None:
            return Batch(concatenate(()))
        carried = body.carried(robot, body.room_at(house, robot.x, robot.y))
        return Batch(concatenate((body.robot_rows(house, robot), body.held_rows(carried, body.IN_HAND, self.numbers))))

    def _before_eyes(self, house: House, robot: Robot, camera: Camera, aspect: float) -> Group:
        things = body.before_eyes(robot, camera, aspect, body.room_at(house, *camera.eye[:2]))
        rows = concatenate((body.held_rows(things, body.IN_VIEW, self.numbers), body.gripper_rows(things)))
        return self._upload("held", Batch(rows), near=True)

    def _cast(self, house: House, view: str, things: Iterable[Thing]) -> None:
        """Draws the shadow map of the objects. Walls cast no shadow.

        The robot has a footing instead of a shadow, so the map stays valid while it moves.
        """
        shadow = self._shadows[view]
        if self._changed(f"shadow of {view}", self._keys[view]):
            shadow.cast(self.drawing, house, self._upload("casters", batch_of(filter(_casts, things), self.numbers)))
        shadow.use(self.drawing)


def _casts(thing: Thing) -> bool:
    """Returns False for what hangs under the ceiling, which would darken the room, and for flat objects on walls.

    Those would leave patches on the floor.
    """
    hangs = thing.base[2] >= HANGING
    return thing.base[2] < TALLEST_CASTER and not (hangs and thing.size[1] < SHALLOW)
