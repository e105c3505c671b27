"""While another window holds the lock of the settings or the models, this one goes on, and what was changed is kept later."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import FileIO
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from core.common import files
from core.common.installation import ROOT
from core.llm.model_config import ModelConfig, ModelConfigs, change_models, read_models, write_models
from core.recording.labels import LabelSet, write_labels
from gui.app import App
from gui.control.choices import ModelBook
from gui.control.kept_files import KeptFile
from gui.control.kept_settings import KeptSettings
from gui.control.recording_files import RecordingFiles
from gui.recordings.runs import ask_operator
from gui.theme import Theme
from tests.core.recording.common import CODEC
from tests.gui.conftest import MakeApp
from tests.gui.settling import run_out, settle
from tests.gui.test_label_keeping import answer
from tests.gui.test_runs import toys

MODEL = ModelConfig("mine", "openai", {"model": "small"})


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that is held is told of at once."""
    for module in ("choices", "kept_settings"):
        monkeypatch.setattr(f"gui.control.{module}.PATIENCE", 0.0)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "config" / "models.toml"


@contextmanager
def locked_by_another(path: Path) -> Iterator[None]:
    """Another window is in the middle of replacing a file."""
    path.parent.mkdir(exist_ok=True)
    with FileIO(files._draft_of(path), "a") as file:
        assert files.lock(file)
        yield


def make_all_changes(app: App, folder: Path) -> None:
    """Changes every list that the window keeps, two single values, and the models."""
    app.labelling.use(folder / "mine.json")
    app.pages.shelf.add_folder(folder)
    app.pages.evaluation_runs.show_folder(folder)
    app.offers.files.open(str(folder / "flat.json"))
    assert app.context.watches.add("turn * 2")
    app.window.set_theme("light")
    app.actions.keys.change("bookmark", "Ctrl+J")
    app.console.models.put(MODEL)
    app.console.models.choose("mine")


def kept_by(settings: KeptSettings, models: ModelConfigs, folder: Path) -> dict[str, bool]:
    """Which of these changes are in the settings and models."""
    lists = {"library/folders": str(folder), "evaluations/folders": str(folder), "graph files": str(folder / "flat.json"),
             "recent files": str(folder / "flat.json"), "watches": "turn * 2"}
    return {**{name: text in settings.texts(name) for name, text in lists.items()},
            "label sets": any('"Mine"' in text for text in settings.texts("label sets")),
            "theme": settings.value("theme") == "light", "key": settings.value("keys/bookmark") == "Ctrl+J",
            "models": models.entries == (MODEL,), "chosen": models.chosen == "mine"}


def test_no_change_waits_for_another_window_and_all_arrive_when_it_is_done(
        qtbot: QtBot, make_app: MakeApp, settings: QSettings, models: Path, tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch) -> None:
    app, threads, told = make_app(replace(toys(), models=models)), set[str](), list[str]()
    settle(app)
    app.console.message.connect(lambda line, tone: told.append(line))
    lock: Callable[..., bool] = files.lock
    path = Path(settings.fileName())
    write_labels(LabelSet("Mine", ()), tmp_path / "mine.json")

    def noted(file: FileIO, *, shared: bool = False) -> bool:
        threads.add(threading.current_thread().name)
        return lock(file, shared=shared)

    with locked_by_another(path), locked_by_another(models):
        monkeypatch.setattr(files, "lock", noted)
        make_all_changes(app, tmp_path)
        assert "MainThread" not in threads
        qtbot.waitUntil(lambda: threads >= {"the settings", "your models"})
        settle(app, awaits_model=True)
        assert all(kept_by(app.settings, app.console.models.content, tmp_path).values()), "the window shows all"
        assert not any(kept_by(KeptSettings(settings), read_models(models), tmp_path).values()), "nothing is in the files"
        for what, file in (("settings", path), ("models", models)):
            (line,) = [line for line in told if f"{what} " in line]
            assert f"not saved: {file}: another process is changing it; wait for it, or end it; tried again" in line
    for kept in app.control.kept:
        run_out(kept._retry)
    settle(app, awaits_model=True)
    assert all(kept_by(KeptSettings(settings), read_models(models), tmp_path).values())
    assert [kept.left for kept in app.control.kept] == ["", ""]
    saved = {f"Every change of {kept.title} is saved now" for kept in app.control.kept}
    assert {line for line in told if "saved now" in line} == saved
    assert "MainThread" not in threads


