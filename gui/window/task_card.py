"""Tasks to begin with: the card for the first task, over the dimmed scene, and another random task of the scene."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from core.app.run_request import Request
from core.common.visible import pasted
from gui.control.background import BackgroundJobs
from gui.control.choices import DrawTask
from gui.control.console import Console
from gui.control.context import Context
from gui.control.goal_draft import words_of
from gui.control.goal_reader import GoalReader, Reading
from gui.control.key_labels import KeyLabel
from gui.theme.boxes import DIALOG, FLUSH, hbox, vbox
from gui.widgets import Button, Line, Prose
from gui.widgets.task_row import TaskRow
from gui.window.stage import Overlay

if TYPE_CHECKING:
    from core.app.scene_content import SampleTask

MOST_TASKS = 4
MOST = 1_000_000


class TaskCard(QObject):
    """Opens and closes the card for the first task, and runs the task."""

    asked_tasks = Signal(object)
    """The Request for whose scene tasks are wanted. Whoever has them calls `show_tasks`."""

    def __init__(self, console: Console, reader: GoalReader, window: QWidget, room: Callable[[], QRect]):
        super().__init__(window)
        self._console, self._reader, self._room = console, reader, room
        self._overlay = Overlay(console.context.theme, window, room)
        self._card: FirstRun | None = None
        console.trouble_changed.connect(self._on_trouble)
        console.request_changed.connect(lambda _: self._ask_tasks())
        self._asked: Request | None = None
        console.live_snapshot.connect(self._on_live)

    @property
    def shown(self) -> bool:
        """Whether the card is open."""
        return self._card is not None

    def open_card(self, *, offers_tour: bool = False) -> FirstRun:
        """Opens the card, with as many sample tasks as fit, and with the guided tour if that is wanted."""
        high = self._room().height()
        card = FirstRun(self._console.context, high, offers_tour=offers_tour)
        card.typed.connect(self._on_typed)
        card.run.connect(self._run)
        self._reader.read.connect(self._show_reading)
        self._card = card
        self._overlay.show_content(card)
        self._asked = None
        self._ask_tasks()
        return card

    def _ask_tasks(self) -> None:
        """Asks for tasks of the scene of the next run, once for each scene."""
        request = replace(self._console.request, task="", goal="")
        if self._card is not None and (self._asked is None or scene_of(request) != scene_of(self._asked)):
            self._asked = request
            self._card.show_tasks(())
            self.asked_tasks.emit(request)

    def show_tasks(self, request: Request, tasks: Sequence[SampleTask]) -> None:
        """Offers tasks that were drawn for the scene of a request, unless another scene is shown by now."""
        if self._card is not None and request == self._asked:
            self._card.show_tasks(tasks)
            self.place()

    def close_card(self) -> None:
        """Closes the card."""
        if self._card is not None:
            self._reader.read.disconnect(self._show_reading)
            self._card = None
            self._overlay.show_content(None)

    def place(self) -> None:
        """Moves the card after the window changed its size."""
        if self._card is not None:
            self._overlay.place()
            self._overlay.raise_()

    def _on_live(self) -> None:
        """Closes the card if a run was started elsewhere, in the bar or by a key."""
        if self._console.begun:
            self.close_card()

    def _on_trouble(self, error: Exception | None) -> None:
        """Closes the card so that the error that keeps the run from starting is visible."""
        if error is not None:
            self.close_card()

    def _show_reading(self, reading: Reading) -> None:
        if self._card is not None:
            self._card.show_reading(reading)
            self.place()  # a reason may take several lines

    def _on_typed(self, text: str) -> None:
        self._reader.ask(replace(self._console.request, task=text, goal=""))

    def _run(self, task: str) -> None:
        self.close_card()
        if task and task != self._console.request.task:
            self._console.choose(replace(self._console.request, task=task, goal=""))
        self._console.run()


def scene_of(request: Request) -> tuple[object, ...]:
    """Returns what the tasks of a request's scene depend on."""
    return request.simulator, request.scene, request.seed, request.world


