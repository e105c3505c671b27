"""The dialogs in which the operator edits a call: its prompt, to ask it or to use its reply, or the reply itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from core.planning.model_requests import Message, ModelRequest
from core.session.turns import Call
from gui.theme import Theme
from gui.theme.boxes import DIALOG, hbox, scrolled, vbox
from gui.theme.screens import fit
from gui.widgets import Button, Line, Prose, TextField

MOST_FIELD_LINES, LEAST_FIELD_LINES = 16, 3
"""Lines of a field."""
ASIDE = "Ask: the reply is listed as your call. The planner does not see it, and the run does not change."
FORK = "goes on from turn {} on a new branch, where call {} gets that reply. The branch it is on now stays as it is."


class TextsDialog(QDialog):
    """A dialog with one text field for each text. The last one has the focus. Ctrl+Enter does what the last button does."""

    def __init__(self, theme: Theme, title: str, about: str, texts: Sequence[tuple[str, str, str]], parent: QWidget):
        """Creates the fields.

        Args:
            theme: the theme.
            title: the heading.
            about: what the buttons do.
            texts: heading, accessible name and content of each field.
            parent: the widget it belongs to.
        """
        super().__init__(parent)
        self.setWindowTitle(title.partition(" · ")[0])
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        inside = QWidget()
        column = vbox(theme, on=inside, margins=(0, 0, 6, 0))
        self.fields = [self._field(theme, *text, column) for text in texts]
        foot = hbox(theme, 0, Button(theme, "Cancel", "close", act=self.reject), *self.buttons(theme))
        vbox(theme, Line(theme, title, "heading", "text", 650), Prose(theme, about, "small", "muted"),
             (scrolled(inside, theme.px(90)), 1), foot, on=self, spacing=8, margins=DIALOG)
        fit(self, theme, 640, 560)
        if self.fields:
            self.fields[-1].moveCursor(QTextCursor.MoveOperation.End)  # the end of a prompt changes most
            self.fields[-1].setFocus()

    def buttons(self, theme: Theme) -> tuple[Button, ...]:
        """Returns the buttons beside Cancel."""
        raise NotImplementedError

    def send(self) -> None:
        """Does what the last button does."""
        raise NotImplementedError

    @property
    def texts(self) -> list[str]:
        """The texts of the fields."""
        return [field.toPlainText() for field in self.fields]

    def _field(self, theme: Theme, heading: str, name: str, text: str, column: QVBoxLayout) -> TextField:
        field = TextField()
        field.setPlainText(text)
        field.setAccessibleName(name)
        field.setFont(theme.font("small", 400, True))
        lines = min(MOST_FIELD_LINES, max(LEAST_FIELD_LINES, text.count("\n") + len(text) // 80 + 1))
        field.setMinimumHeight(int(lines * theme.metrics("small", 400, True).lineSpacing()) + theme.px(14))
        field.finished.connect(self.send)
        column.addWidget(Line(theme, heading, "small", "muted", 600))
        column.addWidget(field, lines)
        return field


class AskDialog(TextsDialog):
    """A field for each message of a prompt."""

    asked = Signal(object)
    """Emitted with the rewritten `ModelRequest`, to ask it beside the run."""
    used = Signal(object)
    """Emitted with the rewritten `ModelRequest`, to ask it and to use its reply in a fork."""

    def __init__(self, theme: Theme, call: Call, of: Call, parent: QWidget):
        """Creates the dialog.

        Args:
            theme: the theme.
            call: the call whose prompt is edited.
            of: the planner's call that gets the reply, if it is used.
            parent: the widget it belongs to.
        """
        self._ask = call.ask
        about = f"{ASIDE}\nUse in a fork: the model is asked as well; once it answers, the run {FORK.format(of.turn, of.id)}"
        super().__init__(theme, f"Edit and ask · call {call.id}, {call.ask.purpose}", about,
                         [(m.role, f"Message of the {m.role}", m.content) for m in call.ask.messages], parent)

    def buttons(self, theme: Theme) -> tuple[Button, ...]:
        """Returns the buttons that ask."""
        return (Button(theme, "Use in a fork", "fork", act=self.use),
                Button(theme, "Ask   Ctrl Enter", "model", "operator", self.send))

    def send(self) -> None:
        """Emits `asked` with the texts of the fields, and closes the dialog."""
        self.asked.emit(rewritten(self._ask, self.texts))
        self.accept()

    def use(self) -> None:
        """Emits `used` with the texts of the fields, and closes the dialog."""
        self.used.emit(rewritten(self._ask, self.texts))
        self.accept()


class ReplyDialog(TextsDialog):
    """A field for each sample of a reply."""

    used = Signal(object)
    """Emitted with the list of texts."""

    def __init__(self, theme: Theme, call: Call, parent: QWidget):
        texts = (call.reply.texts if call.reply is not None else ()) or ("",)
        many = len(texts) > 1
        rows = [(f"sample {k + 1}" if many else "reply", f"Reply {k + 1}", text) for k, text in enumerate(texts)]
        super().__init__(theme, f"Edit the reply · call {call.id}, {call.ask.purpose}",
                         f"The run {FORK.format(call.turn, call.id)}", rows, parent)

    def buttons(self, theme: Theme) -> tuple[Button, ...]:
        """Returns the button that uses the reply."""
        return (Button(theme, "Use in a fork   Ctrl Enter", "fork", "operator", self.send),)

    def send(self) -> None:
        """Emits `used` with the texts of the fields, and closes the dialog."""
        self.used.emit(self.texts)
        self.accept()


def rewritten(ask: ModelRequest, texts: list[str]) -> ModelRequest:
    """Returns a request with other texts and without facts. The facts, which offline rules read, describe the old prompt.

    Args:
        ask: the request.
        texts: one per message.
    """
    messages = tuple(Message(m.role, text) for m, text in zip(ask.messages, texts, strict=True))
    return replace(ask, messages=messages, facts=None)
