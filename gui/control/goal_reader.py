"""Parses the goal while the operator types: off the GUI thread, and only after a short time without a keystroke."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.app.run_request import Request
from core.common.errors import BelvedereError, GoalError
from core.goals.literals import Goal
from core.goals.parser.noun_phrases import span_of
from gui.control.choices import ReadGoal

SILENCE = 250
"""Milliseconds without a keystroke before the text is parsed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of parsing a text: a goal, or the reason why there is none.

    Attributes:
        text: what was parsed.
        goal: the goal, or None.
        reason: one sentence; empty if there is a goal.
        span: (start, end) of the characters in `text` that are not understood; equal numbers mean no part in particular.
        suggestions: tasks that are possible in the scene.
    """

    text: str
    goal: Goal | None
    reason: str = ""
    span: tuple[int, int] = (0, 0)
    suggestions: tuple[str, ...] = ()


class GoalReader(QObject):
    """Parses the newest text only. If the text changes during parsing, the newest is parsed next."""

    read = Signal(object)
    """Reading, on the GUI thread."""
    _done = Signal(object)

    def __init__(self, read_goal: ReadGoal):
        super().__init__()
        self._read_goal = read_goal
        self._wanted: Request | None = None
        self._busy = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SILENCE)
        self._timer.timeout.connect(self._begin)
        self._done.connect(self._finish, Qt.ConnectionType.QueuedConnection)

    def ask(self, request: Request) -> None:
        """Parses the task of a request soon."""
        self._wanted = request
        self._timer.start()

    def forget(self) -> None:
        """Discards the pending text; its result is not needed."""
        self._wanted = None
        self._timer.stop()

    def _begin(self) -> None:
        if self._busy or self._wanted is None:
            return
        wanted, self._wanted, self._busy = self._wanted, None, True
        threading.Thread(target=self._work, args=(wanted,), name="goal reader", daemon=True).start()

    def _work(self, request: Request) -> None:
        try:
            self._done.emit(Reading(request.task, self._read_goal(request)))
        except GoalError as error:
            self._done.emit(Reading(request.task, None, error.cause, span_of(request.task, error.words), error.suggestions))
        except BelvedereError as error:
            self._done.emit(Reading(request.task, None, str(error)))

    def _finish(self, reading: Reading) -> None:
        self._busy = False
        if self._wanted is not None:
            self._begin()
        else:
            self.read.emit(reading)
