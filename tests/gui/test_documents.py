"""Files opened last, dropped files, the title, and the report of *About*."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from core.app.catalogue import Catalogue
from core.app.facts import facts
from core.common.redaction import without_user
from core.recording.labels import STANDARD, as_json
from gui.app import App
from gui.control.kept_settings import KeptSettings
from gui.window.about import AboutDialog
from gui.window.documents import KEY, LAST
from sim.registry import SIMULATORS, simulator_class
from tests.gui.conftest import MakeApp
from tests.gui.parts import parts
from tests.gui.test_replay import record, show


def drop(app: App, *paths: Path, on: QWidget | None = None) -> bool:
    """Drags files over a widget, by default the window, and drops them if they are taken. Returns whether they are."""
    target = on or app.window
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    at, copy, left, none = QPoint(50, 50), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from Qt 6.12 on it takes a QPointF, before only a QPoint
        over = QDragEnterEvent(at, copy, data, left, none)
    QApplication.sendEvent(target, over)
    if over.isAccepted():
        QApplication.sendEvent(target, QDropEvent(at, copy, data, left, none))
    return over.isAccepted()


def test_a_dropped_recording_is_opened_named_and_listed(qtbot: QtBot, make_app: MakeApp, tmp_path: Path,
                                                        settings: QSettings) -> None:
    path, _ = record(tmp_path)
    app = make_app(parts())
    assert app.window.windowTitle() == "Belvedere[*]"
    assert drop(app, path)
    qtbot.waitUntil(lambda: app.console.replaying)
    qtbot.waitUntil(lambda: app.window.windowTitle() == "episode.mcap[*] – Belvedere")
    assert not app.window.isWindowModified(), "labels of a recording are written as they are given"
    assert [row.title for row in app.documents.recent_entries()] == ["episode.mcap"]
    path.rename(tmp_path / "away.mcap")
    app.documents.recent_entries()
    qtbot.waitUntil(lambda: app.documents.gone == {str(path)})
    assert app.documents.recent_entries()[0].reason == "no longer there"
    app.labels.keeping._timer.timeout.emit()
    qtbot.waitUntil(lambda: app.window.windowTitle() == "away.mcap[*] – Belvedere")
    app.window.close()
    kept = KeptSettings(settings)
    assert kept.value(LAST) == str(tmp_path / "away.mcap")


def test_files_are_dropped_on_panels_too_docked_or_floating(make_app: MakeApp, tmp_path: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    app, recording, notes = make_app(parts()), tmp_path / "episode.mcap", tmp_path / "notes.txt"
    taken: list[Sequence[str]] = []
    monkeypatch.setattr(app.documents, "take", taken.append)
    dock = app.window.docks["log"]
    for floating in (False, True, False):
        dock.setFloating(floating)
        assert drop(app, recording, on=dock.card.header)
        assert not drop(app, notes, on=dock.card.header)
    assert taken == [[str(recording)]] * 3


def test_a_dropped_label_set_is_used_and_a_graph_is_told_apart(qtbot: QtBot, make_app: MakeApp, tmp_path: Path) -> None:
    app, sets, graph, odd = make_app(parts()), tmp_path / "set.json", tmp_path / "graph.json", tmp_path / "notes.txt"
    sets.write_text(json.dumps({**as_json(STANDARD), "title": "Mine"}), encoding="utf-8")
    graph.write_text(json.dumps({"nodes": [], "edges": []}), encoding="utf-8")
    opened: list[str] = []
    app.offers.files.opened.connect(opened.append)
    assert drop(app, sets, graph, odd)
    qtbot.waitUntil(lambda: app.labelling.set.title == "Mine")
    qtbot.waitUntil(lambda: opened == [str(graph)])
    assert not drop(app, odd), "the pointer shows that this file cannot be opened"


def test_the_title_marks_what_closing_would_ask_about(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    assert not app.window.isWindowModified()
    app.console.step()
    qtbot.waitUntil(lambda: app.window.windowTitle() == "Run 1[*] – Belvedere")
    qtbot.waitUntil(lambda: app.window.isWindowModified() and bool(app.kept_runs.runs.losses()))
    app.recorders.toggle()
    qtbot.waitUntil(lambda: ".mcap[*]" in app.window.windowTitle() and not app.window.isWindowModified())
    assert not app.kept_runs.runs.losses()


@pytest.mark.parametrize("kept", [None, 5, "one.mcap", ["a.mcap", 3, ""], {"a": 1}])
def test_odd_lists_of_files_are_read(make_app: MakeApp, settings: QSettings, kept: object) -> None:
    settings.setValue(KEY, kept)
    app = make_app(parts())
    assert app.documents.recent == {"one.mcap": ("one.mcap",)}.get(str(kept), ("a.mcap",) if isinstance(kept, list) else ())


def test_the_last_recording_is_offered_again_once_it_is_found(qtbot: QtBot, make_app: MakeApp, settings: QSettings,
                                                             tmp_path: Path) -> None:
    path, _ = record(tmp_path)
    settings.setValue(LAST, str(path))
    app = make_app(parts())
    app.documents.offer_last()
    qtbot.waitUntil(lambda: app.window.notices.shown)
    show(qtbot, app, path)


# --- About ------------------------------------------------------------------------
def test_the_report_has_no_keys_and_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    home, key = str(Path.home()), "sk-abcdefghij0123456789"
    rows = dict(facts(Catalogue(SIMULATORS, simulator_class), lambda: f"llvmpipe of {home}/mesa {key}", [key]))
    assert rows["OpenGL"] == "llvmpipe of ~/mesa [key]"
    assert rows["Simulator household"] == "installed"
    assert {"Belvedere", "Python", "System", "numpy"} <= rows.keys()
    assert home not in repr(rows)
    assert without_user("/home/ann/x and /Users/bob/y") == "/home/…/x and /Users/…/y"


def test_about_lists_and_copies(qtbot: QtBot, make_app: MakeApp) -> None:
    app = make_app(parts())
    app.actions.show_about()
    dialog = next(d for d in app.window.findChildren(AboutDialog) if d.isVisible())
    qtbot.waitUntil(dialog.copy.isEnabled)
    dialog.copy.click()
    assert "PySide" in QGuiApplication.clipboard().text()
    dialog.close()
