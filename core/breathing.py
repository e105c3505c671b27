"""Long computations let whoever draws have the interpreter first.

One hook a process: nobody sets it where nothing is drawn. It only waits, so results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable


class _Breath:
    hook: Callable[[], None] | None = None


def on_breath(hook: Callable[[], None] | None) -> None:
    """What a computation calls every millisecond or so, on its own thread; None: nothing."""
    _Breath.hook = hook


def breathe() -> None:
    """Called within loops that are long and hold the interpreter."""
    if _Breath.hook is not None:
        _Breath.hook()
