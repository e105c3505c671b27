"""The Record toggle: files begin with the first turn, end with the session, and survive a full disk."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from core.recording.files import Disk
from core.recording.reader import open_recording
from core.recording.recorder import Recorder
from core.session.commands import Resume
from core.session.events import Acted, Began, Ended
from gui.app import App
from gui.recordings.recorders import WindowRun
from gui.window.stage import CardCallbacks, run_state
from tests.core.recording.common import CODEC
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import PATIENCE, settle


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "recordings").glob("[!.]*.mcap"))


def ended(app: App) -> bool:
    return app.bridge.snapshot.ended is not None


def test_switched_on_late_it_holds_the_first_turn_and_is_whole_when_the_window_closes(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(parts())
    app.console.run()
    qtbot.waitUntil(lambda: ended(app))
    QTest.keyClick(app.window.windowHandle(), Qt.Key.Key_R)
    qtbot.waitUntil(lambda: len(files(tmp_path)) == 1)
    qtbot.waitUntil(lambda: "● Recording" in app.recorders.words()[0])
    assert app.window.bar.controls.record.text().strip() == "Recording"
    app.window.close()
    assert app.recorders.saved == f"5 turns are on disk in {files(tmp_path)[0]}"
    with open_recording(files(tmp_path)[0], CODEC) as recording:
        assert recording.notice == "", "finished properly, so nothing had to be mended"
        events = list(recording.events())
    assert isinstance(events[0].what, Began)
    assert sum(isinstance(x.what, Acted) for x in events) == 5
    assert any(isinstance(x.what, Ended) for x in events)


def test_a_recording_deleted_by_another_program_goes_on_in_a_new_file(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(parts())
    told: list[str] = []
    app.console.message.connect(lambda text, tone: told.append(text))
    app.console.run()
    qtbot.waitUntil(lambda: ended(app))
    app.recorders.toggle()
    qtbot.waitUntil(lambda: "● Recording" in app.recorders.words()[0])
    (path,) = files(tmp_path)
    path.unlink()
    saved = path.with_name(f"{path.stem} 2.mcap")
    qtbot.waitUntil(saved.exists)  # found without a further event
    qtbot.waitUntil(lambda: any(text.endswith(f"goes on in {saved}") for text in told))
    app.recorders.toggle()
    qtbot.waitUntil(lambda: any(f"Recorded {saved.name}" in text for text in told))
    app.window.close()
    with open_recording(saved, CODEC) as recording:
        assert recording.notice == ""
        assert isinstance(next(recording.events()).what, Began)


def test_each_run_is_a_file_and_preparing_makes_none(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(parts())
    app.recorders.toggle()
    assert app.recorders.words()[0] == "○ Recording begins with the run"
    settle(app)
    assert files(tmp_path) == []
    app.console.run()
    qtbot.waitUntil(lambda: ended(app) and len(files(tmp_path)) == 1)
    app.console.again()
    qtbot.waitUntil(lambda: len(files(tmp_path)) == 2)
    qtbot.waitUntil(lambda: ended(app))
    app.recorders.toggle()
    qtbot.waitUntil(lambda: app.recorders.words()[0] == "Recording off")  # the last picture may still be drawn
    app.window.close()
    for path in files(tmp_path):
        with open_recording(path, CODEC) as recording:
            assert not recording.notice
            assert len(recording.turns()) >= 5


def test_runs_that_end_before_their_files_are_made_have_them_all_the_same(
        qtbot: QtBot, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_begin, real = threading.Event(), WindowRun.record

    def record(run: WindowRun, path: Path) -> Recorder | None:
        assert may_begin.wait(PATIENCE / 1000)
        return real(run, path)

    monkeypatch.setattr(WindowRun, "record", record)
    app = make_app(parts())
    app.recorders.toggle()
    app.console.run()
    qtbot.waitUntil(lambda: ended(app))
    first = app.recorders.present
    app.console.again()
    qtbot.waitUntil(lambda: app.recorders.present is not first and ended(app))
    may_begin.set()
    qtbot.waitUntil(lambda: len(files(tmp_path)) == 2)
    qtbot.waitUntil(lambda: "● Recording" in app.recorders.words()[0])
    app.window.close()
    for path in files(tmp_path):
        with open_recording(path, CODEC) as recording:
            assert len(recording.turns()) == 5


def test_a_full_disk_pauses_with_a_way_on(qtbot: QtBot, make_app: MakeApp, tmp_path: Path,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app(parts())
    full: list[bool] = []

    def append(disk: Disk, data: memoryview) -> None:
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(disk, data)

    real = Disk.append
    monkeypatch.setattr(Disk, "append", append)
    app.recorders.toggle()
    app.console.step()
    qtbot.waitUntil(lambda: len(app.bridge.snapshot.line) == 1 and app.bridge.snapshot.status == "paused")
    qtbot.waitUntil(lambda: [f.stat().st_size > 1000 for f in files(tmp_path)] == [True])
    full.append(True)
    app.console.run()
    qtbot.waitUntil(lambda: app.bridge.snapshot.failure is not None)
    failure = app.bridge.snapshot.failure
    assert failure is not None
    assert "No space left" in failure.message
    state = run_state(app.console, CardCallbacks(lambda: None, app.recorders.go_on_without, lambda: None, lambda: None,
                                                 lambda: None))
    assert state is not None
    assert [action.text for action in state.actions] == ["Try again", "Go on without recording"]
    (line,) = app.kept_runs.runs.losses().runs  # closing asks
    assert "under way. Its recording stopped: No space left on device; make room before you save" in line
    act = state.actions[1].act
    assert act is not None
    act()
    qtbot.waitUntil(lambda: ended(app))
    assert app.bridge.snapshot.failure is None
    assert not app.recorders.on
    full.clear()
    app.window.close()
    with open_recording(files(tmp_path)[0], CODEC) as recording:
        assert len(recording.turns()) >= 1, "what was written before is there"


def test_a_folder_that_takes_no_files_is_said(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app = make_app(parts())
    (tmp_path / "recordings").write_text("a file in the way")
    said: list[str] = []
    app.console.message.connect(lambda text, _: said.append(text))
    app.recorders.toggle()
    app.console.run()
    qtbot.waitUntil(lambda: not app.recorders.on)
    assert any("cannot make the folder" in text for text in said)
    app.runner.post(Resume())
    qtbot.waitUntil(lambda: ended(app))
