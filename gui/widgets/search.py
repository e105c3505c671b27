"""A text field that Escape clears and closes, and the strip above a list that holds such a field to search the list."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QWidget

from gui.theme import Theme


class FindField(QLineEdit):
    """A text field, mostly to search. Escape clears and closes it before the window can use the key for something else."""

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


Way = QBoxLayout.Direction


class SearchStrip(QWidget):
    """A search field with another filter. Escape in the field closes the strip and gives the list the keyboard focus."""

    closed = Signal()

    def __init__(self, theme: Theme, field: FindField, rows: QWidget, beside: QWidget, *, under: bool = False):
        """Builds a strip. `beside` is placed at the right of the field, or below it if `under` is True."""
        super().__init__()
        self._field, self._rows = field, rows
        box = QBoxLayout(Way.TopToBottom if under else Way.LeftToRight, self)
        box.setContentsMargins(theme.px(8), theme.px(2), theme.px(8), theme.px(4))
        box.setSpacing(theme.px(4))
        box.addWidget(field, 0 if under else 1)
        box.addWidget(beside)
        self.hide()
        field.closed.connect(self.toggle)

    def toggle(self) -> None:
        """Opens the strip with the cursor in the field, or closes it and clears the search."""
        if self.isHidden():
            self.show()
            self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        self.hide()
        self._field.clear()
        self._rows.setFocus()
        self.closed.emit()
