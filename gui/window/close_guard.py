"""Asks once before the window closes with unsaved runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QMessageBox, QWidget

from gui.recordings.runs import Losses, Runs

Answer = Literal["save", "discard", "cancel"]
Ask = Callable[[QWidget, Losses, Callable[[Answer], object]], object]
"""Asks over a window what to do about losses, and reports the answer later."""
MOST_LISTED = 8


def ask_operator(window: QWidget, losses: Losses, answered: Callable[[Answer], object]) -> None:
    """Asks in a dialog over the window: Save, Discard, Cancel."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Belvedere", heading_of(losses), parent=window)
    box.setInformativeText(lines_of(losses))
    standard = QMessageBox.StandardButton
    box.setStandardButtons(standard.Save | standard.Discard | standard.Cancel)
    box.setDefaultButton(standard.Save)
    for button in box.buttons():
        button.setIcon(QIcon())
    answers: dict[int, Answer] = {standard.Save.value: "save", standard.Discard.value: "discard"}
    box.finished.connect(lambda result: answered(answers.get(result, "cancel")))
    box.finished.connect(lambda _: box.deleteLater())
    box.open()


def heading_of(losses: Losses) -> str:
    """Returns the question in one line."""
    count = len(losses.runs)
    runs = "1 run" if count == 1 else f"{count} runs"
    labels = "" if not losses.labels else " and 1 label" if losses.labels == 1 else f" and {losses.labels} labels"
    return f"Save {runs}{labels} before closing?" + (" The run under way ends." if losses.in_progress else "")


def lines_of(losses: Losses) -> str:
    """Returns what would be lost, one run a line."""
    listed = [*losses.runs[:MOST_LISTED]]
    if len(losses.runs) > MOST_LISTED:
        listed.append(f"and {len(losses.runs) - MOST_LISTED} more")
    return "\n".join(listed)


class CloseGuard(QObject):
    """Decides whether the window may close, and whether unsaved runs are saved then.

    Args:
        window: the window to close.
        runs: knows the unsaved runs.
        ask: asks the operator; None: unsaved runs are discarded without asking.

    Attributes:
        keep: whether unsaved runs are saved when the window has closed.
    """

    def __init__(self, window: QWidget, runs: Runs, ask: Ask | None):
        super().__init__(window)
        self._window, self._runs, self._ask = window, runs, ask
        self.keep = False
        self._decided = self._asking = False

    def may_close(self) -> bool:
        """Returns True if the window may close now. Otherwise the operator is asked, and the answer closes the window."""
        if self._decided or self._ask is None:
            return True
        losses = self._runs.losses()
        if not losses:
            return True
        if not self._asking:
            self._asking = True
            self._ask(self._window, losses, self._answered)
        return False

    def close_keeping(self) -> None:
        """Closes without asking and saves everything, because the program is ended from outside."""
        self._decided = self.keep = True
        self._window.close()

    def _answered(self, answer: Answer) -> None:
        self._asking = False
        if answer != "cancel":
            self._decided, self.keep = True, answer == "save"
            QTimer.singleShot(0, self._window, self._window.close)  # later: the window may be refusing to close just now
