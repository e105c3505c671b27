"""Draws a House with OpenGL: depth prepass, shading with entity numbers, occlusion at half size, glass last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sim.geometry.model import House, Robot
from sim.rendering.cameras import Camera
from sim.rendering.gl.context import TargetCache, Targets, column_major, create_context
from sim.rendering.gl.groups import Group
from sim.rendering.gl.lights import SUN
from sim.rendering.gl.post_processing import SKY_LOW, Finish
from sim.rendering.gl.scene_buffers import Stage
from sim.rendering.picture import Picture, Size, check_request

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
