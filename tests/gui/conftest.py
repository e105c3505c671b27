"""Fixtures: an application with the theme, and consoles that are always closed at the end."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app import App, Parts
from gui.control.recording_files import RecordingFiles
from gui.theme import Theme
from sim.geometry.model import House, Robot
from sim.rendering.cameras import Camera, Picture, Size
from sim.rendering.service import FrameService
from tests.core.recording.common import CODEC
from tests.gui.settling import PatientBot

MakeApp = Callable[[Parts], App]


KEPT_BYTES = 200_000_000
"""Limit on the bytes of pictures kept for other tests."""


class SharedRenderer:
    """A renderer process that several simulators use, one after the other: to start one takes longer than most tests.

    Many tests look at the same moments. A picture that was drawn before is not drawn again.
    """

    def __init__(self, service: FrameService):
        self._service, self._lock = service, threading.Lock()
        self._drawn: OrderedDict[tuple[object, ...], Picture] = OrderedDict()
        self._bytes = 0

    @property
    def notice(self) -> str:
        return self._service.notice

    def picture(self, house: House, camera: Camera, size: Size, robot: Robot | None, samples: int = 1) -> Picture:
        key = house, camera, size, robot, samples
        with self._lock:
            picture = self._drawn.get(key)
        return picture or self._keep(key, self._service.picture(house, camera, size, robot, samples))

    def _keep(self, key: tuple[object, ...], picture: Picture) -> Picture:
        with self._lock:
            if not self._service.notice and key not in self._drawn:
                self._drawn[key] = picture
                self._bytes += _bytes(picture)
            while self._bytes > KEPT_BYTES:
                self._bytes -= _bytes(self._drawn.popitem(last=False)[1])
        return picture

    def close(self) -> None:
        """Leaves it to the next simulator."""


def _bytes(picture: Picture) -> int:
    return picture.pixels.nbytes + picture.ids.nbytes


@pytest.fixture(scope="session")
def renderer() -> Iterator[SharedRenderer]:
    """A renderer process for all tests of the window."""
    with FrameService() as service:
        yield SharedRenderer(service)


@pytest.fixture(autouse=True)
def shares_a_renderer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets simulators share a renderer process, except in tests marked with `own_renderer`."""
    if request.node.get_closest_marker("own_renderer") is None:
        shared = request.getfixturevalue("renderer")
        monkeypatch.setattr("sim.rendering.service.FrameService", lambda: shared)


@pytest.fixture(autouse=True)
def is_not_put_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the threads of a run have the share of any other. Beside other busy programs they would get next to none."""
    for module in ("gui.control.runner", "gui.control.scene_pictures", "gui.control.free_view"):
        monkeypatch.setattr(f"{module}.lower_priority", lambda: None)


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
def make_app(qtbot: QtBot, theme: Theme, settings: QSettings, tmp_path: Path) -> Iterator[MakeApp]:
    """Opens a console at 1440 × 900 and waits until its request is prepared."""
    made: list[App] = []

    def make(parts: Parts) -> App:
        app = App(replace(parts, files=RecordingFiles(tmp_path / "recordings", lambda: CODEC)), theme, settings)
        made.append(app)
        app.window.resize(1440, 900)
        app.open(ask=False)
        qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0 or app.console.trouble is not None)
        qtbot.waitUntil(lambda: app.override is not None)
        app.window.activateWindow()  # shortcuts act in the active window only
        qtbot.waitUntil(app.window.isActiveWindow)
        return app

    yield make
    for app in made:
        app.window.close()
        app.window.deleteLater()
        QCoreApplication.sendPostedEvents(app.window, QEvent.Type.DeferredDelete)  # the next theme would style it again
