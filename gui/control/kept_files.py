"""A file that several windows change: the window shows each change at once, and a thread of its own writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from core.common.errors import BelvedereError
from gui.control.background import BackgroundJobs
from gui.widgets.numbers import count

T = TypeVar("T")
Change = Callable[[T], T]
"""Returns the content after a change. It is called on several threads, and with content that other windows have changed."""
PATIENCE: Final = 1.0
"""Seconds for which another window's change is waited for before it is told of: it takes milliseconds."""
RETRY_MS: Final = 2_000
"""Milliseconds between two attempts to write what could not be written."""


class KeptFile(QObject, Generic[T]):
    """The content of a file as the window shows it: what the file held last, and the changes that wait to be written.

    The thread of `jobs` reads the file again before it writes, so the changes of other windows are kept. A change that their
    content refuses is taken back. One that cannot be written holds in this window, and is tried again until it is closed.

    Args:
        title: what it is, in a few words such as `your models`.
        empty: the content if the file cannot be read.
        file: reads the file, and changes it and returns its new content; None: the content is kept in memory only.

    Attributes:
        content: what the window shows.
        trouble: why the file cannot be read or written, in one line; empty if it can.
    """

    changed = Signal()
    """There is other content, or other trouble, or what was changed is in the file."""
    told = Signal(str, str)
    """A line about changes that cannot be written or were taken back, and its tone."""
    settled = Signal()
    """Every change so far is in the file."""

    def __init__(self, title: str, empty: T, file: tuple[Callable[[], T], Callable[[Change[T]], T]] | None = None):
        super().__init__()
        self.title, self.content, self.trouble = title, empty, ""
        self._file = file
        self.jobs = BackgroundJobs(title)
        self._waiting: dict[int, Change[T]] = {}
        """Changes by number, in the order in which they were made. Those up to `_written` are in the file."""
        self._given = self._written = 0
        """Numbers of the newest change, and of the newest one in the file. The thread counts those in the file."""
        self._under_way = 0
        """The jobs that have not ended."""
        self._retry = QTimer(self, singleShot=True, interval=RETRY_MS)
        self._retry.timeout.connect(self.update)
        if file is not None:
            try:
                self.content = file[0]()
            except BelvedereError as error:
                self.trouble = _line(error)

    @property
    def left(self) -> str:
        """How many changes are not in the file, and why, in one line; empty: all are."""
        number = sum(number > self._written for number in self._waiting)
        changes = count(number, f"change of {self.title} is", f"changes of {self.title} are")
        return f"{changes} not saved: {self.trouble or 'the disk does not answer'}" if number else ""

    def change(self, how: Change[T]) -> None:
        """Changes what the window shows, and then the file.

        Raises:
            BelvedereError: the content does not allow it.
        """
        self.content = how(self.content)
        if self._file is not None:
            self._given += 1
            self._waiting[self._given] = how
            if not self._under_way:
                self.update()
        self.changed.emit()

    def update(self) -> None:
        """Reads the file again, and writes what waits. `changed` follows."""
        if self._file is not None:
            self._under_way += 1
            self.jobs.do(partial(self._carry_out, *self._file), self._take, self._fail)

    def close(self, patience: float) -> None:
        """Writes what waits, for at most `patience` seconds, and ends the thread. `left` says what is not written."""
        self._retry.stop()
        if self._waiting:
            self.jobs.do(self._carry_out_last, lambda _: None, lambda _: None)
        self.jobs.close(patience)

    # --- on the thread ------------------------------------------------------------
    def _carry_out(self, read: Callable[[], T], rewrite: Callable[[Change[T]], T]) -> tuple[T, int, list[str]]:
        """Returns the content of the file, the number of the newest change in it, and why changes were refused."""
        waiting = {number: how for number, how in list(self._waiting.items()) if number > self._written}
        if not waiting:
            return read(), self._written, []
        refused: list[str] = []

        def change(content: T) -> T:
            content, refused[:] = _changed(content, waiting.values())
            return content

        content = rewrite(change)
        self._written = max(waiting)
        return content, self._written, refused

    def _carry_out_last(self) -> None:
        assert self._file is not None, "nothing waits without a file"
        try:
            self._carry_out(*self._file)
        except BelvedereError as error:
            self.trouble = _line(error)  # no result is delivered any more

    # --- on the GUI thread --------------------------------------------------------
    def _take(self, found: tuple[T, int, list[str]]) -> None:
        content, written, refused = found
        was_told = bool(self.trouble and self._waiting)
        self._under_way -= 1
        self.trouble = ""
        self._waiting = {number: how for number, how in self._waiting.items() if number > written}
        self.content, _ = _changed(content, self._waiting.values())
        self.changed.emit()
        for why in refused:
            self.told.emit(f"A change of {self.title} was taken back: {why}", "bad")
        if self._waiting and not self._under_way:
            self.update()
        elif not self._waiting:
            if was_told and not refused:
                self.told.emit(f"Every change of {self.title} is saved now", "good")
            self.settled.emit()

    def _fail(self, error: Exception) -> None:
        before, self.trouble = self.trouble, _line(error)
        self._under_way -= 1
        self.changed.emit()
        if self._waiting:
            if self.trouble != before:
                self.told.emit(f"{self.left}; tried again until the window closes", "bad")
            self._retry.start()


def _changed(content: T, changes: Iterable[Change[T]]) -> tuple[T, list[str]]:
    """Returns the content after some changes, and why others were refused."""
    refused: list[str] = []
    for how in changes:
        try:
            content = how(content)
        except BelvedereError as error:
            refused.append(_line(error))
    return content, refused


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
