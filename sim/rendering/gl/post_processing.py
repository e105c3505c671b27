"""From the drawn scene to the finished picture: ambient occlusion, blur, tone, and reduction for stills."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.rendering.cameras import Camera
from sim.rendering.gl.context import Targets, column_major, compiled

COLOUR, DEPTH, NORMALS, SHADE, SOFT, TONED = range(1, 7)  # texture units; 0 is the shadow map's
SKY_LOW, SKY_HIGH = (0.86, 0.91, 0.96), (0.55, 0.68, 0.84)


class Finish:
    """The programs that run over a whole picture."""

    def __init__(self, context: Any, held_share: float) -> None:
        self._context = context
        triangle = context.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self._programs, self._covers = {}, {}
        for name in ("occlusion", "blur", "composite", "smooth", "shrink"):
            program = self._programs[name] = compiled(context, "screen.vert", f"{name}.frag")
            self._covers[name] = context.vertex_array(program, [(triangle, "2f", "in_v")])
        self._bind("occlusion", depth=DEPTH, normals=NORMALS, held=held_share)
        self._bind("blur", depth=DEPTH, occlusion=SHADE)
        self._bind("composite", image=COLOUR, depth=DEPTH, occlusion=SOFT, sky_low=SKY_LOW, sky_high=SKY_HIGH)
        self._bind("smooth", image=TONED)
        self._bind("shrink", image=TONED)

    def _bind(self, program: str, **uniforms: object) -> None:
        for name, value in uniforms.items():
            self._programs[program][name].value = value

    def develop(self, targets: Targets, camera: Camera) -> None:
        """Writes `targets.toned` from the scene drawn into `targets`."""
        self._context.disable(self._context.DEPTH_TEST)
        for unit, texture in ((COLOUR, targets.colour), (DEPTH, targets.depth), (NORMALS, targets.normals),
                              (SHADE, targets.shade), (SOFT, targets.soft)):
            texture.use(unit)
        t = math.tan(math.radians(camera.fov) / 2)
        self._bind("occlusion", tangent=(t * targets.size[0] / targets.size[1], t))
        self._programs["occlusion"]["view"].write(column_major(camera.view()))
        passes = {"occlusion": targets.shade_target, "blur": targets.soft_target, "composite": targets.toned_target}
        for name, target in passes.items():
            self._bind(name, near_far=(camera.near, camera.far))
            target.use()
            self._covers[name].render()

    def shrink(self, large: Targets, small: Targets) -> None:
        """Writes `small.final` as the 2x2 means of `large.toned`."""
        self._last("shrink", large, small)

    def smooth(self, targets: Targets) -> None:
        """Writes `targets.final` as `targets.toned` with softened edges."""
        self._last("smooth", targets, targets)

    def _last(self, name: str, source: Targets, goal: Targets) -> None:
        source.toned.use(TONED)
        goal.final_target.use()
        self._covers[name].render()
