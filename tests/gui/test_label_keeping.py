"""Labels in several windows, of recordings that are renamed and copied, and those that cannot be written: nothing is lost."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from core.recording.annotations import read_annotations, sidecar
from core.recording.files import HIDDEN, labels_of_user
from core.recording.label_store import LabelStore
from core.recording.reader import open_recording
from core.session.annotation import Annotation
from gui.app import App
from gui.control.recording_files import RecordingFiles
from gui.recordings.runs import ask_operator
from gui.theme import Theme
from gui.widgets import Prose
from tests.core.recording.common import CODEC, recorded
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.settling import settle


def replaying(qtbot: QtBot, app: App, path: Path) -> App:
    """Opens a recording in a window."""
    refused: list[str] = []
    app.replay.failed.connect(lambda error: refused.append(str(error)))
    app.viewer.open(path)
    qtbot.waitUntil(lambda: bool(refused) or (app.console.replaying and app.replay.number >= 0))
    assert not refused
    return app


def notes(app: App) -> dict[str, str]:
    """The notes of the labels that a window shows, by label."""
    return {a.label: a.note for a in app.labelling.visible.values()}


def on_disk(path: Path) -> dict[str, str]:
    """The notes of the labels of a recording, by label, as any reader finds them."""
    with open_recording(path, CODEC) as recording:
        return {a.label: a.note for a in read_annotations(recording)[0].in_order()}


def heading(app: App) -> str:
    """The heading of the notice."""
    content = app.window.notices.box.content
    assert content is not None
    return content.accessibleName()


def label(app: App, name: str) -> Annotation:
    """The label of this name in a window."""
    return next(a for a in app.labelling.annotations.values() if a.label == name)


def test_two_windows_on_a_recording_see_each_others_labels(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    recorded(path, steps=3)
    one, other = (replaying(qtbot, make_app(parts()), path) for _ in range(2))
    one.labelling.point("mistake")
    other.labelling.point("surprise")
    for app in (one, other):
        qtbot.waitUntil(lambda app=app: notes(app) == {"mistake": "", "surprise": ""})  # type: ignore[misc]
    assert len({a.id for a in one.labelling.annotations.values()}) == 2
    said: list[str] = []
    one.console.message.connect(lambda text, _: said.append(text))

    # What the other window changed is not undone by this one.
    other.labelling.change(label(other, "mistake"), replace(label(other, "mistake"), note="so it is"), "Note")
    qtbot.waitUntil(lambda: notes(one)["mistake"] == "so it is")
    one.context.undo.undo()
    assert notes(one)["mistake"] == "so it is"
    assert said == ["“mistake” stays as it is: another window has changed it meanwhile"]

    # Of a label that both changed, each undoes its own part.
    one.labelling.change(label(one, "surprise"), replace(label(one, "surprise"), note="mine"), "Note")
    qtbot.waitUntil(lambda: notes(other)["surprise"] == "mine")
    other.labelling.change(label(other, "surprise"), replace(label(other, "surprise"), rating=4), "Rate")
    qtbot.waitUntil(lambda: label(one, "surprise").rating == 4)
    one.context.undo.undo()
    assert (label(one, "surprise").note, label(one, "surprise").rating) == ("", 4)
    qtbot.waitUntil(lambda: notes(other)["surprise"] == "")
    assert on_disk(path) == {"mistake": "so it is", "surprise": ""}


def test_a_live_window_and_one_that_replays_its_recording_see_each_others_labels(qtbot: QtBot, make_app: MakeApp) -> None:
    live, other = make_app(parts()), make_app(parts())
    live.recorders.toggle()
    live.console.step()
    qtbot.waitUntil(lambda: len(live.bridge.snapshot.turns) == 1)
    live.labelling.point("mistake")
    qtbot.waitUntil(lambda: "mistake" in notes(live))
    qtbot.waitUntil(lambda: (file := live.recorders.shown_file) is not None and not file.name.startswith(HIDDEN)
                    and file.is_file())
    file = live.recorders.shown_file
    assert file is not None
    qtbot.waitUntil(lambda: live.recorders.present is not None and live.recorders.present.recorder is not None)
    replaying(qtbot, other, file)
    qtbot.waitUntil(lambda: "mistake" in notes(other))
    other.labelling.point("surprise")
    qtbot.waitUntil(lambda: "surprise" in notes(live))
    live.labelling.change(label(live, "mistake"), replace(label(live, "mistake"), note="late"), "Note")
    qtbot.waitUntil(lambda: notes(other)["mistake"] == "late")
    live.console.stop()
    qtbot.waitUntil(lambda: live.runner.phase == "idle")
    assert on_disk(file) == {"mistake": "late", "surprise": ""}


@pytest.mark.parametrize("moved", ["renamed", "in another folder"])
def test_labels_follow_a_recording_that_another_program_moves(qtbot: QtBot, make_app: MakeApp, tmp_path: Path,
                                                              moved: str) -> None:
    path, new = tmp_path / "a.mcap", tmp_path / ("b.mcap" if moved == "renamed" else "there/a.mcap")
    recorded(path, steps=3)
    app = replaying(qtbot, make_app(parts()), path)
    app.labelling.point("mistake")
    new.parent.mkdir(exist_ok=True)
    path.rename(new)
    app.labelling.point("surprise")
    qtbot.waitUntil(lambda: app.replay.recording is not None and app.replay.recording.path == new)
    qtbot.waitUntil(lambda: app.window.strip._name.text.startswith(new.name))
    qtbot.waitUntil(lambda: on_disk(new) == {"mistake": "", "surprise": ""} and not app.labels.keeping.unsaved)
    qtbot.waitUntil(sidecar(new).is_file)
    app.window.close()
    near, far = new.with_name("copy.mcap"), tmp_path / "elsewhere" / "copy.mcap"
    far.parent.mkdir()
    for copy in (near, far):
        shutil.copy(new, copy)
        assert on_disk(copy) == {"mistake": "", "surprise": ""}, "a copy without the file beside it keeps its labels here"
    with open_recording(near, CODEC) as recording:
        labels_of_user(recording.identity).unlink()
    assert on_disk(near) == {"mistake": "", "surprise": ""}, "on another computer those of files in the same folder are found"
    assert on_disk(far) == {}


OpenAsking = Callable[[Path], App]
"""Opens a window that shows a recording and asks before something is lost."""


@pytest.fixture
def open_asking(qtbot: QtBot, theme: Theme, settings: QSettings) -> Iterator[OpenAsking]:
    made: list[App] = []

    def open_it(path: Path) -> App:
        files = RecordingFiles(path.parent / "recordings", lambda: CODEC)
        app = App(replace(parts(), files=files), theme, settings, ask_operator)
        made.append(app)
        app.window.resize(1440, 900)
        app.open(ask=False, recording=path)
        qtbot.waitUntil(lambda: app.console.replaying and app.replay.number >= 0)
        return app

    yield open_it
    for app in made:
        if app.window.isVisible():  # a test failed: the window must not go on working in the next one
            app.window.closed.emit()
            app.window.hide()


def answer(qtbot: QtBot, app: App, text: str) -> str:
    """Clicks a button of the question over the window as soon as it is asked, and returns the question."""
    qtbot.waitUntil(lambda: len(app.window.findChildren(QMessageBox)) == 1)
    (box,) = app.window.findChildren(QMessageBox)
    button = next(one for one in box.buttons() if one.text().replace("&", "") == text)
    assert isinstance(button, QPushButton)
    asked = f"{box.text()} {box.informativeText()}"
    button.click()
    return asked


def test_labels_that_cannot_be_written_stay_in_view_and_are_asked_about(
        qtbot: QtBot, open_asking: OpenAsking, tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "a.mcap", tmp_path / "elsewhere.annotations.jsonl"
    recorded(path, steps=3)
    app = open_asking(path)
    sidecar(path).mkdir()  # no file can be written there
    app.labelling.point("mistake")
    app.labelling.point("bookmark")
    qtbot.waitUntil(lambda: len(app.labels.keeping.unsaved.keys) == 2)
    timeline = app.window.timeline
    flags = timeline.viewport.flags(timeline.label_editor.untracked, app.labelling.unsaved)
    assert [flag.text for flag in flags if flag.icon == "bookmark"] == ["not saved"], "labels without a track say so, too"
    assert app.labelling.unsaved == app.labelling.annotations.keys()
    assert app.window.status.unsaved.text == "■ 2 labels not saved"
    assert app.window.notices.shown
    assert heading(app) == "2 labels are not saved"

    assert not app.window.close()
    asked = answer(qtbot, app, "Cancel")
    assert asked.startswith("2 labels are not saved beside a.mcap. Close all the same?")
    assert "is no file: move it away. They are in your data folder" in asked
    assert app.window.isVisible()
    app.tools.unsaved.save(elsewhere.with_name("elsewhere.jsonl"))  # gets the ending by which it is found
    qtbot.waitUntil(lambda: not app.labels.keeping.unsaved)
    assert elsewhere.read_text().count("\n") == 2
    qtbot.waitUntil(lambda: not app.window.notices.shown)
    assert app.window.status.unsaved.isHidden()
    app.labelling.point("surprise")
    qtbot.waitUntil(lambda: elsewhere.read_text().count("\n") == 3)
    app.window.close()
    qtbot.waitUntil(lambda: not app.window.isVisible())
    sidecar(path).rmdir()
    again = open_asking(path)
    assert set(notes(again)) == {"mistake", "surprise", "bookmark"}
    assert again.window.close()


def test_what_could_not_be_written_is_written_when_it_can_be(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    recorded(path, steps=1)
    app = replaying(qtbot, make_app(parts()), path)
    sidecar(path).mkdir()
    app.labelling.point("mistake")
    qtbot.waitUntil(lambda: bool(app.labels.keeping.unsaved))
    recorded(tmp_path / "b.mcap", steps=1)
    replaying(qtbot, app, tmp_path / "b.mcap")
    assert app.labels.keeping.unsaved, "those of a recording that is no longer shown, too"
    sidecar(path).rmdir()
    app.labels.keeping.try_again()
    qtbot.waitUntil(lambda: not app.labels.keeping.unsaved)
    assert sidecar(path).read_text().count("\n") == 1


def test_a_window_waits_for_its_last_label_and_asks_if_the_disk_does_not_answer(
        qtbot: QtBot, open_asking: OpenAsking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, answers = tmp_path / "a.mcap", threading.Event()
    recorded(path, steps=1)
    save: Callable[[LabelStore], None] = LabelStore.save

    def save_late(store: LabelStore) -> None:
        answers.wait()
        save(store)

    monkeypatch.setattr(LabelStore, "save", save_late)
    app = open_asking(path)
    app.labelling.point("mistake")
    assert not app.window.close()
    assert "1 label is not saved beside a.mcap. Close all the same? The disk does not answer." in answer(qtbot, app, "Cancel")
    assert not app.window.close(), "it waits again"
    answers.set()
    qtbot.waitUntil(lambda: not app.window.isVisible())
    assert set(on_disk(path)) == {"mistake"}


def test_a_start_after_a_kill_names_the_recording_that_was_cut_off(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    path = tmp_path / "recordings" / "killed.mcap"
    path.parent.mkdir()
    recorded(path, steps=3)
    path.write_bytes(path.read_bytes()[:-40])
    app = make_app(parts())
    qtbot.waitUntil(lambda: app.window.notices.shown)
    line = f"killed.mcap was cut off: 3 turns can be read; it is in {path.parent}"
    assert heading(app) == "Belvedere did not close properly"
    prose = next(part for part in app.window.notices.box.findChildren(Prose) if part.text() == line)
    qtbot.waitUntil(lambda: prose.heightForWidth(prose.width()) <= prose.height())  # no line of it is cut off


def test_what_was_cut_off_gives_way_to_the_outcome_of_a_run(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    """The outcome is shown in the same place: it could not be read before the notice was closed."""
    path = tmp_path / "recordings" / "killed.mcap"
    path.parent.mkdir()
    recorded(path, steps=3)
    path.write_bytes(path.read_bytes()[:-40])
    app = make_app(parts())
    notices = app.window.notices
    qtbot.waitUntil(lambda: notices.shown)
    app.console.step()
    qtbot.waitUntil(lambda: len(app.console.snapshot.turns) == 1 and app.console.snapshot.status == "paused")
    settle(app)
    assert notices.shown, "a turn is no reason"
    app.console.run()
    qtbot.waitUntil(lambda: app.console.snapshot.ended is not None)
    settle(app)
    qtbot.waitUntil(lambda: not notices.shown)
    notices.report_left(("another.mcap was cut off",))
    app.console.live_snapshot.emit(app.console.snapshot)
    settle(app)
    assert notices.shown, "what is told after the end stays"
