"""The text field of the goal: words that were not understood are underlined, and keys lead to the card under it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QInputMethodEvent, QKeyEvent, QTextCharFormat
from PySide6.QtWidgets import QApplication, QLineEdit


class GoalField(QLineEdit):
    """The text field. Esc leaves, arrow keys move through what the card offers, Tab goes to the chips."""

    left = Signal()
    moved = Signal(int)
    asked_chips = Signal(bool)
    """To the first chip, or to the last one if False."""
    asked_reading = Signal(int)
    """Another reading: its number from 1, or 0 for the next one."""
    focused = Signal()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Emits `focused`."""
        super().focusInEvent(event)
        self.focused.emit()

    def event(self, event: QEvent) -> bool:
        """Keeps its keys from the shortcuts of the window, and Tab from the focus chain."""
        tab = isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        if isinstance(event, QKeyEvent) and (tab or event.key() == Qt.Key.Key_Escape or reading_key(event) is not None):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and tab:
                self.asked_chips.emit(event.key() == Qt.Key.Key_Tab)
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Handles Esc, the arrow keys, and Alt with an arrow or a digit."""
        other = reading_key(event)
        if other is not None:
            self.asked_reading.emit(other)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def underline(self, spans: Sequence[tuple[int, int]], colour: QColor) -> None:
        """Underlines spans of characters with a wave; without spans it removes the underlines."""
        wavy = QTextCharFormat()
        wavy.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wavy.setUnderlineColor(colour)
        kind = QInputMethodEvent.AttributeType.TextFormat
        marks = [QInputMethodEvent.Attribute(kind, start - self.cursorPosition(), end - start, wavy)
                 for start, end in spans if end > start]
        # A line edit has no text formats of its own; those of an input method are drawn without changing the text.
        QApplication.sendEvent(self, QInputMethodEvent("", marks))


def reading_key(event: QKeyEvent) -> int | None:
    """Returns the reading that a key asks for: Alt and a digit its number, Alt and arrow down 0 for the next; else None."""
    if not event.modifiers() & Qt.KeyboardModifier.AltModifier:
        return None
    if event.key() == Qt.Key.Key_Down:
        return 0
    return event.key() - Qt.Key.Key_0 if Qt.Key.Key_1 <= event.key() <= Qt.Key.Key_9 else None
