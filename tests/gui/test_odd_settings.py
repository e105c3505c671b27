"""Settings that were edited by hand or written by another version: the window opens nevertheless."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QByteArray, QSettings
from pytestqt.qtbot import QtBot

from core.recording.labels import LabelSet, write_labels
from gui.app import App
from gui.theme import theme_named
from tests.altered import altered_bytes
from tests.gui.parts import parts
from tests.long_tests import either

KEYS = ("annotator", "labels", "text size", "theme", "geometry", "layout/llm-mcts", "layout/oracle", "keys/run", "keys/step",
        "keys/palette", "keys/nothing", "keys/a/b", "label sets", "label set", "library/folders", "evaluations/folders",
        "recent files", "graph files", "watches", "document at the end", "batch/folder", "blind", "annotator asked",
        "tour seen", "first run asked")
ODD = ("", "nan", "-1e300", "x" * 100_000, "a\nb\0c", "\udc80", None, True, -1, 2**40, 1e308, ["a", "b"], {"a": 1},
       QByteArray(b"\0\xff" * 500), QByteArray(b""), "/dev/zero", "/", "/nowhere/labels.json", "Ctrl+Ctrl+Ctrl", "F99",
       "[1, 2]", '[{"title": "x", "labels": 5}]', ["{}", "[", "x" * 999, "\0"], "[" * 5000, ["/dev/zero", "\0", "/" * 5000])


def label_set_file(folder: Path) -> Path:
    write_labels(LabelSet("Mine", ()), folder / "mine.json")
    return folder / "mine.json"


@pytest.mark.parametrize("seed", range(either(5, 50)))
def test_the_window_stands_with_odd_settings(seed: int, qtbot: QtBot, tmp_path: Path) -> None:
    random = Random(seed)
    settings = QSettings(str(tmp_path / "written.ini"), QSettings.Format.IniFormat)
    for key in KEYS:
        settings.setValue(key, random.choice(ODD))
    settings.sync()
    content = (tmp_path / "written.ini").read_bytes()
    for _ in range(10 * (seed % 2)):
        content = altered_bytes(content, random, shortest=len(content) // 2)
    (tmp_path / "odd.ini").write_bytes(content)
    again = QSettings(str(tmp_path / "odd.ini"), QSettings.Format.IniFormat)
    app = App(parts(), theme_named(str(again.value("theme"))), again)
    qtbot.addWidget(app.window)
    app.open(ask=True)
    qtbot.waitUntil(lambda: app.bridge.snapshot.turn > 0)
    assert app.window.isVisible()
    assert len(app.labelling.annotator) <= 60
    assert app.pages.shelf.folders
    app.labelling.use(label_set_file(tmp_path))
    assert "Mine" in [one.title for one in app.labelling.sets]
    app.window.close()
