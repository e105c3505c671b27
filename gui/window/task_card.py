"""Opens the card for the first task over the middle of the window, until it is answered or closed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QRect
from PySide6.QtWidgets import QWidget

from gui.control.background import GoalReader
from gui.control.console import Console
from gui.window.first_run import FirstRun
from gui.window.stage import Overlay


class TaskCard(QObject):
    """Opens and closes the card for the first task, and runs the task."""

    def __init__(self, console: Console, reader: GoalReader, window: QWidget, room: Callable[[], QRect]):
        super().__init__(window)
        self._console, self._reader, self._room = console, reader, room
        self._overlay = Overlay(console.context.theme, window, room)
        self._card: FirstRun | None = None

    @property
    def shown(self) -> bool:
        """Whether the card is open."""
        return self._card is not None

    def open_card(self, recordings: bool) -> FirstRun:
        """Opens the card, with as many sample tasks as fit."""
        high = self._room().height()
        card = FirstRun(self._console.context, self._console.choices.tasks, high, recordings=recordings)
        card.typed.connect(self._on_typed)
        card.run.connect(self._run)
        self._reader.read.connect(card.show_reading)
        self._console.trouble_changed.connect(self._on_trouble)
        self._console.live_snapshot.connect(self._on_live)
        self._card = card
        self._overlay.show_content(card)
        return card

    def close_card(self) -> None:
        """Closes the card."""
        if self._card is not None:
            self._reader.read.disconnect(self._card.show_reading)
            self._console.trouble_changed.disconnect(self._on_trouble)
            self._console.live_snapshot.disconnect(self._on_live)
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

    def _on_typed(self, text: str) -> None:
        self._reader.ask(replace(self._console.request, task=text))

    def _run(self, task: str) -> None:
        self.close_card()
        if task and task != self._console.request.task:
            self._console.choose(replace(self._console.request, task=task))
        self._console.run()
