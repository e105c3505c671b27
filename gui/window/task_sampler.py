"""Draws another random task that is possible in the scene, phrased so that the goal field understands it."""

from __future__ import annotations

import random

from PySide6.QtCore import QObject, Signal

from gui.control.background import BackgroundJobs
from gui.control.choices import DrawTask
from gui.control.console import Console

MOST = 1_000_000


class TaskSampler(QObject):
    """Draws a task off the GUI thread and prepares a run of it."""

    changed = Signal()
    """`busy` has changed."""

    def __init__(self, console: Console, draw: DrawTask | None):
        super().__init__()
        self._console, self._draw, self.jobs = console, draw, BackgroundJobs("tasks")
        self.busy = False
        console.asked_task.connect(self.draw)

    def draw(self) -> None:
        """Draws a task."""
        console, draw = self._console, self._draw
        if draw is None or self.busy or not console.may_change():
            return
        request, number = console.request, random.randrange(MOST)
        self._set_busy(busy=True)
        self.jobs.do(lambda: draw(request, number), self._drawn, self._failed)

    def _drawn(self, task: str) -> None:
        self._set_busy(busy=False)
        self._console.run_request.choose_task(task)

    def _failed(self, error: Exception) -> None:
        self._set_busy(busy=False)
        self._console.message.emit(" ".join(str(error).split()), "warn")

    def _set_busy(self, *, busy: bool) -> None:
        self.busy = busy
        self.changed.emit()

    def close(self, patience: float) -> None:
        """Ends the thread; the window calls this when it closes."""
        self.jobs.close(patience)