def test_a_model_that_another_window_has_added_first_is_taken_back_in_view(make_app: MakeApp, models: Path) -> None:
    app, told = make_app(replace(toys(), models=models)), list[str]()
    app.console.message.connect(lambda line, tone: told.append(line))
    app.run_dialogs.open_models()
    settle(app)
    change_models(models, lambda known: known.put(replace(MODEL, options={"model": "theirs"})))
    assert app.run_dialogs.models is not None
    with locked_by_another(models):
        app.console.models.put(MODEL)
        assert app.run_dialogs.models.list.objects == (MODEL,)
        assert app.run_dialogs.models.message.text() == "Saving …"
        settle(app)
        why = f"1 change of your models is not saved: {models}: another process is changing it; wait for it, or end it"
        assert app.run_dialogs.models.message.text() == f"{why}; tried again until the window closes"
        assert app.run_dialogs.models.retry.isVisible()
        assert app.run_dialogs.models.add.isEnabled()
    app.run_dialogs.models.retry.click()
    settle(app)
    assert [entry.options["model"] for entry in app.run_dialogs.models.list.objects] == ["theirs"]
    line = "A change of your models was taken back: there is a model 'mine' already: give another name"
    assert app.run_dialogs.models.message.text() == line
    assert line in told


def test_closing_waits_for_what_is_being_written_and_asks_if_it_cannot_be(
        qtbot: QtBot, theme: Theme, settings: QSettings, models: Path, tmp_path: Path) -> None:
    files_of_user = RecordingFiles(tmp_path / "recordings", lambda: CODEC)
    app = App(replace(toys(), models=models, files=files_of_user), theme, settings, ask_operator)
    app.open(ask=False)
    settle(app)
    with locked_by_another(models):
        app.console.models.put(MODEL)
        assert not app.window.close()
        settle(app)
        run_out(app.close_guard._late)
        qtbot.waitUntil(lambda: app.window.findChild(QMessageBox) is not None)
        asked = answer(qtbot, app, "Cancel")
        assert asked.startswith("Changes are not saved. Close all the same? 1 change of your models is not saved: ")
        assert asked.endswith("lost when the window closes.")
        assert app.window.isVisible()
    assert not app.window.close(), "it is still not in the file"
    run_out(app.console.models._retry)
    qtbot.waitUntil(lambda: not app.window.isVisible())
    assert read_models(models).entries == (MODEL,)
    app.window.deleteLater()


def test_what_waits_is_tried_at_the_end_and_told_if_it_fails(qapp: object, models: Path) -> None:
    book = ModelBook(models)
    with locked_by_another(models):
        book.put(MODEL)
        book.close(60)
    why = f"{models}: another process is changing it; wait for it, or end it"
    assert book.left == f"1 change of your models is not saved: {why}"
    book = ModelBook(models)
    with locked_by_another(models):
        book.put(MODEL)
        settle(book)
    book.close(60)
    assert read_models(models).entries == (MODEL,)
    assert not book.left


def test_content_without_a_file_changes_at_once(qapp: object) -> None:
    book = KeptFile("it", 1)
    book.change(lambda number: number + 1)
    book.update()
    assert book.content == 2
    assert not book.left
    assert book.jobs.is_idle


def test_a_file_that_is_damaged_meanwhile_is_left_and_what_was_changed_is_written_once_it_is_repaired(
        qapp: object, models: Path) -> None:
    write_models(models, ModelConfigs())
    book = ModelBook(models)
    models.write_text("damaged = ")
    book.put(MODEL)
    settle(book)
    assert models.read_text() == "damaged = "
    assert book.entries == (MODEL,)
    assert "repair or remove it" in book.left
    models.unlink()
    run_out(book._retry)
    settle(book)
    assert read_models(models).entries == (MODEL,)
    book.close(60)


WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from core.llm.model_config import ModelConfig
from gui.control.choices import ModelBook
app = QCoreApplication([])
book = ModelBook(Path(sys.argv[1]))
for number in range(1000):
    book.put(ModelConfig(f"m{number}", "openai", {"model": "x"}))
    print("waits", flush=True)
    while book.left:
        app.processEvents()
    print(f"m{number}", flush=True)
"""


def test_a_kill_while_a_change_waits_loses_nothing_that_was_shown_as_kept(models: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WINDOW, str(models)], stdout=subprocess.PIPE, text=True, cwd=ROOT,
                          env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}) as window:
        assert window.stdout is not None
        shown = [window.stdout.readline().strip() for _ in range(7)]
        with files._own(files._draft_of(models), models, 60):
            window.kill()
            shown += window.stdout.read().split()
    kept = {line for line in shown if line != "waits"}
    assert len(kept) >= 3
    assert kept <= {entry.name for entry in read_models(models).entries}
    change_models(models, lambda known: known.put(MODEL), patience=0)
