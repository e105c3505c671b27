"""The OpenGL context, and the shader programs compiled in it from the files in shaders/."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.common.errors import RendererError

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
