"""The application of Qt: on which display it draws, how signals close its window, and how Python runs beneath it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from core.common.errors import UsageError
from core.common.terminal import handled

SWITCH_INTERVAL = 0.0001
"""Seconds that a thread may keep the interpreter lock while another one wants it."""
WAKE_EVERY = 300
"""Milliseconds between two wake-ups of Python, which handles signals only then, not while Qt waits."""
NOWHERE = "offscreen"
"""Qt's platform that needs no display. It is tried last, because Qt aborts the program if none can be used."""


def application() -> QApplication:
    """Returns the application on the display of the user.

    Raises:
        UsageError: no display can be used; what Qt says about it is part of the message.
    """
    if not sys.platform.startswith("linux"):
        return QApplication(sys.argv[:1])
    wayland, folder = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("XDG_RUNTIME_DIR", "")
    displays = {"wayland": wayland, "xcb": os.environ.get("DISPLAY", "")}
    said: list[str] = []
    if wayland and not Path(wayland).is_absolute() and not Path(folder).is_absolute():
        said.append("XDG_RUNTIME_DIR names no folder with its socket")
        displays["wayland"] = ""  # the library would print a line of its own
    wanted = os.environ.get("QT_QPA_PLATFORM") or ";".join(name for name, display in displays.items() if display)  # as Qt does
    qInstallMessageHandler(lambda kind, context, text: said.append(text))
    app = QApplication([*sys.argv[:1], "-platform", ";".join(filter(None, (wanted, NOWHERE)))])
    qInstallMessageHandler(None)
    if app.platformName() == NOWHERE and NOWHERE not in wanted:
        app.shutdown()
        why = " ".join((said or ["no display answers"])[0].split())
        where = " ".join(filter(None, (wayland, displays["xcb"]))) or wanted
        raise UsageError(f"no window can be opened on the display {where} ({why}): set DISPLAY or WAYLAND_DISPLAY to one that "
                         "is there, or choose a command that needs no window")
    return app


@contextmanager
def ended_by_signals(window: QWidget, end: Callable[[], object]) -> Iterator[list[int]]:
    """Closes the window by `end` on Ctrl C, SIGTERM and the closing of the terminal: without a question, saving every run.

    Yields:
        The signals that came.
    """
    came: list[int] = []

    def close(number: int, frame: FrameType | None) -> None:
        del frame
        came.append(number)
        QTimer.singleShot(0, window, end)  # later: the window may be painting

    ticking = QTimer(window)
    ticking.timeout.connect(lambda: None)
    ticking.start(WAKE_EVERY)
    with handled(close):
        yield came


@contextmanager
def responsive_interpreter() -> Iterator[None]:
    """Sets the interpreter up for a window: full garbage collections are rare, and threads take turns often.

    A full collection stops every thread, and so the window, for 80 ms soon after the start, and longer once many trees are
    kept. Therefore the oldest generation is collected a hundred times less often than by default, and what exists already is
    never looked at again: among it may be parts of a window that was closed, and PySide crashes where those are collected.
    A thread that wants the interpreter lock waits for `SWITCH_INTERVAL` before the holder has to give it up. Every painter call
    gives the lock up, so by default (5 ms) a picture could be late by many such waits.
    """
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.freeze()
    gc.set_threshold(thresholds[0], thresholds[1], thresholds[2] * 100)
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)
