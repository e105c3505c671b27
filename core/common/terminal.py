"""Signals that end a command (Ctrl C, SIGTERM, a closed terminal), and standard streams that are closed, full or narrow.

Work in progress is finished first, and no command ends with a traceback.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final, TextIO

SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Windows has no SIGHUP."""
ALARM: Final = (signal.SIGALRM,) if hasattr(signal, "SIGALRM") else ()
PATIENCE: Final = 3.0
"""Seconds that work may take to stop before it is aborted."""

Handler = Callable[[int, FrameType | None], object]


class Interrupted(KeyboardInterrupt):
    """A signal that ends the program.

    Attributes:
        number: the signal's number.
        saved: what was saved, for the last line; may be empty.
    """

    def __init__(self, number: int, saved: str = ""):
        super().__init__()
        self.number, self.saved = number, saved

    @property
    def code(self) -> int:
        """The conventional exit code: 130 for Ctrl C, 143 for SIGTERM, 129 for SIGHUP."""
        return 128 + self.number

    @property
    def line(self) -> str:
        """The message in one line."""
        return f"interrupted: {self.saved}" if self.saved else "interrupted"


@contextmanager
def raised() -> Iterator[None]:
    """Within the context, every signal that ends a program raises Interrupted in the main thread."""
    with handled(_raise):
        yield


@contextmanager
def stopped(stop: Callable[[int], object]) -> Iterator[list[int]]:
    """Within the context, the first signal calls `stop` with its number.

    A second signal, or the end of PATIENCE, raises Interrupted.

    Yields:
        The list of received signals.
    """
    received: list[int] = []

    def receive(number: int, frame: FrameType | None) -> None:
        if received:
            _raise(number, frame)
        received.append(number)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        stop(number)

    def out_of_patience(number: int, frame: FrameType | None) -> None:
        _raise(received[0] if received else number, frame)

    with handled(receive), handled(out_of_patience, ALARM):
        try:
            yield received
        finally:
            if received and hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def deferred() -> Iterator[list[int]]:
    """Within the context, signals are only collected, while something is saved.

    Yields:
        The list of received signals.
    """
    received: list[int] = []
    with handled(lambda number, _: received.append(number)):
        yield received


def _raise(number: int, frame: FrameType | None) -> None:
    del frame
    raise Interrupted(number)


@contextmanager
def handled(handler: Handler, numbers: tuple[signal.Signals, ...] = SIGNALS) -> Iterator[None]:
    """Within the context, signals are passed to the handler, except those ignored at program start (as by nohup)."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    before = {}
    try:
        for number in numbers:
            if signal.getsignal(number) is not signal.SIG_IGN:
                before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


class Tolerant(io.TextIOWrapper):
    """Standard error that drops text it cannot write: with a full disk or a closed terminal there is no place to report it."""

    def write(self, text: str, /) -> int:
        """Writes the text at once, or drops it: the bytes below are buffered unless Python runs with `-u`."""
        written = _dropped(lambda: super(Tolerant, self).write(text)) or len(text)
        self.flush()
        return written

    def flush(self) -> None:
        """Flushes, or does nothing."""
        _dropped(super().flush)


def _dropped(act: Callable[[], int | None]) -> int | None:
    try:
        return act()
    except (OSError, ValueError):  # the disk is full, or the stream is closed
        return None


def prepare_streams() -> None:
    """Prepares both streams for writing. Characters that the encoding lacks are written as escapes, such as `u2026`."""
    if sys.stdout is None:  # closed by the parent process
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    if type(sys.stdout) is io.TextIOWrapper:
        sys.stdout.reconfigure(errors="backslashreplace")
    if type(sys.stderr) is io.TextIOWrapper and sys.stderr is sys.__stderr__:  # sys.__stderr__ keeps the file open
        sys.stderr = Tolerant(sys.stderr.buffer, sys.stderr.encoding, "backslashreplace", write_through=True)


def encodable(value: Any) -> bool:
    """Returns True if standard output can encode all characters of a JSON value."""
    try:
        json.dumps(value, ensure_ascii=False).encode(sys.stdout.encoding or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def discard_output() -> None:
    """Discards buffered standard output. Python would otherwise try to write it at exit, and fail again."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError):  # a stream without a file, as in tests
        sys.stdout = _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - open until the program ends
