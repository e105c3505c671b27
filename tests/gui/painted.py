"""Counts what the parts of the window paint: paint events and pixels, which do not depend on how fast the machine is."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.timeline import Timeline
from gui.window.docks import Card
from gui.window.operator_bar import OperatorBar

PARTS = (Card, Timeline, OperatorBar)
"""Not the status line, which shows clocks: how often it is painted depends on the time that passes."""


class Painted(QObject):
    """An event filter of the application.

    Attributes:
        passes: how often each part was painted, or some of it; a part is named as its panel, or by its class.
        pixels: the number of pixels painted in each part, its own and those of all widgets within it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.passes: Counter[str] = Counter()
        self.pixels: Counter[str] = Counter()

    def eventFilter(self, widget: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Counts a paint event, and lets it pass."""
        if isinstance(event, QPaintEvent) and isinstance(widget, QWidget):
            part = widget
            while not isinstance(part, PARTS):
                parent = part.parentWidget()
                if parent is None:
                    return False
                part = parent
            name = part.name if isinstance(part, Card) else type(part).__name__
            self.passes[name] += part is widget
            rects = list(event.region())  # type: ignore[call-overload]  # PySide6 does not declare it
            self.pixels[name] += sum(rect.width() * rect.height() for rect in rects)
        return False
