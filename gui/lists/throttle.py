"""Numbers and trees are drawn anew at most every 100 ms, however often they change."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

PUBLISH_MS = 100


class Throttle(QObject):
    """Calls something at once when the last time is long enough ago, else once when it is."""

    def __init__(self, parent: QObject, act: Callable[[], None], interval: int = PUBLISH_MS):
        super().__init__(parent)
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

    def now(self) -> None:
        """Do it without waiting."""
        self._timer.stop()
        self._since.start()
        self._act()
