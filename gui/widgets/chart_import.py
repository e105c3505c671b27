"""Imports pyqtgraph on a thread of its own: it takes about 0.4 s."""

from __future__ import annotations

import importlib
import threading

from PySide6.QtCore import QObject, QTimer, Signal

CHECK_EVERY = 30
"""Milliseconds between two checks whether pyqtgraph is imported."""


class ChartImport(QObject):
    """The import. It begins with the first call of `start`."""

    ready = Signal()
    """pyqtgraph is imported. Emitted once."""

    def __init__(self, parent: QObject):
        super().__init__(parent)
        self._import: threading.Thread | None = None
        self._checks = QTimer(self, interval=CHECK_EVERY)
        self._checks.timeout.connect(self._check)

    def start(self) -> None:
        """Starts the import, unless it was started."""
        if self._import is None:
            self._import = threading.Thread(target=importlib.import_module, args=("pyqtgraph",), name="charts", daemon=True)
            self._import.start()
            self._checks.start()

    def _check(self) -> None:
        if self._import is not None and not self._import.is_alive():
            self._checks.stop()
            self.ready.emit()
