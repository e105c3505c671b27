"""The part of a house that is on the graphics card: meshes, rows, lights and shadows. Only changes are uploaded.

Meshes run from -1 to 1: vertices (n, 6) float32 of position and normal, triangles (m, 3) int32. Seen from outside all triangles
are counter-clockwise, so that back faces can be culled. The sun shines through the open roof. Indoors its shadows only darken
contacts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.geometry.model import House, Robot, Room, Thing, Wall
from sim.rendering import robot as body
from sim.rendering.cameras import Camera, look_at, orthographic
from sim.rendering.gl.context import column_major, compiled
from sim.rendering.instances import (
    FLOOR_COLOURS,
    Batch,
    Rows,
    batch_of,
    ceilings_batch,
    concatenate,
    cut_heights,
    floors_batch,
    numbering,
    shown_when_cut,
    walls_batch,
)
from sim.rendering.settling import FIXTURES, settled


class Mesh(NamedTuple):
    """Vertices and triangles."""

    vertices: NDArray[np.float32]
    triangles: NDArray[np.int32]


def box() -> Mesh:
    """Returns a cube with four vertices per face, for sharp edges."""
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (-1, 1):
            normal = np.zeros(3)
            normal[axis] = sign
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            start = len(vertices)
            corners = ((-1, -1), (1, -1), (1, 1), (-1, 1)) if sign > 0 else ((-1, -1), (-1, 1), (1, 1), (1, -1))
            vertices += [[*(normal + a * u + b * v), *normal] for a, b in corners]
            triangles += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Mesh(np.array(vertices, np.float32), np.array(triangles, np.int32))


def cylinder(sides: int = 24) -> Mesh:
    """Returns a closed cylinder, upright along z."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring, flat = np.column_stack((np.cos(angle), np.sin(angle))), np.zeros(sides)
    one, k = np.ones(sides), np.arange(sides)
    after = (k + 1) % sides
    sheets = [np.column_stack((ring, z * one, ring, flat)) for z in (-1, 1)]
    caps = [np.column_stack((ring, z * one, flat, flat, z * one)) for z in (-1, 1)]
    middles = np.array([(0, 0, -1, 0, 0, -1), (0, 0, 1, 0, 0, 1)])
    low, high, bottom, top, middle = (j * sides for j in range(5))
    triangles = [(low + k, low + after, high + after), (low + k, high + after, high + k),
                 (middle + 0 * k, bottom + after, bottom + k), (middle + 1 + 0 * k, top + k, top + after)]
    return Mesh(np.concatenate([*sheets, *caps, middles]).astype(np.float32),
                np.concatenate([np.column_stack(t) for t in triangles]).astype(np.int32))


def ball(around: int = 28, rings: int = 16) -> Mesh:
    """Returns a sphere with its poles on z."""
    theta, phi = np.pi * np.arange(rings + 1) / rings, 2 * np.pi * np.arange(around) / around
    t, p = (grid.ravel() for grid in np.meshgrid(theta, phi, indexing="ij"))
    points = np.column_stack((np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)))
    j, i = (grid.ravel() for grid in np.meshgrid(np.arange(rings), np.arange(around), indexing="ij"))
    a, b = j * around + i, j * around + (i + 1) % around
    c, d = a + around, b + around
    triangles = np.concatenate((np.column_stack((a, c, d)), np.column_stack((a, d, b))))
    return Mesh(np.concatenate((points, points), axis=1).astype(np.float32), triangles.astype(np.int32))


SURFACE_ROW = "3f 3f 4f 4f 4i 4x/i"
DEPTH_ROW = "3f 3f 4f 36x/i"
SMALL = 0.06  # metres: half extents below which a coarse mesh looks as round as a fine one


