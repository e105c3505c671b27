"""The retrospective summary below the entries, which the operator can rewrite."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from core.planners.llm_state.recorded_types import StateDictionary
from gui.theme import Theme
from gui.widgets import Line, Tool, tool_action

HIGH = 108


class SummaryBox(QWidget):
    """Shows the summary under a heading that says why the state was estimated again."""

    written = Signal(str)
    """Emitted with the operator's summary. Empty text lets the model write it again."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme = theme
        self._told = ""
        self.heading, self.text = Line(theme, "", "small", "muted", 600), QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Retrospective summary")
        self.text.installEventFilter(self)
        self.edit = tool_action(self, theme, "Write the summary yourself (Ctrl Enter saves it, Escape discards it)", "edit",
                                self._turn, checkable=True)
        head = QHBoxLayout()
        head.addWidget(self.heading, 1)
        head.addWidget(Tool(theme, self.edit))
        column = QVBoxLayout(self)
        column.addLayout(head)
        column.addWidget(self.text)
        column.setContentsMargins(theme.px(10), theme.px(4), theme.px(6), theme.px(6))
        column.setSpacing(theme.px(2))
        self.restyle()

    def show_book(self, book: StateDictionary, *, editable: bool) -> None:
        """Shows the summary of a dictionary. Text that the operator is writing is not replaced.

        Args:
            book: the dictionary.
            editable: whether the operator can rewrite the summary now.
        """
        self.edit.setEnabled(editable)
        whose = "your summary" if book.summary_given else "summary"
        self.heading.say(f"{whose[0].upper()}{whose[1:]}" + (f" · estimated because {book.because}" if book.because else ""))
        self._told = book.summary
        if self.text.isReadOnly() and self.text.toPlainText() != (book.summary or "No summary is kept."):
            self.text.setPlainText(book.summary or "No summary is kept.")

    def restyle(self) -> None:
        """Applies the theme's fonts and sizes."""
        self.setFixedHeight(self._theme.px(HIGH))
        self.text.setFont(self._theme.font("small", 400))

    def _turn(self) -> None:
        writing = self.edit.isChecked()
        self.text.setReadOnly(not writing)
        if writing:
            self.text.setPlainText(self._told)
            self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._keep()

    def _keep(self) -> None:
        words = " ".join(self.text.toPlainText().split())
        if words != self._told:
            self.written.emit(words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Saves the text on Ctrl+Enter and discards it on Escape."""
        pressed = isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress
        if watched is self.text and pressed and isinstance(event, QKeyEvent) and self.edit.isChecked():
            if event.key() == Qt.Key.Key_Escape:
                self.text.setPlainText(self._told)
                self.edit.trigger()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.edit.trigger()
                return True
        return super().eventFilter(watched, event)
