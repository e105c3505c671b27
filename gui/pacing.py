"""Snapshots for what stands around the panels: steps of the run at once, numbers that only grow ten times a second."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.snapshot import Snapshot
from gui.drawing.throttle import Throttle
from gui.giving_way import GivingWay


class Paced(QObject):
    """Hands on the newest snapshot, less often while nothing happens but thinking."""

    told = Signal(object)
    """A Snapshot."""

    def __init__(self, parent: QObject, way: GivingWay):
        super().__init__(parent)
        self._newest = self._last = Snapshot()
        self._throttle = Throttle(self, way, self._tell)

    def offer(self, snapshot: Snapshot) -> None:
        """The newest; the same one again is told at once, because something else is otherwise."""
        at_once = snapshot is self._newest or stepped(self._last, snapshot)
        self._newest = snapshot
        if at_once:
            self._throttle.now()
        else:
            self._throttle.call()

    def _tell(self) -> None:
        self._last = self._newest
        self.told.emit(self._newest)


def stepped(before: Snapshot, after: Snapshot) -> bool:
    """Whether more has changed than what is known, asked and spent within a turn."""
    return any(one is not other for one, other in zip(_steps(before), _steps(after), strict=True))


def _steps(s: Snapshot) -> tuple[object, ...]:
    return (s.began, s.status, s.turns, s.current, s.branches, s.marks, s.labels, s.goal, s.progress, s.failure, s.pause,
            s.ended, s.banned, s.breakpoints, s.parameters, s.most_steps, s.limits)
