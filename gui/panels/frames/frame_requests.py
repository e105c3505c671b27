"""Which pictures to ask for: as large as their panes, not larger than is quick to draw, and only while they are seen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSize, QTimer

from core.planning.facets import View
from core.session.commands import Look

SETTLED_MS = 200
LONGEST, LEAST, STEP = 960, 64, 8
"""Pixels: a picture's longest side, its least side, and the grain, so that a nudged splitter asks for nothing new."""


class Asking(QObject):
    """Says `Look` when views or size have settled, and not twice the same."""

    def __init__(self, parent: QObject, post: Callable[[Look], None]):
        super().__init__(parent)
        self._post = post
        self._wanted, self._said = Look(()), Look(())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLED_MS)
        self._timer.timeout.connect(self._say)

    def want(self, views: tuple[View, ...], size: QSize, ratio: float) -> None:
        """These views from now on, for panes of this size."""
        width, height = fitted(size, ratio)
        self._wanted = Look(views, width, height) if views else Look(())
        if self._wanted == self._said:
            self._timer.stop()
        else:
            self._timer.start()

    def again(self) -> None:
        """Another run begins, which has not been told."""
        self._said = Look(())
        self.say_now()

    def say_now(self) -> None:
        """Without waiting."""
        self._timer.stop()
        self._say()

    def _say(self) -> None:
        if self._wanted != self._said:
            self._said = self._wanted
            self._post(self._wanted)


def fitted(size: QSize, ratio: float) -> tuple[int, int]:
    """Pixels to draw for a pane: its shape, capped, at least the smallest picture a renderer takes."""
    width, height = max(1.0, size.width() * ratio), max(1.0, size.height() * ratio)
    scale = min(1.0, LONGEST / max(width, height))
    return _grained(width * scale), _grained(height * scale)


def _grained(length: float) -> int:
    return max(LEAST, round(length / STEP) * STEP)
