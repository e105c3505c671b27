"""Renders the whole window to a picture without a screen."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QBuffer, QEvent, QEventLoop, QSettings
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from core.common.errors import DataError
from core.common.files import replace_file
from gui.app import App
from gui.control.parts import Parts
from gui.control.recording_files import RecordingFiles
from gui.panels.frames.overlays import is_own
from gui.theme import theme_named
from gui.window.application import application, responsive_interpreter

PATIENCE = 300.0
"""Seconds that a run may take to reach the requested turn."""
LATEST = 60.0
"""Seconds that panels and pictures may take to show the last turn."""
SETTLING = 1.2
"""Seconds that the window has at least for its layout, and for the first picture."""


def render_window(
    parts: Parts, turns: int, path: Path, size: tuple[int, int] = (1440, 900), theme: str = "dark", scale: float = 1.0
) -> None:
    """Plays some turns in the window and writes a picture of the next turn: decided, its action not done yet.

    Args:
        parts: what the console is made of.
        turns: turns to play first; 0 shows the window ready to run.
        path: where to write the PNG.
        size: width and height of the window in pixels.
        theme: dark, light or cvd.
        scale: text size, 0.9 to 1.5.

    Raises:
        BelvedereError: the run cannot start, or the file cannot be written.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or application()
    if not isinstance(app, QApplication):
        raise DataError("a picture of the window needs an application with widgets")
    dress = theme_named(theme, scale)
    dress.apply(app)
    with responsive_interpreter(), TemporaryDirectory() as folder:
        settings = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        own = replace(parts, files=RecordingFiles(Path(folder) / "recordings"))  # the user's are neither looked at nor told of
        console = App(own, dress, settings)
        try:
            _play(app, console, turns, size)
            _save(console.window.grab(), path)
        finally:
            console.window.close()
            console.window.deleteLater()
            app.sendPostedEvents(console.window, QEvent.Type.DeferredDelete)


def _save(picture: QPixmap, path: Path) -> None:
    """Writes a picture. Qt could not name a file whose name is not UTF-8."""
    data = QBuffer()
    if not picture.save(data, path.suffix.removeprefix(".")):
        raise DataError(f"cannot write {path}: give a path ending in .png")
    replace_file(path, bytes(data.data().data()), "give a path ending in .png in a folder that exists")


def _play(app: QApplication, console: App, turns: int, size: tuple[int, int]) -> None:
    console.window.resize(*size)
    console.open(ask=False)

    def over() -> bool:
        return console.console.trouble is not None or console.bridge.snapshot.ended is not None

    _spin(app, lambda: console.bridge.snapshot.event > 1 or console.console.trouble is not None, PATIENCE)
    _spin(app, lambda: False, SETTLING)
    for turn in range(1, turns + 1):
        console.console.step()
        _spin(app, partial(_has_thought_after, console, turn), PATIENCE)
        if over():
            break
    _spin(app, lambda: False, SETTLING)
    _spin(app, partial(_has_settled, console), LATEST)
    if console.console.trouble is not None:
        raise console.console.trouble


def _has_thought_after(console: App, turn: int) -> bool:
    """Whether a turn is completed and the next action is decided, or the run has ended or failed."""
    now = console.bridge.snapshot
    done = len(now.line) >= turn and now.status == "paused"
    return done or now.ended is not None or console.console.trouble is not None


def _has_settled(console: App) -> bool:
    """Whether the panels show the present moment, with the pictures of it that the simulator draws; or the run has failed."""
    now = console.bridge.snapshot
    pictured = console.runner.is_idle and all(is_own(frame, now) for frame in now.frames.values())
    return console.console.trouble is not None or now.failure is not None or (pictured and console.window.has_shown(now))


def _spin(app: QApplication, until: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end:
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        time.sleep(0.002)
