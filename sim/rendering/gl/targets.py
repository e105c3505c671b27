"""Render targets: the textures for one picture size, cached for the few sizes in use."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from sim.rendering.picture import Size

KEPT = 6


class Targets:
    """Textures and framebuffers of one size (width, height): the scene, its occlusion at half size, the finished picture."""

    def __init__(self, context: Any, size: Size) -> None:
        self.size = size
        half = ((size[0] + 1) // 2, (size[1] + 1) // 2)
        self.colour = context.texture(size, 4, dtype="f2")
        self.ids = context.texture(size, 1, dtype="u2")
        self.normals = context.texture(size, 4)
        self.depth = context.depth_texture(size)
        self.depth.compare_func = ""
        self.shade, self.soft = context.texture(half, 1), context.texture(half, 1)
        self.toned, self.final = context.texture(size, 4), context.texture(size, 3)
        nearest = context.NEAREST, context.NEAREST
        for texture in (self.colour, self.ids, self.normals, self.depth, self.shade, self.soft, self.toned, self.final):
            texture.filter = nearest
            texture.repeat_x = texture.repeat_y = False
        self.toned.filter = context.LINEAR, context.LINEAR
        self.scene = context.framebuffer([self.colour, self.ids, self.normals], self.depth)
        self.shade_target = context.framebuffer([self.shade])
        self.soft_target = context.framebuffer([self.soft])
        self.toned_target = context.framebuffer([self.toned])
        self.final_target = context.framebuffer([self.final])

    def release(self) -> None:
        """Frees the memory."""
        for part in (self.scene, self.shade_target, self.soft_target, self.toned_target, self.final_target,
                     self.colour, self.ids, self.normals, self.depth, self.shade, self.soft, self.toned, self.final):
            part.release()


class TargetCache:
    """Targets by size. The least recently used are released."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._kept: OrderedDict[Size, Targets] = OrderedDict()

    def of(self, size: Size) -> Targets:
        """Returns the targets for this (width, height)."""
        if size not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.popitem(last=False)[1].release()
            self._kept[size] = Targets(self._context, size)
        self._kept.move_to_end(size)
        return self._kept[size]