class Drawing:
    """The two programs that draw rows: one writes colours and entity numbers, one only depth."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.surface = compiled(context, "surface.vert", "surface.frag")
        self.depth = compiled(context, "depth.vert", "depth.frag")
        kinds = {"box": box(), "cylinder": cylinder(), "ball": ball(),
                 "small cylinder": cylinder(14), "small ball": ball(14, 8)}
        self.meshes = {name: (context.buffer(mesh.vertices.tobytes()), context.buffer(mesh.triangles.tobytes()))
                       for name, mesh in kinds.items()}

    def write(self, name: str, value: bytes) -> None:
        """Sets a matrix in both programs."""
        self.surface[name].write(value)
        self.depth[name].write(value)

    def share_depth(self, share: float) -> None:
        """Draws into the front `share` of the depth range from now on."""
        self.surface["depth_share"].value = self.depth["depth_share"].value = share


class Group:
    """The rows of one batch. With `near`, small objects are drawn with fine meshes too."""

    def __init__(self, drawing: Drawing, batch: Batch, near: bool = False) -> None:
        self._drawing = drawing
        self._opaque = [self._part(*part) for part in _by_detail(batch.arrays(), near)]
        self._glass = [self._part(*part) for part in _by_detail(batch.arrays(glass=True), near)]

    def _part(self, name: str, rows: Rows) -> tuple[Any, Any, Any, int]:
        context, (vertices, triangles) = self._drawing.context, self._drawing.meshes[name]
        data = context.buffer(rows.tobytes())
        full = context.vertex_array(self._drawing.surface, [
            (vertices, "3f 3f", "in_p", "in_n"),
            (data, SURFACE_ROW, "i_pos", "i_half", "i_turn", "i_colour", "i_meta")], triangles)
        depth = context.vertex_array(self._drawing.depth, [
            (vertices, "3f 12x", "in_p"), (data, DEPTH_ROW, "i_pos", "i_half", "i_turn")], triangles)
        return full, depth, data, len(rows)

    def shade(self) -> None:
        """Draws colours, numbers and normals of the opaque rows."""
        for full, _, _, count in self._opaque:
            full.render(instances=count)

    def occupy(self) -> None:
        """Draws only the depth of the opaque rows."""
        for _, depth, _, count in self._opaque:
            depth.render(instances=count)

    def blend(self) -> None:
        """Draws the glass."""
        for full, _, _, count in self._glass:
            full.render(instances=count)

    def release(self) -> None:
        """Frees the memory."""
        for full, depth, data, _ in (*self._opaque, *self._glass):
            full.release()
            depth.release()
            data.release()


def _by_detail(tables: dict[str, Rows], near: bool) -> Iterator[tuple[str, Rows]]:
    """Yields rows with the name of the mesh that draws them."""
    for name, rows in tables.items():
        small = rows["half"].max(axis=1) < (0.0 if near or name == "box" else SMALL)
        for mesh, chosen in ((name, rows[~small]), (f"small {name}", rows[small])):
            if len(chosen):
                yield mesh, chosen


WINDOWLESS = 1.15  # a room without windows has a brighter lamp
Row = tuple[float, float, float, float]
SUN = np.array([-0.32, -0.42, 1.1]) / np.linalg.norm([-0.32, -0.42, 1.1])
"""Direction to the sun that lights faces."""
OVERHEAD = np.array([-0.19, -0.25, 1.1]) / np.linalg.norm([-0.19, -0.25, 1.1])
"""Direction to the sun that casts shadows. It is higher, so that shadows stay near what casts them."""
SIDE = 1536
UNIT = 0  # texture unit
DISTANCE = 20.0


def room_lights(house: House, most: int) -> dict[str, NDArray[np.float32]]:
    """Returns the uniforms `lamps`, `daylights` and `bounces`, each (most, 4) float32.

    Rooms beyond `most` share the light of the last one.
    """
    tables = {name: np.zeros((most, 4), np.float32) for name in ("lamps", "daylights", "bounces")}
    for k, room in enumerate(house.rooms[:most]):
        tables["lamps"][k] = _lamp(house, room)
        tables["daylights"][k] = _daylight(house, k, room)
        if tables["daylights"][k, 3] == 0:
            tables["lamps"][k, 3] *= WINDOWLESS
        tables["bounces"][k, :3] = FLOOR_COLOURS.get(room.floor, FLOOR_COLOURS["plank"])
    return tables


def _lamp(house: House, room: Room) -> Row:
    """Returns a lamp over the middle of the floor: x, y, z in metres and strength, which grows with the room."""
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in room.pieces]
    total = sum(areas) or 1.0
    x = sum(a * (p[0] + p[2]) / 2 for a, p in zip(areas, room.pieces, strict=True)) / total
    y = sum(a * (p[1] + p[3]) / 2 for a, p in zip(areas, room.pieces, strict=True)) / total
    if not room.contains(x, y):
        x, y = room.centre
    x0, y0, x1, y1 = room.bounds
    return x, y, house.height - 0.25, 1.25 + 0.05 * max(x1 - x0, y1 - y0)


def _daylight(house: House, index: int, room: Room) -> Row:
    """Returns the middle of a room's windows, weighted by area, and their strength (0 without windows)."""
    spots = np.array([spot for wall in house.walls if index in (wall.left, wall.right) for spot in _windows(wall)])
    if not len(spots):
        return (*room.centre, 2.0, 0.0)
    total = float(spots[:, 3].sum())
    x, y, z = (spots[:, :3] * spots[:, 3:]).sum(axis=0) / total
    return float(x), float(y), float(z), min(1.1, 0.35 + 0.25 * total)


