"""The filter of the log: which kinds of lines are shown."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton

from gui.control.event_log import KINDS, Kind
from gui.theme import Theme

WORDS: dict[Kind, str] = {"turn": "Turns", "action": "Actions", "command": "Commands", "call": "Calls", "fault": "Faults",
                          "note": "Notes"}


class KindFilter(QFrame):
    """A row with one button for each kind. While none is pressed, every kind is shown."""

    changed = Signal()

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self.setObjectName("Segment")
        self.setAccessibleName("Kinds of lines")
        row = QHBoxLayout(self)
        row.setContentsMargins(1, 1, 1, 1)
        row.setSpacing(0)
        self.buttons: dict[Kind, QToolButton] = {}
        for kind in KINDS:
            button = QToolButton()
            button.setText(WORDS[kind])
            button.setCheckable(True)
            button.setProperty("look", "segment")
            button.setAccessibleName(WORDS[kind])
            button.clicked.connect(self.changed)
            row.addWidget(button)
            self.buttons[kind] = button
        self._restyle()

    def chosen(self) -> frozenset[Kind]:
        """Returns the kinds to show."""
        on = frozenset(kind for kind, button in self.buttons.items() if button.isChecked())
        return on or frozenset(KINDS)

    def show_all(self) -> None:
        """Clears the filter."""
        for button in self.buttons.values():
            button.setChecked(False)
        self.changed.emit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Takes the fonts and sizes of the theme again."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._restyle()

    def _restyle(self) -> None:
        for button in self.buttons.values():
            button.setFont(self._theme.font("small", 500))
            button.setFixedHeight(self._theme.px(18))
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
