"""Light: the lamp, daylight and reflected light of each room, and the shadow map of the sun.

The sun shines through the open roof. Indoors its shadows only darken contacts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.geometry.model import House, Room, Wall
from sim.rendering.cameras import look_at, orthographic
from sim.rendering.gl.context import column_major
from sim.rendering.gl.groups import Drawing, Group
from sim.rendering.instances import FLOOR_COLOURS

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
