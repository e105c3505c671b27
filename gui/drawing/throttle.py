"""Numbers and trees are drawn anew at most every 100 ms, however often they change."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

from gui.giving_way import GivingWay

PUBLISH_MS = 100


class Throttle(QObject):
    """Calls something at once when the last time is long enough ago, else once when it is."""

    def __init__(self, parent: QObject, way: GivingWay, act: Callable[[], None], interval: int = PUBLISH_MS):
        """A search gives `way` while it is done."""
        super().__init__(parent)
        self._way = way
        self._act, self._interval = act, interval
        self._since = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.now)

    def call(self) -> None:
        """Something changed."""
        waited = self._since.elapsed() if self._since.isValid() else self._interval
        if waited >= self._interval:
            self.now()
        elif not self._timer.isActive():
            self._timer.start(self._interval - int(waited))

    def follow(self, at_once: bool) -> None:
        """Something changed: do it at once, such as what follows the operator's hand, or when it is time."""
        if at_once:
            self.now()
        else:
            self.call()

    def now(self) -> None:
        """Do it without waiting."""
        self._timer.stop()
        self._since.start()
        with self._way.work():
            self._act()
