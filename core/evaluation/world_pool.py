"""Worlds kept open between episodes: opening one may start a program. Few at a time, and all of them are closed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

from core.simulator.base import Simulator

MOST = 4
OpenWorld = Callable[[str, Mapping[str, str]], Simulator]
Key = tuple[OpenWorld, str, tuple[tuple[str, str], ...]]


class OpenWorlds:
    """The worlds used last; one too many closes the one not used for longest."""

    def __init__(self, most: int = MOST):
        self._most = most
        self._worlds: OrderedDict[Key, Simulator] = OrderedDict()

    def get(self, open_world: OpenWorld, scene: str, options: Mapping[str, str]) -> Simulator:
        """The world of a scene, open already or opened now."""
        key = (open_world, scene, tuple(sorted(options.items())))
        if key not in self._worlds:
            while len(self._worlds) >= self._most:
                self._worlds.popitem(last=False)[1].close()
            self._worlds[key] = open_world(scene, options)
        self._worlds.move_to_end(key)
        return self._worlds[key]

    def close(self) -> None:
        """Close all of them; new ones may be opened afterwards."""
        while self._worlds:
            self._worlds.popitem()[1].close()
