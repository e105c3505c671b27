"""The OpenGL context, the shader programs compiled in it, and the textures it draws into."""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import RendererError
from sim.rendering.cameras import Size

CURE = "install OpenGL: sudo apt-get install libegl1 libgl1-mesa-dri" if sys.platform.startswith("linux") else \
    "install a graphics driver with OpenGL 3.3"
SHADERS = Path(__file__).with_name("shaders")
INCLUDE = re.compile(r'^#include "(\w+\.glsl)"$', re.MULTILINE)


def create_context(backend: str | None = None) -> Any:
    """Returns a moderngl context without a window. `backend=None` is "egl" on Linux and the default elsewhere.

    Raises:
        RendererError: moderngl is not installed, or the system offers no OpenGL 3.3.
    """
    try:
        import moderngl  # imported here, so that the fallback can report that it is missing
    except ImportError as error:
        raise RendererError(f"The 3-D view needs moderngl ({error}); install it: pip install moderngl") from error
    chosen = backend if backend is not None else ("egl" if sys.platform.startswith("linux") else None)
    options: dict[str, Any] = {"backend": chosen} if chosen else {}
    try:
        return moderngl.create_context(standalone=True, require=330, **options)
    except Exception as error:  # moderngl raises bare Exceptions
        raise RendererError(f"The 3-D view found no OpenGL ({error}); {CURE}") from error


def source(name: str) -> str:
    """Returns the text of a shader with its `#include "file.glsl"` lines filled in."""
    text = (SHADERS / name).read_text(encoding="utf-8")
    return INCLUDE.sub(lambda match: source(match[1]), text)


def compiled(context: Any, vertex: str, fragment: str) -> Any:
    """Returns a moderngl program made from two shader files."""
    return context.program(vertex_shader=source(vertex), fragment_shader=source(fragment))


def column_major(matrix: NDArray[np.float64]) -> bytes:
    """Returns a 4x4 matrix as OpenGL stores it."""
    return matrix.T.astype(np.float32).tobytes()


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
