"""Passes on a simulator that was opened to parse the goal to the session that uses it: opening one may take many seconds."""

from __future__ import annotations

from collections.abc import Callable

from core.simulator.base import Simulator


class OpenWorld:
    """Makes a session's simulator: returns the open one at first, then new ones.

    Args:
        world: the open simulator.
        again: opens another one, such as when the first has died.
    """

    def __init__(self, world: Simulator, again: Callable[[], Simulator]):
        self._world: Simulator | None = world
        self._again = again

    def __call__(self) -> Simulator:
        """Returns a simulator. The caller must reset and close it."""
        world, self._world = self._world, None
        return self._again() if world is None else world

    def close(self) -> None:
        """Closes the open simulator, if it was not taken."""
        world, self._world = self._world, None
        if world is not None:
            world.close()
