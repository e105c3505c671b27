"""The names of the things of a run, the same in every part of the window."""

from __future__ import annotations

from collections.abc import Iterable

from core.session.events import Began
from core.session.snapshot import Snapshot
from core.world.vocabulary import Action
from gui.widgets.names import Namer, Names

MOST_RUNS = 4
"""Runs whose names are kept: the live one, one that just ended, and those that are compared with it."""


class RunNames:
    """Knows the things that were seen in each of the last runs, so that the second of two cabinets is `cabinet 2` everywhere.

    A part of the window that kept names of its own knew only the things that it had been shown itself.
    """

    def __init__(self) -> None:
        self._runs: tuple[tuple[Began | None, Namer], ...] = ()
        self._last: tuple[Snapshot, Names] = Snapshot(), Names()
        """The snapshot that was asked about last: many parts of the window ask about one."""

    def of(self, snapshot: Snapshot) -> Names:
        """Returns the names of what was seen in a run so far, with what this snapshot sees."""
        if snapshot is not self._last[0]:
            self._last = snapshot, self._namer(snapshot).of(snapshot.seen)
        return self._last[1]

    def meet(self, snapshot: Snapshot, actions: Iterable[Action | None]) -> Names:
        """Returns the same, with the objects of actions of the run, which may have been out of sight since."""
        namer = self._namer(snapshot)
        namer.meet(actions)
        self._last = snapshot, namer.of(snapshot.seen)
        return self._last[1]

    def _namer(self, snapshot: Snapshot) -> Namer:
        for began, namer in self._runs:
            if began is snapshot.began:
                return namer
        self._runs = ((snapshot.began, Namer()), *self._runs[:MOST_RUNS - 1])
        return self._runs[0][1]
