"""Fixtures: an application with the theme, and consoles that are always closed at the end."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtWidgets import QApplication, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from gui.app import App
from gui.control.background import PATIENCE
from gui.control.kept_settings import KeptSettings
from gui.control.parts import Parts
from gui.control.recording_files import RecordingFiles
from gui.theme import Theme
from gui.window.main_window import MainWindow
from tests.core.recording.common import CODEC
from tests.gui.settling import PatientBot
from tests.shared_renderer import SharedRenderer, service_of

MakeApp = Callable[[Parts], App]


@pytest.fixture(autouse=True)
def is_not_put_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the threads of a run have the share of any other. Beside other busy programs they would get next to none."""
    for module in ("gui.control.runner", "gui.control.scene_pictures", "gui.control.free_view"):
        monkeypatch.setattr(f"{module}.lower_priority", lambda: None)


@pytest.fixture(scope="session")
def shared_plans() -> Iterator[SharedRenderer]:
    """One drawer of plans for all tests of this process."""
    shared = SharedRenderer.of_plans()
    yield shared
    shared.end()


@pytest.fixture(autouse=True)
def draws_plans(request: pytest.FixtureRequest, shares_a_renderer: None, shared_plans: SharedRenderer,
                monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts plans in the place of 3-D views, except in tests marked with `gl`. A window treats both alike."""
    del shares_a_renderer  # it comes first
    if not {"gl", "own_renderer"} & {mark.name for mark in request.node.iter_markers()}:
        monkeypatch.setattr("sim.rendering.service.FrameService", lambda: service_of(shared_plans))


@pytest.fixture(autouse=True)
def closed_windows_are_not_collected() -> Iterator[None]:
    """Takes what a test has left out of the collection of garbage.

    Some objects of a closed window stay in cycles with those of Qt. Where a later collection ends them, in whichever test or
    thread it happens, PySide crashes or another object has lost its attributes.
    """
    yield
    gc.freeze()
    left = [window for window in QApplication.topLevelWidgets() if isinstance(window, MainWindow) and window.isVisible()]
    assert not left, "a test closes its windows: open ones go on working, and are styled with each change of theme"


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """In place of pytest-qt's: waits for states as long as it takes, and for no duration."""
    del qapp
    return PatientBot(request)


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    """The dark theme, applied."""
    theme = Theme("dark")
    theme.apply(qapp)
    return theme


@pytest.fixture
def settings(tmp_path: Path) -> QSettings:
    """Empty settings in a temporary folder."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def kept(qapp: QApplication, settings: QSettings) -> Iterator[KeptSettings]:
    """The same settings as a window keeps them."""
    del qapp
    kept = KeptSettings(settings)
    yield kept
    kept.close(PATIENCE)


@pytest.fixture
def make_app(qtbot: QtBot, theme: Theme, settings: QSettings, tmp_path: Path) -> Iterator[MakeApp]:
    """Opens a console at 1440 × 900 and waits until its request is prepared."""
    made: list[App] = []

    def make(parts: Parts) -> App:
        app = App(replace(parts, files=RecordingFiles(tmp_path / "recordings", lambda: CODEC)), theme, settings)
        made.append(app)
        app.window.resize(1440, 900)
        app.open(ask=False)
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0 or app.console.trouble is not None)
        app.window.activateWindow()  # shortcuts act in the active window only
        qtbot.waitUntil(app.window.isActiveWindow)
        return app

    yield make
    for app in made:
        app.window.close()
        # The next theme would style it again, and a bar that is deleted styles what it held, which therefore goes first.
        bars = app.window.findChildren(QToolBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        held = [part for bar in bars for part in bar.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)]
        for gone in (*held, app.window):
            gone.deleteLater()
            QCoreApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete)
