"""The card for the first task, over the dimmed scene."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from gui.control.background import Reading
from gui.control.context import Context
from gui.control.key_labels import KeyLabel
from gui.theme import Theme
from gui.widgets import RIGHT, SMOOTH, Button, Line, draw_block, draw_text, text_width

MOST_TASKS = 4


class TaskRow(QWidget):
    """One sample task: its text, and a note on the right."""

    clicked = Signal(str)

    def __init__(self, theme: Theme, text: str, note: str):
        super().__init__()
        self._theme, self._text, self._note = theme, text, note
        self.setFixedHeight(theme.px(30))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"{text} ({note})" if note else text)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the task."""
        del event
        self.clicked.emit(self._text)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Chooses the task on Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit(self._text)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Paints a flag, the text and the note."""
        del event
        painter, theme, px = QPainter(self), self._theme, self._theme.px
        painter.setRenderHint(SMOOTH)
        rect = QRectF(self.rect())
        on = self.underMouse() or self.hasFocus()
        draw_block(painter, theme, rect, "hover" if on else "raised", "accent" if self.hasFocus() else "line", 5)
        side = px(14)
        painter.drawPixmap(px(10), int((self.height() - side) / 2), theme.pixmap("goal", side))
        note = text_width(theme, self._note)
        draw_text(painter, theme, rect.adjusted(px(34), 0, -note - px(24), 0), self._text, "body", "text", 500)
        draw_text(painter, theme, rect.adjusted(0, 0, -px(12), 0), self._note, "small", "faint", align=RIGHT)
        painter.end()


class FirstRun(QWidget):
    """The card: a text field, sample tasks, and the Run button."""

    typed = Signal(str)
    run = Signal(str)
    """The task to run; empty for the task that is already prepared."""
    opened_recording = Signal()
    connected_model = Signal()

    def __init__(self, context: Context, tasks: tuple[tuple[str, str], ...], room: int, *, recordings: bool):
        """Creates the card.

        Args:
            context: shared by all panels.
            tasks: sample tasks, each a text and a note.
            room: height available in pixels; sample tasks that do not fit are left out.
            recordings: whether to offer to open a recording.
        """
        super().__init__()
        theme, px = context.theme, context.theme.px
        fitting = max(0, (room - px(250)) // px(38))
        self._theme, self._context = theme, context
        self._reading: Reading | None = None
        self._entered = False
        """Whether Run was pressed before the text was parsed."""
        self._field = QLineEdit()
        self._field.setPlaceholderText(tasks[0][0] if tasks else "Put one apple on the kitchen table")
        self._field.setAccessibleName("Task in plain words")
        self._field.setFont(theme.font("body"))
        self._field.setFixedHeight(px(34))
        self._field.textEdited.connect(self._on_typed)
        self._field.returnPressed.connect(self._run)
        self._note = Line(theme, "", "small", "warn")
        column = QVBoxLayout(self)
        column.setContentsMargins(px(22), px(18), px(22), px(18))
        column.setSpacing(px(8))
        column.addWidget(Line(theme, "What should the robot do?", "display", "text", 650))
        column.addWidget(self._field)
        column.addWidget(self._note)
        column.addWidget(Line(theme, "Or start from a task", "small", "muted", 600))
        for text, note in tasks[: min(MOST_TASKS, fitting)]:
            row = TaskRow(theme, text, note)
            row.clicked.connect(self.run)
            column.addWidget(row)
        column.addSpacing(px(4))
        column.addLayout(self._buttons(recordings))

    def _buttons(self, recordings: bool) -> QHBoxLayout:
        row, theme = QHBoxLayout(), self._theme
        row.setSpacing(theme.px(8))
        run = Button(theme, "", "run", "primary", self._run)
        KeyLabel(self._context, run, lambda text: run.dress(text.strip(), "run"), "Run   {Space}")
        row.addWidget(run)
        if recordings:
            row.addWidget(Button(theme, "Open a recording", "folder", act=self.opened_recording.emit))
        row.addWidget(Button(theme, "Connect a model", "key", act=self.connected_model.emit))
        row.addStretch(1)
        return row

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """540 px wide."""
        return QSize(self._theme.px(540), super().sizeHint().height())

    def show_reading(self, reading: Reading) -> None:
        """Shows what the text typed so far means."""
        if reading.text != self._field.text():
            return
        self._reading = reading
        words = "; ".join(map(str, reading.goal.literals)) if reading.goal is not None else _refusal(reading)
        self._note.say(words, "good" if reading.goal is not None else "warn")
        if self._entered:
            self._run()

    def _on_typed(self, text: str) -> None:
        self._reading, self._entered = None, False
        if not text.strip():
            self._note.say("")
        self.typed.emit(text)

    def _run(self) -> None:
        """Runs the typed task once it is parsed. Until then the card stays open and shows the reason."""
        text = self._field.text().strip()
        if not text:
            self.run.emit("")
        elif self._reading is None:
            self._entered = True
            self.typed.emit(self._field.text())
        else:
            self._entered = False
            if self._reading.goal is not None:
                self.run.emit(text)
            else:
                self._field.setFocus()


def _refusal(reading: Reading) -> str:
    offer = f"; try “{reading.suggestions[0]}”" if reading.suggestions else ""
    return reading.reason[:1].upper() + reading.reason[1:] + offer
