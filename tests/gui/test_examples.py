"""The example set in the window: added from a recording, listed, removed."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from core.recording.examples import ExampleSet
from core.session.commands import Override
from tests.core.recording.common import recorded
from tests.core.session.toys import RIGHT
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts

PATIENCE = 15_000


def test_decisions_of_the_recording_are_added_by_choice_and_removed(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    recorded(tmp_path / "episode.mcap", Override(RIGHT, why="so"))
    app = make_app(parts())
    app.viewer.open(tmp_path / "episode.mcap")
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0, timeout=PATIENCE)
    before = len(ExampleSet())
    dialog = app.dialogs.examples()
    qtbot.waitUntil(lambda: dialog.offered.count() == 5, timeout=PATIENCE)
    dialog.offered.item(0).setSelected(True)
    dialog.offered.item(2).setSelected(True)
    dialog.add()
    qtbot.waitUntil(lambda: dialog.kept.count() == before + 2 and dialog.offered.count() == 3, timeout=PATIENCE)
    assert [e.origin for e in ExampleSet()][-2:] == ["episode.mcap, turn 1", "episode.mcap, turn 3"]
    dialog.kept.selectAll()
    dialog.remove()
    qtbot.waitUntil(lambda: dialog.kept.count() == 0, timeout=PATIENCE)
    assert len(ExampleSet()) == 0
    dialog.accept()


def test_without_a_recording_nothing_is_offered(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    dialog = app.dialogs.examples()
    qtbot.waitUntil(lambda: "Kept" in dialog._kept_head.text, timeout=PATIENCE)
    assert dialog.offered.count() == 0
    assert not dialog._add.isEnabled()
    dialog.reject()


def test_a_damaged_set_is_said(qtbot: QtBot, make_app: MakeApp, nobodys_data: Path) -> None:
    folder = nobodys_data / "belvedere"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "examples.json").write_text("[")
    app = make_app(parts())
    dialog = app.dialogs.examples()
    qtbot.waitUntil(lambda: "correct or remove it" in dialog._trouble.text, timeout=PATIENCE)
    (folder / "examples.json").unlink()
    dialog.reject()
