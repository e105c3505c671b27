"""Lists all parts the operator can choose from.

This loads every planner and simulator, so it waits until the first run is ready.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from core.session.snapshot import Snapshot
from gui.control.background import BackgroundJobs
from gui.control.choices import ListChoices
from gui.control.console import Console

LATER = 1000
"""Milliseconds from the first turn to the listing, so that the first pictures are drawn before it."""


class CatalogueLoader(QObject):
    """Lists all parts once, off the GUI thread: soon after the first turn begins, or as soon as the operator opens a list."""

    def __init__(self, console: Console, list_choices: ListChoices):
        super().__init__()
        self._console, self._list, self._busy = console, list_choices, False
        self._jobs = BackgroundJobs("choices")
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(LATER)
        self._later.timeout.connect(self.begin)
        console.asked_choices.connect(self.begin)
        console.live_snapshot.connect(self._on_live)
        console.trouble_changed.connect(lambda error: self.begin() if error is not None else None)

    def begin(self) -> None:
        """Starts listing, unless it is done or under way."""
        if self._busy or self._console.choices.complete:
            return
        self._busy = True
        self._jobs.do(self._list, self._console.offer, self._failed)

    def close(self, patience: float) -> None:
        """Stops the timer and ends the thread; the window calls this when it closes."""
        self._later.stop()
        self._jobs.close(patience)

    def _on_live(self, snapshot: Snapshot) -> None:
        if snapshot.turn > 0 and not (self._busy or self._later.isActive() or self._console.choices.complete):
            self._later.start()

    def _failed(self, error: Exception) -> None:
        """Reports the failure. Listing is tried again when the operator next opens a list."""
        self._busy = False
        self._console.message.emit(f"The other choices cannot be listed: {' '.join(str(error).split())}", "bad")
