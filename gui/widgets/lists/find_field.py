"""The text field of a search."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class FindField(QLineEdit):
    """A search field. Escape clears and closes it before the window can use the key for something else."""

    closed = Signal()

    def __init__(self, hint: str):
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)

    def event(self, event: QEvent) -> bool:
        """Keeps Escape from the shortcuts of the window while the field has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Clears the field and emits `closed` on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.closed.emit()
        else:
            super().keyPressEvent(event)
