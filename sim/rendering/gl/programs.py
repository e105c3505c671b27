"""The shader programs, compiled from the files in shaders/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHADERS = Path(__file__).with_name("shaders")
INCLUDE = re.compile(r'^#include "(\w+\.glsl)"$', re.MULTILINE)


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