def _windows(wall: Wall) -> list[Row]:
    """Returns the middle and area of each window of a wall."""
    spots = []
    for o in wall.openings:
        if o.kind == "window":
            t = (o.begin + o.end) / 2 / wall.length
            x, y = (wall.start[k] + (wall.end[k] - wall.start[k]) * t for k in (0, 1))
            spots.append((x, y, (o.sill + o.head) / 2, (o.end - o.begin) * (o.head - o.sill)))
    return spots


class ShadowMap:
    """Depths seen from the sun, kept until something that casts a shadow changes."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.texture = context.depth_texture((SIDE, SIDE))
        self.texture.compare_func = "<="
        self.texture.repeat_x = self.texture.repeat_y = False
        self._projection = bytes(64)
        self._target = context.framebuffer(depth_attachment=self.texture)

    def cast(self, drawing: Drawing, house: House, casters: Group) -> None:
        """Redraws the map."""
        x0, y0, x1, y1 = house.bounds()
        centre = np.array(((x0 + x1) / 2, (y0 + y1) / 2, 0))
        radius, away = math.hypot(x1 - x0, y1 - y0) / 2 + 1.2, centre + OVERHEAD * DISTANCE
        view = look_at((float(away[0]), float(away[1]), float(away[2])), (float(centre[0]), float(centre[1]), 0.0))
        self._projection = column_major(orthographic(radius, -DISTANCE, 3 * DISTANCE) @ view)
        self._target.use()
        self._target.clear()
        self._context.enable(self._context.DEPTH_TEST)
        drawing.depth["view_projection"].write(self._projection)
        drawing.share_depth(1.0)
        casters.occupy()

    def use(self, drawing: Drawing) -> None:
        """Makes the surface program read this map."""
        self.texture.use(UNIT)
        drawing.surface["shadow"].value = UNIT
        drawing.surface["shadow_projection"].write(self._projection)


HANGING, HIGH, TALLEST_CASTER, SHALLOW = 0.95, 1.2, 1.9, 0.25  # metres: bottoms of objects, and their depth
BULKY = frozenset({"Cabinet", "Microwave", "hood", "kitchen_cabinet", "microwave", "stovefan", "wall_cabinet"})
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
            self._things = settled(house, [t for t in house.things if not t.hidden and t.id not in in_hand])
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
        self.drawing.surface["footing"].value = NOWHERE if robot is None else body.footing(robot)
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
        heights = cut_heights(house, camera.eye, camera.tilt)
        tops = dict(zip(house.walls, heights, strict=True))
        self._refresh("cut walls", (self._keys["building"], heights), lambda: walls_batch(house, tops.__getitem__))
        if self._changed("cut things", (self._keys["building"], self._keys["numbers"], heights)):
            self._shown = tuple(t for t in self._things if shown_when_cut(house, t, heights))
            self._upload("cut things", batch_of(self._shown, self.numbers))

    def _robot(self, house: House, robot: Robot | None) -> Batch:
        if robot is None:
            return Batch(concatenate(()))
        tucked = body.reaches_into(robot, self._shown)
        carried = body.carried(robot, body.room_at(house, robot.x, robot.y), tucked=tucked)
        rows = body.robot_rows(house, robot, tucked=tucked)
        return Batch(concatenate((rows, body.held_rows(carried, body.IN_HAND, self.numbers))))

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
    """Returns False for what hangs under the ceiling, which would darken the room, and for small or flat objects on walls.

    Those would leave patches on the floor, apart from the object.
    """
    bottom = thing.base[2]
    hangs = bottom >= HANGING and (thing.size[1] < SHALLOW or (bottom >= HIGH and thing.kind not in BULKY))
    return bottom < TALLEST_CASTER and not hangs and thing.kind not in FIXTURES
