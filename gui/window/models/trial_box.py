"""*Test connection*: asks a model a few real questions off the GUI thread and shows the result in plain words."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from core.common.errors import BelvedereError
from core.llm.model_check import failure_words, try_model
from core.llm.model_config import ModelConfig
from gui.control.background import BackgroundJobs
from gui.theme import Theme
from gui.widgets import Button, Prose


class TrialBox(QWidget):
    """The button and the result.

    Args:
        theme: the colours and fonts.
        wanted: returns the entry to test, or None if there is no valid one.
    """

    def __init__(self, theme: Theme, wanted: Callable[[], ModelConfig | None]):
        super().__init__()
        self._wanted, self._jobs = wanted, BackgroundJobs("model trial")
        self._cancelled: threading.Event | None = None
        self._began = 0.0
        self.button = Button(theme, "Test connection", "model", act=self.test_or_stop)
        self.button.setAutoDefault(False)
        self.button.setToolTip("Asks the model three short questions")
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.says = Prose(theme, "", "small", "muted")
        self.says.setAccessibleName("Result of the test")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(10))
        row.addWidget(self.button)
        row.addWidget(self.says, 1)
        self._tick = QTimer(self)
        self._tick.setInterval(1000)
        self._tick.timeout.connect(self._show_time)

    @property
    def running(self) -> bool:
        """Whether a test is running."""
        return self._cancelled is not None

    def test_or_stop(self) -> None:
        """Starts a test, or stops the one that is running."""
        if self._cancelled is not None:
            self._cancelled.set()
            return
        entry = self._wanted()
        if entry is None:
            return
        cancelled = self._cancelled = threading.Event()
        self._began = time.monotonic()
        self.button.dress("Stop", "stop")
        self.says.say("Asking …", "muted")
        self._tick.start()
        self._jobs.do(lambda: _outcome(entry, cancelled), self._show, self._broke)

    def forget(self) -> None:
        """Clears the result, because the model has changed."""
        if not self.running:
            self.says.say("")

    def close_down(self) -> None:
        """Stops the test without a result when the dialog closes."""
        if self._cancelled is not None:
            self._cancelled.set()
        self._tick.stop()
        self._jobs.close(0.0)

    def _show_time(self) -> None:
        self.says.say(f"Asking … {time.monotonic() - self._began:.0f} s")

    def _show(self, outcome: tuple[str, str]) -> None:
        self._end()
        self.says.say(*outcome)

    def _broke(self, error: Exception) -> None:
        self._end()
        self.says.say(f"The test itself failed ({type(error).__name__}): see the log", "bad")

    def _end(self) -> None:
        self._cancelled = None
        self._tick.stop()
        self.button.dress("Test connection", "model")


def _outcome(entry: ModelConfig, cancelled: threading.Event) -> tuple[str, str]:
    """Returns the result and its tone."""
    try:
        trial = try_model(entry, cancelled)
    except BelvedereError as error:
        stopped = threading.Event()  # stopping the test does not stop the explanation of its end
        words = failure_words(error, entry, stopped)
        return words, "muted" if words == "Stopped" else "bad"
    return trial.words, "warn" if trial.is_empty else "good"
