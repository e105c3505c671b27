"""The window with files whose names are not UTF-8, which Qt cannot hold in a text, and with pasted invisible characters."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QSettings, Qt, QUrl
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.common.visible import path_of
from core.library.entry import Entry
from gui.control.kept_settings import KeptSettings
from gui.window.documents import KEY, LAST, dropped
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.test_library import press
from tests.gui.test_replay import record


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A recording with such a name in the folder of recordings."""
    path, _ = record(tmp_path)
    (folder := tmp_path / "recordings").mkdir(exist_ok=True)
    try:
        return path.rename(folder / os.fsdecode(b"caf\xe9.mcap"))
    except OSError:
        pytest.skip("file names are Unicode here")


def test_it_is_opened_named_listed_and_remembered(qtbot: QtBot, make_app: MakeApp, settings: QSettings,
                                                  recording: Path) -> None:
    app = make_app(parts())
    app.viewer.open(recording)
    qtbot.waitUntil(lambda: app.console.replaying)
    qtbot.waitUntil(lambda: app.window.windowTitle() == r"caf\xe9.mcap[*] – Belvedere")
    (row,) = app.documents.recent_entries()
    assert row.title == r"caf\xe9.mcap"
    assert row.reason == ""
    app.window.close()
    kept = KeptSettings(settings)
    assert path_of(str(kept.value(LAST))) == recording
    assert "caf%E9.mcap" in str(kept.value(KEY))


def test_the_library_shows_it_among_others(qtbot: QtBot, make_app: MakeApp, recording: Path) -> None:
    app = make_app(parts())
    press(app, qtbot, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: [row.path for row in app.pages.library.table.items if isinstance(row, Entry)] == [recording])
    app.pages.shelf.add_folder(recording)
    assert app.pages.shelf.folders == (recording.parent, recording)


def test_a_dropped_file_keeps_its_bytes(recording: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl("file:///tmp/caf%E9.mcap"), QUrl.fromLocalFile("/tmp/käthe 1.mcap"), QUrl("http://a/b.mcap")])
    assert [path_of(text) for text in dropped(data)] == [Path(os.fsdecode(b"/tmp/caf\xe9.mcap")), Path("/tmp/käthe 1.mcap")]


def test_a_pasted_goal_has_no_characters_that_show_nothing(make_app: MakeApp) -> None:
    app = make_app(parts())
    app.window.bar.goal.edit()
    field = app.window.bar.goal._field
    QApplication.clipboard().setText("Walk\u00a0to\u200b 4\ufeff")
    field.clear()
    field.paste()
    assert field.text() == "Walk to 4"
