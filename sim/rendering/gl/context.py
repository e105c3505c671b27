"""Creates the OpenGL context, or reports in one line why there is none."""

from __future__ import annotations

import sys
from typing import Any

from core.common.errors import RendererError

CURE = "install OpenGL: sudo apt-get install libegl1 libgl1-mesa-dri" if sys.platform.startswith("linux") else \
    "install a graphics driver with OpenGL 3.3"


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
