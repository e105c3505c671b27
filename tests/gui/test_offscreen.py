"""The window rendered to a picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QImage, QPixmap
from pytestqt.qtbot import QtBot

from core.app.run_request import Request
from core.common.errors import DataError, UsageError
from core.planning.facets import Moment
from core.planning.search_facets import Ranking
from core.session.setup import Setup
from core.session.snapshot import Snapshot
from gui import offscreen
from gui.control.recording_files import RecordingFiles
from gui.offscreen import render_window
from gui.panels.frames.overlays import is_own
from gui.window.main_window import MainWindow
from tests.core.recording.common import CODEC, recorded
from tests.gui.parts import TASK, parts


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves no time to settle: the panels and the camera are behind, as on a slow machine."""
    monkeypatch.setattr(offscreen, "SETTLING", 0.0)


def test_a_picture_after_some_turns(qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "window.png"
    render_window(parts(), 2, path, (1280, 800), "light")
    picture = QImage(str(path))
    assert (picture.width(), picture.height()) == (1280, 800)
    assert picture.pixelColor(2, 2).name().upper() == "#E3E7ED"


def test_it_stops_when_the_turn_is_thought_through(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Snapshot] = []
    grab = MainWindow.grab

    def look(window: MainWindow) -> QPixmap:
        seen.append(window.console.snapshot)
        return grab(window)

    monkeypatch.setattr(MainWindow, "grab", look)
    render_window(parts("llm-mcts", TASK), 1, tmp_path / "window.png", (1280, 800))
    snapshot = seen[0]
    assert (snapshot.turn, len(snapshot.line), snapshot.status) == (2, 1, "paused")
    assert snapshot.moment_of(Ranking) == Moment(0, 2)


def test_every_panel_and_picture_is_of_the_present_turn(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, list[bool]]] = []
    grab = MainWindow.grab

    def look(window: MainWindow) -> QPixmap:
        now = window.console.snapshot
        seen.append((window.has_shown(now), [is_own(frame, now) for frame in now.frames.values()]))
        return grab(window)

    monkeypatch.setattr(MainWindow, "grab", look)
    render_window(parts("llm-mcts", TASK), 3, tmp_path / "window.png", (1280, 800))
    shown, own = seen[0]
    assert shown
    assert own, "the pictures have come"
    assert all(own)


def test_the_users_recordings_are_neither_looked_at_nor_told_of(qtbot: QtBot, tmp_path: Path) -> None:
    folder, running = tmp_path / "recordings", tmp_path / "running"
    folder.mkdir()
    recorded(folder / "a.mcap", steps=2)
    cut = folder / "a.mcap"
    cut.write_bytes(cut.read_bytes()[:-40])
    files = RecordingFiles(folder, lambda: CODEC, running=running)
    render_window(replace(parts(), files=files), 1, tmp_path / "window.png", (1280, 800))
    assert not running.exists()
    assert [path.name for path in folder.iterdir()] == ["a.mcap"]
    assert files.left_behind(), "the next window tells of it"


def test_what_cannot_be_drawn_is_said(qtbot: QtBot, tmp_path: Path) -> None:
    def no_goal(request: Request) -> Setup:
        raise UsageError("no such scene")

    with pytest.raises(UsageError, match="no such scene"):
        render_window(replace(parts(), make_setup=no_goal), 1, tmp_path / "window.png")
    with pytest.raises(DataError, match="cannot write"):
        render_window(parts(), 0, tmp_path / "nowhere" / "window.png")
