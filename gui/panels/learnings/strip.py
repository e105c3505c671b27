"""The strip under the lines, where a line is typed, changed, pinned or deleted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gui.panels.learnings.edits import LONGEST
from gui.theme import Theme
from gui.widgets import Button

HINT = "Add a learning: X Y Z"


class AxiomField(QLineEdit):
    """A text field for one line. Escape discards the text."""

    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Clears the field and emits `left` on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        else:
            super().keyPressEvent(event)


class EditStrip(QWidget):
    """A text field, and buttons for the selected line."""

    entered = Signal(str)
    pinned = Signal()
    deleted = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(8), theme.px(4), theme.px(8), theme.px(6))
        column.setSpacing(theme.px(5))
        self.field = AxiomField()
        self.field.setPlaceholderText(HINT)
        self.field.setMaxLength(LONGEST)
        self.field.setAccessibleName(HINT)
        self.pin, self.delete = Button(theme, "Pin", "pin"), Button(theme, "Delete", "ban")
        self.enter = Button(theme, "Add", "add", "operator")
        row = QHBoxLayout()
        row.setSpacing(theme.px(6))
        for button in (self.pin, self.delete):
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.enter)
        column.addWidget(self.field)
        column.addLayout(row)
        self.enter.clicked.connect(self._enter)
        self.field.returnPressed.connect(self._enter)
        self.pin.clicked.connect(self.pinned)
        self.delete.clicked.connect(self.deleted)

    def begin(self, text: str) -> None:
        """Starts editing a line in the field, or a new one if the text is empty."""
        self.field.setText(text)
        self.enter.dress("Change" if text else "Add", "edit" if text else "add")
        if text:
            self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.field.selectAll()

    def allow(self, *, live: bool, chosen: bool, kept: bool) -> None:
        """Enables what can be done now."""
        self.field.setEnabled(live)
        self.enter.setEnabled(live)
        self.pin.setEnabled(live and chosen)
        self.delete.setEnabled(live and chosen)
        self.pin.dress("Unpin" if kept else "Pin", "pin")

    def _enter(self) -> None:
        text = self.field.text().strip()
        if text:
            self.entered.emit(text)
