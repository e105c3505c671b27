"""The dialog in which the operator rewrites a prompt and asks the model outside the run."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from core.planning.model_requests import Ask, Message
from core.session.turns import Call
from gui.panels.calls.message import AnswerField
from gui.theme import Theme
from gui.widgets import Button, Line, Prose

ABOUT = "The reply is listed as your call. The planner does not see it, and the run does not change."
MOST_LINES, LEAST_LINES = 16, 3


def rewritten(ask: Ask, texts: list[str]) -> Ask:
    """Returns a request with other texts and without facts. The facts, which offline rules read, describe the old prompt.

    Args:
        ask: the request.
        texts: one per message.
    """
    messages = tuple(Message(m.role, text) for m, text in zip(ask.messages, texts, strict=True))
    return replace(ask, messages=messages, facts=None)


class AskDialog(QDialog):
    """A dialog with one text field per message. The last one has the focus. Ctrl+Enter asks."""

    asked = Signal(object)
    """Emitted with the rewritten `Ask`."""

    def __init__(self, theme: Theme, call: Call, parent: QWidget):
        super().__init__(parent)
        self._ask = call.ask
        self.setWindowTitle("Edit and ask")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        px = theme.px
        inside, scroll = QWidget(), QScrollArea()
        column, fields = QVBoxLayout(self), QVBoxLayout(inside)
        self.fields = [self._field(theme, message, fields) for message in call.ask.messages]
        fields.setContentsMargins(0, 0, px(6), 0)
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(8))
        column.addWidget(Line(theme, f"Edit and ask · call {call.id}, {call.ask.purpose}", "heading", "text", 650))
        column.addWidget(Prose(theme, ABOUT, "small", "muted"))
        column.addWidget(scroll, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(Button(theme, "Cancel", "close", act=self.reject))
        foot.addWidget(Button(theme, "Ask   Ctrl Enter", "model", "operator", self.send))
        column.addLayout(foot)
        self.resize(px(640), px(560))
        if self.fields:
            self.fields[-1].moveCursor(QTextCursor.MoveOperation.End)  # the end of a prompt changes most
            self.fields[-1].setFocus()

    def _field(self, theme: Theme, message: Message, column: QVBoxLayout) -> AnswerField:
        field = AnswerField()
        field.setPlainText(message.content)
        field.setAccessibleName(f"Message of the {message.role}")
        field.setFont(theme.font("small", 400, True))
        field.setTabChangesFocus(True)
        lines = min(MOST_LINES, max(LEAST_LINES, message.content.count("\n") + len(message.content) // 80 + 1))
        field.setMinimumHeight(int(lines * theme.metrics("small", 400, True).lineSpacing()) + theme.px(14))
        field.sent.connect(self.send)
        column.addWidget(Line(theme, message.role, "small", "muted", 600))
        column.addWidget(field, lines)
        return field

    def send(self) -> None:
        """Emits `asked` with the texts of the fields, and closes the dialog."""
        self.asked.emit(rewritten(self._ask, [field.toPlainText() for field in self.fields]))
        self.accept()
