"""The strip in which the operator adds a resolving action. The typed text is grounded to the nearest possible action."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.llm.grounding import ground_action
from core.world.vocabulary import Action
from gui.theme import Theme
from gui.widgets import Line
from gui.widgets.search import FindField


class AddStrip(QWidget):
    """A text field for an action. Enter emits `taken` with the action that the text is grounded to."""

    taken = Signal(object, str)
    """Emitted with the action and its text."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._choices: tuple[tuple[Action, str], ...] = ()
        self._found: tuple[Action, str] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(8), theme.px(4), theme.px(8), theme.px(4))
        self.field = FindField("Add a resolution, such as open drawer 3")
        self.meant = Line(theme, "", "small", "muted", shrinks=False)
        row.addWidget(self.field, 1)
        row.addWidget(self.meant)
        self.field.textChanged.connect(self._read)
        self.field.returnPressed.connect(self._take)
        self.field.closed.connect(self.hide)
        self.hide()

    def open(self) -> None:
        """Shows the strip and gives its text field the focus."""
        self.show()
        self.field.clear()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def offer(self, choices: Sequence[tuple[Action, str]]) -> None:
        """Sets the actions that can be added, with their texts."""
        self._choices = tuple(choices)
        self._read(self.field.text())

    def _read(self, text: str) -> None:
        match = ground_action(text, self._choices) if text.strip() and self._choices else None
        action = match.candidate if match is not None else None
        words = next((w for a, w in self._choices if a == action), "")
        self._found = (action, words) if action is not None else None
        self.meant.say(f"{words} · Enter adds it" if self._found else "no such action" if text.strip() else "")

    def _take(self) -> None:
        if self._found is not None:
            self.taken.emit(*self._found)
            self.hide()
