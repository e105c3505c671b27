"""A text field that Escape clears and closes, and the strip above a list that holds such a field to search the list."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gui.theme import Theme
from gui.theme.boxes import hbox, vbox


class EscapeField(QLineEdit):
    """A text field that receives Escape itself, before the shortcuts of the window."""

    def event(self, event: QEvent) -> bool:
        """Keeps Escape from the shortcuts of the window while the field has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)


class FindField(EscapeField):
    """A text field, mostly to search. Escape clears and closes it before the window can use the key for something else."""

    closed = Signal()

    def __init__(self, hint: str):
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)

    def opened_by(self, action: QAction) -> None:
        """Shows the field while a checkable action is on. Escape switches the action off."""
        self.setClearButtonEnabled(True)
        self.hide()
        action.toggled.connect(self._open)
        self.closed.connect(lambda: action.setChecked(False))

    def _open(self, opened: bool) -> None:
        self.setVisible(opened)
        if opened:
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Clears the field and emits `closed` on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.closed.emit()
        else:
            super().keyPressEvent(event)


class InPlaceField(EscapeField):
    """A text field over a row or a node of a list. Enter and Escape end the edit and do not reach the list behind the field."""

    entered = Signal()
    left = Signal()
    """Escape was pressed."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `entered` or `left`. Qt's own field would let both keys go on to its parent."""
        ends = {Qt.Key.Key_Return: self.entered, Qt.Key.Key_Enter: self.entered, Qt.Key.Key_Escape: self.left}
        if (end := ends.get(Qt.Key(event.key()))) is not None:
            event.accept()
            end.emit()
        else:
            super().keyPressEvent(event)


class SearchStrip(QWidget):
    """A search field with another filter. Escape in the field closes the strip and gives the list the keyboard focus."""

    closed = Signal()

    def __init__(self, theme: Theme, field: FindField, rows: QWidget, beside: QWidget, *, under: bool = False):
        """Builds a strip. `beside` is placed at the right of the field, or below it if `under` is True."""
        super().__init__()
        self._field, self._rows = field, rows
        (vbox if under else hbox)(theme, (field, int(not under)), beside, on=self, spacing=4, margins=(8, 2, 8, 4))
        self.hide()
        field.closed.connect(self.toggle)

    def open(self) -> None:
        """Shows the strip with the cursor in the field."""
        self.show()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def toggle(self) -> None:
        """Opens the strip, or closes it and clears the search."""
        if self.isHidden():
            self.open()
            return
        self.hide()
        self._field.clear()
        self._rows.setFocus()
        self.closed.emit()
