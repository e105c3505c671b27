"""Draws a House with OpenGL: depth prepass, shading with entity numbers, occlusion at half size, glass last, then tone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sim.geometry.model import House, Robot
from sim.rendering.cameras import Camera, Picture, Size, check_request
from sim.rendering.gl.context import TargetCache, Targets, column_major, compiled, create_context
from sim.rendering.gl.scene import SUN, Group, Stage

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


HELD_SHARE = 0.02  # front part of the depth range, for held objects: all else is at least a millimetre beyond `near`
WRITE, KEEP = (True,) * 4, (False,) * 4


class Renderer:
    """One OpenGL context. Use it from the thread that made it.

    Raises:
        RendererError: there is no OpenGL. The message says what to install.
    """

    def __init__(self, backend: str | None = None) -> None:
        self._context = create_context(backend)
        self._stage = Stage(self._context)
        self._finish = Finish(self._context, HELD_SHARE)
        self._targets = TargetCache(self._context)
        self._stage.drawing.surface["sun"].value = tuple(SUN)
        self._stage.drawing.surface["haze"].value = SKY_LOW

    @property
    def device(self) -> str:
        """The name of the OpenGL renderer and its version, as the driver gives them."""
        info = self._context.info
        return f"{info['GL_RENDERER']}, {info['GL_VERSION']}"

    def frame(self, house: House, camera: Camera, size: Size = (640, 480), robot: Robot | None = None,
              samples: int = 1) -> Picture:
        """Returns a picture of `size` (width, height). `samples=2` draws at twice the size and averages, for stills.

        Dollhouse cameras (`camera.indoors` False) show the robot. An indoor camera shows only what it holds.

        Raises:
            RendererError: what `check_request` refuses.
        """
        check_request(house, size, samples)
        aspect = size[0] / size[1]
        small = self._targets.of(size)
        targets = small if samples == 1 else self._targets.of((size[0] * samples, size[1] * samples))
        world, front = self._stage.set(house, robot, camera, aspect)
        self._aim(camera, aspect)
        self._draw(targets, world, front)
        self._finish.develop(targets, camera)
        if samples == 1:
            self._finish.smooth(targets)
        else:
            self._finish.shrink(targets, small)
        return self._read(small, targets, camera)

    def close(self) -> None:
        """Frees the context."""
        self._context.release()

    def _aim(self, camera: Camera, aspect: float) -> None:
        drawing = self._stage.drawing
        drawing.write("view_projection", column_major(camera.projection(aspect) @ camera.view()))
        drawing.surface["eye"].value, drawing.surface["indoors"].value = camera.eye, int(camera.indoors)

    def _draw(self, targets: Targets, world: Sequence[Group], front: Group | None) -> None:
        c, scene = self._context, targets.scene
        scene.color_mask, scene.depth_mask = [WRITE] * 3, True
        scene.use()
        scene.clear()
        c.enable(c.DEPTH_TEST | c.CULL_FACE)
        c.depth_func = "<"
        scene.color_mask = [KEEP] * 3
        self._each(world, front, Group.occupy)
        scene.color_mask, c.depth_func = [WRITE] * 3, "<="
        self._each(world, front, Group.shade)
        c.enable(c.BLEND)
        c.blend_func = c.SRC_ALPHA, c.ONE_MINUS_SRC_ALPHA
        scene.color_mask, scene.depth_mask = [WRITE, KEEP, KEEP], False
        self._each(world, front, Group.blend)
        c.disable(c.BLEND | c.CULL_FACE)
        scene.color_mask, scene.depth_mask, c.depth_func = [WRITE] * 3, True, "<"

    def _each(self, world: Sequence[Group], front: Group | None, draw: Callable[[Group], None]) -> None:
        self._stage.drawing.share_depth(1.0)
        for group in world:
            draw(group)
        if front is not None:
            self._stage.drawing.share_depth(HELD_SHARE)
            draw(front)

    def _read(self, small: Targets, drawn: Targets, camera: Camera) -> Picture:
        """Returns colours from the small target, and numbers from one subpixel of each pixel. Numbers are never averaged."""
        (width, height), factor = small.size, drawn.size[0] // small.size[0]
        colours = np.frombuffer(small.final_target.read(components=3, alignment=1), np.uint8).reshape(height, width, 3)
        raw = drawn.scene.read(components=1, attachment=1, alignment=1, dtype="u2")
        ids = np.frombuffer(raw, np.uint16).reshape(height * factor, width * factor)[::factor, ::factor]
        return Picture(np.ascontiguousarray(colours[::-1]), np.ascontiguousarray(ids[::-1]), tuple(self._stage.numbers), camera)
