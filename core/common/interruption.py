"""Handling of signals that end a command: Ctrl C, SIGTERM, a closed terminal. Work in progress is finished first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

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
    came: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        if came:
            _raise(number, frame)
        came.append(number)
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        stop(number)

    def out_of_patience(number: int, frame: FrameType | None) -> None:
        _raise(came[0] if came else number, frame)

    with handled(hear), handled(out_of_patience, ALARM):
        try:
            yield came
        finally:
            if came and hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def deferred() -> Iterator[list[int]]:
    """Within the context, signals are only collected, while something is saved.

    Yields:
        The list of received signals.
    """
    came: list[int] = []
    with handled(lambda number, _: came.append(number)):
        yield came


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