class FirstRun(QWidget):
    """The card: a text field, tasks that can be done in the scene, and the Run button. A task that is chosen is read first."""

    typed = Signal(str)
    run = Signal(str)
    """The task to run; empty for the task that is already prepared."""
    opened_recording = Signal()
    connected_model = Signal()
    started_tour = Signal()

    def __init__(self, context: Context, room: int, *, offers_tour: bool = False):
        """Creates the card with as many tasks as fit in a height of `room` pixels."""
        super().__init__()
        theme, px = context.theme, context.theme.px
        self._most = min(MOST_TASKS, max(0, (room - px(250)) // px(38)))
        self._theme, self._context = theme, context
        self._reading: Reading | None = None
        self._entered = False
        """Whether Run was pressed before the text was parsed."""
        self._field = QLineEdit()
        self._field.setAccessibleName("Task in plain words")
        self._field.setFont(theme.font("body"))
        self._field.setFixedHeight(px(34))
        self._field.textEdited.connect(self._on_typed)
        self._field.returnPressed.connect(self._run)
        self._note = Prose(theme, "", "small", "warn")
        self._about_tasks = Line(theme, "", "small", "muted", 600)
        self._rows = vbox(theme, spacing=8, margins=FLUSH)
        vbox(theme, Line(theme, "What should the robot do?", "display", "text", 650), self._field, self._note,
             self._about_tasks, self._rows, 4, self._buttons(offers_tour=offers_tour), on=self, spacing=8, margins=DIALOG)

    def show_tasks(self, tasks: Sequence[SampleTask]) -> None:
        """Offers tasks of the scene, of each kind and difficulty first; none: they are still being drawn."""
        while (old := self._rows.takeAt(0)) is not None:
            if (widget := old.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        kinds = {(task.kind, task.difficulty): task for task in reversed(tasks)}
        varied = list(reversed(kinds.values()))
        shown = (varied + [task for task in tasks if task not in varied])[:self._most]
        self._about_tasks.say("Or take a task that can be done in this scene" if shown else "Drawing tasks for this scene …")
        self._about_tasks.setVisible(self._most > 0)
        for task in shown:
            row = TaskRow(self._theme, task.text, task.difficulty or task.kind)
            row.clicked.connect(self._take)
            self._rows.addWidget(row)
        if shown:
            self._field.setPlaceholderText(shown[0].text)

    def _take(self, text: str) -> None:
        """Types a task, so that it is read before it is run."""
        self._field.setText(text)
        self._field.setFocus()
        self._on_typed(text)

    def _buttons(self, *, offers_tour: bool) -> QHBoxLayout:
        theme = self._theme
        run = Button(theme, "", "run", "primary", self._run)
        KeyLabel(self._context, run, lambda text: run.dress(text.strip(), "run"), "Run   {Space}")
        tour = (Button(theme, "Tour", "next", act=self.started_tour.emit),) if offers_tour else ()
        for button in tour:
            button.setToolTip("Two minutes with the sample episode")
        return hbox(theme, run, *tour, Button(theme, "Open a recording", "folder", act=self.opened_recording.emit),
                    Button(theme, "Connect a model", "key", act=self.connected_model.emit), 0, spacing=8)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """540 px wide."""
        return QSize(self._theme.px(540), super().sizeHint().height())

    def show_reading(self, reading: Reading) -> None:
        """Shows what the text typed so far means."""
        if reading.text != self._field.text():
            return
        self._reading = reading
        goal = reading.result.goal
        words = words_of(goal.literals) if goal is not None else _refusal(reading)
        guesses = "".join(f" (guessed: “{guess.words}” is {guess.taken})" for guess in reading.result.guesses)
        self._note.say(words + guesses, "good" if goal is not None else "warn")
        if self._entered:
            self._run()

    def _on_typed(self, text: str) -> None:
        if (clean := pasted(text)) != text:
            self._field.setText(clean)
        self._reading, self._entered = None, False
        if not clean.strip():
            self._note.say("")
        self.typed.emit(clean)

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
            if self._reading.result.goal is not None:
                self.run.emit(text)
            else:
                self._field.setFocus()


def _refusal(reading: Reading) -> str:
    offer = f"; try “{reading.suggestions[0]}”" if reading.suggestions else ""
    return reading.reason[:1].upper() + reading.reason[1:] + offer


class TaskSampler(QObject):
    """Draws a task off the GUI thread and prepares a run of it."""

    def __init__(self, console: Console, draw: DrawTask | None):
        super().__init__()
        self._console, self._draw, self.jobs = console, draw, BackgroundJobs("tasks")
        self._busy = False
        console.asked_task.connect(self.draw)

    def draw(self) -> None:
        """Draws a task."""
        console, draw = self._console, self._draw
        if draw is None or self._busy or not console.may_change():
            return
        request, number = console.request, random.randrange(MOST)
        self._busy = True
        self.jobs.do(lambda: draw(request, number), self._drawn, self._failed)

    def _drawn(self, task: str) -> None:
        self._busy = False
        self._console.run_request.choose("task", task)

    def _failed(self, error: Exception) -> None:
        self._busy = False
        self._console.report(error, "warn")
