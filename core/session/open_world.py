"""A world that was opened to read the goal in, for the session that plays in it: opening one may take many seconds."""

from __future__ import annotations

from collections.abc import Callable

from core.simulator.base import Simulator


class OpenWorld:
    """What makes a session's world: the open one at first, then new ones.

    Args:
        world: the open one.
        again: opens another, such as when it has died.
    """

    def __init__(self, world: Simulator, again: Callable[[], Simulator]):
        self._world: Simulator | None = world
        self._again = again

    def __call__(self) -> Simulator:
        """A world, to be reset and closed by whoever takes it."""
        world, self._world = self._world, None
        return self._again() if world is None else world

    def close(self) -> None:
        """End the open one, if nobody took it."""
        world, self._world = self._world, None
        if world is not None:
            world.close()
