"""Requests for pictures: as large as their panes up to a limit that is quick to draw, and only while they are visible."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSize, QTimer

from core.planning.facets import View
from core.session.commands import Look

SETTLED_MS = 200
LONGEST, LEAST, STEP = 960, 64, 8
"""Pixels: a picture's longest side, its shortest side, and the rounding step.

Sizes are rounded, so that a splitter moved slightly requests no new picture.
"""


class Asking(QObject):
    """Posts a `Look` command when views and size have settled. It does not post the same command twice in a row."""

    def __init__(self, parent: QObject, post: Callable[[Look], None]):
        super().__init__(parent)
        self._post = post
        self._wanted, self._said = Look(()), Look(())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SETTLED_MS)
        self._timer.timeout.connect(self._say)

    def want(self, views: tuple[View, ...], size: QSize, ratio: float) -> None:
        """Sets the views to draw and the size of their panes. The command is posted once they have settled."""
        width, height = fitted(size, ratio)
        self._wanted = Look(views, width, height) if views else Look(())
        if self._wanted == self._said:
            self._timer.stop()
        else:
            self._timer.start()

    def again(self) -> None:
        """Requests the pictures again, because a new run has not received the request."""
        self._said = Look(())
        self.say_now()

    def say_now(self) -> None:
        """Posts the request now, without waiting for the size to settle."""
        self._timer.stop()
        self._say()

    def _say(self) -> None:
        if self._wanted != self._said:
            self._said = self._wanted
            self._post(self._wanted)


def fitted(size: QSize, ratio: float) -> tuple[int, int]:
    """Returns the width and height to draw for a pane, in pixels.

    The shape is that of the pane. The size is capped, and at least the smallest picture that a renderer accepts.
    """
    width, height = max(1.0, size.width() * ratio), max(1.0, size.height() * ratio)
    scale = min(1.0, LONGEST / max(width, height))
    return _grained(width * scale), _grained(height * scale)


def _grained(length: float) -> int:
    return max(LEAST, round(length / STEP) * STEP)
