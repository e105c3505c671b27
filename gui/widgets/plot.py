"""The base class of painted plots."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.theme import Theme


class Plot(QWidget):
    """A widget that takes mouse and keyboard input and all available space. A subclass paints the plot."""

    def __init__(self, theme: Theme, name: str):
        super().__init__()
        self.theme = theme
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Repaints when the theme changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.update()
