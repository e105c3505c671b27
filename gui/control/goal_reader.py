"""Reading a goal off the GUI thread while it is typed: the rules at once, then the language model if they do not understand."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from core.app.run_request import Request
from core.common.cancellation import Cancellation
from core.common.errors import BelvedereError, GoalError
from core.goals.parser.noun_phrases import span_of
from core.goals.reading import GoalReading
from core.llm.model import OFFLINE
from core.planning.model_requests import ModelReply, ModelRequest
from gui.control.choices import ReadGoal

Calls = tuple[tuple[ModelRequest, ModelReply], ...]
"""Model requests with their replies."""
log = logging.getLogger(__name__)
SILENCE = 250
"""Milliseconds without a keystroke before the text is read by the rules."""
MODEL_SILENCE = 1200
"""Milliseconds after the rules refused a text before a model is asked, so that it is not asked about half sentences."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a request's task.

    Attributes:
        text: the words that were read.
        formal: the formal goal that was checked instead; empty: the words were read.
        result: what they mean.
        calls: the model requests that reading them took, with their replies.
    """

    text: str
    formal: str
    result: GoalReading
    calls: Calls = ()

    @property
    def reason(self) -> str:
        """Why there is no goal, in one sentence; empty if there is one."""
        return self.result.refusal.cause if self.result.refusal is not None else ""

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Tasks that are possible in the scene."""
        return self.result.refusal.suggestions if self.result.refusal is not None else ()

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """(start, end) of the characters in `text` that were not understood."""
        refusal = self.result.refusal
        if self.result.unknown or refusal is None or self.formal:
            return self.result.unknown
        start, end = span_of(self.text, refusal.words)
        return ((start, end),) if end > start else ()


class GoalReader(QObject):
    """Reads the goal while the operator types, after a short time without a keystroke, and only the newest text.

    If the text changes meanwhile, the newest is read next. A request with a formal goal is checked at once.

    Attributes:
        may_ask: returns True if a language model answers a request's calls.
    """

    read = Signal(object)
    """Reading, on the GUI thread."""
    asking = Signal(bool)
    """Whether a language model is being asked."""
    _done = Signal(object, bool)

    def __init__(self, read_goal: ReadGoal):
        super().__init__()
        self._read_goal = read_goal
        self.may_ask: Callable[[Request], bool] = lambda request: False
        self._wanted: Request | None = None
        self._refused: Request | None = None
        """The request that the rules do not understand, which a model may."""
        self._cancelled = Cancellation()
        self._busy = self._is_asking = False
        self._timer = QTimer(self, singleShot=True, interval=SILENCE)
        self._timer.timeout.connect(self._begin)
        self._later = QTimer(self, singleShot=True, interval=MODEL_SILENCE)
        self._later.timeout.connect(self.ask_model)
        self._done.connect(self._finish, Qt.ConnectionType.QueuedConnection)

    @property
    def is_idle(self) -> bool:
        """True if no text is being read, or waits to be."""
        return not (self._busy or self._is_asking or self._timer.isActive())

    def ask(self, request: Request) -> None:
        """Reads the task of a request soon, or checks its formal goal at once."""
        self.cancel()
        self._wanted = request
        self._timer.start(0 if request.goal else SILENCE)

    def forget(self) -> None:
        """Discards the pending text; its result is not needed."""
        self.cancel()
        self._wanted = None
        self._timer.stop()

    def cancel(self) -> bool:
        """Stops asking the language model. Returns True if it was being asked, or was about to be."""
        pending = self._refused is not None or self._is_asking
        self._refused = None
        self._later.stop()
        self._cancelled.set()
        self._tell(False)
        return pending

    def ask_model(self) -> bool:
        """Asks the language model about the text that the rules refused last. Returns False if there is none."""
        if self._refused is None:
            return False
        self._later.stop()
        request, self._refused = self._refused, None
        self._tell(True)
        self._start(request, by_model=True)
        return True

    def _begin(self) -> None:
        if self._busy or self._wanted is None:
            return
        wanted, self._wanted, self._busy = self._wanted, None, True
        self._start(wanted, by_model=False)

    def _start(self, request: Request, *, by_model: bool) -> None:
        self._cancelled = Cancellation()
        threading.Thread(target=self._work, args=(request, self._cancelled, by_model), name="goal reader", daemon=True).start()

    def _work(self, request: Request, cancelled: Cancellation, by_model: bool) -> None:
        who = request if by_model else replace(request, provider=OFFLINE, model={})
        calls: Calls = ()
        try:
            read = self._read_goal(who, cancelled)
            result, calls = read.reading, read.calls
        except BelvedereError as error:
            refusal = error if isinstance(error, GoalError) else GoalError(" ".join(str(error).split()))
            result = GoalReading(None, refusal=refusal)
        except Exception as error:
            log.exception("reading the goal broke")
            result = GoalReading(None, refusal=GoalError(f"the goal cannot be read: {' '.join(str(error).split())}"))
        if not (by_model and cancelled.is_set()):
            self._done.emit((request, Reading(request.task, request.goal, result, calls)), by_model)

    def _finish(self, done: tuple[Request, Reading], by_model: bool) -> None:
        request, reading = done
        if by_model:
            if self._is_asking:
                self._tell(False)
                self.read.emit(reading)
            return
        self._busy = False
        if self._wanted is not None:
            self._begin()
            return
        if reading.result.goal is None and not request.goal and self.may_ask(request):
            self._refused = request
            self._later.start()
        self.read.emit(reading)

    def _tell(self, asking: bool) -> None:
        if asking != self._is_asking:
            self._is_asking = asking
            self.asking.emit(asking)
