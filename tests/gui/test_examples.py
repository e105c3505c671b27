"""The example set in the window: added from a recording, listed, removed."""

from __future__ import annotations

import random
import threading
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.planning.facets import Moment
from core.recording.examples import ExampleSet
from core.recording.recorder import TurnOver
from core.recording.writer import RecordingWriter
from core.session.commands import Override
from gui.widgets import Button
from tests.core.recording.common import recorded
from tests.core.session.toys import LEFT, RIGHT
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle


def test_decisions_of_the_recording_are_added_by_choice_and_removed(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    recorded(tmp_path / "episode.mcap", Override(RIGHT, why="so"))
    app = make_app(parts())
    app.viewer.open(tmp_path / "episode.mcap")
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    before = len(ExampleSet())
    dialog = app.tools.dialogs.examples()
    qtbot.waitUntil(lambda: dialog.offered.count() == 5)
    dialog.offered.item(0).setSelected(True)
    dialog.offered.item(2).setSelected(True)
    dialog.add()
    qtbot.waitUntil(lambda: dialog.kept.count() == before + 2 and dialog.offered.count() == 3)
    assert [e.origin for e in ExampleSet()][-2:] == ["episode.mcap, turn 1", "episode.mcap, turn 3"]
    dialog.kept.selectAll()
    dialog.remove()
    qtbot.waitUntil(lambda: dialog.kept.count() == 0)
    assert len(ExampleSet()) == 0
    dialog.accept()


def test_without_a_recording_nothing_is_offered(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    dialog = app.tools.dialogs.examples()
    qtbot.waitUntil(lambda: "Kept" in dialog._kept_head.text)
    assert dialog.offered.count() == 0
    assert not dialog._add.isEnabled()
    dialog.reject()


def test_a_damaged_set_is_said(qtbot: QtBot, make_app: MakeApp, nobodys_data: Path) -> None:
    folder = nobodys_data / "belvedere"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "examples.json").write_text("[")
    app = make_app(parts())
    dialog = app.tools.dialogs.examples()
    qtbot.waitUntil(lambda: "correct or remove it" in dialog._trouble.text())
    (folder / "examples.json").unlink()
    dialog.reject()


def origins() -> list[str]:
    """Returns where the kept examples are from."""
    return sorted(e.origin.rpartition(", ")[2] for e in ExampleSet())


def test_a_correction_is_kept_also_while_the_disk_is_slower_than_the_window(
        qtbot: QtBot, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window hears of a turn before a slow disk has it: what reads the run's file waits for that."""
    disk, flush = threading.Event(), RecordingWriter.flush

    def write(writer: RecordingWriter) -> None:
        disk.wait()
        flush(writer)

    monkeypatch.setattr(RecordingWriter, "flush", write)
    monkeypatch.setattr(TurnOver, "done", lambda over: True)
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    app.runner.post(Override(LEFT))
    qtbot.waitUntil(lambda: app.window.notices.shown)
    assert app.recorders.shown_file is None, "the disk has taken nothing yet"
    next(b for b in app.window.notices.box.findChildren(Button) if "Keep" in b.accessibleName()).click()
    assert origins() == []
    disk.set()
    qtbot.waitUntil(lambda: origins() == ["turn 2"])


def test_a_correction_becomes_an_example_by_one_click_and_undo_takes_it_back(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.console.step()
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn == 2 and app.bridge.snapshot.status == "paused")
    assert not app.window.notices.shown
    app.runner.post(Override(LEFT))
    qtbot.waitUntil(lambda: app.window.notices.shown)
    button = next(b for b in app.window.notices.box.findChildren(Button) if "Keep" in b.accessibleName())
    button.click()
    qtbot.waitUntil(lambda: origins() == ["turn 2"])
    assert not app.window.notices.shown
    kept = next(iter(ExampleSet()))
    assert (kept.action, kept.history) == ("go left", ("go right",))
    app.console.undoing.undo()
    qtbot.waitUntil(lambda: origins() == [])
    app.console.undoing.redo()
    qtbot.waitUntil(lambda: origins() == ["turn 2"])
    ExampleSet().remove(next(iter(ExampleSet())).id)


def test_random_walks_of_keeping_and_undoing(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    """What is kept is what the steps that were not undone added."""
    recorded(tmp_path / "episode.mcap", Override(RIGHT))
    app, rng = make_app(parts()), random.Random(5)
    app.viewer.open(tmp_path / "episode.mcap")
    qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
    assert origins() == []
    kept, done, undone = set[int](), list[tuple[int, bool]](), list[int]()
    for _ in range(25):
        act = rng.choice(("keep", "keep", "undo", "redo"))
        if act == "undo" and done:
            turn, added = done.pop()
            kept -= {turn} if added else set()
            undone.append(turn)
            app.console.undoing.undo()
        elif act == "redo" and undone:
            turn = undone.pop()
            done.append((turn, turn not in kept))
            kept |= {turn}
            app.console.undoing.redo()
        elif act == "keep":
            turn = rng.randint(1, 5)
            done.append((turn, turn not in kept))
            undone.clear()
            kept |= {turn}
            app.kept_runs.examples.keep(Moment(0, turn))
        qtbot.waitUntil(partial(equals, [f"turn {turn}" for turn in sorted(kept)]))
        settle(app)  # the number of the example is known to the step
    for example in ExampleSet():
        ExampleSet().remove(example.id)


def equals(wanted: list[str]) -> bool:
    return origins() == wanted
