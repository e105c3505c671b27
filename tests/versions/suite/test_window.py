"""The window is drawn without a screen, live and with a recording."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QSettings, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.app import App
from gui.theme import theme_named
from main import console_parts, first_request, main

PATIENCE = 120.0


@pytest.fixture(scope="session")
def application() -> QApplication:
    """Qt's application."""
    found = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(found, QApplication)
    return found


def wait_until(application: QApplication, comes: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not comes():
        assert time.monotonic() < end, "it did not come"
        application.processEvents()
        time.sleep(0.002)


def colours(path: Path) -> int:
    with Image.open(path) as picture:
        assert picture.size == (1440, 900)
        return len(picture.convert("RGB").resize((144, 90)).getcolors(144 * 90) or ())


class Listening(QWidget):
    """Overrides a method of Qt that returns nothing, as all our widgets do."""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)


def test_overridden_methods_leave_none_alive(application: QApplication) -> None:
    """PySide6 6.12.0 gave a reference to None back too often. Python 3.11 aborts when none is left; from 3.12 on None stays."""
    widget, event = Listening(), QResizeEvent(QSize(1, 1), QSize(2, 2))
    before = sys.getrefcount(None)
    for _ in range(1000):
        application.sendEvent(widget, event)
    assert sys.getrefcount(None) > before - 500


def test_a_run_is_shown(application: QApplication, tmp_path: Path) -> None:
    out = tmp_path / "window.png"
    assert main(["screenshot", "--planner", "llm-mcts", "--seed", "3", "--turns", "1", "--out", str(out)]) == 0
    assert colours(out) > 300, "more than an empty window"


def test_a_recording_is_shown_and_sought(application: QApplication, pictured: Path, tmp_path: Path) -> None:
    theme = theme_named("dark", 1.0)
    theme.apply(application)
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    console = App(console_parts(first_request()), theme, settings)
    console.window.resize(1440, 900)
    console.open(ask=False, recording=pictured)
    try:
        wait_until(application, lambda: console.replay.number >= 0 or console.window.notices.shown)
        assert not console.window.notices.shown
        assert console.replay.recording is not None
        last = console.replay.recording.reader.numbers[-1]
        console.replay.seek(last)
        wait_until(application, lambda: console.replay.number == last)
        wait_until(application, lambda: console.window.has_shown(console.console.shown))
        assert console.console.shown.ended is not None
        assert console.console.shown.frames
        out = tmp_path / "replay.png"
        assert console.window.grab().save(str(out))
        assert colours(out) > 300
    finally:
        console.window.close()
        console.window.deleteLater()
