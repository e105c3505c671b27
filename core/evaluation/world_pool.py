"""A pool of simulators that stay open between episodes, because opening one may start a program."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping

from core.simulator.base import Simulator

MOST = 4
OpenWorld = Callable[[str, Mapping[str, str]], Simulator]
Key = tuple[OpenWorld, str, tuple[tuple[str, str], ...]]


class OpenWorlds:
    """The most recently used simulators, at most `most`. One too many closes the least recently used."""

    def __init__(self, most: int = MOST):
        self._most = most
        self._worlds: OrderedDict[Key, Simulator] = OrderedDict()

    def get(self, open_world: OpenWorld, scene: str, options: Mapping[str, str]) -> Simulator:
        """Returns the simulator of a scene, opened now or before."""
        key = (open_world, scene, tuple(sorted(options.items())))
        if key not in self._worlds:
            while len(self._worlds) >= self._most:
                self._worlds.popitem(last=False)[1].close()
            self._worlds[key] = open_world(scene, options)
        self._worlds.move_to_end(key)
        return self._worlds[key]

    def close(self) -> None:
        """Closes all simulators. New ones may be opened afterwards."""
        while self._worlds:
            self._worlds.popitem()[1].close()
