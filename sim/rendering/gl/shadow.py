"""The shadow map of a sun that shines through the open roof. Indoors it only darkens contacts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.geometry.model import House
from sim.rendering.cameras import look_at, orthographic
from sim.rendering.gl.groups import Drawing, Group
from sim.rendering.gl.lights import OVERHEAD
from sim.rendering.gl.programs import column_major

SIDE = 1536
UNIT = 0  # texture unit
DISTANCE = 20.0


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
