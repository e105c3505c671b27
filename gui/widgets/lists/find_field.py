"""The field one searches with."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class FindField(QLineEdit):
    """Type to find; Esc clears and closes, before the window takes it for something else."""

    closed = Signal()

    def __init__(self, hint: str):
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)

    def event(self, event: QEvent) -> bool:
        """Esc is this field's while it has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Esc closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.closed.emit()
        else:
            super().keyPressEvent(event)
